"""Everything or nothing is kept, by one process and by many."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from kipflow.adapters.store import SqlStore, open_store
from kipflow.adapters.store.store import SqlSession
from kipflow.adapters.store.tables import metadata
from kipflow.domain.errors import ServiceUnavailable
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import Policy
from kipflow.services.assembly import load_facts
from kipflow.services.ports import Effect
from tests.integration.store.mails import NOW, make_entry, make_message, make_page, make_rules, make_ruling
from tests.integration.store.writers import write_and_hang, write_rounds
from tests.waiting import wait_until

SPAWN = multiprocessing.get_context("spawn")


def contents(url: sa.URL) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        found: dict[str, list[tuple[object, ...]]] = {
            table.name: sorted(tuple(map(str, row)) for row in connection.execute(sa.select(table)))
            for table in metadata.sorted_tables
        }
    engine.dispose()
    return found


class Crash(Exception):
    pass


def write_everything(session: SqlSession, policy: Policy) -> None:
    session.mail.save_messages([make_message("b", 7), make_message("c", parent="b")], seen_at=NOW)
    session.pages.save_version(make_page(), seen_at=NOW)
    session.pages.save_index_entries([make_entry(8)])
    session.rulings.save(make_ruling())
    facts = load_facts(session, 7)
    decision = decide(facts, policy, NOW)
    assert decision is not None
    session.history.append(decision.history, recorded_at=NOW)
    session.outbox.enqueue([Effect(key="k", number=7, channel="slack", payload={})], now=NOW)
    session.history.save_decision(decision, facts.proposal)
    session.marks.save("m", "v")


def test_an_exception_leaves_nothing_of_its_block(store: SqlStore, database_url: sa.URL, policy: Policy) -> None:
    with store.begin() as session:
        session.mail.save_messages([make_message("a", 7)], seen_at=NOW)
    before = contents(database_url)
    with pytest.raises(Crash), store.begin() as session:  # noqa: PT012 - the point is what comes before it
        write_everything(session, policy)
        raise Crash
    assert contents(database_url) == before
    with store.begin() as session:
        write_everything(session, policy)
    assert contents(database_url) != before


def test_a_killed_process_leaves_nothing_and_blocks_nobody(
    store: SqlStore, database_url: sa.URL, tmp_path: Path
) -> None:
    with store.begin() as session:
        session.mail.save_messages([make_message("a", 7)], seen_at=NOW)
    before = contents(database_url)
    ready = tmp_path / "ready"
    url = database_url.render_as_string(hide_password=False)
    process = SPAWN.Process(target=write_and_hang, args=(url, str(ready)))
    process.start()
    assert wait_until(lambda: ready.exists() or not process.is_alive(), 60)
    assert process.is_alive()
    process.kill()
    process.join()
    with store.begin() as session:
        assert session.mail.save_messages([make_message("lost", 7)], seen_at=NOW).new == 1
    after = contents(database_url)
    assert len(after["message"]) == len(before["message"]) + 1
    assert after["transition"] == before["transition"]
    assert after["outbox"] == []


def test_several_processes_write_at_once_and_nothing_is_lost_or_doubled(store: SqlStore, database_url: sa.URL) -> None:
    url = database_url.render_as_string(hide_password=False)
    writers, rounds = 3, 10
    with ProcessPoolExecutor(writers, mp_context=SPAWN) as pool:
        done = list(pool.map(write_rounds, [url] * writers, range(writers), [rounds] * writers))
    assert done == [rounds] * writers
    found = contents(database_url)
    assert len(found["message"]) == writers * rounds + 1
    assert len(found["message_proposal"]) == writers * rounds + 1
    assert len(found["outbox"]) == writers * rounds + 1
    assert store.overview(NOW).messages == writers * rounds + 1
    with store.begin() as session:
        assert len(load_facts(session, 7).messages) == writers * rounds + 1
        positions = [
            row["position"] for batch in session.metrics.iter_rows("transition", ["position"]) for row in batch
        ]
    assert positions == list(range(len(positions)))


def test_a_reader_does_not_wait_for_a_writer(store: SqlStore, open_with: Callable[..., SqlStore]) -> None:
    with store.begin() as session:
        session.mail.save_messages([make_message("a", 7)], seen_at=NOW)
    reader = open_with()
    with store.begin() as session:
        session.mail.save_messages([make_message("b", 7)], seen_at=NOW)
        seen: list[int] = []
        thread = threading.Thread(target=lambda: seen.append(reader.overview(NOW).messages))
        thread.start()
        thread.join(timeout=10)
    assert seen == [1]


def test_two_decisions_on_one_proposal_come_one_after_the_other(
    store: SqlStore, open_with: Callable[..., SqlStore], policy: Policy
) -> None:
    with store.begin() as session:
        session.mail.save_messages([make_message("a", 7)], seen_at=NOW)
    other = open_with()
    order: list[str] = []

    def decide_too() -> None:
        with other.begin() as session:
            load_facts(session, 7)
            order.append("second")

    with store.begin() as session:
        facts = load_facts(session, 7)
        decision = decide(facts, policy, NOW)
        assert decision is not None
        thread = threading.Thread(target=decide_too)
        thread.start()
        thread.join(timeout=0.5)
        session.history.save_decision(decision, facts.proposal)
        order.append("first")
    thread.join(timeout=30)
    assert order == ["first", "second"]


def open_elsewhere(url: str | sa.URL) -> SqlStore:
    policy = Policy(version="x", binding_roles=frozenset({"pmc"}))
    return open_store(url, make_rules(policy))


def test_a_database_without_tables_is_one_clear_error(tmp_path: Path) -> None:
    store = open_elsewhere(f"sqlite:///{tmp_path / 'empty.db'}")
    with pytest.raises(ServiceUnavailable, match="apply the migrations"), store.begin() as session:
        session.history.load_numbers()
    store.close()


def test_an_unreachable_database_is_one_clear_error_without_its_password() -> None:
    store = open_elsewhere("postgres://kipflow:hush-hush@127.0.0.1:1/none?connect_timeout=2")
    with pytest.raises(ServiceUnavailable) as caught, store.begin():
        pass
    assert "hush-hush" not in str(caught.value)
    assert "127.0.0.1" in str(caught.value)


def test_threads_may_share_a_store(store: SqlStore) -> None:
    def work(i: int) -> int:
        with store.begin() as session:
            session.mail.save_messages([make_message(f"t{i}", 7)], seen_at=NOW)
        return store.overview(NOW).messages

    with ThreadPoolExecutor(6) as pool:
        seen = list(pool.map(work, range(24)))
    assert max(seen) == 24
    with store.read() as session:
        assert len(load_facts(session, 7).messages) == 24
