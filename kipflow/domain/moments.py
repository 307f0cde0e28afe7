"""A proposal's facts in order of time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import IntEnum
from typing import Any, TypeVar

from kipflow.domain.facts import ProposalFacts
from kipflow.domain.judging import find_announcements

T = TypeVar("T")


class Event(IntEnum):
    """What can move a proposal. At one moment, facts apply in this order: an end before a beginning, mail before a
    ruling.

    The last two are not facts: the running vote is judged, and time passes.
    """

    CREATED = 0
    PAGE = 1
    INDEX = 2
    VOTE_ENDED = 3
    MESSAGE = 4
    VOTE_OPENED = 5
    BALLOT = 6
    RESULT = 7
    RULING = 8
    JUDGED = 9
    CLOCK = 10


@dataclass(order=True, slots=True)
class Moment:
    """One fact at its time. `tie` orders facts of the same kind and time; ballot and result belong to their vote."""

    at: datetime
    event: Event
    tie: tuple[int, ...]
    what: object = field(compare=False)


def in_order(facts: ProposalFacts) -> ProposalFacts:
    """The same facts, each kind in order of time, so that the order of input does not matter."""
    return replace(
        facts,
        pages=_sorted(facts.pages, lambda p: (p.saved_at, p.page_id, p.version)),
        absences=_sorted(facts.absences, lambda a: (a.since, a.page_id)),
        index_entries=_sorted(facts.index_entries, lambda e: (e.seen_at, e.origin, e.section, e.title)),
        messages=_sorted(facts.messages, lambda m: (m.arrived_at, m.message_id)),
        votes=_sorted(
            (replace(v, ballots=_sorted(v.ballots, lambda b: (b.cast_at, b.message_id, b.voter))) for v in facts.votes),
            lambda v: (v.opened_at, v.root_message_id, v.round),
        ),
        tickets=_sorted(facts.tickets, lambda t: (t.seen_at, t.key)),
        rulings=_sorted(facts.rulings, lambda r: (r.made_at, r.id or 0, r.kind, r.target)),
        warnings=_sorted(facts.warnings, lambda w: (w.as_of, w.silent_at)),
    )


def _sorted(items: Iterable[T], key: Callable[[T], tuple[Any, ...]]) -> tuple[T, ...]:
    found = list(items)
    if len(found) < 2:
        return tuple(found)
    found.sort(key=key)
    if any(key(one) == key(other) for one, other in itertools.pairwise(found)):
        # repr is too slow to use it for every fact
        found.sort(key=lambda item: (*key(item), repr(item)))
    return tuple(found)


def find_moments(facts: ProposalFacts) -> Iterator[Moment]:
    """Every fact that can move a proposal, with its time. `facts` must be `in_order`: positions break ties."""
    if facts.proposal.created_at is not None:
        yield Moment(facts.proposal.created_at, Event.CREATED, (), facts.proposal)
    for n, page in enumerate(facts.pages):
        yield Moment(page.saved_at, Event.PAGE, (n,), page)
    for n, entry in enumerate(facts.index_entries):
        at = entry.seen_at if entry.origin == "page" else entry.changed_at or entry.created_at or entry.seen_at
        yield Moment(at, Event.INDEX, (n,), entry)
    for n, message in enumerate(facts.messages):
        yield Moment(message.arrived_at, Event.MESSAGE, (n,), message)
    for n, vote in enumerate(facts.votes):
        yield Moment(vote.opened_at, Event.VOTE_OPENED, (n,), vote)
        if vote.ended_at is not None:
            yield Moment(vote.ended_at, Event.VOTE_ENDED, (n,), vote)
        for m, ballot in enumerate(vote.ballots):
            yield Moment(ballot.cast_at, Event.BALLOT, (n, m), vote)
        for since in find_announcements(vote):
            yield Moment(since, Event.RESULT, (n,), vote)
    for n, ruling in enumerate(facts.rulings):
        yield Moment(ruling.made_at, Event.RULING, (n,), ruling)
