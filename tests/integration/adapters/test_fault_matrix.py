"""Every client against every fault, in one table: bounded tries, nothing twice or lost, one line for each fault."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from kipflow.adapters.confluence import ConfluenceWiki
from kipflow.adapters.jira import JiraTickets
from kipflow.adapters.patience import Patience
from kipflow.adapters.ponymail import PonyMailArchive
from kipflow.adapters.slack import SlackChat
from kipflow.domain.errors import KipflowError, RateLimited, Refused, ServiceUnavailable
from kipflow.services.ports import WikiPage
from tests.integration.adapters.faulty import (
    Server,
    Step,
    answer,
    as_json,
    drip,
    mails,
    reset_in_body,
    silence,
    truncated,
)

#: Of little patience, so that the table is through quickly.
QUICK = Patience(attempts=3, total=5, first_wait=0.01, longest_wait=0.2, connect=2, read=0.4, download=0.6)
NOW = datetime(2024, 2, 1, tzinfo=UTC)
TOKEN = "token-very-secret-99"
HTML = b"<!DOCTYPE html><html><title>Maintenance</title></html>"
MONTH = mails(30)
PAGE = WikiPage(page_id="42", version=7, title="KIP-1: x", body="<p>old</p>", saved_at=NOW, saved_by="Kim Osei")


@dataclass(frozen=True)
class Service:
    """One call of one client. `path` is what the fault meets, `good` the answer behind it.

    `effects` counts what the call did at the service; `once` says that the call itself is never repeated.
    """

    name: str
    path: str
    good: Callable[[], bytes]
    call: Callable[[str, Path], object]
    result: object
    says: str
    is_json: bool = True
    once: bool = False


def content(version: int, body: str) -> bytes:
    return json.dumps(
        {
            "id": "42",
            "title": "KIP-1: x",
            "version": {"number": version, "when": "2026-01-01T12:00:00Z", "by": {"displayName": "Kim Osei"}},
            "body": {"storage": {"value": body}},
        }
    ).encode()


def month(url: str, folder: Path) -> object:
    archive = PonyMailArchive(url, pause=0, patience=QUICK)
    found = archive.fetch_month("dev@x.example", "2024-01", folder / "m.mbox", now=NOW)
    if found.status != "complete":
        raise ServiceUnavailable(service="Pony Mail", url=url, why=f"{found.status}: {found.why}")
    assert (folder / "m.mbox").read_bytes() == MONTH
    return found.mails


def statistics(url: str, folder: Path) -> object:
    return PonyMailArchive(url, pause=0, patience=QUICK).fetch_stats("dev@x.example", "2024-01").mails


def page(url: str, folder: Path) -> object:
    return ConfluenceWiki(url, TOKEN, patience=QUICK).fetch_page("42").version


def save(url: str, folder: Path) -> object:
    return ConfluenceWiki(url, TOKEN, patience=QUICK).save_page(PAGE, body="<p>new</p>", message="m").version


def ticket(url: str, folder: Path) -> object:
    found = JiraTickets(url, TOKEN, pause=0, patience=QUICK).fetch_ticket("KAFKA-1", now=NOW)
    return found and found.status


def post(url: str, folder: Path) -> object:
    """As a delivery does it: an answer that was lost is made up for by looking."""
    chat = SlackChat(url, TOKEN, timeout=1)
    try:
        return chat.post("C1", "t", (), key="k")
    except Refused:
        raise
    except ServiceUnavailable as lost:
        found = chat.find("C1", key="k", since=NOW)
        if found is None:
            raise lost from None
        return found


SERVICES = [
    Service("month", "/mbox.lua", lambda: MONTH, month, 30, "Pony Mail: GET /mbox.lua", is_json=False),
    Service("statistics", "/stats.lua", lambda: b'{"hits": 30}', statistics, 30, "Pony Mail: GET /stats.lua"),
    Service("page", "/content/42", lambda: content(7, "<p>old</p>"), page, 7, "Confluence: GET /content/42"),
    Service("save", "/content/42", lambda: content(8, "<p>new</p>"), save, 8, "Confluence: PUT /content/42"),
    Service(
        "ticket", "/issue/KAFKA-1", lambda: b'{"fields": {"status": {"name": "Open"}}}', ticket, "Open",
        "JIRA: GET /issue/KAFKA-1",
    ),
    Service(
        "post", "/chat.postMessage", lambda: b'{"ok": true, "channel": "C1", "ts": "5.5"}', post, "C1/5.5",
        "Slack: chat.postMessage", once=True,
    ),
]  # fmt: skip


@dataclass
class World:
    """A server at which one service's path meets faults, and everything else is in good order."""

    server: Server
    service: Service
    faults: int = 0

    def meet(self, fault: Step, times: int) -> None:
        left = [times]
        spoilt = "PUT" if self.service.name == "save" else None

        def step(handler: BaseHTTPRequestHandler) -> None:
            path = urlsplit(handler.path).path
            if path == self.service.path and spoilt in {None, handler.command} and left[0]:
                left[0] -= 1
                self.faults += 1
                fault(handler)
            else:
                self.answer_well(handler, path)

        self.server.play(step)

    def answer_well(self, handler: BaseHTTPRequestHandler, path: str) -> None:
        if path == self.service.path:
            answer(self.service.good())(handler)
        elif path == "/stats.lua":
            as_json({"hits": 30})(handler)
        elif path == "/conversations.history":
            # Slack has the message: the call went through, only its answer was lost
            message = {"ts": "5.5", "metadata": {"event_payload": {"key": "k"}}}
            as_json({"ok": True, "messages": [message]})(handler)
        else:
            answer(b"", 404)(handler)

    def asked(self) -> int:
        method = "PUT" if self.service.name == "save" else None
        return sum(urlsplit(s.path).path == self.service.path and method in {None, s.method} for s in self.server.seen)


