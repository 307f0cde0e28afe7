"""The public part of a proposal: the fields in `PUBLIC`, without mail addresses; questions become one generic line.

Everything on the site is made from the result of `as_public`. A field that is not listed, such as a new one, is
never published.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from kipflow.domain.clocks import VoteState, VoteTerms
from kipflow.domain.events import Actor, Evidence, Transition
from kipflow.domain.pages import TicketState
from kipflow.domain.proposals import Proposal
from kipflow.domain.votes import Ballot, BallotStatus, Declared, Vote
from kipflow.services.board import ProposalView, RecordedTransition
from kipflow.web.render import find_safe_url

T = TypeVar("T")
ASKED = "a person is asked"
NAMELESS = "somebody without a name"
#: Spellings of "@"; mail programs normalise the wide ones to it.
_SIGNS = ("@", "\uff20", "\ufe6b", "%40")
_SIGN = "(?:[@\uff20\ufe6b]|%40)"
#: A mail address, also with a quoted name, a comment, blanks around the "@", or an IP address as host. Bounded on
#: both sides of the "@", so that hostile text costs no more than any other.
_ADDRESS = re.compile(
    r"(?:\"[^\"\n]{1,64}\"|[^\s<>\[\]\",;:@\uff20\ufe6b]{1,64})"
    rf"(?:{_SIGN}|[ \t]{{1,2}}{_SIGN}[ \t]{{1,2}}(?=[\w-]{{1,63}}\.\w))"
    r"(?:\[[^\]\s]{1,64}\]|[^\s<>()\[\]\"',;:@\uff20\ufe6b]{1,253})"
)
#: Characters that neither XML nor a page may hold.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
#: The rest of a line of `missing` from here on is for operators only.
_ADVICE = "; run `kipflow"


def hide_addresses(text: str) -> str:
    """The text without mail addresses and characters that a page cannot hold."""
    if any(sign in text for sign in _SIGNS):
        text = _ADDRESS.sub("[address]", text)
    return text if text.isascii() and text.isprintable() else _UNFIT.sub("\ufffd", text)


def hide_in_url(url: str) -> str:
    """An http(s) address with its "@" masked, so that a Message-ID does not look like a mailbox; "" for any other."""
    if any(c.isspace() or not c.isprintable() for c in url):
        return ""  # a line break would begin a line of the calendar
    return find_safe_url(url).replace("@", "%40")


def say_name(name: str) -> str:
    """A person's name; never the mail address that replaces a missing name."""
    shown = hide_addresses(" ".join(name.split())).replace("[address]", "").strip(" <>\"'")
    return shown or NAMELESS


#: Record → fields that are safe to publish as they are: keys, numbers, times, our own words. All others are left
#: out, or passed to `_show` with their text cleaned.
PUBLIC: Mapping[type, tuple[str, ...]] = {
    ProposalView: (
        "key", "stage", "since", "decided_at", "policy_version", "next_deadline", "last_activity", "threads", "claim",
    ),
    Proposal: ("number", "created_at", "in_progress"),
    RecordedTransition: ("recorded_at", "retracted"),
    Transition: ("number", "source", "target", "at", "rule", "actor", "policy_version", "retracts", "repeat"),
    Evidence: ("kind", "ref"),
    VoteState: ("tally", "outcome", "depends_on_review"),
    VoteTerms: ("quorum", "earliest_close", "because"),
    Vote: ("key", "proposal", "round", "root_message_id", "opened_at", "ended_at", "ended_how", "root_missing"),
    Ballot: ("choice", "binding", "claimed_binding", "cast_at", "message_id", "rule", "status", "known_by", "is_ruled"),
    Declared: ("message_id", "announced_at", "outcome", "binding", "non_binding", "total"),
    TicketState: ("key", "seen_at"),
}  # fmt: skip


def _show_declared(said: Declared) -> Declared:
    """An announced result; where it, or a later mail about it, is not understood, it says that somebody is asked."""
    unclear = ASKED if said.unclear else ""
    return _show(said, by=say_name(said.by), line=hide_addresses(said.line), unclear=unclear)


def _show(value: T, /, **cleaned: Any) -> T:
    """A record of only its public fields, and the cleaned ones."""
    return type(value)(**{name: getattr(value, name) for name in PUBLIC[type(value)]}, **cleaned)


def as_public(view: ProposalView) -> ProposalView:
    """The view with only public fields, and every text cleaned."""
    proposal = view.proposal
    return _show(
        view,
        proposal=_show(
            proposal,
            title=hide_addresses(proposal.title),
            author=say_name(proposal.author) if proposal.author else None,
            page_url=hide_in_url(proposal.page_url or ""),
            jira=hide_addresses(proposal.jira or "") or None,
            release=hide_addresses(proposal.release or "") or None,
        ),
        history=tuple(_show(r, transition=_show_move(r.transition)) for r in view.history),
        votes=tuple(_show_state(s) for s in view.votes if s.vote.is_proper),
        tickets=tuple(_show_ticket(t) for t in view.tickets),
        missing=_say_missing(view.missing),
        links={message_id: hide_in_url(url) for message_id, url in view.links.items()},
    )


def _say_missing(lines: Iterable[str]) -> tuple[str, ...]:
    """What the proposal lacks. Lines about questions to a person are replaced by one generic line."""
    shown = (ASKED if "a person" in line else hide_addresses(line.partition(_ADVICE)[0]) for line in lines)
    return tuple(dict.fromkeys(shown))


def _show_move(move: Transition) -> Transition:
    is_ruled = move.actor is Actor.OPERATOR or any(e.kind == "ruling" for e in move.evidence)
    note = "" if is_ruled else hide_addresses(move.note)
    return _show(move, evidence=tuple(_show_evidence(e) for e in move.evidence), note=note)


def _show_evidence(evidence: Evidence) -> Evidence:
    # a ruling's line is an operator's reason; `ref` stays, because the move's id is derived from it
    if evidence.kind == "ruling":
        return _show(evidence)
    return _show(evidence, line=hide_addresses(evidence.line), url=hide_in_url(evidence.url))


def _show_state(state: VoteState) -> VoteState:
    vote, said = state.vote, state.vote.declared
    public = _show(
        vote,
        list_id="",
        subject=hide_addresses(vote.subject),
        opened_by=say_name(vote.opened_by),
        opened_by_address="",
        ballots=tuple(_show_ballot(b) for b in vote.ballots),
        declared=None if said is None else _show_declared(said),
    )
    differences = tuple(hide_addresses(d) for d in state.differences)
    return _show(state, vote=public, terms=_show(state.terms), differences=differences)


def _show_ticket(ticket: TicketState) -> TicketState:
    versions = tuple(hide_addresses(v) for v in ticket.fix_versions)
    return _show(ticket, status=hide_addresses(ticket.status), resolution=None, fix_versions=versions)


def _show_ballot(ballot: Ballot) -> Ballot:
    is_asked = ballot.status is BallotStatus.REVIEW
    why = ASKED if is_asked else "settled by a person" if ballot.is_ruled else hide_addresses(ballot.why)
    return _show(
        ballot,
        name=say_name(ballot.name),
        voter=ballot.voter if hide_addresses(ballot.voter) == ballot.voter else "",
        address="",
        value=hide_addresses(ballot.value),
        line=hide_addresses(ballot.line),
        why=why,
    )
