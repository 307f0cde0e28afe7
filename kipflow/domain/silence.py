"""Silence of a proposal, and the warning that it requires; `stages.quiet` finds it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from kipflow.domain.clocks import after
from kipflow.domain.facts import SilenceWarning
from kipflow.domain.policy import Policy

#: A run at most so much later than the time for which it decides counts as on time.
PROMPT = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """No activity since `quiet_since`; from `silent_at` on a warning is due.

    `past` is when it led to dormancy without a warning, before kipflow followed the proposal (None: it did already).
    `warning` is its first warning, `warned_at` when the author got that (None: not yet), `dormant_at` when the proposal
    goes dormant (None while nobody was warned).
    """

    quiet_since: datetime
    silent_at: datetime
    past: datetime | None = None
    warning: SilenceWarning | None = None
    warned_at: datetime | None = None
    dormant_at: datetime | None = None

    def requires_warning(self, at: datetime) -> bool:
        """Whether a warning must be written at `at`: long enough, none written yet, and dormancy ahead."""
        return self.warning is None and self.silent_at <= at and (self.past is None or at < self.past)


def make_warning(
    silence: Silence, policy: Policy, *, as_of: datetime, recorded_at: datetime, followed_since: datetime | None
) -> SilenceWarning:
    """The warning of `silence` by a decision as of `as_of`, written at `recorded_at`.

    Its date counts from `as_of`, so that a backfill gives the same history as runs at that time. But nobody was
    notified then: if the grace period would end after kipflow began to follow the proposal (`followed_since`; None:
    now), the date counts from `recorded_at`.
    """
    warned_at = as_of
    if recorded_at - as_of > PROMPT and after(as_of, policy.grace) > (followed_since or recorded_at):
        warned_at = recorded_at
    return SilenceWarning(
        quiet_since=silence.quiet_since,
        silent_at=silence.silent_at,
        as_of=as_of,
        warned_at=warned_at,
        due_at=None if policy.dormancy_by_person else after(warned_at, policy.grace),
        recorded_at=recorded_at,
    )
