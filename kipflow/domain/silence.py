"""Silence, the warning that it requires, and when it makes a proposal dormant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from kipflow.domain.clocks import after
from kipflow.domain.facts import SilenceWarning
from kipflow.domain.policy import Policy

#: How far a run may be behind the time for which it decides and still count as having run on it.
PROMPT = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """Nothing since `quiet_since`: long enough to warn of at `silent_at`, put off until `snoozed_until`.

    `followed_since`: what was due by then is history, because nobody was there to give a warning.
    """

    quiet_since: datetime
    silent_at: datetime
    snoozed_until: datetime | None
    followed_since: datetime

    def due_unwarned(self, policy: Policy) -> datetime | None:
        """When it makes dormant without any warning; None where kipflow was there to give one."""
        due = after(self.silent_at, policy.grace)
        return due if due <= self.followed_since else None

    def find_warning(self, warnings: Iterable[SilenceWarning], policy: Policy) -> SilenceWarning | None:
        """The first warning of this silence; None where none was given.

        A warning is of this silence if that was long enough when it was given, or began at the same activity: a
        policy that asks for more days warns nobody twice. One given before a snooze ended promised another date, and
        late mail takes the ground from one given when, as is known now, the silence was short.
        """
        past = self.due_unwarned(policy)
        found = []
        for warning in warnings:
            if past is not None and warning.as_of >= past:
                continue  # of a later silence
            snoozed = self.snoozed_until is not None and warning.as_of < self.snoozed_until
            if warning.as_of >= self.silent_at or (warning.quiet_since == self.quiet_since and not snoozed):
                found.append(warning)
        return min(found, key=lambda w: self.find_warned_at(w, policy) is None, default=None)

    def find_warned_at(self, warning: SilenceWarning, policy: Policy) -> datetime | None:
        """When the author learned of it; None: not yet, whatever was written.

        Of what was over before kipflow followed the proposal nobody can learn any more: it is made up for as if runs
        at the time had warned.
        """
        if warning.delivered_at is not None:
            return warning.delivered_at
        due = warning.due_at or after(warning.warned_at, policy.grace)
        return warning.warned_at if due <= self.followed_since else None

    def find_dormancy(self, warning: SilenceWarning | None, policy: Policy) -> datetime | None:
        """When it makes dormant, never before the promised date; None while nobody has been warned of it."""
        if warning is None:
            return self.due_unwarned(policy)
        warned_at = self.find_warned_at(warning, policy)
        if warned_at is None:
            return None
        due = after(max(self.silent_at, warned_at), policy.grace)
        return due if warning.due_at is None else max(due, warning.due_at)

    def requires_warning(self, warning: SilenceWarning | None, policy: Policy, at: datetime) -> bool:
        """Whether a warning must be written at `at`: it is long enough, none was, and dormancy lies ahead."""
        if warning is not None or at < self.silent_at:
            return False
        past = self.due_unwarned(policy)
        return past is None or at < past


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
