"""Effects: written once, sent at least once, held where a person must agree."""

from __future__ import annotations

from datetime import timedelta

import pytest

from kipflow.adapters.store import SqlStore
from kipflow.domain.errors import KipflowError
from kipflow.services.ports import Effect, OutboxRow
from tests.integration.store.mails import NOW

HOUR = timedelta(hours=1)


def make_effect(key: str = "KIP-7/passed/slack", **changes) -> Effect:
    values = {"number": 7, "channel": "slack", "payload": {"text": "passed", "blocks": [{"n": 1}]}, **changes}
    return Effect(key=key, **values)


def due(store: SqlStore, at=NOW, **filters) -> list[OutboxRow]:
    with store.begin() as session:
        return session.load_due_effects(at, **filters)


def test_a_key_is_enqueued_once(store: SqlStore):
    with store.begin() as session:
        assert session.enqueue([make_effect(), make_effect("other")], now=NOW) == 2
        assert session.enqueue([make_effect(payload={"text": "again"})], now=NOW + HOUR) == 0
    assert [(row.key, row.payload) for row in due(store)] == [
        ("KIP-7/passed/slack", {"text": "passed", "blocks": [{"n": 1}]}),
        ("other", {"text": "passed", "blocks": [{"n": 1}]}),
    ]


def test_due_effects_are_pending_of_the_channel_and_come_oldest_first_and_in_their_order(store: SqlStore):
    with store.begin() as session:
        session.enqueue([make_effect("late")], now=NOW + HOUR)
        session.enqueue([make_effect("b"), make_effect("a"), make_effect("i", channel="index")], now=NOW)
        session.enqueue([make_effect("dry")], now=NOW, status="skipped")
    assert [row.key for row in due(store, channel="slack")] == ["b", "a"]
    assert [row.key for row in due(store, NOW + HOUR, channel="slack")] == ["b", "a", "late"]
    assert [row.key for row in due(store, NOW + HOUR, limit=2)] == ["b", "a"]


def test_a_sent_effect_is_not_due_again(store: SqlStore):
    with store.begin() as session:
        session.enqueue([make_effect()], now=NOW)
        session.mark_sent("KIP-7/passed/slack", at=NOW + HOUR, external_ref="C1/171")
    assert due(store, NOW + HOUR) == []
    [row] = store.effects(status="sent").rows
    assert (row.sent_at, row.external_ref, row.attempts) == (NOW + HOUR, "C1/171", 1)


def test_a_failed_attempt_waits_and_the_last_one_gives_up(store: SqlStore):
    with store.begin() as session:
        session.enqueue([make_effect()], now=NOW)
        session.mark_failed("KIP-7/passed/slack", error="500", next_attempt_at=NOW + HOUR)
    assert due(store) == []
    assert [(row.attempts, row.last_error) for row in due(store, NOW + HOUR)] == [(1, "500")]
    with store.begin() as session:
        session.mark_failed("KIP-7/passed/slack", error="still 500", next_attempt_at=None)
    assert due(store, NOW + 9 * HOUR) == []
    assert [row.attempts for row in store.effects(status="failed").rows] == [2]


def test_an_effect_that_needs_approval_is_held_until_a_person_releases_it(store: SqlStore):
    with store.begin() as session:
        session.enqueue([make_effect(approval=True)], now=NOW)
    assert due(store) == []
    with store.begin() as session:
        assert session.release_effect("KIP-7/passed/slack", by="ops", at=NOW + HOUR)
        assert not session.release_effect("KIP-7/passed/slack", by="ops", at=NOW + HOUR)
        assert not session.release_effect("unknown", by="ops", at=NOW)
    assert len(due(store, NOW + HOUR)) == 1


def test_dry_run_never_becomes_pending_by_approval(store: SqlStore):
    with store.begin() as session:
        session.enqueue([make_effect(approval=True)], now=NOW, status="skipped")
        assert not session.release_effect("KIP-7/passed/slack", by="ops", at=NOW)
    assert due(store) == []


def test_an_unknown_key_is_an_error(store: SqlStore):
    with pytest.raises(KipflowError, match="no effect 'nonsense'"), store.begin() as session:
        session.mark_sent("nonsense", at=NOW, external_ref="")
