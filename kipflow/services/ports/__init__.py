"""What the use cases need from outside, as Protocols, implemented by adapters and fakes."""

from __future__ import annotations

from kipflow.domain.pages import WikiPage
from kipflow.services.ports.effects import Effect, EffectAct, Lease, Outbox, OutboxRow
from kipflow.services.ports.facts import Batches, MailStore, Marks, PageStore, RulingStore
from kipflow.services.ports.outside import (
    Archive,
    Audit,
    Chat,
    Mailer,
    MonthStats,
    PageRef,
    Press,
    Runs,
    TicketComments,
    Tickets,
    Wiki,
)
from kipflow.services.ports.records import (
    Batch,
    CheckedPage,
    IndexRow,
    Landed,
    MetricRow,
    MonthChange,
    NewFact,
    ProposalRows,
    Report,
    SaveReport,
    StaleMonth,
)
from kipflow.services.ports.store import HistoryRows, HistoryStore, MetricStore, Rules, Session, Store
