"""Services that give nothing, since when and why: noted where one is asked, read where that is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.errors import ServiceUnavailable
from kipflow.services.ports import Marks, Store

#: What kipflow talks to, as people call it, by the name under which it is noted as away.
SERVICES = {"archive": "mail archive", "wiki": "wiki", "tickets": "ticket tracker", "slack": "Slack workspace"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """A service that gives nothing, since when and why."""

    since: datetime
    why: str


def note_outage(store: Store, service: str, why: str, *, at: datetime) -> None:
    """Note that a service gives nothing; since when stays as it was noted first."""
    with store.begin() as session:
        known = load_outages(session.marks).get(service)
        since = known.since if known is not None else at
        session.marks.save(_mark(service), json.dumps([since.isoformat(), why]))


def note_recovery(store: Store, service: str) -> None:
    """Note that a service answers."""
    with store.begin() as session:
        if session.marks.load(_mark(service)):
            session.marks.save(_mark(service), "")


@contextmanager
def noting_outages(store: Store, service: str, at: datetime) -> Iterator[None]:
    """Note whether a service could be reached in the block."""
    try:
        yield
    except ServiceUnavailable as error:
        note_outage(store, service, error.why, at=at)  # its address is for the log, not for every reader
        raise
    note_recovery(store, service)


def load_outages(marks: Marks) -> dict[str, Outage]:
    """The services that give nothing."""
    found: dict[str, Outage] = {}
    for service in SERVICES:
        if noted := marks.load(_mark(service)):
            since, why = json.loads(noted)
            found[service] = Outage(since=datetime.fromisoformat(since), why=why)
    return found


def _mark(service: str) -> str:
    return f"away/{service}"
