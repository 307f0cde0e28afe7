"""What the history records with a move: actor, evidence and note."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kipflow.domain.arrivals import say_dated
from kipflow.domain.clocks import VoteState
from kipflow.domain.events import Actor, Evidence, Stage
from kipflow.domain.facts import Ruling, ThreadMessage
from kipflow.domain.moments import Event
from kipflow.domain.ownpages import name_version
from kipflow.domain.pages import IndexEntry, PageVersion
from kipflow.domain.proposals import Proposal
from kipflow.domain.stages.state import State
from kipflow.domain.votes import BallotStatus, Vote


def find_actor(event: Event, what: object) -> Actor:
    if isinstance(what, VoteState):
        return Actor.MAIL if what.said in {"passed", "failed"} else Actor.CLOCK
    return _ACTORS.get(event, Actor.MAIL)


#: An index row counts as an import: its time is not that of the event itself.
_ACTORS = {
    Event.CREATED: Actor.PAGE,
    Event.PAGE: Actor.PAGE,
    Event.INDEX: Actor.IMPORT,
    Event.RULING: Actor.OPERATOR,
    Event.CLOCK: Actor.CLOCK,
}


def find_evidence(state: State, event: Event, what: object) -> Iterator[Evidence]:
    """The evidence for the move that a rule is about to make."""
    match what:
        case Proposal():
            yield Evidence(kind="page", ref=state.facts.key)
        case PageVersion():
            line = what.title if state.stage is None else f"Current state: {what.status_text}"
            yield Evidence(kind="page", ref=name_version(what), line=line, url=what.url)
        case IndexEntry():
            yield Evidence(kind="index", ref=state.facts.key, line=what.title, url=what.url or "")
        case ThreadMessage():
            yield Evidence(kind="message", ref=what.message_id, line=what.subject, url=what.permalink)
        case Ruling():
            yield Evidence(kind="ruling", ref=str(what.id), line=what.reason)
        case Vote():
            yield _show_ending(state, what) if event is Event.VOTE_ENDED else _show_vote(state, what)
        case VoteState():
            yield from _show_judged(state, what)
        case _:
            yield Evidence(kind="clock", ref=(state.last_activity or state.since).isoformat())


def _show_vote(state: State, vote: Vote) -> Evidence:
    return _show_mail(state, "message", vote.root_message_id, vote.subject)


def _show_mail(state: State, kind: str, message_id: str, line: str) -> Evidence:
    return Evidence(kind=kind, ref=message_id, line=line, url=state.facts.find_permalink(message_id))


def _show_ending(state: State, vote: Vote) -> Evidence:
    """The mail that ended a round: the opening of the next one, or the cancellation with its own line."""
    ref = vote.ended_message_id or vote.root_message_id
    message = next((m for m in state.facts.messages if m.message_id == ref), None)
    if message is not None:
        line = message.cancels if vote.ended_how == "cancelled" else ""
        return Evidence(kind="message", ref=ref, line=line or message.subject, url=message.permalink)
    opened = next((v for v in state.facts.votes if v.root_message_id == ref), None)
    return Evidence(kind="message", ref=ref, line=opened.subject if opened is not None else "")


def _show_judged(state: State, judged: VoteState) -> Iterator[Evidence]:
    declared = judged.vote.declared
    if declared is None:
        yield _show_vote(state, judged.vote)
    while declared is not None:  # a correction first, then what it corrects
        yield _show_mail(state, "message", declared.message_id, declared.line)
        declared = declared.before
    for ballot in judged.vote.ballots:
        if ballot.binding and ballot.status is BallotStatus.COUNTED:
            yield _show_mail(state, "ballot", ballot.message_id, f"{ballot.name}: {ballot.line}")


def find_note(state: State, event: Event, what: Any, target: Stage) -> str:
    if event is Event.RULING:
        return f"by {what.author}"
    if event is Event.JUDGED:
        return "; ".join(_say_closing(what))
    if event is Event.VOTE_OPENED and target is Stage.VOTE:
        unseen = "no discussion was seen" if state.stage is Stage.DRAFT else ""
        return "; ".join(filter(None, (unseen, say_dated(what.opened_at, what.dated_at))))
    return ""


def _say_closing(judged: VoteState) -> Iterator[str]:
    declared, vote = judged.vote.declared, judged.vote
    if declared is None:
        return
    if declared.announced_at is not None:
        is_early = declared.announced_at < judged.terms.earliest_close and not vote.root_missing
        if is_early and declared.outcome:
            yield "announced before the period was over"
        dated = say_dated(declared.announced_at, vote.declared_dated_at)
        if dated:
            yield f"its announcement {dated}"
    if declared.revised_at is not None:
        yield f"announcement corrected {declared.revised_at:%Y-%m-%d} by {declared.by}"
