"""One transaction of the store, as the use cases know it (`services.ports.Session`)."""

from __future__ import annotations

import sqlalchemy as sa

from kipflow.adapters.store.history_part import SqlHistory
from kipflow.adapters.store.parts import SqlBatches, SqlMail, SqlMarks, SqlMetrics, SqlOutbox, SqlPages, SqlRulings
from kipflow.services.ports import Rules


class SqlSession:
    """The parts on one open connection. Made by `SqlStore.begin`; with `reads` by `SqlStore.read`."""

    def __init__(self, connection: sa.Connection, rules: Rules, *, reads: bool = False) -> None:
        self.connection, self.rules = connection, rules
        self.mail = SqlMail(connection, rules)
        self.pages = SqlPages(connection, rules)
        self.rulings = SqlRulings(connection, rules)
        self.history = SqlHistory(connection, rules, self.mail, locks=not reads)
        self.outbox = SqlOutbox(connection, rules)
        self.metrics = SqlMetrics(connection, rules)
        self.batches = SqlBatches(connection, rules)
        self.marks = SqlMarks(connection, rules)
