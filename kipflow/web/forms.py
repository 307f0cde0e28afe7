"""Ways to settle a question as one form: known values are hidden fields, every outcome is a button."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from kipflow.services.acts import LISTS
from kipflow.services.settling import OPTIONS, SNOOZE, Way, label_way, name_outcome

#: More options than these become a select box.
_MAX_BUTTONS = 4
#: Sent by a button whose form has several optional fields of its act: the one that counts.
ONLY = "only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """Performs `act`. `name` and `value` are what only this button sends, "" if nothing."""

    act: str
    label: str
    name: str = ""
    value: str = ""
    needs_reason: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A value to choose before pressing a button: one of `options` (`several`: any number of them), a day, or else
    any text."""

    name: str
    label: str
    options: tuple[str, ...] = ()
    day: str = ""
    several: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """`parts`: an optional field, with the buttons that belong to it."""

    hidden: Mapping[str, str]
    parts: tuple[tuple[Field | None, tuple[Button, ...]], ...]
    needs_reason: bool


def build_form(ways: Sequence[Way], now: datetime) -> Form:
    """The form for these ways, at least one. `now` is the start of a snooze that it offers."""
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
    return None, (
        Button(act=way.act, name=name, value=value, label=label_way(way, ways), needs_reason=way.needs_reason),
    )
