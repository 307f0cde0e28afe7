"""Which number a proposal has and which one comes next: the wiki and its index say so, not who writes mail."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.proposals import MAX_NUMBER

#: Communities give out numbers one by one. One that lies further than this beyond the one below it is a mistake, or
#: was made up, until a person says otherwise. Ten years of Kafka's have no gap wider than 4.
JUMP = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownWriter:
    """Somebody whom the roster knows by address and who wrote in a proposal, and when first."""

    name: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbering:
    """What is known around one number.

    `by_wiki`: the community has a wiki, or some number of it is known from an index; else mail is all there is.
    `unread`: it has one, of which nothing was read yet.
    `below` is the next lower number: of those from the wiki where there is one, else of all. None: there is none.
    `writers` are filled where no page and no row has the number.
    """

    by_wiki: bool = False
    unread: bool = False
    below: int | None = None
    writers: tuple[KnownWriter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """Every number that somebody has.

    `taken` are those of pages and rows and those that a person accepted, without those that a person refused. On
    `accepted` and `refused` a person ruled. `claimed` are named in mail only, by somebody known. `stated` is what the
    index says comes next.
    """

    taken: frozenset[int] = frozenset()
    accepted: frozenset[int] = frozenset()
    refused: frozenset[int] = frozenset()
    claimed: frozenset[int] = frozenset()
    stated: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NextNumber:
    """The next free number. `highest` is the last one taken, `skipped` are claimed ones that lie between.

    `listed` is what an index shows as the next one: it never contradicts what the wiki's own states. `beyond` is a
    number on a page or row, or one that the index states, too far away to go on from: a person is asked.
    """

    number: int
    highest: int
    listed: int
    skipped: tuple[int, ...] = ()
    beyond: int | None = None


def is_jump(number: int, below: int | None) -> bool:
    """Whether a number lies too far beyond the next lower one; the lowest of all can begin anywhere."""
    return below is not None and number - below > JUMP


def find_next(numbers: Numbers) -> NextNumber:
    """The next number, from those that are taken without a jump; what only mail claims is passed over, not followed."""
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
    """Those of `others` that stand within a jump above one of `numbers`: whether they are jumps depends on these."""
    given = sorted(set(numbers))
    found, position = [], 0
    for other in sorted(set(others) - set(given)):
        while position < len(given) and given[position] < other:
            position += 1
        if position and other - given[position - 1] <= JUMP:
            found.append(other)
    return found
