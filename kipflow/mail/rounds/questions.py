"""Ballots that become questions by what else is known of a round: its people, the mail that is answered, a restart."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from kipflow.domain.facts import Message
from kipflow.domain.votes import Ballot, BallotStatus, Choice
from kipflow.mail.votes.about import find_place, is_named_so
from kipflow.mail.votes.claims import skip_claim
from kipflow.mail.votes.relayed import passes_on

#: Most words of a mail that is only a value and a signature.
_FEW = 9


def ask_of_place(ballot: Ballot, names: Collection[str]) -> Ballot:
    """A vote "from Accra" becomes a question if somebody of that name is known."""
    if ballot.status is not BallotStatus.COUNTED or not ballot.value or "from " not in ballot.line:
        return ballot
    place = find_place(skip_claim(ballot.line.partition(ballot.value)[2]))
    if not place or is_named_so(place, [ballot.name]) or not is_named_so(place, names):
        return ballot
    return replace(ballot, status=BallotStatus.REVIEW, why="names somebody, or a place: whose vote is it?")


def ask_of_answer(ballot: Ballot, message: Message, against: str | None) -> Ballot:
    """A bare "+1" right below somebody's vote against (`against`: that voter) becomes a question: on the proposal, or
    on what that voter says?"""
    is_bare = ballot.line.strip(" .!*_") == ballot.value and len(message.own_text.split()) <= _FEW
    is_vote = ballot.status is BallotStatus.COUNTED and ballot.choice is Choice.FOR and ballot.claimed_binding is None
    if against in {None, ballot.voter} or not (is_bare and is_vote):
        return ballot
    why = "answers a vote against: for the proposal, or for what that mail says?"
    return replace(ballot, status=BallotStatus.REVIEW, rule="answers-a-vote-against", why=why)


def set_apart(ballot: Ballot) -> Ballot:
    """A vote that is passed on is nobody's until a person says whose: its writer's own vote does not settle that."""
    if ballot.status is not BallotStatus.REVIEW or not passes_on(ballot.line):
        return ballot
    by = f"somebody, by {ballot.name}" if ballot.name else "somebody"
    return replace(ballot, voter=f"{ballot.voter} for somebody", name=by)


def ask_restarted(ballots: Sequence[Ballot], since: datetime) -> Iterator[Ballot]:
    """The ballots; current ones from before a restart become questions: do they count after it?"""
    again = {b.voter for b in ballots if b.cast_at > since}
    for ballot in ballots:
        if ballot.cast_at >= since:
            yield ballot
        elif ballot.voter not in again and ballot.status is BallotStatus.COUNTED:
            why = "cast before the vote's caller began it anew: does it still count?"
            yield replace(ballot, status=BallotStatus.REVIEW, rule="restarted", why=why)
