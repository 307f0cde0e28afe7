"""What a person's ruling asks of the replay; a ruling that says nothing usable asks nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import Ruling


def find_choice_of_stage(ruling: Ruling, history: Sequence[Transition]) -> Stage | None:
    """The stage that an override sets, or that a restoring goes back to: the one before the present one."""
    if ruling.kind == "restore":
        last = next((t for t in reversed(history) if t.source is not t.target), None)
        return last.source if last is not None else None
    word = str(ruling.value.get("stage", ""))
    return Stage(word) if ruling.kind == "stage" and word in set(Stage) else None


def find_until(ruling: Ruling) -> datetime | None:
    """The time until which a snooze lasts."""
    return find_time(ruling, "until")


def find_time(ruling: Ruling, field: str) -> datetime | None:
    """The time that a ruling gives, UTC where it names no zone; None where it names no time."""
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
