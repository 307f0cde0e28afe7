"""Effects of rulings on a replay (for example: votes must be cast again). Unusable rulings have none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import Ruling
from kipflow.domain.votes import BallotStatus, Declared, EndKind, Vote


def find_choice_of_stage(ruling: Ruling, history: Sequence[Transition]) -> Stage | None:
    """The stage that an override sets, or to which a restore returns: the one before the present one."""
    if ruling.kind == "restore":
        last = next((t for t in reversed(history) if t.source is not t.target), None)
        return last.source if last is not None else None
    word = str(ruling.value.get("stage", ""))
    return Stage(word) if ruling.kind == "stage" and word in set(Stage) else None


def find_time(ruling: Ruling, field: str) -> datetime | None:
    """The time in a ruling, UTC if it names no zone; None if it names no time."""
    try:
        found = datetime.fromisoformat(str(ruling.value.get(field)))
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def say_care(value: Mapping[str, Any]) -> str:
    """A ruling on care in a few words."""
    if value.get("reviewer"):
        return f"reviewed by {value['reviewer']} for the care required"
    named = ", ".join(str(name) for name in value.get("interfaces") or ())
    return f"touches {named}" if named else "touches nothing that requires care"


HOLD, RECAST = "hold", "recast"
#: What a ruling of kind "page" can say about votes cast on an earlier text.
VOTES = (HOLD, RECAST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recast:
    """Ballots cast before `before` no longer count, and the voting period begins again at `at`."""

    before: datetime
    at: datetime
    why: str


def render_recast(vote: Vote, before: datetime) -> dict[str, str]:
    """The value of a ruling that ballots cast in this round before `before` must be cast again."""
    return {"votes": RECAST, "round": vote.root_message_id, "before": before.isoformat()}


def find_recast(vote: Vote, rulings: Iterable[Ruling]) -> Recast | None:
    """The newest ruling that votes of this round must be cast again; None if there is none."""
    found = None
    for ruling in rulings:
        if ruling.kind != "page" or ruling.value.get("round") != vote.root_message_id:
            continue
        before = find_time(ruling, "before")
        if before is not None and (found is None or ruling.made_at > found.at):
            why = f"the page changed since: to be cast again, ruled by {ruling.author}: {ruling.reason}"
            found = Recast(before=before, at=ruling.made_at, why=why)
    return found


def with_recast(vote: Vote, rulings: Iterable[Ruling]) -> Vote:
    """The vote without ballots that must be cast again, and without announcements of their result."""
    recast = find_recast(vote, rulings)
    if recast is None:
        return vote
    return replace(
        vote,
        ballots=tuple(
            replace(b, status=BallotStatus.VOID, why=recast.why) if b.cast_at < recast.before else b
            for b in vote.ballots
        ),
        declared=_find_announced_since(vote.declared, recast.at),
        claimed_ends=tuple(e for e in vote.claimed_ends if e.kind is not EndKind.CLOSED or e.at > recast.at),
    )


def _find_announced_since(declared: Declared | None, moment: datetime) -> Declared | None:
    if declared is None or declared.as_of(moment) is declared:
        return None
    return replace(declared, before=_find_announced_since(declared.before, moment))
