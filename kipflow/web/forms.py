"""Ways to settle something as one form: what is known is hidden in it, every outcome is a button."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from kipflow.services.acts import LISTS
from kipflow.services.settling import OPTIONS, SNOOZE, Way, name_outcome

#: More options than these are a list to choose from.
_MAX_BUTTONS = 4
#: What a button gives besides: which of its act's optional fields counts, where its form has several.
ONLY = "only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """Performs `act`. `name` and `value` are the value that only this button gives, "" where there is none."""

    act: str
    label: str
    name: str = ""
    value: str = ""
    needs_reason: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A value to be chosen before a button is pressed: one of `options` (`several`: any of them, or none), a day, or
    else any text."""

    name: str
    label: str
    options: tuple[str, ...] = ()
    day: str = ""
    several: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """`parts` are a field or None, with the buttons that belong to it."""

    hidden: Mapping[str, str]
    parts: tuple[tuple[Field | None, tuple[Button, ...]], ...]
    needs_reason: bool


def build_form(ways: Sequence[Way], now: datetime) -> Form:
    """The form for these ways, of which there is at least one. `now` dates the end of a snooze that it offers."""
    hidden = {n: v for way in ways for n, v in way.given.items() if all(w.given.get(n, v) == v for w in ways)}
    parts = tuple(_build_part(way, ways, {n: v for n, v in way.given.items() if n not in hidden}, now) for way in ways)
    return Form(hidden=hidden, parts=parts, needs_reason=any(way.needs_reason for way in ways))


def _build_part(
    way: Way, ways: Sequence[Way], own: Mapping[str, str], now: datetime
) -> tuple[Field | None, tuple[Button, ...]]:
    if way.choose == "until":
        field = Field(name="until", label="Until", day=f"{now + SNOOZE:%Y-%m-%d}")
        return field, (Button(act=way.act, label="snooze"),)
    options = OPTIONS.get(way.choose, ())
    if way.choose and not 0 < len(options) <= _MAX_BUTTONS:
        field = Field(name=way.choose, label=way.choose.capitalize(), options=options, several=way.choose in LISTS)
        return field, (Button(act=way.act, name=ONLY, value=way.choose, label=f"set the {way.choose}"),)
    if options:
        return None, tuple(Button(act=way.act, name=way.choose, value=o, label=name_outcome(o)) for o in options)
    name, value = next(iter(own.items()), ("", ""))
    # what only this way comes to: "Dormant" beside a snooze
    outcome = next((v for n, v in way.given.items() if any(w.given.get(n) != v for w in ways)), way.act)
    label = way.label or name_outcome(outcome)
    return None, (Button(act=way.act, name=name, value=value, label=label, needs_reason=way.needs_reason),)
