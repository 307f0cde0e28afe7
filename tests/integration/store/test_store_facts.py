"""Facts: kept once, never edited, and they say which proposals to look at again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from kipflow.adapters.store import SqlStore
from kipflow.domain.errors import KipflowError, UnknownProposal
from kipflow.domain.facts import MailKind, Message
from kipflow.domain.pages import TicketState
from kipflow.domain.votes import Choice, Declared
from kipflow.services.assembly import load_facts
from kipflow.services.board import UnreadableRow
from kipflow.services.ports import SaveReport
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


def save(store: SqlStore, *messages: Message) -> SaveReport:
    with store.begin() as session:
        return session.mail.save_messages(messages, seen_at=NOW + timedelta(days=1))


def unreadable(store: SqlStore) -> tuple[UnreadableRow, ...]:
    return store.unreadable().rows


def pending(store: SqlStore) -> list[int]:
    with store.begin() as session:
        return session.history.load_pending(NOW)


def settle(store: SqlStore) -> None:
    """Take everything off the pending list, as decisions would."""
    with store.begin() as session:
        session.connection.exec_driver_sql("DELETE FROM pending")


def test_a_message_comes_back_as_it_was_saved(store: SqlStore) -> None:
    declared = Declared(
        by="Kim Osei",
        message_id="<a@mail.example>",
        announced_at=NOW,
        outcome="passed",
        binding={"+1": 3, "0": 0, "-1": 0},
        names={"+1": ("Mara Lind", "Jo")},
        line="passes with 3 binding",
        contradictions=("said 3, named 2",),
    )
    message = make_message(
        "a",
        7,
        9,
        parent="root",
        references=("root", "b"),
        kind=MailKind.RESULT,
        topic="tidy shelves",
        expressions=(make_expression(Choice.AGAINST, why="until renamed"), make_expression(claimed_binding=None)),
        declared=declared,
        cancels="I cancel this vote",
    )
    save(store, message)
    with store.begin() as session:
        assert session.history.load_rows(7).messages == (message,)


def test_a_message_saved_again_changes_nothing(store: SqlStore) -> None:
    first = save(store, make_message("a", 7), make_message("b", parent="a"))
    settle(store)
    again = save(store, make_message("a", 7), make_message("b", parent="a"))
    assert (first.new, first.known, first.touched) == (2, 0, frozenset({7}))
    assert (again.new, again.known, again.touched) == (0, 2, frozenset())
    assert pending(store) == []


def test_one_mail_in_two_archives_counts_once_without_a_note(store: SqlStore) -> None:
    mail = make_message("a", 7)
    other_headers = replace(mail, list_id="users@project.example", digest="other", own_text="The words  of\na.")
    report = save(store, mail, other_headers)
    assert (report.new, report.known) == (1, 1)
    assert unreadable(store) == ()


def test_another_mail_under_a_taken_message_id_is_kept_as_a_note(store: SqlStore) -> None:
    save(store, make_message("a", 7))
    impostor = make_message("a", 7, own_text="Something else.", digest="other", source="elsewhere#3")
    save(store, impostor)
    save(store, impostor)
    [note] = unreadable(store)
    assert note.source == "elsewhere#3"
    assert "<a@mail.example>" in note.why


def test_text_that_databases_refuse_is_stored_all_the_same(store: SqlStore) -> None:
    hostile = make_message(
        "a\x00\udcff",
        7,
        subject="[DISCUSS] KIP-7 \x00 \ud800 ✓",
        own_text="\x00" * 3,
        expressions=(make_expression(line="+1 \x00 \udfff \\u0000"),),
    )
    assert save(store, hostile).new == 1
    assert save(store, hostile).known == 1
    with store.begin() as session:
        [message] = load_facts(session, 7).messages
    assert message.subject == "[DISCUSS] KIP-7 \ufffd ? ✓"


def test_an_endless_message_id_is_stored_under_a_short_one(store: SqlStore) -> None:
    long = make_message("x" * 100_000, 7)
    child = make_message("child", parent="x" * 100_000)
    assert save(store, long).new == 1
    assert save(store, long).known == 1
    assert save(store, child).touched == {7}


def test_mail_without_a_time_is_seen_by_votes_but_not_by_the_timeline(store: SqlStore) -> None:
    save(store, make_message("dated", 7), make_message("undated", 7, arrived_at=None, arrived_from="none"))
    with store.begin() as session:
        rows = session.history.load_rows(7)
        facts = session.rules.assemble(rows)
    assert [m.message_id for m in facts.messages] == ["<dated@mail.example>"]
    assert [m.message_id for m in rows.messages] == ["<dated@mail.example>", "<undated@mail.example>"]


def test_messages_come_in_order_of_time_with_their_permalinks(store: SqlStore) -> None:
    later = make_message("a", 7, arrived_at=NOW + timedelta(hours=2))
    save(store, later, make_message("b/c?d", 7))
    with store.begin() as session:
        messages = load_facts(session, 7).messages
    assert [m.message_id for m in messages] == ["<b/c?d@mail.example>", "<a@mail.example>"]
    assert messages[0].permalink == "https://lists.example/thread/b%2Fc%3Fd@mail.example"


def test_a_vote_counts_for_its_own_proposal_only(store: SqlStore) -> None:
    save(
        store,
        make_message("a", 7, 9, kind=MailKind.VOTE),
        make_message("b", parent="a", expressions=(make_expression(),)),
    )
    with store.begin() as session:
        votes = load_facts(session, 9).votes
    assert [(v.proposal, len(v.ballots)) for v in votes] == [(9, 1)]


def test_an_unknown_proposal_is_said_to_be_unknown(store: SqlStore) -> None:
    with pytest.raises(UnknownProposal), store.begin() as session:
        load_facts(session, 404)


def test_months_replace_what_was_known_of_them_and_bound_coverage(store: SqlStore) -> None:
    save(store, make_message("a", 7))
    with store.begin() as session:
        session.mail.save_month(make_month("2026-02", "partial", why="truncated"))
        assert load_facts(session, 7).coverage.gaps == (("2026-02", f"{LIST} 2026-02: truncated"),)
        session.mail.save_month(make_month("2026-02"))
        session.mail.save_month(make_month("2026-03"))
        assert load_facts(session, 7).coverage.complete_through == NOW
        assert session.mail.load_months("other@project.example") == {}
        assert [month for _, month in session.mail.load_months()] == ["2026-02", "2026-03"]


def test_page_versions_are_kept_once_in_any_order(store: SqlStore) -> None:
    with store.begin() as session:
        assert session.pages.save_version(make_page(2), seen_at=NOW)
        assert session.pages.save_version(make_page(1), seen_at=NOW)
        assert not session.pages.save_version(make_page(2), seen_at=NOW)
        assert session.pages.load_versions() == {"4711": 2}
        facts = load_facts(session, 7)
        assert session.pages.find_body("4711", 2) == "<p>version 2</p>"
        assert session.pages.find_body("4711", 3) is None
    assert facts.pages == (make_page(1, body=""), make_page(2, body=""))
    assert facts.proposal.created_at == make_page(1).saved_at
    assert (facts.proposal.author, facts.proposal.jira) == ("Mara Lind", "SHELF-12")
    assert pending(store) == [7]


def test_a_page_that_changes_its_number_touches_both_proposals(store: SqlStore) -> None:
    with store.begin() as session:
        session.pages.save_version(make_page(1, number=7), seen_at=NOW)
    settle(store)
    with store.begin() as session:
        session.pages.save_version(make_page(2, number=8), seen_at=NOW)
        assert [p.version for p in load_facts(session, 8).pages] == [1, 2]
        left = load_facts(session, 7)
        assert [p.version for p in left.pages] == [1, 2], "that the number was taken is not taken back"
    assert pending(store) == [7, 8]


def test_a_page_whose_title_loses_its_number_keeps_its_proposal(store: SqlStore) -> None:
    with store.begin() as session:
        session.pages.save_version(make_page(1), seen_at=NOW)
        session.pages.save_version(make_page(2, number=None), seen_at=NOW)
        assert len(load_facts(session, 7).pages) == 2


def test_another_text_under_a_held_version_is_noted(store: SqlStore) -> None:
    with store.begin() as session:
        session.pages.save_version(make_page(1), seen_at=NOW)
        assert not session.pages.save_version(make_page(1, body="<p>rewritten</p>"), seen_at=NOW)
    assert [note.source for note in unreadable(store)] == ["page 4711@1"]


def test_index_rows_are_stored_when_they_say_something_new(store: SqlStore) -> None:
    tomorrow = NOW + timedelta(days=1)
    with store.begin() as session:
        assert session.pages.save_index_entries([make_entry(7), make_entry(8)]) == 2
    settle(store)
    with store.begin() as session:
        same = make_entry(7, seen_at=tomorrow)
        moved = make_entry(8, seen_at=tomorrow, section="accepted", release="4.1")
        assert session.pages.save_index_entries([same, moved]) == 1
        assert [e.section for e in load_facts(session, 8).index_entries] == ["discussion", "accepted"]
        assert load_facts(session, 8).proposal.release == "4.1"
    assert pending(store) == [8]


def test_an_index_that_goes_back_to_an_earlier_word_is_believed(store: SqlStore) -> None:
    days = [NOW + timedelta(days=d) for d in range(3)]
    with store.begin() as session:
        for at, section in zip(days, ("discussion", "accepted", "discussion"), strict=True):
            assert session.pages.save_index_entries([make_entry(seen_at=at, section=section)]) == 1
        assert load_facts(session, 7).index_entries[-1].section == "discussion"


def test_two_rows_of_one_number_are_one_reading(store: SqlStore) -> None:
    rows = [make_entry(4, section="accepted"), make_entry(4, title="Command line tools", section="accepted")]
    later = [replace(row, seen_at=NOW + timedelta(days=1)) for row in rows]
    with store.begin() as session:
        assert session.pages.save_index_entries(rows) == 1
        assert session.pages.save_index_entries(reversed(later)) == 0
        assert len(load_facts(session, 4).index_entries) == 2


def test_tickets_touch_the_proposals_that_name_them_when_they_change(store: SqlStore) -> None:
    ticket = TicketState(key="SHELF-12", status="Open", resolution=None, fix_versions=(), seen_at=NOW)
    done = replace(
        ticket, status="Closed", resolution="Fixed", fix_versions=("4.1.0",), seen_at=NOW + timedelta(days=1)
    )
    with store.begin() as session:
        session.pages.save_version(make_page(), seen_at=NOW)
        session.pages.save_index_entries([make_entry(8, jira="SHELF-12"), make_entry(9, jira="SHELF-13")])
        assert session.pages.load_ticket_keys() == ["SHELF-12", "SHELF-13"]
        assert session.pages.save_ticket(ticket)
    settle(store)
    with store.begin() as session:
        assert not session.pages.save_ticket(replace(ticket, seen_at=NOW + timedelta(hours=1)))
    assert pending(store) == []
    with store.begin() as session:
        assert session.pages.save_ticket(done)
        facts = load_facts(session, 7)
    assert pending(store) == [7, 8]
    assert facts.tickets == (ticket, done)
    assert (facts.proposal.release, facts.proposal.in_progress) == ("4.1.0", False)


def test_rulings_are_facts_that_can_be_revoked_but_not_lost(store: SqlStore) -> None:
    save(store, make_message("a", 7))
    settle(store)
    with store.begin() as session:
        first = session.rulings.save(make_ruling())
        assert session.rulings.save(make_ruling()) == first
        assert load_facts(session, 7).rulings == (make_ruling(id=first),)
    assert pending(store) == [7]
    settle(store)
    with store.begin() as session:
        session.rulings.revoke(first, at=NOW + timedelta(days=1), by="lead")
        session.rulings.revoke(first, at=NOW + timedelta(days=2), by="other")
        assert load_facts(session, 7).rulings[0].revoked_at == NOW + timedelta(days=1)
    assert pending(store) == [7]


def test_a_ruling_on_a_ballot_finds_the_proposals_of_its_mail(store: SqlStore) -> None:
    save(store, make_message("a", 7))
    settle(store)
    with store.begin() as session:
        session.rulings.save(make_ruling(number=None))
        assert len(load_facts(session, 7).rulings) == 1
    assert pending(store) == [7]


def test_revoking_an_unknown_ruling_is_an_error(store: SqlStore) -> None:
    with pytest.raises(KipflowError, match="no ruling 12"), store.begin() as session:
        session.rulings.revoke(12, at=NOW, by="ops")
