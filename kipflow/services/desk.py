"""What a person's acts work on, their input, and their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, auto
from shlex import quote
from typing import Any, Protocol

from kipflow.domain.events import Stage
from kipflow.domain.facts import Ruling
from kipflow.domain.policy import Policy
from kipflow.domain.proposals import format_key
from kipflow.domain.roster import Roster
from kipflow.domain.texts import take_some
from kipflow.services.board import BoardStore
from kipflow.services.effectrules import EffectRules
from kipflow.services.ruling_checks import BadRuling
from kipflow.services.wording import LEAVES

MAX_REASON = 2000
#: The most changed votes that are listed after an act.
_MAX_CHANGES = 20
#: The values of an act by field name, from a command or a form.
Values = Mapping[str, Any]


class RosterText(Protocol):
    """The text of the roster's file."""

    def read(self) -> str: ...
    def check(self, text: str) -> Roster:
        """The roster in the text, if it could be saved."""

    def save(self, text: str, *, instead_of: str) -> bool:
        """Save it; False if the file no longer is `instead_of`."""

    def find_before(self) -> str | None:
        """The text before the last save; None if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What acts work on. `rosters` is the file of `roster`, None if the community names none."""

    store: BoardStore
    roster: Roster
    policy: Policy
    effects: EffectRules
    rosters: RosterText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActContext:
    """Who performs an act, why, and when (aware UTC)."""

    author: str
    reason: str
    at: datetime

    def checked(self) -> ActContext:
        """The context with author and reason in one line each.

        Raises:
            BadRuling: one of them is missing or too long, or the reason is the placeholder of a shown command.
        """
        by, why = " ".join(self.author.split()), " ".join(self.reason.split())
        if not by or not why:
            raise BadRuling("a ruling needs its author and a reason: --by NAME --reason TEXT")
        if why == "…":
            raise BadRuling("the reason is still the … of the command: write your own in its place")
        if len(by) > 200 or len(why) > MAX_REASON:
            raise BadRuling(f"a reason has at most {MAX_REASON:,} characters, an author's name 200")
        return replace(self, author=by, reason=why)

    def as_ruling(self, kind: str, target: str, value: dict[str, Any], *, number: int | None = None) -> Ruling:
        """A ruling by this author for this reason, not stored yet."""
        by, why, at = self.author, self.reason, self.at
        return Ruling(id=None, number=number, kind=kind, target=target, value=value, author=by, reason=why, made_at=at)


class ShownStages(Enum):
    """The proposals whose stage is shown after an act."""

    ALL = auto()
    MOVED = auto()
    NONE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteChange:
    """A change in one round of votes; `before` and `after` are tally and outcome in words."""

    round: int
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequence:
    """The effect of an act on one proposal. `stage` is None if nothing had happened by then.

    `moved`: its history got new entries. `held`: the key of the effect that announces the retraction of its acceptance,
    which a person must release; "" if there is none.
    """

    number: int
    stage: Stage | None
    moved: bool = False
    votes: tuple[VoteChange, ...] = ()
    held: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The result of an act. `ruling` is the id of the recorded ruling, which can be revoked; None: there is none."""

    said: str
    ruling: int | None = None
    consequences: tuple[Consequence, ...] = ()
    shown: ShownStages = ShownStages.MOVED


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What an act would change: `lines` in words, `diff` of a file. `seen` identifies it; the act requires it."""

    lines: tuple[str, ...]
    seen: str
    diff: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """Something a person can do. `fields` are the names of its values in the order of the command's words.

    One with a `preview` also has the field `seen`: nobody performs it without having seen what it changes.
    """

    fields: tuple[str, ...]
    perform: Callable[[Desk, Values, ActContext], Done]
    optional: tuple[str, ...] = ()
    preview: Callable[[Desk, Values, datetime], Preview] | None = None


def read_number(given: object) -> int:
    """A number from a form, a program or a command.

    Raises:
        BadRuling: it is none.
    """
    text = str(given)
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise BadRuling(f"{text!r} is no number")
    return int(text)


def say_done(done: Done, prefix: str) -> list[str]:
    """The result of an act in lines: what was recorded, then changed votes, then what waits."""
    found = done.consequences
    keys = {c.number: format_key(prefix, c.number) for c in found}
    shown = [c for c in found if done.shown is ShownStages.ALL or (c.moved and done.shown is ShownStages.MOVED)]
    lines = ["; ".join([done.said, *(f"{keys[c.number]} {_say_stage(c)}" for c in shown)])]
    changes = [f"{keys[c.number]}, round {v.round}: {v.before} → {v.after}" for c in found for v in c.votes]
    lines += take_some(changes, _MAX_CHANGES, "and {} votes more")
    silent = "its acceptance was retracted; this is announced only after"
    lines += [f"{keys[c.number]}: {silent} `kipflow review release {quote(c.held)}`" for c in found if c.held]
    return lines


def _say_stage(found: Consequence) -> str:
    if found.stage is None:
        return LEAVES if found.moved else "is now: not begun yet"
    if found.moved:
        return f"is now: {found.stage}"
    return f"stays in {found.stage}{'' if found.votes else ', and nothing is counted otherwise'}"
