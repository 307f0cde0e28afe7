"""One proposal as JSON: everything that `kipflow status N` prints, and more details."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kipflow.commands.invocation import say_program
from kipflow.commands.sayings import render_ballots, render_evidence
from kipflow.domain.clocks import VoteState
from kipflow.domain.facts import Ruling, SilenceWarning
from kipflow.domain.ownpages import LateChange
from kipflow.domain.pages import PageVersion, find_newest_rows
from kipflow.domain.people import render_mailbox
from kipflow.domain.records import pick_fields
from kipflow.domain.votes import Ballot, ClaimedEnd, Declared
from kipflow.services.board import ProposalView, RecordedTransition
from kipflow.services.ports import OutboxRow
from kipflow.services.settling import find_commands, find_release_commands
from kipflow.services.wording import say_delivery, say_ruling

Links = Mapping[str, str]


def as_dict(view: ProposalView, *, rebuilt: bool = False) -> dict[str, Any]:
    """The proposal with its decision, history, votes and open points; times are datetimes.

    `rebuilt`: its history was decided again, so no entry has a time of record.
    """
    page = view.pages[-1] if view.pages else None
    return {
        "proposal": view.proposal.number,
        "key": view.key,
        **pick_fields(view.proposal, "title", "author", "created_at"),
        **pick_fields(view, "stage", "since", "decided_at"),
        "policy": view.policy_version,
        **pick_fields(view, "last_activity", "warned_at", "next_deadline"),
        **pick_fields(view.proposal, "release", "in_progress"),
        **pick_fields(view, "claim", "claim_why", "missing"),
        "history": [_move(r, view) | ({"recorded_at": None} if rebuilt else {}) for r in view.history],
        "warnings": [_warning(w, view) for w in view.warnings],
        "votes": [_vote(s, view.links) for s in view.votes],
        "review": [
            {
                **pick_fields(i, "kind", "subject", "question", "line"),
                "url": view.links.get(i.subject, ""),
                "outcomes": list(i.outcomes),
                "settle": "\n".join(find_commands(view.proposal.number, i, say_program())),
                "ballots": render_ballots(view.questioned.get(i.subject, ())),
            }
            for i in view.review
        ],
        "rulings": [_ruling(r) for r in view.rulings],
        "page": _page(page) if page is not None else None,
        "touches": [{"interface": name, "line": line} for name, line in (page.touches if page is not None else ())],
        "index": [
            pick_fields(e, "section", "title", "release", "in_progress") for e in find_newest_rows(view.index_entries)
        ],
        "tickets": [
            pick_fields(t, "key", "status", "resolution", "fix_versions", "unreleased", "seen_at")
            for t in {t.key: t for t in view.tickets}.values()
        ],
        "calls": [pick_fields(c, "call", "held_on", "url", "note") for c in view.calls],
        "faults": [pick_fields(f, "code", "severity", "place", "what", "fix") for f in view.faults],
        "drift": [pick_fields(d, "side", "says", "derived", "evidence", "fix") for d in view.drift],
        "effects": [_effect(e) for e in view.effects],
    }


def _effect(effect: OutboxRow) -> dict[str, Any]:
    return {
        **pick_fields(effect, "key", "channel", "status", "created_at", "sent_at"),
        "release": "\n".join(find_release_commands(effect, say_program())),
    }


def _move(recorded: RecordedTransition, view: ProposalView) -> dict[str, Any]:
    move = recorded.transition
    return {
        "at": move.at,
        "from": move.source,
        "to": move.target,
        **pick_fields(move, "id", "rule", "actor"),
        "policy": move.policy_version,
        "decision_rules": recorded.decision_rules,
        **pick_fields(move, "note", "retracts"),
        **pick_fields(recorded, "retracted", "recorded_at"),
        "run": recorded.run_id,
        "evidence": render_evidence(map(view.link, move.evidence)),
    }


def _warning(given: SilenceWarning, view: ProposalView) -> dict[str, Any]:
    return {
        **pick_fields(given, "warned_at", "quiet_since", "silent_at", "due_at", "recorded_at", "delivered_at"),
        "delivery": say_delivery(given, view.key, view.effects),
    }


def _vote(state: VoteState, links: Links) -> dict[str, Any]:
    vote = state.vote
    return {
        "round": vote.round,
        "list": vote.list_id,
        "subject": vote.subject,
        "root_message_id": vote.root_message_id,
        "url": links.get(vote.root_message_id, ""),
        "opened_by": render_mailbox(vote.opened_by, vote.opened_by_address),
        **pick_fields(vote, "opened_at", "opened_from", "dated_at"),
        "earliest_close": state.terms.earliest_close,
        **pick_fields(vote, "ended_at", "ended_how"),
        "quorum": state.terms.quorum,
        # an empty list of interfaces if the page's require no care
        "care": {"interfaces": list(state.terms.because), **pick_fields(state.terms, "reviewers", "reviewed_by")},
        "page_change": _page_change(state.terms.late_change),
        **pick_fields(state, "outcome", "depends_on_review"),
        "tally": state.tally.as_dict(),
        "declared": _declared(vote.declared, links) if vote.declared is not None else None,
        "differences": list(state.differences),
        "ballots": [_ballot(b, links) for b in vote.ballots],
        "claimed_ends": [_end(end, links) for end in vote.claimed_ends],
        "contested": None if vote.contested is None else _end(vote.contested, links),
    }


def _end(end: ClaimedEnd, links: Links) -> dict[str, Any]:
    """An end of the vote by somebody not known to be entitled; `accepted` is None while it is open."""
    return {
        "kind": end.kind,
        "by": render_mailbox(end.by, end.address),
        **pick_fields(end, "at", "message_id"),
        "url": links.get(end.message_id, ""),
        **pick_fields(end, "line", "why", "settled_at"),
        "accepted": end.accepted if end.settled_at is not None else None,
    }


def _page_change(change: LateChange | None) -> dict[str, Any] | None:
    """A change of substance after the first ballot, until a person rules that the votes hold."""
    if change is None:
        return None
    return {"from": change.before.version, "to": change.after.version, "sections": list(change.sections)}


def _declared(declared: Declared, links: Links) -> dict[str, Any]:
    return {
        "by": declared.by,
        "at": declared.announced_at,
        "message_id": declared.message_id,
        "url": links.get(declared.message_id, ""),
        **pick_fields(declared, "outcome", "line"),
        "unclear": declared.unclear or None,
        "corrected_at": declared.revised_at,
        **pick_fields(declared, "binding", "non_binding"),
    }


def _ballot(ballot: Ballot, links: Links) -> dict[str, Any]:
    return {
        **pick_fields(ballot, "voter", "name", "address", "choice", "value", "binding", "claimed_binding", "cast_at"),
        **pick_fields(ballot, "arrived_from", "dated_at", "message_id"),
        "url": links.get(ballot.message_id, ""),
        **pick_fields(ballot, "line", "rule", "status", "why", "known_by"),
    }


def _ruling(ruling: Ruling) -> dict[str, Any]:
    return {
        **pick_fields(ruling, "id", "kind", "target", "value"),
        "says": say_ruling(ruling),
        "by": ruling.author,
        **pick_fields(ruling, "reason", "made_at", "revoked_at", "revoked_by", "revoked_reason"),
    }


def _page(page: PageVersion) -> dict[str, Any]:
    return {
        **pick_fields(page, "title", "url", "version", "saved_at", "saved_by"),
        "status": page.status_text,
        "labels": list(page.labels),
        "ticket": page.jira,
        "discussion": page.discussion_link,
        "interfaces": list(page.interfaces),
    }
