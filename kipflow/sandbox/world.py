"""What every part of the story is dated relative to: seed, anchor, list, project."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from kipflow.sandbox.plans import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What every part of the story is dated relative to."""

    seed: int
    anchor: datetime
    list_id: str
    project: str

    def at(self, days: float, *, origin: datetime | None = None) -> datetime:
        """The moment `days` after the anchor (or `origin`), to the second."""
        moment = (origin or self.anchor) + timedelta(days=days)
        return moment.replace(microsecond=0)

    def origin(self, plan: Plan) -> datetime:
        """Day 0 of a plan: the anchor, or for month-turn plans a month's first midnight about 100 days back."""
        if not plan.month_turn:
            return self.anchor
        past = self.anchor - timedelta(days=100)
        return past.replace(day=1, hour=0, minute=0, second=0, microsecond=0)

    def rng(self, label: str) -> random.Random:
        """A generator of its own for each part, so that a change in one part leaves the others alone."""
        return random.Random(f"{self.seed}|{label}")
