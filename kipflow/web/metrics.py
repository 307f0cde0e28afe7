"""Metrics as headline figures and charts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kipflow.services.board import Metrics
from kipflow.services.ports import MetricRow

_MONTH = re.compile(r"^\d{4}-(0[1-9]|1[0-2])$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One metric over its dimensions. `is_series` says that they are months, so they are drawn in time."""

    label: str
    unit: str
    values: tuple[tuple[str, float], ...]
    is_series: bool

    @property
    def top(self) -> float:
        return max((value for _, value in self.values), default=0.0)


def find_headlines(metrics: Metrics) -> tuple[MetricRow, ...]:
    """The figures of the whole community: those without a dimension."""
    return tuple(row for row in metrics.rows if not row.dimension)


def build_charts(metrics: Metrics) -> tuple[Chart, ...]:
    """One chart for each metric that has dimensions, in the order in which the metrics came."""
    by_name: dict[str, list[MetricRow]] = {}
    for row in metrics.rows:
        if row.dimension:
            by_name.setdefault(row.name, []).append(row)
    charts: list[Chart] = []
    for rows in by_name.values():
        is_series = all(_MONTH.match(row.dimension) for row in rows)
        values = [(row.dimension, row.value) for row in rows]
        charts.append(
            Chart(
                label=render_label(rows[0]),
                unit=rows[0].unit,
                values=tuple(sorted(values) if is_series else values),
                is_series=is_series,
            )
        )
    return tuple(charts)


def render_label(row: MetricRow) -> str:
    """`first_reply_hours_median` in words: "First reply, median"; the unit is shown with the value."""
    words = [w for w in row.name.split("_") if w != row.unit]
    if words and words[-1] in {"median", "mean", "p90", "p95", "max"}:
        words = [*words[:-2], f"{words[-2]},", words[-1]] if len(words) > 1 else words
    return " ".join(words).capitalize()


def render_value(row: MetricRow) -> str:
    """The value with its unit: `26.4 days`, `86 %`, `5`."""
    if row.unit == "share":
        return f"{100 * row.value:.0f} %"
    return render_number(row.value) if row.unit == "count" else f"{render_number(row.value)} {row.unit}"


def render_number(value: float) -> str:
    """Whole numbers without decimals, small ones with up to two, the rest with one."""
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.2f}".rstrip("0") if abs(value) < 10 else f"{value:,.1f}"
