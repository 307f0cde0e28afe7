"""The form of the story (`stories/*.yaml`): one `Plan` per proposal, its mails as short lines.

Times are days relative to the anchor; those of ballots and other replies are relative to the opening of
their thread. A scripted mail is one line of text:

    1.2 okim {html} +1 (non-binding)        days, author, flags in braces, the words

Flags name kinds of odd mail (see `Oddity`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic.dataclasses import dataclass

from kipflow.domain.events import Stage
from kipflow.domain.tally import Outcome
from kipflow.sandbox.data import STRICT, load_yaml, moment
from kipflow.sandbox.encodings import Oddity

#: The files of the story, and the number that the index page offers for the next proposal.
_FILES = ("passed", "eventful", "settled", "running", "unsettled", "quiet")
NEXT_NUMBER = 108


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One scripted mail."""

    at: float
    who: str
    text: str
    flags: frozenset[Oddity] = frozenset()


_LINE = re.compile(r"^(-?[\d.]+) (\w+)(?: \{([\w ]+)\})? (.+)$", re.DOTALL)


def parse_line(text: str) -> Line:
    """Parse a scripted mail. Raises ValueError unless it has the form "DAYS WHO {FLAGS} WORDS"."""
    match = _LINE.match(text)
    if match is None:
        raise ValueError(f"not a scripted mail: {text!r}")
    at, who, flags, words = match.groups(default="")
    return Line(at=float(at), who=who, text=words, flags=frozenset(Oddity(word) for word in flags.split()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A saved version of a proposal's page, with the Current state as its author wrote it."""

    at: float
    status: str
    note: str = ""


def _parse_edits(given: dict[float, str]) -> tuple[Edit, ...]:
    """Parse the versions of a page, each written as "DAYS: STATUS | what changed"."""
    parts = ((at, *text.partition(" | ")) for at, text in given.items())
    return tuple(Edit(at=at, status=status, note=note) for at, status, _, note in parts)


ScriptedLine = Annotated[Line, BeforeValidator(parse_line)]


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Topic:
    """What a proposal is about, as pieces for sentences; `setting` may be missing."""

    thing: str
    where: str
    gain: str
    risk: str
    other: str
    setting: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Discussion:
    """The `[DISCUSS]` thread: when it opens, and how many answers it gets in how many days."""

    at: float
    talk: int
    days: float = 6.0
    subject: str = "[DISCUSS] {key}: {title}"


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Announcement:
    """The result mail of a round, by the proposal's author. Names are ids of residents.

    `subject` is a tag ("[RESULT] [VOTE]"), "reply" for a plain reply in the vote thread, or a whole
    subject of its own. `style` is the form of the counts: prose, list, table or terse.
    """

    at: float
    plus: tuple[str, ...] = ()
    plus_other: tuple[str, ...] = ()
    zero: tuple[str, ...] = ()
    minus: tuple[str, ...] = ()
    passed: bool = True
    subject: str = "[RESULT] [VOTE]"
    style: str = "prose"


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Round:
    """One `[VOTE]` thread. `subject` has {key} and {title}; `own` are the caller's words about their own vote."""

    at: float
    subject: str = "[VOTE] {key}: {title}"
    casts: tuple[ScriptedLine, ...] = ()
    result: Announcement | None = None
    cancel: ScriptedLine | None = None
    cancel_tag: str = "[CANCELLED] [VOTE]"
    own: str = ""
    template: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Shelf:
    """When people moved the proposal to a section of the index."""

    at: float
    section: str = "accepted"
    release: str = ""
    wip: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Work:
    """The work on the proposal's ticket; `done`: it was fixed some three weeks after its start."""

    started: float
    release: str | None = None
    done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Expected:
    """The expected state of a proposal at the anchor, written by hand from the story's intent and the policy in
    `config/communities/sandbox.yaml`.

    `binding` and `other` are the newest round's counts (+1, 0, -1); `other` is None where readings may differ
    (see the note). `rounds` counts its votes (default: one if there is an outcome). `depends_on_review`: an
    unclear ballot decides; `page_drift`: page or index contradict the stage. `later` is its stage ten days after
    the anchor, `asleep` 15 days after, when the grace period of the first warnings is over; None: unchanged.
    """

    stage: Stage
    note: str
    rounds: int = 0
    outcome: Outcome | None = None
    binding: tuple[int, int, int] | None = None
    other: tuple[int, int, int] | None = None
    depends_on_review: bool = False
    page_drift: bool = False
    later: Stage | None = None
    asleep: Stage | None = None


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Plan:
    """One proposal's whole story.

    `page` is the form of its page: "plain", "lozenge", "template" (the template's text left in), "broken"
    (markup that does not parse), "restricted" (403) or "deleted" (404). `month_turn` shifts everything
    so that day 0 is the month's first midnight before the anchor's 100th day back.
    """

    number: int
    title: str
    author: str
    topic: Topic
    interfaces: tuple[str, ...]
    edits: Annotated[tuple[Edit, ...], BeforeValidator(_parse_edits)]
    expect: Expected
    discuss: Discussion | None = None
    said: tuple[ScriptedLine, ...] = ()
    votes: tuple[Round, ...] = ()
    index: Shelf | None = None
    ticket: Work | None = None
    page: str = "plain"
    month_turn: bool = False

    @property
    def key(self) -> str:
        return f"KIP-{self.number}"

    def find_time(self, anchor: datetime, days: float) -> datetime:
        """The time of one of its days."""
        start = (anchor - timedelta(days=100)).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        return moment(start if self.month_turn else anchor, days)


def read_plan(number: int, found: Mapping[str, Any]) -> Plan:
    """Parse the plan of a proposal from a story's file. Raises pydantic.ValidationError, which names a wrong key."""
    rest = {key: value for key, value in found.items() if key not in {"note", "expect"}}
    answer = found["expect"]
    expect = Expected(note=found["note"], **{"rounds": int("outcome" in answer), **answer})
    return Plan(number=number, expect=expect, **rest)


#: All proposals in order of their numbers.
PLANS: tuple[Plan, ...] = tuple(
    read_plan(number, found) for name in _FILES for number, found in load_yaml(f"stories/{name}.yaml").items()
)
#: Number → what kipflow must show at the anchor. Independent of kipflow's own reading.
EXPECTED: Mapping[int, Expected] = {plan.number: plan.expect for plan in PLANS}
