"""One proposal's history as a list of entries: transitions, corrections, page saves and rulings.

An entry is placed at the time it happened; a correction, and what follows from it, at the time it was recorded:
until then nobody knew of it, and the retracted entries were in force.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time
from enum import StrEnum
from itertools import groupby

from kipflow.domain.events import Actor, Evidence, Stage, Transition
from kipflow.domain.facts import Ruling, SilenceWarning
from kipflow.domain.pages import CallNote, PageVersion
from kipflow.domain.times import say_moment
from kipflow.services.board import ProposalView, RecordedTransition
from kipflow.services.ports import EffectAct, OutboxRow
from kipflow.services.wording import say_delivery, say_payload, say_rule, say_ruling, say_warning


class EntryKind(StrEnum):
    MOVE = "move"
    CORRECTION = "correction"
    PAGE = "page"
    CALL = "call"
    RULING = "ruling"
    WARNING = "warning"
    EFFECT = "effect"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry. `source`, `target`, `recorded_at` and the policy are set for moves and corrections.

    `at` is when it happened or takes effect, `shown_at` its place in the list: the time of the newest correction so
    far (`recorded_late`), if that is later. `retracts` describes what a correction retracts; `retracted_at` is when a
    correction retracted this entry.
    """

    at: datetime
    kind: EntryKind
    text: str
    source: Stage | None = None
    target: Stage | None = None
    actor: str = ""
    note: str = ""
    quotes: tuple[Evidence, ...] = ()
    retracted: bool = False
    retracts: tuple[str, ...] = ()
    retracted_at: datetime | None = None
    recorded_at: datetime | None = None
    run_id: str = ""
    policy_version: str = ""
    decision_rules: int | None = None
    url: str = ""
    recorded_late: datetime | None = None

    @property
    def shown_at(self) -> datetime:
        return self.at if self.recorded_late is None else max(self.at, self.recorded_late)


def build_timeline(view: ProposalView) -> tuple[Entry, ...]:
    """Everything that happened to the proposal, newest first; entries of the same time in reverse order of record."""
    entries = [
        *_describe_history(view),
        *_describe_pages(view.pages, view.history),
        *(_describe_ruling(r) for r in view.rulings),
        *(_describe_warning(w, view) for w in view.warnings),
        *_describe_calls(view.calls),
        *(_describe_act(act, effect) for effect in view.effects for act in effect.words),
    ]
    # sorting is stable: reversed first, so that among equal times the last recorded comes first
    entries.reverse()
    return tuple(sorted(entries, key=lambda e: e.shown_at, reverse=True))


def _describe_history(view: ProposalView) -> Iterator[Entry]:
    """The recorded entries in order of record. From the first correction on they are also shown in that order."""
    by_id = {r.transition.id: r for r in view.history}
    taken_back = {entry: r.recorded_at for r in view.history for entry in r.transition.retracts}
    corrected_at: datetime | None = None
    for recorded in view.history:
        move = recorded.transition
        if move.retracts:
            corrected_at = max(recorded.recorded_at, corrected_at or recorded.recorded_at)
        yield Entry(
            at=move.at,
            kind=EntryKind.CORRECTION if move.retracts else EntryKind.MOVE,
            text=say_rule(move.rule),
            recorded_late=corrected_at,
            source=move.source,
            target=move.target,
            # a correction is caused by the facts that it names, not by a clock
            actor="" if move.retracts else move.actor,
            note=move.note,
            quotes=tuple(view.link(e) for e in move.evidence if (e.line or e.url) and e.kind != "history"),
            retracted=recorded.retracted,
            retracts=tuple(_say_entry(by_id[entry].transition) for entry in move.retracts if entry in by_id),
            retracted_at=taken_back.get(move.id),
            recorded_at=recorded.recorded_at,
            run_id=recorded.run_id,
            policy_version=move.policy_version,
            decision_rules=recorded.decision_rules,
        )


def _say_entry(move: Transition) -> str:
    return f"{move.target} as of {say_moment(move.at)}, because {say_rule(move.rule)}"


def _describe_pages(pages: tuple[PageVersion, ...], history: tuple[RecordedTransition, ...]) -> Iterator[Entry]:
    """Saves of the page; those between two moves are one entry, because a busy author saves ten times in an hour."""
    moves = sorted(r.transition.at for r in history)

    def period(page: PageVersion) -> tuple[str, int]:
        return page.page_id, sum(at <= page.saved_at for at in moves)

    for _, group in groupby(pages, key=period):
        saves = list(group)
        first, last = saves[0], saves[-1]
        people = ", ".join(dict.fromkeys(p.saved_by for p in saves))
        if len(saves) == 1:
            text = f"Page saved by {people}: version {last.version}"
        else:
            text = f"Page saved {len(saves)} times by {people}: versions {first.version} to {last.version}"
        state = f"Current state: {last.status_text}" if last.status_text else ""
        yield Entry(at=last.saved_at, kind=EntryKind.PAGE, text=text, note=state, url=last.url)


def _describe_calls(calls: tuple[CallNote, ...]) -> Iterator[Entry]:
    """Notes of recorded calls, on their day; undated calls are left out."""
    for call in calls:
        if call.held_on is not None:
            day = datetime.combine(call.held_on, time(), UTC)
            quote = Evidence(kind="call", ref=call.call, line=call.note, url=call.url)
            text = f"Discussed in a call: {call.call}"
            yield Entry(at=day, kind=EntryKind.CALL, text=text, quotes=(quote,))


def _describe_ruling(ruling: Ruling) -> Entry:
    note = ruling.reason
    if ruling.revoked_at is not None:
        why = f": {ruling.revoked_reason}" if ruling.revoked_reason else ""
        note = f"{note} (revoked by {ruling.revoked_by or 'somebody'} on {say_moment(ruling.revoked_at)}{why})"
    return Entry(
        at=ruling.made_at,
        kind=EntryKind.RULING,
        text=f"{ruling.author} ruled: {say_ruling(ruling)} (ruling {ruling.id})",
        note=note,
        retracted=ruling.revoked_at is not None,
    )


#: Act on an effect → its description.
_ACT_WORDS = {
    "release": "let go",
    "hold": "held",
    "refuse": "refused",
    "sent": "said that this was sent",
    "rollback": "had this taken back",
}


def _describe_act(act: EffectAct, effect: OutboxRow) -> Entry:
    what = f"{effect.channel}, {say_payload(effect.payload)}"[:160]
    text = f"{act.by} {_ACT_WORDS.get(act.act, act.act)}: {what}"
    return Entry(at=act.at, kind=EntryKind.EFFECT, text=text, note=act.reason)


def _describe_warning(given: SilenceWarning, view: ProposalView) -> Entry:
    return Entry(
        at=given.delivered_at or given.warned_at,
        kind=EntryKind.WARNING,
        text="Author warned of dormancy" if given.delivered_at is not None else "Warning of dormancy written",
        note=f"{say_warning(given)} ({say_delivery(given, view.key, view.effects)})",
        actor=Actor.CLOCK,
        recorded_at=given.recorded_at,
    )
