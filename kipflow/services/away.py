"""Unreachable services, since when and why: noted by whoever calls one, shown to operators."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.errors import ServiceUnavailable
from kipflow.services.ports import Marks, Store

#: Service by its name in marks → its name for people.
SERVICES = {"archive": "mail archive", "wiki": "wiki", "tickets": "ticket tracker", "slack": "Slack workspace"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """An unreachable service: since when, and why."""

    since: datetime
    why: str


def note_outage(store: Store, service: str, why: str, *, at: datetime) -> None:
    """Note that a service is unreachable; `since` keeps the time of the first note."""
    with store.begin() as session:
        known = load_outages(session.marks).get(service)
        since = known.since if known is not None else at
        session.marks.save(_mark(service), json.dumps([since.isoformat(), why]))


def note_recovery(store: Store, service: str) -> None:
    """Note that a service answers again."""
    with store.begin() as session:
        if session.marks.load(_mark(service)):
            session.marks.save(_mark(service), "")


@contextmanager
def noting_outages(store: Store, service: str, at: datetime) -> Iterator[None]:
    """Note whether a service is reachable, by what the block raises."""
    try:
        yield
    except ServiceUnavailable as error:
        note_outage(store, service, error.why, at=at)  # its address is only for the log
        raise
    note_recovery(store, service)


def load_outages(marks: Marks) -> dict[str, Outage]:
    """The unreachable services, by name."""
    found: dict[str, Outage] = {}
    for service in SERVICES:
        if noted := marks.load(_mark(service)):
            since, why = json.loads(noted)
            found[service] = Outage(since=datetime.fromisoformat(since), why=why)
    return found


def _mark(service: str) -> str:
    return f"away/{service}"
