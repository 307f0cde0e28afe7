"""The clock of a vote: its terms and state at a moment, and whether the data are complete up to then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from kipflow.domain.facts import ArchiveMonth, Coverage
from kipflow.domain.ownpages import LateChange
from kipflow.domain.policy import Policy
from kipflow.domain.tally import Outcome, Tally
from kipflow.domain.times import say_moment
from kipflow.domain.votes import Vote


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteTerms:
    """Quorum and earliest close of one vote, and the care required that raised them (`because`: interfaces).

    `reviewers` is how many people must also have reviewed it, `reviewed_by` names those who did. `late_change` is a
    change of the page after votes were cast, until a person rules that the votes hold.
    """

    quorum: int
    earliest_close: datetime
    because: tuple[str, ...] = ()
    reviewers: int = 0
    reviewed_by: tuple[str, ...] = ()
    late_change: LateChange | None = None

    @property
    def reviewers_missing(self) -> int:
        return max(0, self.reviewers - len(self.reviewed_by))

    def apply_to(self, policy: Policy) -> Policy:
        """The policy with the quorum that this vote needs."""
        return replace(policy, quorum=self.quorum)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteState:
    """A judged vote with its outcome. `depends_on_review`: ballots under review could change the outcome."""

    vote: Vote
    terms: VoteTerms
    tally: Tally
    outcome: Outcome
    depends_on_review: bool
    differences: tuple[str, ...]

    @property
    def said(self) -> str | None:
        """The outcome that its announcement gives; None without one."""
        return self.vote.declared.outcome if self.vote.declared is not None else None


def find_newest(states: Sequence[VoteState]) -> VoteState | None:
    """The last round that was opened by somebody entitled to."""
    return next((state for state in reversed(states) if state.vote.is_proper), None)


def find_coverage(months: Sequence[ArchiveMonth]) -> Coverage:
    """Up to when the stored months of a community's lists are complete, and their gaps.

    A month that was last read before its end, while a later month was read, has a gap from then on: mail of its last
    hours may be missing. Earlier decisions are not affected.
    """
    if not months:
        return Coverage()
    gaps: list[tuple[str, str]] = []
    cuts: list[tuple[datetime, datetime, str]] = []
    reached: list[datetime | None] = []
    for list_id in sorted({m.list_id for m in months}):
        held = sorted((m for m in months if m.list_id == list_id), key=lambda m: m.month)
        newest = held[-1]
        expected = held[0].month
        for month in held:
            while expected < month.month:
                gaps.append((expected, f"{list_id} {expected}: not read"))
                expected = next_month(expected)
            expected = next_month(month.month)
            if month.status != "complete":
                gaps.append((month.month, f"{list_id} {month.month}: {month.why or month.status}"))
            elif month is not newest and month.fetched_at < (end := month_end(month.month)):
                why = f"; {month.why}" if month.why else ""
                cuts.append((month.fetched_at, end, f"{list_id} {month.month}: read before its end{why}"))
        reached.append(max((m.fetched_at for m in held if m.status == "complete"), default=None))
    ends = [at for at in reached if at is not None]
    through = min(ends) if len(ends) == len(reached) else None
    return Coverage(complete_through=through, gaps=tuple(gaps), cuts=tuple(cuts))


def is_covered(coverage: Coverage, start: datetime, end: datetime) -> str | None:
    """None if all mail between `start` and `end` is held, else the first reason why not."""
    first, last = f"{start:%Y-%m}", f"{end:%Y-%m}"
    for month, why in coverage.gaps:
        if first <= month <= last:
            return f"the archive is incomplete ({why})"
    for since, until, why in coverage.cuts:
        if start < until and since < end:
            return f"the archive is incomplete ({why})"
    if coverage.complete_through is None:
        return "no month of the archive has been read to its end"
    if coverage.complete_through < end:
        return f"the archive is read only up to {say_moment(coverage.complete_through)}"
    return None


def after(at: datetime, span: timedelta) -> datetime:
    """`at` plus `span`; the latest possible time if the calendar has no such day."""
    try:
        return at + span
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def month_start(month: str) -> datetime:
    """The first moment of "2024-01"."""
    return datetime(int(month[:4]), int(month[5:7]), 1, tzinfo=UTC)


def month_end(month: str) -> datetime:
    """The first moment after "2024-01"."""
    return month_start(next_month(month))


def list_months(first: str, last: str) -> Iterator[str]:
    """Every month from the first to the last, both included; none where the last is earlier."""
    while first <= last:
        yield first
        first = next_month(first)


def next_month(month: str) -> str:
    year, number = int(month[:4]), int(month[5:7])
    return f"{year + number // 12:04d}-{number % 12 + 1:02d}"
