"""What a vote comes to if two mailboxes are one person's, and if they are not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice, product

from kipflow.domain.judging import ask_for_senders, with_latest_standing
from kipflow.domain.people import Doubt
from kipflow.domain.votes import Vote

#: Ways to settle a vote's doubts that are tried one by one. With more, a person has to settle some of them first.
MAX_WAYS = 64


def find_ways(vote: Vote) -> tuple[Vote, ...]:
    """The judged vote once for each way in which its doubts may be settled, ballots judged anew in each.

    Only doubts that touch binding ballots are tried: no other can change an outcome. One mailbox is one
    person's at most, so each is either its own or that of one of those it is likened to.
    """
    choices: dict[_Asked, list[Doubt | None]] = {}
    for doubt in vote.doubts:
        if doubt.binds:
            choices.setdefault(_find_asked(doubt), [None]).append(doubt)
    if not choices:
        return (vote,)
    ways = islice(product(*choices.values()), MAX_WAYS)
    return tuple(_settle(vote, dict(zip(choices, way, strict=True))) for way in ways)


#: Whose mails a doubt is about. Of somebody's single mails, each is a question of its own.
_Asked = tuple[str, tuple[str, ...]]


def _find_asked(doubt: Doubt) -> _Asked:
    return doubt.one_voter, doubt.mails


def count_ways(vote: Vote) -> int:
    """How many ways there are to settle the doubts that touch binding ballots."""
    ways, options = 1, dict[_Asked, int]()
    for doubt in vote.doubts:
        if doubt.binds:
            options[_find_asked(doubt)] = options.get(_find_asked(doubt), 1) + 1
    for option in options.values():
        ways = min(ways * option, MAX_WAYS + 1)
    return ways


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
