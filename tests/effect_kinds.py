"""Kinds of effect as tests make them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from kipflow.adapters.deliverer import ThisProcess
from kipflow.adapters.store import SqlStore
from kipflow.services.deliver import deliver
from kipflow.services.effect_kinds.index import IndexKind
from kipflow.services.effect_kinds.kind import EffectKind, Scope
from kipflow.services.effect_kinds.page import PageKind
from kipflow.services.effect_kinds.slack import ChatKind
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import Report


def scope_of(store: SqlStore, now: datetime, *, mode: str = "send", sends: bool = True) -> Scope:
    return Scope(store=store, prefix="KIP", mode=mode, sends=sends, now=now)


def page_kind(store: SqlStore, wiki: Any, now: datetime, *, mode: str = "send") -> PageKind:
    return PageKind(scope=scope_of(store, now, mode=mode), wiki=wiki, tickets="https://jira.x.example/browse/")


def index_kind(store: SqlStore, wiki: Any, page_id: str, now: datetime, *, sends: bool = True) -> IndexKind:
    return IndexKind(scope=scope_of(store, now, sends=sends), wiki=wiki, page_id=page_id)


def chat_kind(chat: Any, store: SqlStore, now: datetime = datetime(2026, 3, 2, tzinfo=UTC), **more: Any) -> ChatKind:
    rules = EffectRules(prefix="KIP", sends=True, slack="send", channel="#proposals", operators="#proposals-ops")
    return ChatKind(scope=scope_of(store, now), chat=chat, rules=rules, **more)


def make_due(store: SqlStore, channel: str, kind: EffectKind, now: datetime) -> Report:
    """What a DAG does: plan what is due of a kind, then deliver it."""
    kind.plan()
    return deliver(store, {channel: kind}, now=now, by=ThisProcess(), wait=lambda _seconds: None)
