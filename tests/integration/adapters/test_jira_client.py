"""The ticket client against a server that misbehaves."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import httpx
import pytest

from kipflow.adapters.jira import JiraTickets
from kipflow.domain.errors import KipflowError, RateLimited, Refused, ServiceUnavailable
from kipflow.domain.pages import TicketState
from tests.integration.adapters.faulty import QUICK, Server, Step, answer, as_json

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def tickets(server: Server) -> JiraTickets:
    return JiraTickets(server.url, "secret", pause=0, patience=QUICK)


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


def ticket(key: str, status: str = "Open") -> Step:
    return as_json({"key": key, "fields": {"status": {"name": status}, "fixVersions": [{"name": "1.0"}]}})


def test_a_ticket_that_was_moved_keeps_the_key_that_it_was_asked_by(server: Server, tickets: JiraTickets) -> None:
    # JIRA answers for the old key with the ticket as it is called now
    server.play(ticket("NEWPROJECT-3", "Closed"))
    found = tickets.fetch_ticket("KAFKA-9", now=NOW)
    assert found is not None
    assert (found.key, found.status, found.fix_versions) == ("KAFKA-9", "Closed", ("1.0",))


def test_tickets_of_several_projects_are_asked_for_by_their_own_keys(server: Server, tickets: JiraTickets) -> None:
    server.by_path = {f"/issue/{key}?": [ticket(key, key)] for key in ("KAFKA-1", "FLINK-1", "A1_B-22")}
    found = [tickets.fetch_ticket(key, now=NOW) for key in ("KAFKA-1", "FLINK-1", "A1_B-22")]
    assert [t and t.status for t in found] == ["KAFKA-1", "FLINK-1", "A1_B-22"]


def test_a_ticket_without_a_status_or_with_odd_versions_is_read_as_far_as_it_goes(
    server: Server, tickets: JiraTickets
) -> None:
    versions = [{"name": "2.0", "released": True}, {"name": None}, {"name": "3.0", "released": False}]
    server.play(as_json({"fields": {"status": {"name": "Open"}, "fixVersions": versions}}))
    found = tickets.fetch_ticket("KAFKA-9", now=NOW)
    assert found is not None
    assert (found.fix_versions, found.unreleased) == (("2.0", "3.0"), ("3.0",))


def test_requests_keep_their_distance(server: Server) -> None:
    server.play(ticket("KAFKA-9"))
    polite = JiraTickets(server.url, pause=0.1, patience=QUICK)
    started = time.monotonic()
    for _ in range(4):
        polite.fetch_ticket("KAFKA-9", now=NOW)
    assert time.monotonic() - started >= 0.3


def test_a_comment_is_written_once_and_found_by_its_key(own_sandbox: str) -> None:
    tickets = JiraTickets(f"{own_sandbox}/jira/rest/api/2")
    assert tickets.find_comment("SAND-1087", key="KIP-7/1/ticket") is None
    written = tickets.add_comment("SAND-1087", "It was accepted.", key="KIP-7/1/ticket")
    assert tickets.find_comment("SAND-1087", key="KIP-7/1/ticket") == written
    assert tickets.find_comment("SAND-1087", key="KIP-7/2/ticket") is None
    shown = httpx.get(f"{own_sandbox}/jira/rest/api/2/issue/SAND-1087/comment").json()["comments"]
    assert [c["body"] for c in shown] == ["It was accepted.\n\nkipflow: KIP-7/1/ticket"]


@pytest.mark.parametrize(
    ("ticket", "fault", "error", "why"),
    [
        ("SAND-9999", "", Refused, "not found"),
        ("../issue", "", Refused, "no ticket"),
        ("SAND-1087", "expired /jira x1", Refused, "the token was refused"),
        ("SAND-1087", "429 /jira x1 retry-after=7", RateLimited, "7 s"),
        ("SAND-1087", "503 /jira x1", ServiceUnavailable, "answered 503"),
    ],
)
def test_what_was_certainly_not_written_is_kept_apart_from_what_may_have_been(
    own_sandbox: str, ticket: str, fault: str, error: type[KipflowError], why: str
) -> None:
    if fault:
        httpx.post(f"{own_sandbox}/faults", json={"rule": fault}).raise_for_status()
    with pytest.raises(error, match=why) as raised:
        JiraTickets(f"{own_sandbox}/jira/rest/api/2").add_comment(ticket, "x", key="k")
    assert type(raised.value) is error
    assert "\n" not in str(raised.value)
