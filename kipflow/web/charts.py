"""Geometry of the board's small graphics. Templates only place what is computed here.

The content security policy forbids inline styles; graphics are SVG with plain attributes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kipflow.domain.clocks import list_months
from kipflow.domain.tally import Counts

#: Up to this many ballots each gets a block of its own; beyond that, blocks show proportions.
_BLOCKS = 16
#: The gap between two columns, in column widths.
_GAP = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One block of a tally bar, in percent of its width. `tone`: "plus", "zero" or "minus"."""

    tone: str
    x: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyBar:
    """Counts as blocks from left to right; `quorum_at` is the position of the quorum mark (None: no mark)."""

    segments: tuple[Segment, ...]
    quorum_at: float | None


def build_tally_bar(counts: Counts, *, quorum: int = 0, scale: int = 0) -> TallyBar:
    """The bar for `counts`, wide enough for `quorum` and `scale` ballots (so that two bars can be compared)."""
    total = counts.plus + counts.zero + counts.minus
    room = max(total, quorum, scale, 1)
    unit = 100 / room
    segments: list[Segment] = []
    x = 0.0
    for tone, number in (("plus", counts.plus), ("zero", counts.zero), ("minus", counts.minus)):
        if room <= _BLOCKS:
            segments.extend(Segment(tone=tone, x=round(x + i * unit, 2), width=round(unit, 2)) for i in range(number))
        elif number:
            segments.append(Segment(tone=tone, x=round(x, 2), width=round(number * unit, 2)))
        x += number * unit
    return TallyBar(segments=tuple(segments), quorum_at=round(quorum * unit, 2) if quorum else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a column chart in a box 100 high."""

    label: str
    value: float
    x: float
    y: float
    width: float
    height: float


def build_columns(values: Sequence[tuple[str, float]]) -> tuple[Column, ...]:
    """Columns of equal width, the highest filling the box; a value above 0 is always visible."""
    if not values:
        return ()
    step = 100 / len(values)
    top = max((v for _, v in values), default=0) or 1
    width = round(step * (1 - _GAP), 2)
    columns: list[Column] = []
    for index, (label, value) in enumerate(values):
        height = 0.0 if value <= 0 else max(3.0, 100 * value / top)
        x, y = round(index * step + step * _GAP / 2, 2), round(100 - height, 2)
        columns.append(Column(label=label, value=value, x=x, y=y, width=width, height=round(height, 2)))
    return tuple(columns)


#: The fewest and the most months of a chart.
_FEWEST_MONTHS, _MOST_MONTHS = 12, 120


def fill_months(counts: Mapping[str, int]) -> list[tuple[str, float]]:
    """Counts by month ("2026-03") in order, with zeros for the months without any.

    Short periods are extended backwards to a year, because one busy month would fill the chart. Of long ones the newest
    ten years are kept.
    """
    if not counts:
        return []
    last = max(counts)
    a_year_before = f"{int(last[:4]) - 1:04d}{last[4:]}"
    first = min(min(counts), list(list_months(a_year_before, last))[-_FEWEST_MONTHS])
    return [(month, float(counts.get(month, 0))) for month in list(list_months(first, last))[-_MOST_MONTHS:]]
