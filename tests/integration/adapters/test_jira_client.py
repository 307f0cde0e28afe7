"""The ticket client against a server that misbehaves."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from kipflow.adapters.jira import JiraTickets
from kipflow.domain.errors import ServiceUnavailable
from kipflow.domain.facts import TicketState
from tests.integration.adapters.faulty import QUICK, Server, answer, as_json

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def tickets(server: Server) -> JiraTickets:
    return JiraTickets(server.url, "secret", patience=QUICK)


def test_a_ticket_comes_with_status_resolution_and_versions(server: Server, tickets: JiraTickets) -> None:
    fields = {"status": {"name": "Resolved"}, "resolution": {"name": "Fixed"}, "fixVersions": [{"name": "4.1.0"}, {}]}
    server.play(as_json({"key": "KAFKA-9", "fields": fields}))
    assert tickets.fetch_ticket("KAFKA-9", now=NOW) == TicketState(
        key="KAFKA-9", status="Resolved", resolution="Fixed", fix_versions=("4.1.0",), seen_at=NOW
    )
    assert server.seen[0].path == "/issue/KAFKA-9?fields=status%2Cresolution%2CfixVersions"


def test_an_open_ticket_has_no_resolution(server: Server, tickets: JiraTickets) -> None:
    server.play(as_json({"fields": {"status": {"name": "Open"}, "resolution": None, "fixVersions": None}}))
    found = tickets.fetch_ticket("KAFKA-9", now=NOW)
    assert found is not None
    assert (found.status, found.resolution, found.fix_versions) == ("Open", None, ())


def test_a_ticket_that_does_not_exist_is_none(server: Server, tickets: JiraTickets) -> None:
    server.play(answer(b'{"errorMessages": []}', 404))
    assert tickets.fetch_ticket("KAFKA-9", now=NOW) is None


@pytest.mark.parametrize("key", ["../admin", "KAFKA-1/../2", "kafka-9", "KAFKA-", ""])
def test_what_is_no_key_is_never_asked_for(server: Server, tickets: JiraTickets, key: str) -> None:
    assert tickets.fetch_ticket(key, now=NOW) is None
    assert server.seen == []


@pytest.mark.parametrize("raw", [[], {}, {"fields": []}, "x"])
def test_wrong_json_is_an_error_and_no_ticket(server: Server, tickets: JiraTickets, raw: object) -> None:
    server.play(as_json(raw))
    with pytest.raises(ServiceUnavailable, match="another shape"):
        tickets.fetch_ticket("KAFKA-9", now=NOW)


def test_a_server_error_is_waited_out(server: Server, tickets: JiraTickets) -> None:
    server.play(answer(b"", 503), as_json({"fields": {"status": {"name": "Open"}}}))
    assert tickets.fetch_ticket("KAFKA-9", now=NOW) is not None
