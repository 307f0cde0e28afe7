"""What of a proposal is public: the fields that `PUBLIC` names, without mail addresses; questions appear as one line.

Everything on the site is made from views that went through `as_public`. A field that is not named, or that is new, is
never on it.
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
#: How the sign of an address is written; the wide ones are normalised to it by mail programs.
_SIGNS = ("@", "\uff20", "\ufe6b", "%40")
_SIGN = "(?:[@\uff20\ufe6b]|%40)"
#: Also with a quoted name, a comment, blanks around the sign, or a host by its number. Bounded on both sides of the
#: sign, so that hostile text costs no more than any other.
_ADDRESS = re.compile(
    r"(?:\"[^\"\n]{1,64}\"|[^\s<>\[\]\",;:@\uff20\ufe6b]{1,64})"
    rf"(?:{_SIGN}|[ \t]{{1,2}}{_SIGN}[ \t]{{1,2}}(?=[\w-]{{1,63}}\.\w))"
    r"(?:\[[^\]\s]{1,64}\]|[^\s<>()\[\]\"',;:@\uff20\ufe6b]{1,253})"
)
#: Characters that neither XML nor a page may hold.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
#: What a line of `missing` says to operators only begins here.
_ADVICE = "; run `kipflow"


def hide_addresses(text: str) -> str:
    """The text without mail addresses and without characters that a page cannot hold."""
    if any(sign in text for sign in _SIGNS):
        text = _ADDRESS.sub("[address]", text)
    return text if text.isascii() and text.isprintable() else _UNFIT.sub("\ufffd", text)


def hide_in_url(url: str) -> str:
    """The address if it is an http(s) one, without an "@": a Message-ID in it must not look like a mailbox; else ""."""
    if any(c.isspace() or not c.isprintable() for c in url):
        return ""  # a line break would begin a line of the calendar
    return find_safe_url(url).replace("@", "%40")


def say_name(name: str) -> str:
    """The name of a person; never the address that stands for one where a mail has no name."""
    shown = hide_addresses(" ".join(name.split())).replace("[address]", "").strip(" <>\"'")
    return shown or NAMELESS


#: Record → its fields that may be shown as they are: keys, numbers, times, words of our own. All others are left out,
#: or given to `_show` with their text cleaned.
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


def _show(value: T, /, **cleaned: Any) -> T:
    """A record with its public fields, and these others."""
    return type(value)(**{name: getattr(value, name) for name in PUBLIC[type(value)]}, **cleaned)


def as_public(view: ProposalView) -> ProposalView:
    """The view with every text as the site may show it."""
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
    """What the proposal lacks; lines that name what a person must settle come to one that says no more than that."""
    shown = (ASKED if "a person" in line else hide_addresses(line.partition(_ADVICE)[0]) for line in lines)
    return tuple(dict.fromkeys(shown))


def _show_move(move: Transition) -> Transition:
    is_ruled = move.actor is Actor.OPERATOR or any(e.kind == "ruling" for e in move.evidence)
    note = "" if is_ruled else hide_addresses(move.note)
    return _show(move, evidence=tuple(_show_evidence(e) for e in move.evidence), note=note)


def _show_evidence(evidence: Evidence) -> Evidence:
    # a ruling's line is an operator's reason; `ref` stays, as the move's id is made from it
    if evidence.kind == "ruling":
        return _show(evidence)
    return _show(evidence, line=hide_addresses(evidence.line), url=hide_in_url(evidence.url))


def _show_state(state: VoteState) -> VoteState:
    vote = state.vote
    public = _show(
        vote,
        list_id="",
        subject=hide_addresses(vote.subject),
        opened_by=say_name(vote.opened_by),
        opened_by_address="",
        ballots=tuple(_show_ballot(b) for b in vote.ballots),
        declared=_show_result(vote.declared) if vote.declared is not None else None,
    )
    differences = tuple(hide_addresses(d) for d in state.differences)
    return _show(state, vote=public, terms=_show(state.terms), differences=differences)


def _show_ticket(ticket: TicketState) -> TicketState:
    versions = tuple(hide_addresses(v) for v in ticket.fix_versions)
    return _show(ticket, status=hide_addresses(ticket.status), resolution=None, fix_versions=versions)


def _show_result(declared: Declared) -> Declared:
    return _show(declared, by=say_name(declared.by), line=hide_addresses(declared.line))


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
