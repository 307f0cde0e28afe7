"""Times and random choices of the story, the same on every machine."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from kipflow.sandbox.plans import Plan

SEED = 7


def moment(origin: datetime, days: float) -> datetime:
    """The time `days` after `origin`, to the second."""
    return (origin + timedelta(days=days)).replace(microsecond=0)


def find_origin(plan: Plan, anchor: datetime) -> datetime:
    """Day 0 of a plan: the anchor, or for month-turn plans a month's first midnight about 100 days back."""
    if not plan.month_turn:
        return anchor
    return (anchor - timedelta(days=100)).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def make_rng(label: str) -> random.Random:
    """A random generator for one part, so that changes to one part leave the others unchanged."""
    return random.Random(f"{SEED}|{label}")
