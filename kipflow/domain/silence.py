"""Silence, and the warning that it requires; `stages.quiet` finds it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from kipflow.domain.clocks import after
from kipflow.domain.facts import SilenceWarning
from kipflow.domain.policy import Policy

#: How far a run may be behind the time for which it decides and still count as having run on it.
PROMPT = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """Nothing since `quiet_since`: long enough to warn of at `silent_at`.

    `past` is when it made dormant without a warning, before kipflow was there to give one (None: it was there).
    `warning` is the first one of it, `warned_at` when the author learned of it by that (None: not yet, whatever was
    written), `dormant_at` when it makes dormant: None while nobody has been warned of it.
    """

    quiet_since: datetime
    silent_at: datetime
    past: datetime | None = None
    warning: SilenceWarning | None = None
    warned_at: datetime | None = None
    dormant_at: datetime | None = None

    def requires_warning(self, at: datetime) -> bool:
        """Whether a warning must be written at `at`: it is long enough, none was, and dormancy lies ahead."""
        return self.warning is None and self.silent_at <= at and (self.past is None or at < self.past)


def give_warning(
    silence: Silence, policy: Policy, *, as_of: datetime, recorded_at: datetime, followed_since: datetime | None
) -> SilenceWarning:
    """The warning of `silence` that a decision as of `as_of` gives, written at `recorded_at`.

    It names a date from `as_of`, so that past dates that are made up for come to the history that runs at the time
    came to. But nobody was notified then: where the grace would end after kipflow began to follow the proposal
    (`followed_since`; None: it begins now), it names one from when it is really written.
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
