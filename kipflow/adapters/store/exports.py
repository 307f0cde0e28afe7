"""Rows for Spark, and the lifecycle metrics that Spark computes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.part import Part, Row, as_row
from kipflow.adapters.store.tables.decisions import metric, proposal, transition
from kipflow.adapters.store.tables.facts import message, message_proposal
from kipflow.adapters.store.tables.votes import vote
from kipflow.services.board import Metrics
from kipflow.services.ports import MetricRow

#: Rows in one batch of an export.
EXPORT_BATCH = 5_000

_EXPORTS: dict[str, sa.Select[Any]] = {
    "transition": sa.select(transition).order_by(transition.c.number, transition.c.position),
    "vote": sa.select(vote).order_by(vote.c.number, vote.c.position),
    "proposal": sa.select(proposal).order_by(proposal.c.number),
    "proposal_message": sa.select(
        message_proposal, message.c.arrived_at, message.c.author_address, message.c.kind, message.c.is_reply
    )
    .join(message, message.c.message_id == message_proposal.c.message_id)
    .order_by(message_proposal.c.number, message_proposal.c.message_id),
}


class SqlMetrics(Part):
    """`services.ports.MetricStore`."""

    def iter_rows(self, table: str, columns: Sequence[str]) -> Iterator[list[Row]]:
        """JSON columns are lists and dictionaries, times are aware."""
        statement = _EXPORTS[table]
        named = statement.with_only_columns(*(statement.selected_columns[name] for name in columns))
        result = self._connection.execution_options(yield_per=EXPORT_BATCH).execute(named)
        for batch in result.mappings().partitions(EXPORT_BATCH):
            yield [dict(row) for row in batch]

    def save(self, rows: Iterable[MetricRow], *, as_of: datetime, run_id: str) -> int:
        """Replace the metrics as of this moment; returns how many were stored."""
        values = [as_row(row, as_of=as_of, run_id=run_id) for row in rows]
        self._connection.execute(sa.delete(metric).where(metric.c.as_of == as_of))
        self.insert_all(metric, values)
        return len(values)

    def load_newest(self, as_of: datetime) -> Metrics | None:
        """The newest metrics that are not later than `as_of`."""
        moment = self._connection.scalar(sa.select(sa.func.max(metric.c.as_of)).where(metric.c.as_of <= as_of))
        if moment is None:
            return None
        statement = sa.select(metric).where(metric.c.as_of == moment).order_by(metric.c.name, metric.c.dimension)
        return Metrics(as_of=moment, rows=self.load_records(MetricRow, statement))
