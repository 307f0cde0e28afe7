"""Effects: written once, in one deliverer's hands at a time, held where a person must agree."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import pytest

from kipflow.adapters.store import SqlStore
from kipflow.domain.errors import KipflowError
from kipflow.services.ports.effects import CARD, Effect, OutboxRow
from tests.integration.store.mails import NOW

HOUR = timedelta(hours=1)


def make_effect(key: str = "KIP-7/passed/slack", **changes: Any) -> Effect:
    payload = {"text": "passed", "blocks": [{"n": 1}]}
    return Effect(key=key, **{"number": 7, "channel": "slack", "payload": payload, **changes})


def claim(
    store: SqlStore, at: datetime = NOW, *, by: str = "one", channel: str = "slack", **more: Any
) -> OutboxRow | None:
    with store.begin() as session:
        return session.outbox.claim(channel, by=by, now=at, **{"lease": HOUR, **more})


def due(store: SqlStore, at: datetime = NOW, *, channel: str = "slack") -> list[OutboxRow]:
    """What a delivery would get one after the other; put back as it was."""

    class Undo(Exception):
        pass

    found: list[OutboxRow] = []
    with suppress(Undo), store.begin() as session:
        while (row := session.outbox.claim(channel, by="one", now=at, lease=HOUR)) is not None:
            found.append(row)
            session.outbox.mark_sent(row.key, at=at, external_ref="")
        raise Undo
    return found


def test_a_key_is_enqueued_once(store: SqlStore) -> None:
    with store.begin() as session:
        assert session.outbox.enqueue([make_effect(), make_effect("other")], now=NOW) == 2
        assert session.outbox.enqueue([make_effect(payload={"text": "again"})], now=NOW + HOUR) == 0
    assert [(row.key, row.payload) for row in due(store)] == [
        ("KIP-7/passed/slack", {"text": "passed", "blocks": [{"n": 1}]}),
        ("other", {"text": "passed", "blocks": [{"n": 1}]}),
    ]


def test_due_effects_are_pending_of_the_channel_and_come_oldest_first_and_in_their_order(store: SqlStore) -> None:
    with store.begin() as session:
        session.outbox.enqueue([make_effect("late")], now=NOW + HOUR)
        session.outbox.enqueue([make_effect("b"), make_effect("a"), make_effect("i", channel="index")], now=NOW)
        session.outbox.enqueue([make_effect("dry")], now=NOW, sends=False)
    assert [row.key for row in due(store)] == ["b", "a"]
    assert [row.key for row in due(store, NOW + HOUR)] == ["b", "a", "late"]
    assert [row.key for row in due(store, channel="index")] == ["i"]


def test_a_sent_effect_is_not_due_again(store: SqlStore) -> None:
    with store.begin() as session:
        session.outbox.enqueue([make_effect()], now=NOW)
        session.outbox.mark_sent("KIP-7/passed/slack", at=NOW + HOUR, external_ref="C1/171")
    assert due(store, NOW + HOUR) == []
    [row] = store.effects(status="sent").rows
    assert (row.sent_at, row.external_ref, row.attempts) == (NOW + HOUR, "C1/171", 1)


def test_a_failed_attempt_waits_and_the_last_one_gives_up(store: SqlStore) -> None:
    with store.begin() as session:
        session.outbox.enqueue([make_effect()], now=NOW)
        session.outbox.mark_failed("KIP-7/passed/slack", error="500", next_attempt_at=NOW + HOUR)
    assert due(store) == []
    assert [(row.attempts, row.last_error) for row in due(store, NOW + HOUR)] == [(1, "500")]
    with store.begin() as session:
        session.outbox.mark_failed("KIP-7/passed/slack", error="still 500", next_attempt_at=None)
    assert due(store, NOW + 9 * HOUR) == []
    assert [row.attempts for row in store.effects(status="failed").rows] == [2]


def test_an_effect_that_needs_approval_is_held_until_a_person_releases_it(store: SqlStore) -> None:
    with store.begin() as session:
        session.outbox.enqueue([make_effect(approval=True)], now=NOW)
    assert due(store) == []
    with store.begin() as session:
        assert session.outbox.release("KIP-7/passed/slack", by="ops", at=NOW + HOUR)
        assert not session.outbox.release("KIP-7/passed/slack", by="ops", at=NOW + HOUR)
        assert not session.outbox.release("unknown", by="ops", at=NOW)
    assert len(due(store, NOW + HOUR)) == 1


def test_dry_run_never_becomes_pending_by_approval(store: SqlStore) -> None:
    with store.begin() as session:
        session.outbox.enqueue([make_effect(approval=True)], now=NOW, sends=False)
        assert not session.outbox.release("KIP-7/passed/slack", by="ops", at=NOW)
    assert due(store) == []


def test_an_unknown_key_is_an_error(store: SqlStore) -> None:
    with pytest.raises(KipflowError, match="no effect 'nonsense'"), store.begin() as session:
        session.outbox.mark_sent("nonsense", at=NOW, external_ref="")


# -- claims -------------------------------------------------------------------------------------------
def test_while_one_has_an_effect_in_hand_nobody_gets_another_of_its_channel(store: SqlStore) -> None:
    with store.begin() as session:
        session.outbox.enqueue([make_effect("a"), make_effect("b"), make_effect("i", channel="index")], now=NOW)
    first = claim(store)
    assert first is not None
    assert (first.key, first.status, first.tried_at) == ("a", "pending", None)
    assert claim(store, by="two") is None
    assert claim(store, by="two", channel="index") is not None
    with store.begin() as session:
        held = session.outbox.find_lease("slack")
        assert held is not None
        assert held.by == "one"
        session.outbox.mark_sent("a", at=NOW, external_ref="C1/1")
        assert session.outbox.find_lease("slack") is None
    second = claim(store, by="two")
    assert second is not None
    assert second.key == "b"


def test_a_lease_that_ran_out_gives_the_effect_to_the_next_who_knows_that_it_may_be_out(store: SqlStore) -> None:
    with store.begin() as session:
        session.outbox.enqueue([make_effect("a"), make_effect("b")], now=NOW)
    claim(store, lease=timedelta(0))
    with store.begin() as session:
        assert session.outbox.find_lease("slack") is None
        assert session.outbox.load_status(["a", "b"]) == {"a": "unsure", "b": "pending"}
        assert session.outbox.withdraw(["a", "b"], why="corrected") == 1, "what may be out cannot be taken back"
    taken = claim(store, NOW + HOUR, by="two")
    assert taken is not None
    assert (taken.key, taken.tried_at) == ("a", NOW)
    with store.begin() as session:
        assert not session.outbox.renew_lease("a", by="one", lease=HOUR)
        assert session.outbox.renew_lease("a", by="two", lease=HOUR)


def test_what_one_who_is_known_to_be_gone_had_in_hand_is_taken_over_at_once(store: SqlStore) -> None:
    with store.begin() as session:
        session.outbox.enqueue([make_effect("a")], now=NOW)
    claim(store)
    assert claim(store, by="two") is None
    taken = claim(store, by="two", ended="one")
    assert taken is not None
    assert taken.tried_at == NOW


def test_claiming_at_the_same_moment_gives_an_effect_to_one(store: SqlStore) -> None:
    """Every one of many effects has exactly one owner, however many claim at once."""
    with store.begin() as session:
        session.outbox.enqueue([make_effect(f"e{n:02d}") for n in range(30)], now=NOW)

    def work(name: str) -> list[str]:
        got: list[str] = []
        while True:
            row = claim(store, by=name)
            if row is not None:
                got.append(row.key)
                with store.begin() as session:
                    session.outbox.mark_sent(row.key, at=NOW, external_ref=name)
                continue
            if all(row.status == "sent" for row in store.effects(limit=50).rows):
                return got

    with ThreadPoolExecutor(4) as pool:
        owned = [key for keys in pool.map(work, "abcd") for key in keys]
    assert sorted(owned) == [f"e{n:02d}" for n in range(30)]


def test_what_nobody_knows_of_waits_for_a_person_who_says_that_it_is_there_or_not(store: SqlStore) -> None:
    with store.begin() as session:
        session.outbox.enqueue([make_effect("a"), make_effect("b")], now=NOW)
        for key in "ab":
            session.outbox.mark_failed(key, error="perhaps", next_attempt_at=None, tried_at=NOW)
        assert session.outbox.confirm_sent("a", by="ops", at=NOW + HOUR)
        assert not session.outbox.confirm_sent("a", by="ops", at=NOW + HOUR)
        assert session.outbox.release("b", by="ops", at=NOW)
    rows = {row.key: row for row in store.effects(limit=5).rows}
    assert (rows["a"].status, rows["a"].sent_at) == ("sent", NOW + HOUR)
    assert (rows["b"].status, rows["b"].tried_at) == ("pending", None), "it is sent without being looked for"


CARDED = {"text": "KIP-7: Vote", "blocks": [{"n": 1}], CARD: {"vote": "<v@x.example>"}}
FULLER = {**CARDED, "blocks": [{"n": 2}]}


def test_a_message_that_is_rewritten_while_it_is_sent_is_due_again_as_an_update(store: SqlStore) -> None:
    with store.begin() as session:
        session.outbox.enqueue([make_effect("card", payload=CARDED), make_effect("later")], now=NOW)
    in_hand = claim(store)
    assert in_hand is not None
    with store.begin() as session:
        session.outbox.rewrite("card", FULLER, now=NOW + HOUR, approval=False)
        session.outbox.mark_sent("card", at=NOW, external_ref="C1/1", payload=in_hand.payload)

    again = claim(store, NOW + HOUR)
    assert again is not None
    assert (again.key, again.external_ref, again.payload) == ("card", "C1/1", FULLER)
    with store.begin() as session:
        session.outbox.mark_sent("card", at=NOW + 2 * HOUR, external_ref="C1/1", payload=again.payload)
        found = session.outbox.find("card")
    assert found is not None
    assert (found.status, found.sent_at) == ("sent", NOW), "it was sent when it was posted"


@pytest.mark.parametrize(
    ("sends", "approval", "after"),
    [
        (True, False, "pending"),
        (True, True, "held"),
        (False, True, "skipped"),
        (False, False, "skipped"),
    ],
)
def test_what_has_not_gone_out_is_rewritten_as_it_stands(
    store: SqlStore, sends: bool, approval: bool, after: str
) -> None:
    with store.begin() as session:
        session.outbox.enqueue([make_effect("card", payload=CARDED, approval=approval)], now=NOW, sends=sends)
        session.outbox.rewrite("card", FULLER, now=NOW + HOUR, approval=approval)
        [row] = session.outbox.load_cards(7)
    assert (row.status, row.payload, row.next_attempt_at) == (after, FULLER, NOW)


@pytest.mark.parametrize(("approval", "status"), [(False, "pending"), (True, "held")])
def test_what_has_gone_out_and_waits_to_be_updated_counts_as_sent(store: SqlStore, approval: bool, status: str) -> None:
    with store.begin() as session:
        session.outbox.enqueue([make_effect("card", payload=CARDED)], now=NOW)
        session.outbox.mark_sent("card", at=NOW, external_ref="C1/1", payload=CARDED)
        session.outbox.rewrite("card", FULLER, now=NOW + HOUR, approval=approval)
        assert [row.status for row in session.outbox.load_cards(7)] == [status]
        assert session.outbox.load_status(["card"]) == {"card": "sent"}
        assert session.outbox.withdraw(["card"], why="corrected") == 0


def test_what_a_person_released_in_other_words_waits_for_a_person_again(store: SqlStore) -> None:
    with store.begin() as session:
        session.outbox.enqueue([make_effect("card", payload=CARDED, approval=True)], now=NOW)
        assert session.outbox.release("card", by="ines", at=NOW)
        session.outbox.rewrite("card", FULLER, now=NOW, approval=True)
    assert due(store) == []

    with store.begin() as session:
        assert session.outbox.release("card", by="ines", at=NOW)
    in_hand = claim(store)
    assert in_hand is not None
    with store.begin() as session:
        session.outbox.rewrite("card", CARDED, now=NOW, approval=True)
        session.outbox.mark_sent("card", at=NOW, external_ref="C1/1", payload=in_hand.payload)
    assert due(store, NOW + HOUR) == []
    assert [row.status for row in store.effects().rows] == ["held"]


def test_what_a_person_says_went_out_can_not_be_updated(store: SqlStore) -> None:
    """Nobody knows where it is."""
    with store.begin() as session:
        session.outbox.enqueue([make_effect("card", payload=CARDED)], now=NOW)
        session.outbox.mark_sent("card", at=NOW, external_ref="")
        session.outbox.rewrite("card", FULLER, now=NOW + HOUR, approval=False)
    assert due(store, NOW + HOUR) == []
