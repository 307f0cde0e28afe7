"""Operators hear of a failure once an hour for each cause, and of nothing that nobody checked."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kipflow.domain.errors import ServiceUnavailable
from kipflow.services.alerts import Failure, report_failure
from kipflow.services.assembly import CommunityRules
from kipflow.services.effectrules import EffectRules
from tests.memory_store import MemoryOutbox, MemoryStore
from tests.unit.domain.building import POLICY

NOW = datetime(2026, 3, 5, 9, 10, tzinfo=UTC)
RULES = EffectRules(prefix="KIP", sends=True, slack="approve", channel="#kips", operators="#ops")
AWAY = ServiceUnavailable(service="mail archive", url="https://lists.x.example", why="connection refused")
POLL = Failure(where="kip_poll_threads.ask", cause=AWAY, log_url="https://air.example/log?x=1&y=2")


@pytest.fixture
def store() -> Any:
    return MemoryStore(CommunityRules(policy=POLICY, prefix="KIP"))


def bodies(outbox: MemoryOutbox) -> list[str]:
    return [row.payload["blocks"][0]["text"]["text"] for row in outbox.held.values()]


def test_a_failure_is_reported_with_its_cause_and_its_log_and_waits_for_nobody(store: Any) -> None:
    assert report_failure(store, POLL, RULES, now=NOW) == 1
    [row] = store.outbox.held.values()
    assert (row.status, row.payload["channel"]) == ("pending", "#ops")
    [body] = bodies(store.outbox)
    assert body.startswith(f":rotating_light: *kip_poll_threads.ask* failed (ServiceUnavailable): {AWAY}\n")
    assert body.endswith("<https://air.example/log?x=1&amp;y=2|Its log>")


def test_the_same_cause_is_reported_once_an_hour_and_another_one_at_once(store: Any) -> None:
    times = [NOW + timedelta(minutes=passed) for passed in (0, 45, 59, 60, 119, 120)]
    assert [report_failure(store, POLL, RULES, now=at) for at in times] == [1, 0, 0, 1, 0, 1]
    assert report_failure(store, replace(POLL, cause=OSError("x")), RULES, now=NOW) == 1
    assert report_failure(store, replace(POLL, where="kip_sync_wiki.pages"), RULES, now=NOW) == 1


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("no such column: votes.round\n[SQL: SELECT 1]", "no such column: votes.round"),
        ("postgresql://kip:pa/ss@db.example/kip refused", "postgresql://…@db.example/kip refused"),
        ("https://kip:hidden@wiki.example said no", "https://…@wiki.example said no"),
        ("Authorization: Bearer abc.DEF-1 was refused", "Authorization: … … was refused"),
        ("got bearer abc.DEF-1", "got bearer …"),
        ("'api_key': 'k-123' and KIPFLOW_WIKI_TOKEN=t-9 set", "'api_key': … and KIPFLOW_WIKI_TOKEN=… set"),
        ("known value swordfish42 cited", "known value … cited"),
        ("x" * 900, "x" * 400),
        ("", ""),
    ],
)
def test_any_error_is_cited_by_its_first_line_without_what_lets_somebody_in(store: Any, said: str, shown: str) -> None:
    failure = replace(POLL, cause=RuntimeError(said), secrets=("swordfish42",))
    report_failure(store, failure, RULES, now=NOW)
    [row] = store.outbox.held.values()
    [body] = bodies(store.outbox)
    assert shown in body.replace("\u200b", "")
    everything = repr(row.payload)
    for secret in ("hidden", "abc.DEF", "k-123", "t-9", "swordfish42", "SELECT", "x" * 600, "pa/"):
        assert secret not in everything


def test_the_text_of_an_error_can_neither_ping_nor_give_a_token_away(store: Any) -> None:
    report_failure(store, replace(POLL, cause=ValueError("token xoxb-1 <!channel>")), RULES, now=NOW)
    report_failure(store, replace(POLL, cause=None), RULES, now=NOW)
    evil = ServiceUnavailable(service="<!here> *x*", url="https://x.example", why="y")
    report_failure(store, replace(POLL, cause=evil, log_url="javascript:alert(1)"), RULES, now=NOW)
    shown = "\n".join(bodies(store.outbox))
    assert "xoxb" not in shown
    assert "<!" not in shown
    assert "<javascript" not in shown


@pytest.mark.parametrize("changes", [{"slack": "off"}, {"operators": ""}, {"channel": ""}])
def test_without_a_channel_for_operators_nobody_is_informed(store: Any, changes: dict[str, Any]) -> None:
    assert report_failure(store, POLL, replace(RULES, **changes), now=NOW) == 0


def test_in_dry_run_it_is_kept_and_not_sent(store: Any) -> None:
    report_failure(store, POLL, replace(RULES, sends=False), now=NOW)
    assert [row.status for row in store.outbox.held.values()] == ["skipped"]
