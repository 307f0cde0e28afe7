"""What a run costs follows what is new: no statement walks through the history."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from kipflow.adapters.store import SqlStore
from kipflow.domain.facts import MailKind, Unreadable
from kipflow.domain.lifecycle import decide
from kipflow.domain.pages import TicketState
from kipflow.domain.policy import Policy
from kipflow.services.assembly import load_facts
from kipflow.services.board import RowQuery
from kipflow.services.ports import Effect
from tests.integration.store.mails import (
    NOW,
    make_entry,
    make_expression,
    make_message,
    make_month,
    make_page,
    make_ruling,
)

#: Tables that grow with every mail, decision or version.
GROWING = ("message", "message_reference", "message_proposal", "page_version", "transition", "ballot")

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def run_once(store: SqlStore, policy: Policy) -> None:
    """Everything that an hourly run and a look at the board do."""
    with store.begin() as session:
        vote = make_message("vote", 7, kind=MailKind.VOTE, topic="shelves", subject="[VOTE] KIP-7: Shelves")
        reply = make_message("reply", parent="vote", topic="shelves", expressions=(make_expression(),))
        for _ in range(2):
            session.mail.save_messages([vote, reply, make_message("noise", topic="other")], seen_at=NOW)
        session.mail.save_messages([make_message("vote", 7, own_text="else", digest="other")], seen_at=NOW)
        session.mail.save_unreadable([Unreadable(source="x", why="torn")], seen_at=NOW)
        session.mail.save_month(make_month())
        session.pages.save_version(make_page(), seen_at=NOW)
        session.pages.save_index_entries([make_entry()])
        session.pages.save_ticket(
            TicketState(key="SHELF-12", status="Open", resolution=None, fix_versions=(), seen_at=NOW)
        )
        session.rulings.save(make_ruling())
        session.rulings.save(make_ruling(number=None, target="<reply@mail.example>"))
    with store.begin() as session:
        session.history.load_pending(NOW)
        facts = load_facts(session, 7)
        decision = decide(facts, policy, NOW + timedelta(days=2))
        assert decision is not None
        session.history.load(7)
        session.history.append(decision.history, recorded_at=NOW)
        session.outbox.enqueue([Effect(key="k", number=7, channel="slack", payload={})], now=NOW)
        session.history.save_decision(decision, facts.proposal)
        session.outbox.find_lease("slack")
        session.outbox.claim("slack", by="somebody", now=NOW, lease=timedelta(minutes=1))
    store.overview(NOW)
    store.rows(RowQuery())
    store.proposal(7, NOW)
    store.review()
    store.drift()


def explain(store: SqlStore, do: Callable[[], object]) -> dict[str, str]:
    """Statement → SQLite's plan for it, for every statement that `do` sends."""
    sent: dict[str, Any] = {}

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
        if statement.startswith(("SELECT", "INSERT", "UPDATE", "DELETE")):
            rows = many and isinstance(parameters[0], tuple)
            sent.setdefault(statement, parameters[0] if rows else parameters)

    event.listen(store._engine, "before_cursor_execute", note)
    do()
    event.remove(store._engine, "before_cursor_execute", note)
    with store._engine.connect() as connection:
        return {
            statement: "\n".join(
                str(row.detail) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            )
            for statement, parameters in sent.items()
        }


def test_no_statement_of_a_run_walks_through_a_growing_table(store: SqlStore, policy: Policy) -> None:
    plans = explain(store, lambda: run_once(store, policy))
    assert len(plans) > 50
    walks = [
        f"{line} <- {statement}"
        for statement, plan in plans.items()
        for line in plan.splitlines()
        if line.startswith("SCAN ") and line.split()[1] in GROWING
    ]
    assert walks == []


def test_new_mails_cost_the_same_however_many_are_held(store: SqlStore) -> None:
    def count_statements(tag: str) -> int:
        sent: list[str] = []

        def note(*arguments: Any) -> None:
            sent.append(arguments[2])

        event.listen(store._engine, "before_cursor_execute", note)
        with store.begin() as session:
            session.mail.save_messages([make_message(f"{tag}{i}", parent="a") for i in range(10)], seen_at=NOW)
        event.remove(store._engine, "before_cursor_execute", note)
        return len(sent)

    with store.begin() as session:
        session.mail.save_messages([make_message("a", 7)], seen_at=NOW)
    early = count_statements("early")
    with store.begin() as session:
        session.mail.save_messages([make_message(f"old{i}", parent="a") for i in range(3_000)], seen_at=NOW)
    assert count_statements("late") == early < 25


def test_the_count_of_mails_is_kept_not_counted(store: SqlStore, database_url: sa.URL) -> None:
    with store.begin() as session:
        session.mail.save_messages([make_message(f"m{i}") for i in range(700)], seen_at=NOW)
        session.mail.save_messages([make_message("m3"), make_message("new")], seen_at=NOW)
    assert store.overview(NOW).messages == 701
    assert not any("FROM message" in s and "count" in s for s in explain(store, lambda: store.overview(NOW)))
