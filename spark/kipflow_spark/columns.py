"""Named conditions and measures: functions from columns to a column."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from kipflow.domain.events import Actor
from kipflow.domain.facts import MailKind
from kipflow.domain.tally import Outcome

_MICROS_PER_HOUR = 3_600_000_000


def hours_between(start: Column, end: Column) -> Column:
    """Hours from `start` to `end`, with fractions; null where either is."""
    return (F.unix_micros(end) - F.unix_micros(start)) / F.lit(_MICROS_PER_HOUR)


def days_between(start: Column, end: Column) -> Column:
    """Days from `start` to `end`, with fractions; null where either is."""
    return hours_between(start, end) / F.lit(24)


def month_of(at: Column) -> Column:
    """The month of a time, as "2026-03"."""
    return F.date_format(at, "yyyy-MM")


def is_correction(retracts: Column) -> Column:
    """Whether a transition only retracts earlier ones. A missing list counts as empty."""
    return F.coalesce(F.size(retracts) > 0, F.lit(False))


def is_import(actor: Column) -> Column:
    """Whether a move comes from an index row, whose time is that of its edit or import, not of the event."""
    return F.coalesce(actor == Actor.IMPORT.value, F.lit(False))


def decided_by(actor: Column, rule: Column) -> Column:
    """The actor of a move. Rows of the wiki's own index count as imports, like those of an operator's file."""
    return F.when(rule == "index-row", Actor.IMPORT.value).otherwise(actor)


def opens_discussion(kind: Column, is_reply: Column) -> Column:
    return (kind == MailKind.DISCUSS.value) & ~F.coalesce(is_reply, F.lit(False))


def is_undecided(outcome: Column) -> Column:
    """Whether a vote has not ended yet, by its period, an announcement or a cancellation."""
    ended = [o.value for o in (Outcome.PASSED, Outcome.FAILED, Outcome.CANCELLED)]
    return ~F.coalesce(outcome.isin(ended), F.lit(False))


def count_where(condition: Column) -> Column:
    """The number of rows in a group that meet the condition."""
    return F.count(F.when(condition, F.lit(1)))


def sum_where(condition: Column, value: Column) -> Column:
    """The sum of `value` over the rows of a group that meet the condition; 0 if none does."""
    return F.coalesce(F.sum(F.when(condition, value)), F.lit(0))
