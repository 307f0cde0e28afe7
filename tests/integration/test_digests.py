"""Digests over HTTP: the channel's once a week, a person's own by direct message, and word of what waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from kipflow.adapters.deliverer import ThisProcess
from kipflow.adapters.slack import SlackChat
from kipflow.services import deliver
from kipflow.services.away import load_outages
from kipflow.services.digests import DigestRules
from kipflow.services.effect_kinds.slack import ChatKind
from kipflow.services.ports import Effect
from kipflow.wiring import Parts, effect_rules
from tests.effect_kinds import make_due, scope_of
from tests.unit.services.test_slack_goldens import check_limits

pytestmark = pytest.mark.integration


def open_kind(parts: Parts, now: datetime, **digest: Any) -> ChatKind:
    people = tuple(parts.roster.by_id[name] for name in ("amaro", "bvogel"))
    given = {"day": f"{now:%A}".lower(), "at": time(0), "zone": ZoneInfo("UTC"), "people": people, **digest}
    assert parts.chat is not None
    return ChatKind(
        scope=scope_of(parts.store, now), chat=parts.chat, rules=effect_rules(parts), digest=DigestRules(**given)
    )


def test_a_week_is_reported_once_to_the_channel_and_to_each_person_who_wants_it(played: tuple[str, Parts]) -> None:
    url, parts = played
    now = parts.clock()
    kind = open_kind(parts, now)
    preview = kind.preview()
    assert any("The week until" in line for line in preview)
    kind.plan()
    assert kind.preview() == [], "once for each week and person"
    deliver.deliver(parts.store, {"slack": kind}, now=now, by=ThisProcess())
    rows = [row for row in parts.store.effects(limit=500).rows if row.key.startswith("digest/")]
    assert {row.status for row in rows} == {"sent"}
    assert {row.key.split("/")[2] for row in rows} >= {"slack", "bvogel"}
    for row in rows:
        check_limits(row.payload)
    page = httpx.get(f"{url}/slack").text
    assert f"Direct messages to {parts.roster.by_id['bvogel'].name}" in page
    assert "Votes that await you" in page
    assert "Where proposals stand" in page
    open_kind(parts, now + timedelta(hours=1)).plan()
    assert sum(row.key.startswith("digest/") for row in parts.store.effects(limit=500).rows) == len(rows)


def test_a_digest_of_ones_own_goes_once_to_who_asked_for_it_and_says_nothing_of_others(
    played: tuple[str, Parts],
) -> None:
    _, parts = played
    now = parts.clock()
    known = parts.roster.by_id["bvogel"]
    twice = replace(known, emails=(*known.emails, "second@x.example"))
    kind = open_kind(parts, now, people=(twice,))
    make_due(parts.store, "slack", kind, now)
    own = [row for row in parts.store.effects(limit=500).rows if row.payload.get("direct")]
    assert [row.payload["channel"] for row in own] == ["@bvogel"], "one message for two addresses, none for the rest"
    assert own[0].status == "sent"
    assert set(own[0].payload["direct"]) == set(twice.emails)
    said = str(own[0].payload["blocks"])
    assert "Votes that await you" in said
    others = [p for p in parts.roster.by_id.values() if p.id != "bvogel"]
    assert [address for person in others for address in person.emails if address in said] == []


def test_a_digest_waits_for_its_hour_and_is_not_written_days_late() -> None:
    rules = DigestRules(day="monday", at=time(9), zone=ZoneInfo("Europe/Berlin"))
    monday = datetime(2026, 3, 2, 8, tzinfo=UTC)
    assert rules.find_due(monday - timedelta(minutes=1)) is None
    assert rules.find_due(monday) == monday
    assert rules.find_due(monday + timedelta(days=1)) == monday
    assert rules.find_due(monday + timedelta(days=3)) is None


def test_a_person_whom_slack_does_not_know_is_named_and_holds_up_nobody(played: tuple[str, Parts]) -> None:
    url, parts = played
    now = parts.clock()
    stranger = replace(parts.roster.by_id["bvogel"], emails=("nobody@x.example",))
    kind = open_kind(parts, now, people=(stranger, parts.roster.by_id["amaro"]))
    report = make_due(parts.store, "slack", kind, now)
    assert any("nobody there has an address that the roster has for @bvogel" in warning for warning in report.warnings)
    assert SlackChat(f"{url}/slack/api", "xoxb-test").find_user(["nobody@x.example"]) is None


def test_operators_hear_once_of_each_effect_that_awaits_approval(
    own_sandbox: str, parts_of: Callable[[str], Parts]
) -> None:
    parts = parts_of(own_sandbox)
    now = parts.clock()
    edit = Effect(
        key="index/1/2/<!channel>", number=None, channel="index", payload={"page_id": "1", "moves": []}, approval=True
    )
    with parts.store.begin() as session:
        session.outbox.enqueue([edit], now=now)
    kind = open_kind(parts, now)
    kind.plan()
    kind.plan()
    asked = [row for row in parts.store.effects(limit=500).rows if row.key.startswith("approval/")]
    assert [row.payload["channel"] for row in asked] == ["#proposals-ops"]
    check_limits(asked[0].payload)
    said = asked[0].payload["blocks"][0]["text"]["text"]
    assert "this waits for approval" in said
    assert "review release 'index/1/2/&lt;!channel&gt;'" in said


def test_a_revoked_token_is_one_line_for_operators_and_every_message_waits(
    own_sandbox: str, parts_of: Callable[[str], Parts]
) -> None:
    parts = parts_of(own_sandbox)
    now = parts.clock()
    kind = replace(open_kind(parts, now), chat=SlackChat(f"{own_sandbox}/slack/api", "revoked"))
    kind.plan()
    for run in range(10):
        deliver.deliver(parts.store, {"slack": kind}, now=now + run * timedelta(hours=1), by=ThisProcess())
    assert {row.status for row in parts.store.effects(limit=500).rows} == {"pending"}
    with parts.store.read() as session:
        assert "invalid_auth" in load_outages(session.marks)["slack"].why
    deliver.deliver(parts.store, {"slack": open_kind(parts, now)}, now=now + timedelta(days=1), by=ThisProcess())
    assert {row.status for row in parts.store.effects(limit=500).rows} == {"sent"}
    with parts.store.read() as session:
        assert "slack" not in load_outages(session.marks)
