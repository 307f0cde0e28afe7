"""The form in which the story is written: one `Plan` per proposal, its mails as short lines.

Times are days relative to the anchor (the moment `--now`); those of ballots and other replies count
from the opening of their thread. A scripted mail is one line of text:

    "1.2 okim {html} +1 (non-binding)"      days, who, flags in braces, the words that matter

Flags name a kind of odd mail (see `Oddity`); without any the mail is an ordinary one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Oddity(StrEnum):
    """What can be odd about how a mail is written or how an archive holds it."""

    HTML = "html"  # text/html only
    ALTERNATIVE = "alternative"  # text/plain and text/html
    BASE64 = "b64"
    QUOTED_PRINTABLE = "qp"
    FLOWED = "flowed"
    LATIN1 = "latin1"
    UNKNOWN_CHARSET = "unknowncharset"
    VIA_REPLY_TO = "viareply"  # "Name via dev", the real address in Reply-To
    VIA_CC = "viacc"  # the same, the real address as last Cc
    INVALID = "invalid"  # name@company.INVALID
    OTHER_ADDRESS = "alt"  # writes from their second address
    NEW_ADDRESS = "newaddr"  # writes from an address that the roster does not have: is it they?
    NO_DATE = "nodate"  # no Date, but Received lines
    NO_DATE_AT_ALL = "nodateatall"  # no Date, and a Received without a time
    SLOW_CLOCK = "slowclock"  # a Date of eleven days before
    NO_ID = "noid"
    NO_SUBJECT = "nosubject"
    TWICE = "twice"  # the archive holds it twice
    FROM_LINE = "fromline"  # a body line "From …" left unescaped
    TWO_DIGIT_YEAR = "year2"
    NO_WEEKDAY = "noweekday"
    GMT = "gmt"
    FOLDED = "folded"  # a subject over several lines
    REPEATED = "re2"  # Re: Re: Fwd:
    RE_UPPER = "upper"  # RE:
    AW = "aw"
    FORWARD = "fwd"
    TOP = "top"
    BOTTOM = "bottom"
    INLINE = "inline"
    OUTLOOK = "outlook"  # From/Sent/To/Subject block above the quoted mail
    BARE = "bare"  # nothing but these words, no greeting, quote or signature
    FOOTER = "footer"  # the list's footer under the mail
    TEMPLATE = "template"  # quotes the ballot template
    ATTRIBUTION = "attribution"  # an attribution line with a +0100 in it


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One scripted mail."""

    at: float
    who: str
    text: str
    flags: frozenset[Oddity] = frozenset()


_LINE = re.compile(r"^(-?[\d.]+) (\w+)(?: \{([\w ]+)\})? (.+)$", re.DOTALL)


def parse_line(text: str) -> Line:
    """Read a scripted mail.

    Raises:
        ValueError: the line is not of the form "DAYS WHO {FLAGS} WORDS".
    """
    match = _LINE.match(text)
    if match is None:
        raise ValueError(f"not a scripted mail: {text!r}")
    flags = frozenset(Oddity(word) for word in (match.group(3) or "").split())
    return Line(at=float(match.group(1)), who=match.group(2), text=match.group(4), flags=flags)


def parse_lines(*texts: str) -> tuple[Line, ...]:
    return tuple(parse_line(text) for text in texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What a proposal is about, in pieces that sentences are built from."""

    thing: str
    where: str
    gain: str
    risk: str
    other: str
    setting: str
    interfaces: tuple[str, ...]


def about(thing: str, where: str, gain: str, risk: str, other: str, setting: str, *interfaces: str) -> Topic:
    return Topic(thing=thing, where=where, gain=gain, risk=risk, other=other, setting=setting, interfaces=interfaces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """The closing mail of a round. Names are ids of residents; `claims` overrides the counts it states.

    `subject` is a tag ("[RESULT] [VOTE]"), "reply" for a plain reply in the vote thread, or a whole
    subject of its own. `style` is how the counts are written: prose, list, table or terse.
    """

    at: float
    who: str
    plus: tuple[str, ...] = ()
    plus_other: tuple[str, ...] = ()
    zero: tuple[str, ...] = ()
    minus: tuple[str, ...] = ()
    minus_other: tuple[str, ...] = ()
    passed: bool = True
    subject: str = "[RESULT] [VOTE]"
    style: str = "prose"
    claims: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One `[VOTE]` thread. `subject` has {key} and {title}; `own` are the caller's words about their own vote."""

    opened: float
    subject: str = "[VOTE] {key}: {title}"
    who: str | None = None
    casts: tuple[Line, ...] = ()
    result: Announcement | None = None
    cancel: Line | None = None
    cancel_tag: str = "[CANCELLED] [VOTE]"
    own: str = ""
    template: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A saved version of a proposal's page, with the Current state as its author wrote it."""

    at: float
    who: str
    status: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """When the hand-kept index moved the proposal to a section."""

    at: float
    section: str
    release: str = ""
    in_progress: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketStep:
    at: float
    status: str
    resolution: str | None = None
    fix_version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One proposal's whole story.

    `page` is how its page comes: "plain", "lozenge", "template" (the template's text left in), "broken"
    (markup that does not parse), "restricted" (403), "deleted" (404) or "none". `month_turn` shifts
    everything so that day 0 is the month's first midnight before the anchor's 100th day back.
    """

    number: int
    title: str
    author: str
    topic: Topic
    created: float
    discuss: float | None = None
    discuss_subject: str = "[DISCUSS] {key}: {title}"
    talk: int = 0
    talk_days: float = 6.0
    said: tuple[Line, ...] = ()
    rounds: tuple[Round, ...] = ()
    edits: tuple[Edit, ...] = ()
    shelves: tuple[Shelf, ...] = ()
    ticket: tuple[TicketStep, ...] = ()
    page: str = "plain"
    month_turn: bool = False

    @property
    def key(self) -> str:
        return f"KIP-{self.number}"


_EDIT = re.compile(r"^(-?[\d.]+) (\w+): ([^|]*?)(?: \| (.+))?$")


def edits(*texts: str) -> tuple[Edit, ...]:
    """Page versions, written "DAYS WHO: STATUS | what changed"."""
    found = []
    for text in texts:
        match = _EDIT.match(text)
        if match is None:
            raise ValueError(f"not a page edit: {text!r}")
        found.append(
            Edit(at=float(match.group(1)), who=match.group(2), status=match.group(3), note=match.group(4) or "")
        )
    return tuple(found)


def accepted(at: float, release: str = "", *, wip: bool = False) -> tuple[Shelf, ...]:
    return (Shelf(at=at, section="accepted", release=release, in_progress=wip),)


def done(at: float, release: str) -> tuple[TicketStep, ...]:
    """A ticket that is worked on from `at` and fixed some three weeks later."""
    return (
        TicketStep(at=at, status="In Progress"),
        TicketStep(at=at + 22, status="Resolved", resolution="Fixed", fix_version=release),
    )


def started(at: float, release: str | None = None) -> tuple[TicketStep, ...]:
    return (TicketStep(at=at, status="In Progress", fix_version=release),)
