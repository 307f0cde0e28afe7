"""Proposals: how texts refer to them, which numbers are taken (wiki and index decide, not mail), and the next one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

#: Numbers above this are years, ticket numbers or typing errors, not proposals.
MAX_NUMBER = 99_999


#: Invisible characters, for a pattern's class; without the direction marks that reorder a text.
UNSEEN = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2065\u206a-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_MARKS = r"\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u202a-\u202e\u2066-\u2069\u20d0-\u20ff\ufe20-\ufe2f\ufffd"
_WIDE = r"\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
#: What may not follow a number: anything that looks like a part of it ("KIP-7" and a superscript 8). Allowed are
#: scripts without blanks between words, and a version ("KIP-7v2").
NUMBER_ENDS = rf"(?!(?:[{UNSEEN}{_MARKS}]|(?!v[0-9])(?![{_WIDE}])[^\W_]))"
#: A letter neither Latin nor of a script without blanks: it may be a lookalike.
_FOREIGN = rf"(?![{_WIDE}])[^\W_0-9A-Za-z\u00c0-\u024f]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposal's own data, without its history.

    `title` is without number and prefix; `jira` is a ticket key such as KAFKA-1234.
    """

    number: int
    title: str
    author: str | None = None
    created_at: datetime | None = None
    page_id: str | None = None
    page_url: str | None = None
    jira: str | None = None
    release: str | None = None
    in_progress: bool = False


@lru_cache(maxsize=32)
def _reference_pattern(prefix: str) -> re.Pattern[str]:
    # "KIP-12", "KIP 12", "KIP12", "KIP - 12", "kip_12", "KIP–12" (en dash), "KIP-012"
    return re.compile(
        rf"(?<![A-Za-z0-9]){re.escape(prefix)}(?:\s{{0,2}}[-_:#\u2010-\u2015]\s{{0,2}}|\s{{1,2}}|)0{{0,4}}([1-9][0-9]{{0,4}})"
        + NUMBER_ENDS,
        re.IGNORECASE,
    )


def find_references(text: str, prefix: str) -> tuple[int, ...]:
    """The numbers of the proposals that `text` names, each once, in order of appearance.

    >>> find_references("[VOTE] KIP 12, was kip-9 (KIP-12)", "KIP")
    (12, 9)
    """
    seen: dict[int, None] = {}
    for match in _reference_pattern(prefix).finditer(text):
        seen.setdefault(int(match.group(1)), None)
    return tuple(seen)


@lru_cache(maxsize=32)
def _look_alike(prefix: str) -> re.Pattern[str]:
    letters = "".join(rf"(?:{re.escape(c)}|{_FOREIGN})" for c in prefix)
    return re.compile(rf"(?<![A-Za-z0-9]){letters}[\W_{UNSEEN}]{{0,5}}(?:\d|{_FOREIGN})", re.IGNORECASE)


def is_disguised(text: str, prefix: str) -> bool:
    """Whether the first apparent proposal number in `text` is not what it looks like to a reader.

    >>> is_disguised("KIP-7\\u00b2: after KIP-9", "KIP"), is_disguised("KIP-9, not KIP-7\\u00b2", "KIP")
    (True, False)
    """
    first = _look_alike(prefix).search(text)
    return first is not None and _reference_pattern(prefix).match(text, first.start()) is None


def format_key(prefix: str, number: int) -> str:
    """The way a community writes a proposal: KIP-932."""
    return f"{prefix}-{number}"


#: Communities assign numbers one by one. A number further than this above the next lower one is treated as a mistake
#: until a person accepts it. Ten years of Kafka's have no gap wider than 4.
JUMP = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownWriter:
    """Somebody known to the roster by address who wrote about a proposal, and when first."""

    name: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbering:
    """What is known about one number's context.

    `by_wiki`: the community has a wiki, or some number is known from an index; else numbers come from mail only.
    `unread`: it has a wiki that was never read.
    `below` is the next lower number: among those from the wiki if there is one, else among all; None: there is none.
    `writers` is filled only if no page and no index row has the number.
    """

    by_wiki: bool = False
    unread: bool = False
    below: int | None = None
    writers: tuple[KnownWriter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """All numbers in use.

    `taken` are numbers of pages and index rows, plus `accepted`, without `refused`; a person ruled on those two.
    `claimed` are named only in mail, by somebody known. `stated` is the next number according to the index.
    """

    taken: frozenset[int] = frozenset()
    accepted: frozenset[int] = frozenset()
    refused: frozenset[int] = frozenset()
    claimed: frozenset[int] = frozenset()
    stated: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NextNumber:
    """The next free number. `highest` is the last one taken, `skipped` are claimed numbers in between.

    `listed` is the next number for an index: never lower than the wiki's own index states. `beyond` is a number on a
    page or in the index that is too far away to continue from: a person is asked.
    """

    number: int
    highest: int
    listed: int
    skipped: tuple[int, ...] = ()
    beyond: int | None = None


def is_jump(number: int, below: int | None) -> bool:
    """Whether a number is too far above the next lower one; the lowest number is never a jump."""
    return below is not None and number - below > JUMP


def find_next(numbers: Numbers) -> NextNumber:
    """The next number after those taken without a jump; numbers claimed in mail are skipped."""
    highest, beyond = 0, None
    for number in sorted(numbers.taken):
        if is_jump(number, highest or None) and number not in numbers.accepted:
            beyond = number
            break
        highest = number
    if numbers.stated is not None and is_jump(numbers.stated - 1, highest or None):
        beyond = beyond or numbers.stated
    elif numbers.stated is not None:
        highest = max(highest, numbers.stated - 1)
    number, skipped = highest + 1, []
    while number in numbers.claimed:
        skipped.append(number)
        number += 1
    stated = numbers.stated if numbers.stated is not None and is_number(numbers.stated) else 0
    return NextNumber(
        number=number, highest=highest, listed=max(highest + 1, stated), skipped=tuple(skipped), beyond=beyond
    )


def is_number(number: int) -> bool:
    """Whether a proposal can have this number."""
    return 0 < number <= MAX_NUMBER


def find_followers(numbers: Iterable[int], others: Iterable[int]) -> list[int]:
    """Those of `others` at most a jump above one of `numbers`: whether they are jumps depends on these."""
    given = sorted(set(numbers))
    found, position = [], 0
    for other in sorted(set(others) - set(given)):
        while position < len(given) and given[position] < other:
            position += 1
        if position and other - given[position - 1] <= JUMP:
            found.append(other)
    return found
