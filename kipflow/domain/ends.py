"""Ends of votes announced by somebody not entitled to: a person is asked, and an accepted end is applied."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from kipflow.domain.facts import Ruling
from kipflow.domain.numberdoubts import ANSWERS
from kipflow.domain.people import Mailbox, say_mailbox
from kipflow.domain.votes import ClaimedEnd, EndKind, Vote


def list_ends(vote: Vote) -> tuple[ClaimedEnd, ...]:
    """The claimed ends of a vote, then its contested opening."""
    return vote.claimed_ends if vote.contested is None else (*vote.claimed_ends, vote.contested)


def with_ending_rulings(vote: Vote, rulings: Iterable[Ruling]) -> Vote:
    """The vote with the rulings on its claimed ends applied."""
    said = {r.target: r for r in rulings if r.kind == "ending" and r.value.get("ending") in ANSWERS}
    if not said or not list_ends(vote):
        return vote

    def settle(end: ClaimedEnd) -> ClaimedEnd:
        ruling = said.get(end.message_id)
        if ruling is None:
            return end
        return replace(end, settled_at=ruling.made_at, accepted=ruling.value["ending"] == "accept")

    contested = None if vote.contested is None else settle(vote.contested)
    return replace(vote, claimed_ends=tuple(settle(end) for end in vote.claimed_ends), contested=contested)


def find_accepted(vote: Vote, at: datetime) -> tuple[ClaimedEnd, ...]:
    """The claimed ends that a ruling had accepted by `at`."""
    return tuple(e for e in vote.claimed_ends if e.accepted and e.is_settled(at))


def find_open_ends(vote: Vote) -> tuple[ClaimedEnd, ...]:
    """The claimed ends that wait for a ruling. A second round called meanwhile is asked about with that round."""
    kinds = {EndKind.CANCELLED} if vote.declared is not None else {EndKind.CANCELLED, EndKind.CLOSED}
    return tuple(end for end in vote.claimed_ends if end.settled_at is None and end.kind in kinds)


def say_end(end: ClaimedEnd) -> str:
    """The question about a claimed end, with what is missing."""
    who = say_mailbox(Mailbox(key=end.address, name=end.by)) if end.address else end.by or "a mail without a sender"
    outcome = end.declared.outcome if end.declared is not None else None
    if end.declared is not None and end.declared.only_denies:
        return f"{who} lets the vote run on, and {end.why}: does it?"
    said, question = _SAID[end.kind]
    return f"{who} {said}{f' ({outcome})' if outcome else ''}, and {end.why}: {question}"


_SAID = {
    EndKind.CLOSED: ("announces a result", "does it close the vote?"),
    EndKind.CANCELLED: ("calls the vote off", "is it called off?"),
    EndKind.REPLACED: ("calls a vote beside this one", "does it replace the one that runs?"),
    EndKind.CALLED: ("may call a vote", "is it a vote?"),
}
