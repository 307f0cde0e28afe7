"""What a vote comes to if two mailboxes are one person's, and if they are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice, product
from math import prod

from kipflow.domain.judging import ask_for_senders, with_latest_standing
from kipflow.domain.people import Doubt
from kipflow.domain.votes import Vote

#: Ways to settle a vote's doubts that are tried one by one. With more, a person has to settle some of them first.
MAX_SETTLEMENTS = 64


#: Whose mails a doubt is about. Of somebody's single mails, each is a question of its own.
_Asked = tuple[str, tuple[str, ...]]


def _find_asked(doubt: Doubt) -> _Asked:
    return doubt.one_voter, doubt.mails


def _list_options(vote: Vote) -> dict[_Asked, list[Doubt | None]]:
    """Whose the mails in doubt may be: their own (None), or those of one of the people that they are likened to.

    Only doubts that touch binding ballots are listed: no other can change an outcome.
    """
    options: dict[_Asked, list[Doubt | None]] = {}
    for doubt in vote.doubts:
        if doubt.binds:
            options.setdefault(_find_asked(doubt), [None]).append(doubt)
    return options


def count_settlements(vote: Vote) -> int:
    """How many ways there are to settle the doubts that touch binding ballots."""
    return prod(map(len, _list_options(vote).values()))


def list_settlements(vote: Vote) -> Iterator[Vote]:
    """The judged vote once for each way in which its doubts may be settled, ballots judged anew in each: at most
    `MAX_SETTLEMENTS` of them."""
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
    """The vote with its doubtful mails given to one voter each, and one ballot of each voter standing."""
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
