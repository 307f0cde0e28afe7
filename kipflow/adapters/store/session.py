"""One transaction of the store: its parts on one open connection."""

from __future__ import annotations

import sqlalchemy as sa

from kipflow.adapters.store.batches import SqlBatches
from kipflow.adapters.store.exports import SqlMetrics
from kipflow.adapters.store.history import SqlHistory
from kipflow.adapters.store.messages import SqlMail
from kipflow.adapters.store.outbox import SqlOutbox
from kipflow.adapters.store.pages import SqlPages
from kipflow.adapters.store.part import Part
from kipflow.adapters.store.rulings import SqlRulings
from kipflow.services import ports


class SqlMarks(Part):
    """`services.ports.Marks`."""

    load, save = Part.load_mark, Part.save_mark


class SqlSession:
    """`services.ports.Session`. Made by `SqlStore.begin`, and with `reads` by `SqlStore.read`."""

    def __init__(self, connection: sa.Connection, rules: ports.Rules, *, reads: bool = False) -> None:
        self.connection, self.rules = connection, rules
        self.mail, pages = SqlMail(connection, rules), SqlPages(connection, rules)
        self.pages: ports.PageStore = pages
        self.rulings: ports.RulingStore = SqlRulings(connection, rules)
        self.history: ports.HistoryStore = SqlHistory(connection, rules, self.mail, pages, locks=not reads)
        self.outbox: ports.Outbox = SqlOutbox(connection, rules)
        self.metrics: ports.MetricStore = SqlMetrics(connection, rules)
        self.batches: ports.Batches = SqlBatches(connection, rules)
        self.marks: ports.Marks = SqlMarks(connection, rules)
