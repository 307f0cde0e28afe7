"""The board's read side: what was decided, as it was recorded, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from kipflow.adapters.store import SqlStore, tables
from kipflow.domain.errors import UnknownProposal
from kipflow.domain.events import Stage, reconcile
from kipflow.domain.facts import MailKind, Unreadable
from kipflow.domain.lifecycle import decide
from kipflow.domain.pages import StatusWord, TicketState
from kipflow.domain.policy import Policy
from kipflow.domain.tally import Outcome
from kipflow.domain.votes import Choice
from kipflow.services.assembly import load_facts
from kipflow.services.board import RowQuery, Sort, Waiting
from kipflow.services.ports import Effect
from tests.integration.store.mails import (
    LIST,
    NOW,
    make_entry,
    make_expression,
    make_message,
    make_month,
    make_page,
    make_ruling,
)

DAY = timedelta(days=1)
AS_OF = NOW + 2 * DAY


@pytest.fixture
def board(store: SqlStore, policy: Policy) -> SqlStore:
    """KIP-7 in a vote that needs a person, KIP-8 a draft that its page contradicts, KIP-9 undecided."""
    no = make_expression(Choice.AGAINST, line="-1, because of names")
    with store.begin() as session:
        session.mail.save_messages(
            [
                make_message("talk", 7, arrived_at=NOW - 40 * DAY, subject="[DISCUSS] KIP-7: Tidy 100% of shelves"),
                make_message("undated", 7, arrived_at=None),
                make_message("vote", 7, kind=MailKind.VOTE, subject="[VOTE] KIP-7: Tidy 100% of shelves"),
                make_message("yes", parent="vote", expressions=(make_expression(),), author_address="y@lind.example"),
                make_message("no", parent="vote", expressions=(no,), arrived_at=NOW + timedelta(hours=1)),
            ],
            seen_at=NOW + DAY,
        )
        page = make_page(number=8, title="KIP-8 - Über Regale", saved_at=NOW, status=StatusWord.ACCEPTED)
        session.pages.save_version(page, seen_at=NOW)
        session.pages.save_index_entries([make_entry(9)])
        session.pages.save_ticket(
            TicketState(key="SHELF-12", status="Open", resolution=None, fix_versions=("4.2",), seen_at=NOW)
        )
        broken = Unreadable(source="page 7 version 2", why="broken markup", list_id="", month="")
        torn = Unreadable(source="x#1", why="torn", list_id=LIST, month="2026-03")
        session.mail.save_unreadable([torn, broken], seen_at=NOW)
        session.mail.save_month(make_month("2026-02"))
        session.mail.save_month(make_month())
        session.rulings.save(make_ruling(8, kind="snooze", target="KIP-8", value={"until": AS_OF.isoformat()}))
        for number in (7, 8):
            facts = load_facts(session, number)
            decision = decide(facts, policy, AS_OF)
            assert decision is not None
            appended = reconcile((), decision.history)
            session.history.append(appended, recorded_at=AS_OF, run_id=f"run-{number}")
            session.outbox.enqueue(
                [Effect(key=f"slack/{number}", number=number, channel="slack", payload={}, approval=number == 8)],
                now=AS_OF,
            )
            session.history.save_decision(decision, facts.proposal)
    return store


@contextmanager
def counting(store: SqlStore) -> Iterator[list[str]]:
    statements: list[str] = []

    def note(*args: Any) -> None:
        statements.append(args[2])

    event.listen(store._engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(store._engine, "before_cursor_execute", note)


def numbers(store: SqlStore, **query: Any) -> list[int]:
    return [row.number for row in store.rows(RowQuery(**query)).rows]


def test_the_overview_counts_everything(board: SqlStore) -> None:
    overview = board.overview(AS_OF)
    assert {s: n for s, n in overview.stages.items() if n} == {Stage.VOTE: 1, Stage.DRAFT: 1}
    assert set(overview.stages) == set(Stage)
    assert (overview.messages, overview.pending, overview.unreadable) == (5, 1, 1)
    assert (overview.attention, overview.drift, overview.review) == (2, 1, 1)
    assert [(m.month.month, m.unreadable) for m in overview.months] == [("2026-02", 0), ("2026-03", 1)]
    assert (overview.last_poll, overview.last_decision) == (NOW, AS_OF)
    assert overview.effects == {"pending": 1, "held": 1}
    assert [(r.key, r.recorded.transition.target) for r in overview.recent] == [
        ("KIP-8", Stage.DRAFT),
        ("KIP-7", Stage.VOTE),
        ("KIP-7", Stage.DISCUSSION),
        ("KIP-7", Stage.DRAFT),
    ]


def test_the_latest_moves_go_by_their_time_whichever_was_recorded_last(board: SqlStore, policy: Policy) -> None:
    with board.begin() as session:
        session.pages.save_version(
            make_page(page_id="p10", number=10, title="KIP-10 - Old shelves", saved_at=NOW), seen_at=AS_OF
        )
        facts = load_facts(session, 10)
        decision = decide(facts, policy, AS_OF)
        assert decision is not None
        session.history.append(decision.history, recorded_at=AS_OF + DAY, run_id="later")
        session.history.save_decision(decision, facts.proposal)
    moves = [r.recorded.transition for r in board.overview(AS_OF + DAY).recent]
    assert 10 in {m.number for m in moves}
    assert [m.at for m in moves] == sorted((m.at for m in moves), reverse=True)


def test_what_an_index_said_before_anything_was_known_is_no_latest_move(board: SqlStore, policy: Policy) -> None:
    with board.begin() as session:
        session.pages.save_index_entries([make_entry(11, section="accepted")])
        decision = decide(load_facts(session, 11), policy, AS_OF)
        assert decision is not None
        session.history.append(decision.history, recorded_at=AS_OF, run_id="import")
        session.history.save_decision(decision, load_facts(session, 11).proposal)
    assert 11 not in {r.recorded.transition.number for r in board.overview(AS_OF + DAY).recent}
    assert 11 in {row.number for row in board.rows(RowQuery()).rows}


def test_the_overview_shows_nothing_recorded_later(board: SqlStore) -> None:
    assert board.overview(NOW).recent == ()


def test_an_empty_store_has_an_empty_board(store: SqlStore) -> None:
    overview = store.overview(NOW)
    assert sum(overview.stages.values()) == overview.messages == 0
    assert (overview.last_poll, overview.last_decision, overview.metrics) == (None, None, None)
    assert store.rows(RowQuery()).total == 0
    assert store.review() == ()
    assert store.drift() == ()


def test_a_row_shows_the_vote_clock_as_decided(board: SqlStore) -> None:
    [row] = board.rows(RowQuery(stages=(Stage.VOTE,))).rows
    assert (row.key, row.title, row.decided_at) == ("KIP-7", "Tidy 100% of shelves", AS_OF)
    assert row.claim == "claimed"  # others have rows of the index, this one is known from mail only
    assert row.missing[:2] == (
        f"claimed: {row.claim_why}; no vote on KIP-7 decides before it has a page or a row, or a person accepts it",
        "needs 2 more binding +1",
    )
    assert row.clock is not None
    assert (row.clock.outcome, row.clock.quorum) == (Outcome.CONTESTED, 3)
    assert (row.clock.tally.binding.plus, row.clock.tally.binding.minus) == (1, 1)
    assert row.clock.earliest_close == NOW + 3 * DAY
    assert row.next_deadline == NOW + 3 * DAY


def test_the_proposals_that_one_run_moved_are_listed(board: SqlStore) -> None:
    assert numbers(board, run="run-8") == [8]
    assert numbers(board, run="run-9") == []


def test_a_row_outside_a_vote_has_no_clock_and_names_its_drift(board: SqlStore) -> None:
    [row] = board.rows(RowQuery(stages=(Stage.DRAFT,))).rows
    assert row.clock is None
    assert row.drift == ("page",)
    assert (row.release, row.in_progress) == ("4.2", True)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("kip-8", [8]),
        ("KIP 008", [8]),
        ("7", [7]),
        ("über", [8]),
        ("ÜBER REGALE", [8]),
        ("mara lind", [8]),
        ("100%", [7]),
        ("0%o", []),
        ("1_0", []),
        ("'; DROP TABLE proposal; --", []),
        ("", [8, 7]),
    ],
)
def test_text_is_looked_for_in_number_title_and_author(board: SqlStore, text: str, found: list[int]) -> None:
    assert numbers(board, text=text) == found


def test_rows_can_be_filtered_sorted_and_paged(board: SqlStore) -> None:
    assert numbers(board, waiting=Waiting.PERSON) == [8, 7]
    assert numbers(board, waiting=Waiting.WIKI) == [8]
    assert numbers(board, waiting=Waiting.QUESTION) == [7]
    assert numbers(board, waiting=Waiting.AUTHOR) == []
    assert numbers(board, waiting=Waiting.VOTES) == [7]
    assert numbers(board, waiting=Waiting.TIME) == []
    assert numbers(board, author="mara") == [8]
    assert numbers(board, author="%") == []
    assert numbers(board, interface="configuration") == [8]
    assert numbers(board, interface="log-format") == []
    assert numbers(board, sort=Sort.STAGE, descending=False) == [8, 7]
    assert numbers(board, sort=Sort.NUMBER, descending=False) == [7, 8]
    assert numbers(board, sort=Sort.TITLE, descending=False) == [7, 8]
    assert numbers(board, sort=Sort.CLOSE, descending=True) == [7, 8]
    assert numbers(board, sort=Sort.CLOSE, descending=False) == [7, 8]
    assert numbers(board, sort=Sort.ACTIVITY, descending=False) == [8, 7]
    page = board.rows(RowQuery(offset=1, limit=1))
    assert ([row.number for row in page.rows], page.total) == ([7], 2)


def test_a_proposal_shows_all_it_rests_on(board: SqlStore, policy: Policy) -> None:
    view = board.proposal(7, AS_OF)
    with board.begin() as session:
        facts = load_facts(session, 7)
        decision = decide(facts, policy, AS_OF)
    assert decision is not None
    assert view.votes == decision.votes
    assert (view.stage, view.since, view.missing) == (decision.stage, decision.since, decision.missing)
    assert tuple(r.transition for r in view.history) == decision.history
    assert {r.run_id for r in view.history} == {"run-7"}
    threads = {t.kind: t for t in view.threads}
    assert (threads[MailKind.DISCUSS].mails, threads[MailKind.DISCUSS].people) == (2, 1)
    assert threads[MailKind.DISCUSS].first_message_id == "<talk@mail.example>"
    assert view.activity == {"2026-01": 1, "2026-03": 3}
    assert view.links["<vote@mail.example>"] == "https://lists.example/thread/vote@mail.example"
    assert [e.key for e in view.effects] == ["slack/7"]
    draft = board.proposal(8, AS_OF)
    assert [(p.version, p.body) for p in draft.pages] == [(1, "")]
    assert [t.status for t in draft.tickets] == ["Open"]
    assert [r.kind for r in draft.rulings] == ["snooze"]
    assert [d.side for d in draft.drift] == ["page"]


@pytest.mark.parametrize("number", [9, 404])
def test_a_proposal_that_is_unknown_or_undecided_is_an_error(board: SqlStore, number: int) -> None:
    with pytest.raises(UnknownProposal):
        board.proposal(number, AS_OF)


def test_drift_is_listed_with_its_fix(board: SqlStore) -> None:
    [row] = board.drift()
    fix = 'read the mail of its time (`kipflow ingest`), or set "Current state" to "Draft"'
    assert (row.key, row.drift.fix) == ("KIP-8", fix)


def test_questions_that_an_outcome_depends_on_come_first_with_their_mail(board: SqlStore) -> None:
    with board.begin() as session:
        session.connection.execute(sa.delete(tables.votes.review_item))
        for number, kind, subject, outcomes in (
            (7, "result", "<x@mail.example>", []),
            (8, "ballot", "<no@mail.example>", ["read against: fails"]),
        ):
            row = {"number": number, "position": 0, "kind": kind, "subject": subject, "question": "?", "line": ""}
            row |= {"outcomes": outcomes, "affects_outcome": bool(outcomes)}
            session.connection.execute(sa.insert(tables.votes.review_item).values(row))
    found = board.review()
    assert [(r.number, r.item.kind, r.url) for r in found] == [
        (8, "ballot", "https://lists.example/thread/no@mail.example"),
        (7, "result", ""),
    ]


def test_lists_are_paged_newest_first(board: SqlStore) -> None:
    with board.begin() as session:
        for i in range(5):
            item = Unreadable(source=f"y#{i}", why="torn")
            session.mail.save_unreadable([item], seen_at=NOW + timedelta(hours=i + 1))
    page = board.unreadable(offset=1, limit=2)
    assert ([r.source for r in page.rows], page.total) == (["y#3", "y#2"], 7)
    assert board.effects(status="held").total == 1
    assert board.effects(limit=1).total == len(board.effects(limit=None).rows) == 2


def fill(store: SqlStore, proposals: int, mails: int) -> None:
    """Many copies of what `board` holds of KIP-7, written straight into the tables."""
    with store.begin() as session:
        connection = session.connection

        def copy(table: sa.Table, make: Callable[[dict[str, Any], int], dict[str, Any]], many: int) -> None:
            where = table.c.number == 7 if "number" in table.c else table.c.message_id == "<yes@mail.example>"
            plain = dict(connection.execute(sa.select(table).where(where)).first()._mapping)
            connection.execute(sa.insert(table), [make(dict(plain), 100 + i) for i in range(many)])

        copy(tables.decisions.proposal, lambda row, i: row | {"number": i}, proposals)
        copy(tables.decisions.transition, lambda row, i: row | {"number": i, "id": f"t{i}"}, proposals)
        copy(tables.votes.vote, lambda row, i: row | {"number": i}, proposals)
        copy(tables.votes.ballot, lambda row, i: row | {"number": i}, proposals)
        copy(tables.outbox.outbox, lambda row, i: row | {"number": i, "key": f"k{i}"}, proposals)
        copy(tables.facts.message, lambda row, i: row | {"message_id": f"<m{i}@mail.example>"}, mails)
        links = [
            {"number": 100 + i % proposals, "message_id": f"<m{100 + i}@mail.example>", "origin": "thread"}
            for i in range(mails)
        ]
        connection.execute(sa.insert(tables.facts.message_proposal), links)


def test_the_number_of_queries_does_not_follow_the_number_of_rows(board: SqlStore) -> None:
    asks: dict[str, Callable[[], object]] = {
        "overview": lambda: board.overview(AS_OF),
        "rows": lambda: board.rows(RowQuery(limit=None)),
        "proposal": lambda: board.proposal(7, AS_OF),
        "review": board.review,
        "drift": board.drift,
        "unreadable": lambda: board.unreadable(limit=500),
        "effects": lambda: board.effects(limit=500),
    }

    def count() -> dict[str, int]:
        found = {}
        for name, ask in asks.items():
            with counting(board) as statements:
                ask()
            found[name] = len(statements)
        return found

    before = count()
    fill(board, 60, 600)
    assert count() == before
    assert max(before.values()) <= 15