@pytest.fixture(params=SERVICES, ids=lambda service: service.name)
def world(server: Server, request: pytest.FixtureRequest) -> World:
    return World(server, request.param)


def passing(world: World) -> dict[str, Step]:
    """The faults that pass: each is met once or twice, and then all is well."""
    good, stop = world.service.good(), world.server.stop
    limited = {"Retry-After": "0"} if world.service.once else {"Retry-After": "1"}
    return {
        "429 with Retry-After": as_json({"ok": False, "error": "ratelimited"}, 429, **limited),
        "500": answer(b"oops", 500),
        "502": answer(HTML, 502),
        "503": answer(b"", 503),
        "reset in mid-body": reset_in_body(good, len(good) // 2),
        "cut in mid-body": truncated(good, len(good) // 2),
        "no answer in time": silence(1.5, stop),
        "slow bytes": drip(good, 0.1, stop),
        "HTML with status 200": answer(HTML),
        "wrong JSON": as_json(["not", "what", "you", "asked", "for"]),
    }


FAULTS = (
    "429 with Retry-After", "500", "502", "503", "reset in mid-body", "cut in mid-body", "no answer in time",
    "slow bytes", "HTML with status 200", "wrong JSON",
)  # fmt: skip


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]


def attempt(world: World, folder: Path) -> object:
    try:
        return world.service.call(world.server.url, folder)
    except KipflowError as error:
        return error


def is_harmless(world: World, fault: str) -> bool:
    """A save is confirmed by reading the page again: what its answer says does not matter."""
    return world.service.name == "save" and fault in {"HTML with status 200", "wrong JSON"}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_passes_costs_a_line_and_nothing_else(
    world: World, fault: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world.meet(passing(world)[fault], 1)
    found = attempt(world, tmp_path)
    shown = lines(caplog)
    if world.service.once:
        # what may have been done is looked for, never done again; what was refused is left to the outbox
        assert world.asked() == 1
        assert found == world.service.result or isinstance(found, RateLimited)
    else:
        assert found == world.service.result
        assert world.asked() == (1 if is_harmless(world, fault) else 2)
        assert len(shown) == world.asked() - 1, "one line for each fault"
    assert all(line.startswith(world.service.says) for line in shown), shown
    assert TOKEN not in caplog.text


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_stays_ends_in_one_error_after_bounded_tries(
    world: World, fault: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    if is_harmless(world, fault) or world.service.once:
        pytest.skip("never repeated: see the test above")
    world.meet(passing(world)[fault], 1_000)
    found = attempt(world, tmp_path)
    shown = lines(caplog)
    assert isinstance(found, ServiceUnavailable)
    assert 1 < world.asked() <= QUICK.attempts
    assert len(shown) == world.asked() == world.faults, "one line for each fault"
    assert all(line.startswith(world.service.says) and "\n" not in line for line in shown)
    assert "\n" not in str(found)
    assert not (tmp_path / "m.mbox").exists() or MONTH.startswith((tmp_path / "m.mbox").read_bytes())


@pytest.mark.parametrize(
    ("refusal", "why"),
    [(answer(b"", 401), "token was refused"), (answer(b"", 403), "not allowed"), (answer(b"", 400), "answered 400")],
    ids=["expired token", "forbidden", "bad request"],
)
def test_a_refusal_is_reported_once_and_never_repeated(
    world: World, refusal: Step, why: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    if world.service.name == "page" and why == "not allowed":
        why = "restricted"
    if world.service.once:
        refusal, why = as_json({"ok": False, "error": "token_expired"}), "token_expired"
    world.meet(refusal, 1_000)
    found = attempt(world, tmp_path)
    assert isinstance(found, KipflowError)
    assert why in str(found)
    assert world.asked() == 1
    assert len(lines(caplog)) <= 1
    assert TOKEN not in caplog.text + str(found)


@pytest.mark.parametrize("service", [s for s in SERVICES if s.name in {"page", "ticket"}], ids=lambda s: s.name)
def test_a_redirect_to_another_host_is_followed_without_the_token(
    server: Server, service: Service, tmp_path: Path
) -> None:
    # "localhost" is another host than the address that was asked, though the same server answers
    elsewhere = server.url.replace("127.0.0.1", "localhost") + "/moved"
    server.by_path["/moved"] = [answer(service.good())]
    server.play(answer(b"", 302, Location=elsewhere))
    assert service.call(server.url, tmp_path) == service.result
    first, second = server.seen
    assert first.headers["Authorization"] == f"Bearer {TOKEN}"
    assert "Authorization" not in second.headers
    assert "Cookie" not in second.headers


def test_a_month_behind_a_redirect_to_another_host_is_the_month(server: Server, tmp_path: Path) -> None:
    elsewhere: Any = server.url.replace("127.0.0.1", "localhost") + "/moved"
    server.by_path["/moved"] = [answer(MONTH)]
    server.by_path["/stats.lua"] = [as_json({"hits": 30})]
    server.play(answer(b"", 301, Location=elsewhere))
    assert month(server.url, tmp_path) == 30


def test_a_month_behind_a_redirect_to_a_login_page_is_unreadable(server: Server, tmp_path: Path) -> None:
    server.by_path["/login"] = [answer(HTML)]
    server.play(answer(b"", 302, Location="/login"))
    with pytest.raises(ServiceUnavailable, match="unreadable: answered an HTML page that is no mbox"):
        month(server.url, tmp_path)
