"""Metrics as headline figures and charts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kipflow.domain.events import Stage
from kipflow.services.board import Metrics
from kipflow.services.ports import MetricRow

#: Known figures of the lifecycle job, in the order in which they are shown. Others follow.
_LABELS: dict[str, str] = {
    "open_votes": "Open votes",
    "open_votes_past_period": "Open votes past their period",
    "open_votes_oldest_days": "Oldest open vote",
    "first_reply_hours_median": "First reply, median",
    "first_reply_hours_p90": "First reply, nine in ten within",
    "discussions": "Discussions",
    "discussions_unanswered": "Discussions without an answer",
    "stage_days_median": "Time in a stage, median",
    "stage_days_p90": "Time in a stage, nine in ten within",
    "stage_present_days_median": "Time in the present stage so far, median",
    "stage_present": "Now in the stage",
    "stage_visits": "Stays in the stage that ended",
    "month_opened": "Opened per month",
    "month_accepted": "Accepted per month",
    "month_rejected": "Rejected per month",
    "month_imported": "Taken over from an index per month",
}
_STAGES = [stage.value for stage in Stage]

_MONTH = re.compile(r"^\d{4}-(0[1-9]|1[0-2])$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One metric over its dimensions. `is_series`: they are months, drawn as a time series."""

    label: str
    unit: str
    values: tuple[tuple[str, float], ...]
    is_series: bool

    @property
    def top(self) -> float:
        return max((value for _, value in self.values), default=0.0)


def find_headlines(metrics: Metrics) -> tuple[MetricRow, ...]:
    """The figures of the whole community, which have no dimension."""
    return tuple(sorted((row for row in metrics.rows if not row.dimension), key=lambda row: _rank(row.name)))


def build_charts(metrics: Metrics) -> tuple[Chart, ...]:
    """One chart for each metric that has dimensions and is not all zero, known metrics first."""
    by_name: dict[str, list[MetricRow]] = {}
    for row in metrics.rows:
        if row.dimension:
            by_name.setdefault(row.name, []).append(row)
    shown = (name for name in sorted(by_name, key=_rank) if any(row.value for row in by_name[name]))
    return tuple(_build_chart(by_name[name]) for name in shown)


def _build_chart(rows: list[MetricRow]) -> Chart:
    values = [(row.dimension, row.value) for row in rows]
    is_series = all(_MONTH.match(row.dimension) for row in rows)
    if is_series:
        values.sort()
    elif all(row.dimension in _STAGES for row in rows):
        values.sort(key=lambda value: _STAGES.index(value[0]))
    return Chart(label=render_label(rows[0]), unit=rows[0].unit, values=tuple(values), is_series=is_series)


def _rank(name: str) -> int:
    return list(_LABELS).index(name) if name in _LABELS else len(_LABELS)


def render_label(row: MetricRow) -> str:
    """The figure's name in words; an unknown one keeps its own name, without underscores."""
    return _LABELS.get(row.name) or row.name.replace("_", " ").capitalize()


def render_value(row: MetricRow) -> str:
    """The value with its unit: `26.4 days`, `86 %`, `5`."""
    if row.unit == "share":
        return f"{100 * row.value:.0f} %"
    return render_number(row.value) if row.unit == "count" else f"{render_number(row.value)} {row.unit}"


def render_number(value: float) -> str:
    """Two decimals below ten, one above, without trailing zeros."""
    text = f"{value:,.2f}" if abs(value) < 10 else f"{value:,.1f}"
    return text.rstrip("0").rstrip(".")
