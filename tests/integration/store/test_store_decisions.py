"""Decisions: an append-only history, a projection that is replaced, a pending list that loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from kipflow.adapters.store import SqlStore
from kipflow.domain.decisions import Decision
from kipflow.domain.events import Stage, effective, reconcile
from kipflow.domain.facts import MailKind
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import Policy
from kipflow.services import rulings
from kipflow.services.assembly import load_facts
from kipflow.services.desk import ActContext
from kipflow.services.ports import IndexRow, MetricRow
from kipflow.services.ruling_checks import BadRuling
from tests.integration.store.mails import NOW, make_entry, make_expression, make_message, make_month, make_page

DAY = timedelta(days=1)


def advance(store: SqlStore, policy: Policy, as_of: datetime, number: int = 7) -> tuple[Decision, int]:
    """What `services.advance` does, without effects."""
    with store.begin() as session:
        facts = load_facts(session, number)
        decision = decide(facts, policy, as_of)
        assert decision is not None
        appended = reconcile(session.history.load(number), decision.history)
        added = session.history.append(appended, recorded_at=as_of, run_id="run-1")
        session.history.save_decision(decision, facts.proposal)
    return decision, added


def save_vote(store: SqlStore) -> None:
    """A discussion, a vote with four binding ballots, and an archive held for three weeks."""
    voters = [
        make_message(
            f"v{i}",
            parent="vote",
            arrived_at=NOW + DAY + timedelta(hours=i),
            author_address=f"v{i}@voters.example",
            expressions=(make_expression(),),
        )
        for i in range(4)
    ]
    vote = make_message("vote", 7, kind=MailKind.VOTE, arrived_at=NOW + DAY, subject="[VOTE] KIP-7: Tidy shelves")
    with store.begin() as session:
        session.mail.save_messages([make_message("a", 7), vote, *voters], seen_at=NOW + 2 * DAY)
        session.mail.save_month(make_month(fetched_at=NOW + 21 * DAY))


def pending(store: SqlStore, as_of: datetime = NOW) -> list[int]:
    with store.begin() as session:
        return session.history.load_pending(as_of)


def test_history_is_appended_once_and_comes_back_equal(store: SqlStore, policy: Policy) -> None:
    save_vote(store)
    decision, added = advance(store, policy, NOW + 20 * DAY)
    assert decision.stage is Stage.ACCEPTED
    assert added == 4
    _, again = advance(store, policy, NOW + 20 * DAY)
    assert again == 0
    with store.begin() as session:
        assert session.history.load(7) == decision.history
        assert session.history.append(decision.history, recorded_at=NOW) == 0
        assert session.history.load_decided_at(7) == NOW + 20 * DAY


def test_the_database_refuses_to_edit_history(store: SqlStore, policy: Policy) -> None:
    save_vote(store)
    advance(store, policy, NOW + 20 * DAY)
    for statement in ("UPDATE transition SET note = 'x'", "DELETE FROM transition"):
        with pytest.raises(sa.exc.DBAPIError, match="append-only"), store.begin() as session:
            session.connection.exec_driver_sql(statement)


def test_a_correction_and_what_follows_again_are_kept_in_order(store: SqlStore, policy: Policy) -> None:
    save_vote(store)
    advance(store, policy, NOW + 20 * DAY)
    with store.begin() as session:
        late = make_message(
            "late",
            parent="vote",
            arrived_at=NOW + 2 * DAY,
            author_address="v4@voters.example",
            expressions=(make_expression(),),
        )
        session.mail.save_messages([late], seen_at=NOW + 22 * DAY)
        session.pages.save_index_entries([make_entry(seen_at=NOW, created_at=NOW - 9 * DAY, title="Tidy shelves")])
    decision, added = advance(store, policy, NOW + 22 * DAY)
    with store.begin() as session:
        stored = session.history.load(7)
    assert added > 1
    assert [t.rule for t in stored].count("correction") == 1
    assert [t.target for t in effective(stored)] == [t.target for t in decision.history]
    retracted = [r.retracted for r in store.proposal(7, NOW + 23 * DAY).history]
    assert retracted.count(True) == 4


def test_a_decision_takes_its_proposal_off_the_list(store: SqlStore, policy: Policy) -> None:
    save_vote(store)
    assert pending(store) == [7]
    advance(store, policy, NOW + 20 * DAY)
    assert pending(store, NOW + 20 * DAY) == []


def test_a_deadline_that_is_reached_puts_it_back(store: SqlStore, policy: Policy) -> None:
    save_vote(store)
    decision, _ = advance(store, policy, NOW + 2 * DAY)
    assert decision.next_deadline == NOW + 4 * DAY
    assert pending(store, NOW + 3 * DAY) == []
    assert pending(store, NOW + 4 * DAY) == [7]


def test_a_vote_that_waits_for_data_is_looked_at_in_every_run(store: SqlStore, policy: Policy) -> None:
    save_vote(store)
    with store.begin() as session:
        session.mail.save_month(make_month(status="partial", why="truncated", fetched_at=NOW + 21 * DAY))
    decision, _ = advance(store, policy, NOW + 20 * DAY)
    assert decision.stage is Stage.VOTE
    assert pending(store, NOW + 20 * DAY) == [7]
    with store.begin() as session:
        session.mail.save_month(make_month(fetched_at=NOW + 21 * DAY))
    decision, _ = advance(store, policy, NOW + 20 * DAY)
    assert decision.stage is Stage.ACCEPTED


def test_a_fact_that_comes_while_a_decision_is_made_leaves_it_pending(store: SqlStore, policy: Policy) -> None:
    save_vote(store)
    with store.begin() as session:
        facts = load_facts(session, 7)
        decision = decide(facts, policy, NOW + 20 * DAY)
        assert decision is not None
        # what another transaction may commit on PostgreSQL while this one goes on
        session.mail.save_messages([make_message("b", 7)], seen_at=NOW)
        session.history.save_decision(decision, facts.proposal)
    assert pending(store) == [7]


def test_another_policy_makes_every_decided_proposal_pending(
    open_with: Callable[..., SqlStore], store: SqlStore, policy: Policy
) -> None:
    save_vote(store)
    with store.begin() as session:
        session.pages.save_index_entries([make_entry(8)])
    advance(store, policy, NOW + 20 * DAY)
    assert pending(store) == [8]
    assert pending(open_with(replace(policy, version="test-2"))) == [7, 8]
    assert pending(open_with(replace(policy, version="test-0"))) == [7, 8]


def test_the_index_shows_decided_proposals_only(store: SqlStore, policy: Policy) -> None:
    with store.begin() as session:
        session.pages.save_version(make_page(title="KIP-7: Tidy shelves"), seen_at=NOW)
        session.pages.save_index_entries([make_entry(8)])
    advance(store, policy, NOW + 3 * DAY)
    with store.begin() as session:
        assert session.history.load_index_rows() == [
            IndexRow(
                number=7, title="Tidy shelves", stage=Stage.DRAFT, url="https://wiki.example/4711", jira="SHELF-12"
            )
        ]


def test_rows_for_export_come_in_batches_with_the_columns_asked_for(store: SqlStore, policy: Policy) -> None:
    save_vote(store)
    decision, _ = advance(store, policy, NOW + 20 * DAY)
    with store.begin() as session:
        exported = {
            name: [row for batch in session.metrics.iter_rows(name, columns) for row in batch]
            for name, columns in (
                ("transition", ["id", "at"]),
                ("vote", ["binding_for"]),
                ("proposal_message", ["kind"]),
            )
        }
        [[stages]] = session.metrics.iter_rows("proposal", ["number", "stage"])
    assert [row["id"] for row in exported["transition"]] == [t.id for t in decision.history]
    assert exported["transition"][0]["at"] == decision.history[0].at
    assert exported["vote"][0]["binding_for"] == 4
    assert len(exported["proposal_message"]) == 6
    assert stages == {"number": 7, "stage": "Accepted"}


def test_metrics_of_a_moment_replace_those_of_the_same_moment(store: SqlStore) -> None:
    old = MetricRow(name="open_votes", dimension="", value=3.0, unit="count")
    new = MetricRow(name="open_votes", dimension="", value=4.5, unit="count")
    assert store.overview(NOW).metrics is None
    with store.begin() as session:
        session.metrics.save([old], as_of=NOW, run_id="r1")
        session.metrics.save([old], as_of=NOW + DAY, run_id="r2")
        assert session.metrics.save([new], as_of=NOW + DAY, run_id="r3") == 1
    assert store.overview(NOW).metrics.rows == (old,)
    assert store.overview(NOW + DAY).metrics.rows == (new,)


def test_a_ruling_on_a_ballot_that_no_vote_has_is_refused(store: SqlStore) -> None:
    save_vote(store)

    def settle(message_id: str) -> int:
        return rulings.settle(
            store,
            number=7,
            kind="ballot",
            target=message_id,
            value={"choice": "none"},
            context=ActContext(author="ops", reason="said in jest", at=NOW + 20 * DAY),
        ).id

    with pytest.raises(BadRuling, match="is no ballot of KIP-7"):
        settle("<a@mail.example>")
    ruling = settle("<v0@mail.example>")
    with store.begin() as session:
        assert [r.id for r in load_facts(session, 7).rulings] == [ruling]
