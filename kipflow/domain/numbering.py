"""Which numbers are taken and which comes next: wiki and index decide, not mail."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.proposals import MAX_NUMBER

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
