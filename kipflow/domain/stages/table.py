"""The stage table: which rule moves a proposal from which stage to which, and when. No other move is possible.

For each event the rows are tried in order; each that fits applies to the state left by the rows before it.
docs/stages.md is written from it (`make docs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from kipflow.domain.events import OPEN_STAGES, SETTLED_STAGES, Stage
from kipflow.domain.moments import Event
from kipflow.domain.stages import closing, effects, guards
from kipflow.domain.stages.state import State

Guard = Callable[[State, Any], bool]
Effect = Callable[[State, Any], State]
Choice = Callable[[State, Any], Stage | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRule:
    """If `when` holds at one of `events`, `effect` applies, and the proposal moves from `sources` to `targets`.

    `choose` picks one of several targets. Without targets the stage stays, and there is no `rule`.
    """

    events: tuple[Event, ...]
    sources: frozenset[Stage | None]
    targets: frozenset[Stage]
    rule: str
    when: Guard
    effect: Effect
    choose: Choice | None

    def fits(self, state: State, what: object) -> bool:
        return state.stage in self.sources and self.when(state, what)


def _row(
    events: Event | tuple[Event, ...],
    sources: Stage | Iterable[Stage | None] | None,
    targets: Stage | Iterable[Stage],
    rule: str = "",
    when: Guard = guards.always,
    effect: Effect = effects.no_effect,
    choose: Choice | None = None,
) -> StageRule:
    return StageRule(
        events=(events,) if isinstance(events, Event) else events,
        sources=frozenset((sources,) if sources is None or isinstance(sources, Stage) else sources),
        targets=frozenset((targets,) if isinstance(targets, Stage) else targets),
        rule=rule,
        when=when,
        effect=effect,
        choose=choose,
    )


_DRAFT, _DISCUSSION, _VOTE, _ACCEPTED = Stage.DRAFT, Stage.DISCUSSION, Stage.VOTE, Stage.ACCEPTED
_DORMANT, _REJECTED, _DISCARDED = Stage.DORMANT, Stage.REJECTED, Stage.DISCARDED
_ANY = (None, *Stage)
_UNVOTED = (None, _DRAFT, _DISCUSSION)
_LISTED = frozenset(guards.STAGE_OF_SECTION.values())
_VOTE_MAILS = (Event.BALLOT, Event.RESULT)

ROWS = (
    _row((Event.CREATED, Event.PAGE), None, _DRAFT, "page-created", guards.has_number),
    _row(Event.PAGE, OPEN_STAGES, _DISCARDED, "page-discarded", guards.is_discarded_anew),
    _row(Event.PAGE, Stage, (), "", guards.is_own_page, effects.note_page),
    _row(Event.INDEX, _UNVOTED, _LISTED, "index-import", guards.is_imported, choose=guards.find_listed),
    _row(Event.INDEX, None, _LISTED - {_DISCUSSION}, "index-row", guards.is_listed, choose=guards.find_listed),
    _row((Event.INDEX, Event.MESSAGE, Event.VOTE_OPENED), None, _DRAFT, "number-taken"),
    _row(Event.MESSAGE, _DRAFT, _DISCUSSION, "discuss-thread", guards.starts_discussion),
    _row(Event.MESSAGE, SETTLED_STAGES, (), "", guards.reopens, effects.note_reopening),
    _row(Event.VOTE_OPENED, _DORMANT, _DISCUSSION, "revived", guards.is_new_round),
    _row((Event.MESSAGE, *_VOTE_MAILS), _DORMANT, _DISCUSSION, "revived"),
    _row(Event.MESSAGE, _DISCUSSION, _VOTE, "vote-resumed", guards.answers_sleeping_vote, effects.wake_vote),
    _row(_VOTE_MAILS, _DISCUSSION, _VOTE, "vote-resumed", guards.is_asleep, effects.run_vote),
    # a second vote on what was accepted already: the proposal stays what it is, its history says how it ended
    _row(Event.VOTE_OPENED, _ACCEPTED, (), "", guards.is_new_round, effects.run_vote),
    _row(Event.VOTE_OPENED, _VOTE, (), "", guards.is_first_round, effects.run_vote),
    _row(Event.VOTE_OPENED, _VOTE, _DISCUSSION, "vote-replaced", guards.is_new_round),
    _row(Event.VOTE_OPENED, (_DRAFT, _DISCUSSION), _VOTE, "vote-thread", guards.is_new_round, effects.run_vote),
    _row(Event.VOTE_ENDED, Stage, (), "", guards.is_asleep, effects.forget_sleeping),
    _row(Event.VOTE_ENDED, _ACCEPTED, (), "", guards.is_running, effects.forget_amendment),
    _row(Event.VOTE_ENDED, _VOTE, _DISCUSSION, "vote-replaced", guards.is_replaced),
    _row(Event.VOTE_ENDED, _VOTE, _DISCUSSION, "vote-cancelled", guards.is_cancelled),
    _row(Event.RULING, _ANY, (), "", guards.waits_for_mail, effects.note_overtaken),
    _row(Event.RULING, _ANY, (), "", guards.is_snooze, effects.snooze),
    _row(Event.RULING, Stage, (), "", guards.keeps_stage, effects.keep_stage),
    _row(Event.RULING, _ANY, Stage, "restored", guards.is_restoring, effects.apply_stage_ruling, guards.find_chosen),
    _row(Event.RULING, _ANY, Stage, "override", guards.is_override, effects.apply_stage_ruling, guards.find_chosen),
    _row(Event.JUDGED, _VOTE, _REJECTED, "result-rejects", closing.is_announced_failed, effects.close_vote),
    _row(Event.JUDGED, _VOTE, _REJECTED, "voted-down", closing.is_outvoted, effects.close_vote),
    _row(Event.JUDGED, _VOTE, _ACCEPTED, "result-agrees", closing.is_announced_passed, effects.close_vote),
    _row(Event.JUDGED, _VOTE, _ACCEPTED, "clock-accepts", closing.is_accepted_by_clock, effects.close_vote),
    _row(Event.JUDGED, _ACCEPTED, _ACCEPTED, "amended", closing.is_approved, effects.close_vote),
    _row(Event.JUDGED, _ACCEPTED, _ACCEPTED, "amendment-failed", closing.is_refused, effects.close_vote),
    _row(Event.CLOCK, (_DISCUSSION, _VOTE), _DORMANT, "silence", guards.is_silent),
)
ROWS_OF = {event: tuple(row for row in ROWS if event in row.events) for event in Event}

#: Rules by which a person may make any move.
BY_PERSON = frozenset({"override", "restored"})

#: rule → the moves it may make.
TABLE: dict[str, frozenset[tuple[Stage | None, Stage]]] = {
    rule: frozenset(
        (source, target)
        for row in ROWS
        if row.rule == rule
        for source in row.sources
        for target in row.targets
        if source is not target or len(row.targets) == 1
    )
    for rule in dict.fromkeys(row.rule for row in ROWS)
    if rule and rule not in BY_PERSON
}


def find_row(state: State, event: Event, what: object) -> StageRule | None:
    """The first rule that would move the proposal."""
    return next((row for row in ROWS_OF[event] if row.rule and row.fits(state, what)), None)
