"""What of a proposal is public: a view without mail addresses, open questions and operators' notes.

Everything on the site is made from views that went through `as_public`. Questions to operators appear as one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from kipflow.domain.clocks import VoteState
from kipflow.domain.events import Actor, Evidence
from kipflow.domain.pages import TicketState
from kipflow.domain.votes import Ballot, BallotStatus, Declared
from kipflow.services.board import ProposalView, RecordedTransition
from kipflow.web.render import find_safe_url

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


def as_public(view: ProposalView) -> ProposalView:
    """The view with every text as the site may show it."""
    proposal = replace(
        view.proposal,
        title=hide_addresses(view.proposal.title),
        author=say_name(view.proposal.author) if view.proposal.author else None,
        page_url=hide_in_url(view.proposal.page_url or ""),
        jira=hide_addresses(view.proposal.jira or "") or None,
        release=hide_addresses(view.proposal.release or "") or None,
    )
    return replace(
        view,
        proposal=proposal,
        history=tuple(_hide_in_move(r) for r in view.history),
        votes=tuple(_hide_in_vote(s) for s in view.votes),
        tickets=tuple(_hide_in_ticket(t) for t in view.tickets),
        missing=_say_missing(view.missing),
        links={message_id: hide_in_url(url) for message_id, url in view.links.items()},
        review=(),
        drift=(),
        rulings=(),
        effects=(),
        warnings=(),
        faults=(),
        questioned={},
        claim_why="",
    )


def _say_missing(lines: Iterable[str]) -> tuple[str, ...]:
    """What the proposal lacks; lines that name what a person must settle come to one that says no more than that."""
    told = (ASKED if "a person" in line else hide_addresses(line.partition(_ADVICE)[0]) for line in lines)
    return tuple(dict.fromkeys(told))


def _hide_in_move(recorded: RecordedTransition) -> RecordedTransition:
    move = recorded.transition
    is_ruled = move.actor is Actor.OPERATOR or any(e.kind == "ruling" for e in move.evidence)
    note = "" if is_ruled else hide_addresses(move.note)
    hidden = replace(move, evidence=tuple(_hide_in_evidence(e) for e in move.evidence), note=note)
    return replace(recorded, transition=hidden, run_id="")


def _hide_in_evidence(evidence: Evidence) -> Evidence:
    if evidence.kind == "ruling":
        # its line is an operator's reason; `ref` stays, as the move's id is made from it
        return replace(evidence, line="", url="")
    return replace(evidence, line=hide_addresses(evidence.line), url=hide_in_url(evidence.url))


def _hide_in_vote(state: VoteState) -> VoteState:
    vote = state.vote
    public = replace(
        vote,
        subject=hide_addresses(vote.subject),
        opened_by=say_name(vote.opened_by),
        opened_by_address="",
        ballots=tuple(_hide_in_ballot(b) for b in vote.ballots),
        heard=(),
        declared=_hide_in_result(vote.declared) if vote.declared is not None else None,
        doubts=(),
        crowded="",
        claimed_ends=(),
        contested=None,
    )
    return replace(state, vote=public, differences=tuple(hide_addresses(d) for d in state.differences))


def _hide_in_ticket(ticket: TicketState) -> TicketState:
    versions = tuple(hide_addresses(v) for v in ticket.fix_versions)
    return replace(ticket, status=hide_addresses(ticket.status), fix_versions=versions)


def _hide_in_result(declared: Declared) -> Declared:
    return replace(declared, by=say_name(declared.by), line=hide_addresses(declared.line), unclear="", before=None)


def _hide_in_ballot(ballot: Ballot) -> Ballot:
    is_asked = ballot.status is BallotStatus.REVIEW
    why = ASKED if is_asked else "settled by a person" if ballot.is_ruled else hide_addresses(ballot.why)
    return replace(
        ballot,
        name=say_name(ballot.name),
        voter=ballot.voter if hide_addresses(ballot.voter) == ballot.voter else "",
        address="",
        value=hide_addresses(ballot.value),
        line=hide_addresses(ballot.line),
        why=why,
    )
