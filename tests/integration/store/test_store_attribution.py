"""Mails find their proposals whatever order they come in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from kipflow.adapters.store import SqlStore, open_store
from kipflow.domain.facts import Message
from kipflow.domain.policy import Policy
from kipflow.mail.rounds.linking import attribute_numbers
from kipflow.services.assembly import CommunityRules
from tests.examples import examples
from tests.integration.store.mails import NOW, make_message


def save(store: SqlStore, *messages: Message) -> frozenset[int]:
    with store.begin() as session:
        return session.mail.save_messages(messages, seen_at=NOW).touched


def attributed(store: SqlStore) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    with store.begin() as session:
        for batch in session.metrics.iter_rows("proposal_message", ["number", "message_id"]):
            for row in batch:
                found.setdefault(row["message_id"], set()).add(row["number"])
    return found


def origins(store: SqlStore) -> dict[str, str]:
    with store.begin() as session:
        rows = [
            row for batch in session.metrics.iter_rows("proposal_message", ["message_id", "origin"]) for row in batch
        ]
    return {row["message_id"]: row["origin"] for row in rows}


def test_a_reply_belongs_to_its_parents_proposal(store: SqlStore) -> None:
    assert save(store, make_message("a", 7)) == {7}
    assert save(store, make_message("b", parent="a")) == {7}
    assert save(store, make_message("c", parent="b")) == {7}
    assert origins(store) == {
        "<a@mail.example>": "subject",
        "<b@mail.example>": "thread",
        "<c@mail.example>": "thread",
    }


def test_a_mail_of_no_proposal_touches_none(store: SqlStore) -> None:
    assert save(store, make_message("jira"), make_message("reply", parent="jira")) == set()
    assert attributed(store) == {}


def test_a_late_parent_brings_its_waiting_descendants(store: SqlStore) -> None:
    assert save(store, make_message("c", parent="b")) == set()
    assert save(store, make_message("b", parent="a")) == set()
    assert save(store, make_message("a", 7)) == {7}
    assert attributed(store) == {f"<{x}@mail.example>": {7} for x in "abc"}


def test_a_late_nearer_parent_moves_the_thread_to_its_own_proposal(store: SqlStore) -> None:
    save(store, make_message("a", 7), make_message("c", parent="b", references=("a", "b")))
    assert save(store, make_message("b", 9, parent="a")) == {7, 9}
    assert attributed(store) == {"<a@mail.example>": {7}, "<b@mail.example>": {9}, "<c@mail.example>": {9}}


def test_a_late_parent_leaves_alone_what_names_its_own_proposal(store: SqlStore) -> None:
    save(store, make_message("b", 9, parent="a"), make_message("c", parent="b"))
    assert save(store, make_message("a", 7)) == {7}
    assert attributed(store)["<c@mail.example>"] == {9}


def test_a_mail_whose_headers_are_lost_is_found_by_its_topic(store: SqlStore) -> None:
    topic = "tidy shelves"
    save(store, make_message("early", topic=topic), make_message("other", topic="tidy desks"))
    assert save(store, make_message("a", 7, topic=topic)) == {7}
    assert save(store, make_message("late", topic=topic)) == {7}
    assert attributed(store).keys() == {"<early@mail.example>", "<a@mail.example>", "<late@mail.example>"}


def test_mails_that_refer_to_each_other_in_a_circle_end(store: SqlStore) -> None:
    save(store, make_message("a", parent="b"), make_message("b", parent="a"))
    save(store, make_message("c", parent="c"))
    assert save(store, make_message("d", 7), make_message("e", parent="d", references=("a", "b", "d"))) == {7}


def test_a_mail_is_found_by_any_of_hundreds_of_references(store: SqlStore) -> None:
    """A thread's root may stand anywhere among them; how many there can be, the limit of a header field says."""
    many = tuple(f"r{i}" for i in range(900))
    save(store, make_message("a", 7), make_message("b", parent="a", references=(*many, "a")))
    with store.begin() as session:
        count = session.connection.exec_driver_sql("SELECT count(*) FROM message_reference").scalar()
    assert count == len(many) + 1
    assert attributed(store)["<b@mail.example>"] == {7}


@st.composite
def threads(draw: st.DrawFn) -> list[Message]:
    """A few mails that refer to each other in any way, some with numbers, some with topics."""
    names = [f"m{i}" for i in range(draw(st.integers(2, 9)))]
    mails = []
    for i, name in enumerate(names):
        numbers = draw(st.sampled_from([(), (), (7,), (9,), (7, 9)]))
        earlier = names[:i]
        references = draw(st.lists(st.sampled_from(earlier), max_size=3, unique=True)) if earlier else []
        topic = draw(st.sampled_from(["", "", "x", "y"]))
        mails.append(
            make_message(
                name,
                *numbers,
                parent=references[-1] if references else None,
                references=references,
                topic=topic,
                arrived_at=NOW + timedelta(hours=i),
            )
        )
    return mails


@examples(40, HealthCheck.function_scoped_fixture)
@given(mails=threads(), data=st.data())
def test_any_order_and_any_batches_come_to_what_all_mails_at_once_say(
    mails: list[Message], data: st.DataObject
) -> None:
    store = memory_store()
    waiting: Sequence[Message] = data.draw(st.permutations(mails))
    touched: set[int] = set()
    while waiting:
        size = data.draw(st.integers(1, len(waiting)))
        touched |= save(store, *waiting[:size])
        waiting = waiting[size:]
    expected = {i: set(n) for i, n in attribute_numbers(mails).items() if n}
    assert attributed(store) == expected
    assert touched >= {n for numbers in expected.values() for n in numbers}
    store.close()


def memory_store() -> SqlStore:
    policy = Policy(version="test-1", binding_roles=frozenset({"pmc"}))
    store = open_store("sqlite://", CommunityRules(policy=policy, prefix="KIP"))
    store.migrate()
    return store
