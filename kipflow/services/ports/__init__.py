"""What the use cases need from the outside, as Protocols. Adapters and fakes fulfil them."""

from __future__ import annotations

from kipflow.services.ports.decided import HistoryStore, MetricStore
from kipflow.services.ports.effects import (
    BELOW,
    CARD,
    GONE,
    MOVED_BACK,
    ON_ITS_WAY,
    OUT,
    REFUSED_BY,
    RETRACTS,
    STOPPED,
    TAKES_BACK,
    WAITING,
    WARNS,
    Claim,
    Effect,
    Outbox,
    OutboxRow,
)
from kipflow.services.ports.facts import MailStore, Marks, PageStore, RulingStore
from kipflow.services.ports.outside import Archive, Chat, MonthStats, PageRef, Tickets, Wiki, WikiPage
from kipflow.services.ports.records import (
    CheckedPage,
    IndexRow,
    MetricRow,
    NewFact,
    ProposalRows,
    Report,
    SaveReport,
    StaleMonth,
)
from kipflow.services.ports.store import Rules, Session, Store

__all__ = [
    "BELOW",
    "CARD",
    "GONE",
    "MOVED_BACK",
    "ON_ITS_WAY",
    "OUT",
    "REFUSED_BY",
    "RETRACTS",
    "STOPPED",
    "TAKES_BACK",
    "WAITING",
    "WARNS",
    "Archive",
    "Chat",
    "CheckedPage",
    "Claim",
    "Effect",
    "HistoryStore",
    "IndexRow",
    "MailStore",
    "Marks",
    "MetricRow",
    "MetricStore",
    "MonthStats",
    "NewFact",
    "Outbox",
    "OutboxRow",
    "PageRef",
    "PageStore",
    "ProposalRows",
    "Report",
    "Rules",
    "RulingStore",
    "SaveReport",
    "Session",
    "StaleMonth",
    "Store",
    "Tickets",
    "Wiki",
    "WikiPage",
]
