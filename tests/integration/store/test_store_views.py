"""The views that reports read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from kipflow.adapters.store import SqlStore
from kipflow.domain.events import Actor, Evidence, Stage, Transition
from kipflow.domain.facts import MailKind
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import Policy
from kipflow.domain.votes import Choice
from kipflow.services.assembly import load_facts
from tests.integration.store.mails import NOW, make_expression, make_message, make_page

Query = Callable[[str], list[dict[str, Any]]]


@pytest.fixture
def query(database_url: sa.URL) -> Query:
    def run(statement: str) -> list[dict[str, Any]]:
        engine = sa.create_engine(database_url)
        with engine.connect() as connection:
            rows = [dict(row._mapping) for row in connection.exec_driver_sql(statement)]
        engine.dispose()
        return rows

    return run


def move(source: Stage | None, target: Stage, hours: float, **changes: Any) -> Transition:
    values: dict[str, Any] = {"rule": "test", "evidence": (Evidence(kind="page", ref="x"),), **changes}
    at = NOW + timedelta(hours=hours)
    return Transition(
        number=7, source=source, target=target, at=at, actor=Actor.MAIL, policy_version="test-1", **values
    )


def append(store: SqlStore, *transitions: Transition) -> None:
    with store.begin() as session:
        session.history.append(transitions, recorded_at=NOW)


def decide_on(store: SqlStore, policy: Policy, number: int) -> None:
    with store.begin() as session:
        facts = load_facts(session, number)
        decision = decide(facts, policy, NOW + timedelta(days=2))
        assert decision is not None
        session.history.save_decision(decision, facts.proposal)


def test_stage_durations_show_the_hours_in_each_stage(store: SqlStore, query: Query) -> None:
    append(
        store,
        move(None, Stage.DRAFT, 0),
        move(Stage.DRAFT, Stage.DISCUSSION, 1.5),
        move(Stage.DISCUSSION, Stage.VOTE, 25.5),
    )
    rows = query("SELECT stage, hours FROM stage_durations ORDER BY number, step")
    assert [row["stage"] for row in rows] == ["Draft", "Discussion", "Vote"]
    assert float(rows[0]["hours"]) == pytest.approx(1.5, abs=1e-4)
    assert float(rows[1]["hours"]) == pytest.approx(24, abs=1e-4)
    assert rows[2]["hours"] is None


def test_an_amendment_is_no_stay_of_its_own(store: SqlStore, query: Query) -> None:
    amended = move(Stage.ACCEPTED, Stage.ACCEPTED, 9, rule="amended")
    append(store, move(None, Stage.ACCEPTED, 0), amended)
    assert [row["stage"] for row in query("SELECT stage FROM stage_durations")] == ["Accepted"]


def test_retracted_entries_and_their_correction_do_not_stand(store: SqlStore, query: Query) -> None:
    wrong = move(Stage.DRAFT, Stage.ACCEPTED, 2)
    correction = move(Stage.ACCEPTED, Stage.DRAFT, 3, rule="correction", retracts=(wrong.id,))
    append(store, move(None, Stage.DRAFT, 0), wrong, correction, move(Stage.DRAFT, Stage.DISCUSSION, 2))
    rows = query("SELECT target, step FROM standing_transitions ORDER BY step")
    assert [(row["target"], row["step"]) for row in rows] == [("Draft", 1), ("Discussion", 2)]


def test_open_votes_and_ballots_show_the_last_decision(store: SqlStore, query: Query, policy: Policy) -> None:
    no = make_expression(Choice.AGAINST, line="-1, because")
    with store.begin() as session:
        session.mail.save_messages(
            [
                make_message("vote", 7, kind=MailKind.VOTE, subject="[VOTE] KIP-7: Tidy shelves"),
                make_message("yes", parent="vote", expressions=(make_expression(),), author_address="y@osei.example"),
                make_message("no", parent="vote", expressions=(no,)),
            ],
            seen_at=NOW,
        )
        session.pages.save_version(make_page(1, number=8, page_id="8"), seen_at=NOW)
    decide_on(store, policy, 7)
    decide_on(store, policy, 8)
    [row] = query("SELECT number, key, title, binding_for, binding_against, quorum, outcome FROM open_votes")
    assert row == {
        "number": 7,
        "key": "KIP-7",
        "title": "Tidy shelves",
        "binding_for": 1,
        "binding_against": 1,
        "quorum": 3,
        "outcome": "contested",
    }
    ballots = query("SELECT voter, value, status, line FROM ballots ORDER BY voter")
    assert ballots[0] == {"voter": "kim@osei.example", "value": "-1", "status": "counted", "line": "-1, because"}
    stages = query("SELECT stage, proposals FROM proposals_by_stage ORDER BY stage")
    assert stages == [{"stage": "Draft", "proposals": 1}, {"stage": "Vote", "proposals": 1}]
