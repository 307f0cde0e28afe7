"""A whole round of work while every service misbehaves: the same facts in the end, each message once."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from kipflow.adapters.deliverer import ThisProcess
from kipflow.adapters.patience import Patience
from kipflow.effect_kinds import find_kinds
from kipflow.services import deliver, poll, sync
from kipflow.services.assembly import load_facts
from kipflow.services.landing import find_wanted_months
from kipflow.services.tickets import sync_tickets
from kipflow.wiring import Parts
from tests.integration.conftest import connect_to
from tests.integration.rounds import run_once

QUICK = Patience(attempts=14, total=40, first_wait=0.02, longest_wait=0.2, read=1.0)
FAULTS = """\
429 /api/mbox.lua x2 retry-after=1
500 /api/mbox.lua x2
reset /api/mbox.lua x2
short /api/mbox.lua x2
cut /api/mbox.lua x1
html /api/mbox.lua x2
slow /api/mbox.lua x1 seconds=3
503 /api/stats.lua x2
json /api/stats.lua x1
429 /confluence x2 retry-after=1
500 /confluence x2
reset /confluence x2
json /confluence x2
html /confluence x1
503 /jira x2
json /jira x2
reset /jira x1
500 /slack/api/chat.postMessage x1
reset /slack/api/chat.postMessage x2
html /slack/api/chat.postMessage x1
json /slack/api/chat.postMessage x1
429 /slack/api/chat.postMessage x1 retry-after=1
"""


@pytest.fixture
def parts(own_sandbox: str, tmp_path: Path) -> Iterator[Parts]:
    connected = connect_to(own_sandbox, tmp_path / "faulty", patience=QUICK, KIPFLOW_SANDBOX_SINCE="2026-10")
    yield connected
    connected.store.close()


def facts_of(parts: Parts) -> dict[str, object]:
    with parts.store.read() as session:
        return {
            "mails": {
                n: [m.message_id for m in load_facts(session, n).messages] for n in session.history.load_numbers()
            },
            "months": [(*key, m.status, m.mails, m.digest) for key, m in session.mail.load_months().items()],
            "pages": session.pages.load_versions(),
            "tickets": session.pages.load_ticket_keys(),
        }


def read_all(parts: Parts) -> None:
    assert parts.archive is not None
    assert parts.wiki is not None
    assert parts.tickets is not None
    now = parts.clock()
    wanted, _ = find_wanted_months(parts.store, parts.archive, parts.community.lists, now, since="2026-10")
    landed = list(poll.fetch_months(parts.archive, wanted, parts.settings.raw, now))
    poll.read_months(parts.store, landed, prefix="KIP", seen_at=now)
    sync.sync_wiki(parts.store, parts.wiki, index_page="1000", prefix="KIP", as_of=now)
    sync_tickets(parts.store, parts.tickets, as_of=now)


def read_keys(sandbox: str, channel: str) -> list[str]:
    """The keys of all messages in a channel and its threads, as the messages' metadata have them."""
    api, token = f"{sandbox}/slack/api", {"Authorization": "Bearer xoxb-test"}

    def ask(method: str, **params: str) -> list[dict[str, Any]]:
        answer = httpx.get(f"{api}/{method}", params={"channel": channel, "limit": "999", **params}, headers=token)
        found: list[dict[str, Any]] = answer.raise_for_status().json()["messages"]
        return found

    messages = ask("conversations.history")
    messages += [reply for root in messages for reply in ask("conversations.replies", ts=root["ts"])[1:]]
    return [message["metadata"]["event_payload"]["key"] for message in messages]


def test_work_among_faults_comes_to_the_same_and_sends_everything_once(
    own_sandbox: str, parts: Parts, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for rule in FAULTS.splitlines():
        httpx.post(f"{own_sandbox}/faults", json={"rule": rule}).raise_for_status()
    with caplog.at_level(logging.WARNING):
        run_once(parts)
    left = httpx.get(f"{own_sandbox}/faults").json()["rules"]
    lines = [r.getMessage() for r in caplog.records if r.name.startswith("kipflow")]
    assert all("\n" not in line for line in lines)
    for service in ("Pony Mail: GET /mbox.lua", "Confluence: GET", "JIRA: GET"):
        assert any(line.startswith(service) for line in lines), service
    assert left == [], "every fault was met"
    httpx.delete(f"{own_sandbox}/faults").raise_for_status()
    run_once(parts)
    later = parts.clock() + timedelta(hours=6)
    deliver.deliver(parts.store, find_kinds(parts, now=later), now=later, by=ThisProcess())

    clean = connect_to(own_sandbox, tmp_path / "clean", KIPFLOW_SANDBOX_SINCE="2026-10")
    read_all(clean)
    assert facts_of(parts) == facts_of(clean)
    clean.store.close()

    keys: Counter[str] = Counter()
    for channel in ("#proposals", "#proposals-ops"):
        keys.update(read_keys(own_sandbox, channel))
    rows = parts.store.effects(limit=1_000).rows
    assert sorted(keys) == sorted(row.key for row in rows if row.channel == "slack"), "every message"
    assert {row.status for row in rows if row.channel == "slack"} == {"sent"}
    assert set(keys.values()) == {1}, "no message twice"
