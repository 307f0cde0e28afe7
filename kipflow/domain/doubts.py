"""The possible results of a vote, depending on whether two mailboxes belong to one person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice, product
from math import prod

from kipflow.domain.judging import ask_for_senders, with_latest_standing
from kipflow.domain.people import Doubt
from kipflow.domain.votes import Vote

#: Ways to settle a vote's doubts that are tried one by one. Above that, a person must settle some doubts first.
MAX_SETTLEMENTS = 64


#: The mails that a doubt is about: each such group has one answer.
_Asked = tuple[str, tuple[str, ...]]


def _find_asked(doubt: Doubt) -> _Asked:
    return doubt.one_voter, doubt.mails


def _list_options(vote: Vote) -> dict[_Asked, list[Doubt | None]]:
    """Group of mails → its possible authors: the voter it shows (None), or one of the people it may be from.

    Only doubts that touch binding ballots are listed: no other can change an outcome.
    """
    options: dict[_Asked, list[Doubt | None]] = {}
    for doubt in vote.doubts:
        if doubt.binds:
            options.setdefault(_find_asked(doubt), [None]).append(doubt)
    return options


def count_settlements(vote: Vote) -> int:
    """The number of ways to settle the doubts about binding ballots."""
    return prod(map(len, _list_options(vote).values()))


def list_settlements(vote: Vote) -> Iterator[Vote]:
    """The vote judged anew for each way to settle its doubts: at most `MAX_SETTLEMENTS`."""
    options = _list_options(vote)
    if not options:
        yield vote
        return
    for way in islice(product(*options.values()), MAX_SETTLEMENTS):
        yield _settle(vote, dict(zip(options, way, strict=True)))


def settle_one(vote: Vote, doubt: Doubt, *, same: bool) -> Vote:
    """The judged vote with one doubt settled, the others as they are."""
    return _settle(vote, {_find_asked(doubt): doubt if same else None}, only=doubt)


def _settle(vote: Vote, way: Mapping[_Asked, Doubt | None], *, only: Doubt | None = None) -> Vote:
    """The vote with each mail in doubt assigned to one voter, and one ballot of each voter counted."""
    owner: dict[str, tuple[str, bool]] = {}
    for doubt in vote.doubts:
        if _find_asked(doubt) in way and (only is None or doubt == only):
            owner.update((mail, (doubt.one_voter, False)) for mail in doubt.mails)
    for chosen in way.values():
        if chosen is not None:
            owner.update((mail, (chosen.other_voter, mail in chosen.binds)) for mail in chosen.mails)
    ballots = []
    for ballot in vote.before_doubts:
        if ballot.message_id in owner:
            voter, binding = owner[ballot.message_id]
            ballot = replace(ballot, voter=voter, binding=binding)
        ballots.append(ballot)
    left = () if only is None else [d for d in vote.doubts if _find_asked(d) != _find_asked(only)]
    return replace(vote, ballots=with_latest_standing(ask_for_senders(ballots, left)), doubts=(), before_doubts=())
