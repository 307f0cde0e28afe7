"""What the history says of a move: who or what made it, what shows it, and a note."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kipflow.domain.arrivals import say_dated
from kipflow.domain.clocks import VoteState
from kipflow.domain.events import Actor, Evidence, Stage
from kipflow.domain.facts import Ruling, ThreadMessage
from kipflow.domain.moments import Event
from kipflow.domain.pages import IndexEntry, PageVersion
from kipflow.domain.proposals import Proposal
from kipflow.domain.stages.state import State
from kipflow.domain.votes import BallotStatus, Vote


def find_actor(event: Event, what: object) -> Actor:
    if isinstance(what, VoteState):
        declared = what.vote.declared
        is_announced = declared is not None and declared.outcome in {"passed", "failed"}
        return Actor.MAIL if is_announced else Actor.CLOCK
    return _ACTORS.get(event, Actor.MAIL)


#: An index is known from somebody's list, at a time that says nothing of the event itself.
_ACTORS = {
    Event.CREATED: Actor.PAGE,
    Event.PAGE: Actor.PAGE,
    Event.INDEX: Actor.IMPORT,
    Event.RULING: Actor.OPERATOR,
    Event.CLOCK: Actor.CLOCK,
}


def find_evidence(state: State, event: Event, what: object) -> tuple[Evidence, ...]:
    """What shows the move that a rule is about to make of this state."""
    return tuple(_EVIDENCE[event](state, what))


def find_note(state: State, event: Event, what: Any, target: Stage) -> str:
    if event is Event.RULING:
        return f"by {what.author}"
    if event is Event.JUDGED:
        return "; ".join(_say_closing(what))
    if event is Event.VOTE_OPENED and target is Stage.VOTE:
        unseen = "no discussion was seen" if state.stage is Stage.DRAFT else ""
        return "; ".join(filter(None, (unseen, say_dated(what.opened_at, what.dated_at))))
    return ""


def _show_creation(state: State, _proposal: Proposal) -> Iterator[Evidence]:
    yield Evidence(kind="page", ref=state.facts.key)


def _show_page(state: State, page: PageVersion) -> Iterator[Evidence]:
    line = page.title if state.stage is None else f"Current state: {page.status_text}"
    yield Evidence(kind="page", ref=f"{page.page_id}@{page.version}", line=line, url=page.url)


def _show_index(state: State, entry: IndexEntry) -> Iterator[Evidence]:
    yield Evidence(kind="index", ref=state.facts.key, line=entry.title, url=entry.url or "")


def _show_message(_state: State, message: ThreadMessage) -> Iterator[Evidence]:
    yield Evidence(kind="message", ref=message.message_id, line=message.subject, url=message.permalink)


def _show_vote(state: State, vote: Vote) -> Iterator[Evidence]:
    ref = vote.root_message_id
    yield Evidence(kind="message", ref=ref, line=vote.subject, url=state.facts.find_permalink(ref))


def _show_ending(state: State, vote: Vote) -> Iterator[Evidence]:
    """The mail that ended a round, in its own words: a new round's, or the one that called this off."""
    ref = vote.ended_message_id or vote.root_message_id
    message = next((m for m in state.facts.messages if m.message_id == ref), None)
    if message is not None:
        line = message.cancels if vote.ended_how == "cancelled" else ""
        yield Evidence(kind="message", ref=ref, line=line or message.subject, url=message.permalink)
        return
    opened = next((v for v in state.facts.votes if v.root_message_id == ref), None)
    yield Evidence(kind="message", ref=ref, line=opened.subject if opened is not None else "")


def _show_ruling(_state: State, ruling: Ruling) -> Iterator[Evidence]:
    yield Evidence(kind="ruling", ref=str(ruling.id), line=ruling.reason)


def _show_judged(state: State, judged: VoteState) -> Iterator[Evidence]:
    declared = judged.vote.declared
    if declared is None:
        yield from _show_vote(state, judged.vote)
    while declared is not None:  # a correction first, then what it corrects
        ref = declared.message_id
        yield Evidence(kind="message", ref=ref, line=declared.line, url=state.facts.find_permalink(ref))
        declared = declared.before
    for ballot in judged.vote.ballots:
        if ballot.binding and ballot.status is BallotStatus.COUNTED:
            ref, line = ballot.message_id, f"{ballot.name}: {ballot.line}"
            yield Evidence(kind="ballot", ref=ref, line=line, url=state.facts.find_permalink(ref))


def _show_clock(state: State, _what: object) -> Iterator[Evidence]:
    yield Evidence(kind="clock", ref=(state.last_activity or state.since).isoformat())


_EVIDENCE: dict[Event, Callable[[State, Any], Iterator[Evidence]]] = {
    Event.CREATED: _show_creation,
    Event.PAGE: _show_page,
    Event.INDEX: _show_index,
    Event.MESSAGE: _show_message,
    Event.VOTE_OPENED: _show_vote,
    Event.VOTE_ENDED: _show_ending,
    Event.BALLOT: _show_vote,
    Event.RESULT: _show_vote,
    Event.RULING: _show_ruling,
    Event.JUDGED: _show_judged,
    Event.CLOCK: _show_clock,
}


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
