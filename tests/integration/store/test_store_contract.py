"""What holds of the fakes in memory holds of both databases: one suite for all three."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kipflow.adapters.store import open_store
from kipflow.domain.events import Stage
from kipflow.domain.facts import ArchiveMonth, Unreadable
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.pages import CallNote, StatusWord, TicketState
from kipflow.domain.people import Mailbox
from kipflow.domain.policy import Policy
from kipflow.services.ports import CheckedPage, MonthChange
from tests.databases import KINDS, make_database
from tests.integration.store.mails import LIST, make_entry, make_message, make_month, make_page, make_rules
from tests.memory_store import MemoryStore

AT, DAY = datetime(2026, 3, 1, tzinfo=UTC), timedelta(days=1)


@pytest.fixture(params=("memory", *KINDS))
def any_store(request: pytest.FixtureRequest, tmp_path: Path, policy: Policy) -> Iterator[Any]:
    """The fake, and a store on each database."""
    rules = make_rules(policy)
    if request.param == "memory":
        yield MemoryStore(rules)
        return
    for url in make_database(request, tmp_path):
        store = open_store(url, rules)
        yield store
        store.close()


def test_a_version_is_kept_once_and_those_that_lack_before_it_are_known(any_store: Any) -> None:
    third = make_page(3, page_id="7", body="<p>three</p>", substance=(("Why", "abc"),))
    with any_store.begin() as session:
        assert session.pages.save_version(third, seen_at=AT)
        assert not session.pages.save_version(third, seen_at=AT)
        assert session.pages.save_version(make_page(1, page_id="7"), seen_at=AT)
    with any_store.begin() as session:
        assert session.pages.load_versions() == {"7": 3}
        assert session.pages.find_body("7", 3) == "<p>three</p>"
        assert session.pages.find_text("7", 3) == ("<p>three</p>", (("Why", "abc"),))
        assert (session.pages.find_body("7", 2), session.pages.find_text("7", 2)) == (None, None)
        assert session.pages.load_holes(5) == [("7", 2)]
        assert session.pages.load_holes(0) == []


def test_a_page_is_absent_once_for_a_reason_until_it_is_back(any_store: Any) -> None:
    with any_store.begin() as session:
        pages = session.pages
        assert pages.note_absent("7", why="deleted", at=AT)
        assert not pages.note_absent("7", why="deleted", at=AT + DAY)
        [absence] = pages.load_absent().values()
        assert (absence.since, absence.asked_at) == (AT, AT + DAY)
        assert pages.note_absent("7", why="hidden", at=AT + 2 * DAY)
        assert pages.load_absent()["7"].since == AT + 2 * DAY
        assert pages.note_present("7", at=AT + 3 * DAY)
        assert not pages.note_present("7", at=AT + 3 * DAY)
        assert pages.load_absent() == {}


def test_months_are_replaced_dropped_and_listed_in_order(any_store: Any) -> None:
    def month(list_id: str, name: str, mails: int = 0) -> ArchiveMonth:
        return ArchiveMonth(list_id=list_id, month=name, status="complete", fetched_at=AT, mails=mails)

    with any_store.begin() as session:
        for one in (month("b@x.example", "2026-01"), month("a@x.example", "2026-02"), month("a@x.example", "2026-01")):
            session.mail.save_month(one)
        session.mail.save_month(month("a@x.example", "2026-02", 5))
        session.mail.drop_month("b@x.example", "2026-01")
        session.mail.drop_month("b@x.example", "2020-01")
        found = session.mail.load_months()
        assert [(*key, m.mails) for key, m in found.items()] == [
            ("a@x.example", "2026-01", 0),
            ("a@x.example", "2026-02", 5),
        ]
        assert session.mail.load_months("b@x.example") == {}


def test_what_cannot_be_read_is_counted_once(any_store: Any) -> None:
    item = Unreadable(source="page 7@1", why="torn")
    with any_store.begin() as session:
        assert session.mail.save_unreadable([item, item], seen_at=AT) == 1
        assert session.mail.save_unreadable([item], seen_at=AT + DAY) == 0


def break_off(store: Any) -> None:
    with store.begin() as session:
        session.marks.save("wiki", "3")
        raise OSError("disk full")


def test_a_mark_keeps_its_newest_value_and_nothing_of_a_block_that_raises(any_store: Any) -> None:
    with any_store.begin() as session:
        assert session.marks.load("wiki") is None
        session.marks.save("wiki", "1")
        session.marks.save("wiki", "2")
    with pytest.raises(OSError, match="full"):
        break_off(any_store)
    with any_store.begin() as session:
        assert session.marks.load("wiki") == "2"


def test_a_mail_is_stored_once_and_touches_the_proposals_that_it_belongs_to(any_store: Any) -> None:
    first, reply = make_message("a", 7), make_message("b", parent="a", arrived_at=AT + DAY)
    with any_store.begin() as session:
        report = session.mail.save_messages([first], seen_at=AT + 9 * DAY)
        assert (report.new, report.known, report.touched) == (1, 0, {7})
        report = session.mail.save_messages([first, reply], seen_at=AT + 9 * DAY)
        assert (report.new, report.known, report.reread, report.touched) == (1, 1, 0, {7})
        assert session.mail.find_references(reply.message_id) == (first.message_id,)
        assert (session.mail.find_references(first.message_id), session.mail.find_references("<z@x.example>")) == (
            (),
            None,
        )


def test_another_mail_under_a_known_id_is_kept_beside_it(any_store: Any) -> None:
    mail = make_message("a", 7)
    other = make_message("a", 8, digest="another", author_address="eve@x.example", source="b.mbox#0")
    with any_store.begin() as session:
        session.mail.save_messages([mail], seen_at=AT + 9 * DAY)
        again = [session.mail.save_messages([other], seen_at=AT + 9 * DAY) for _ in range(2)]
        assert [(r.new, r.known) for r in again] == [(1, 0), (0, 1)]
        assert session.mail.find_first_mail("eve@x.example") is not None


def test_newer_rules_read_a_known_mail_again_and_older_ones_do_not(any_store: Any) -> None:
    mail, better = make_message("a", 7), make_message("a", 7, own_text="Other words.")
    with any_store.begin() as session:
        session.mail.save_month(make_month())
        session.mail.save_messages([mail, make_message("b", 8)], seen_at=AT + 9 * DAY, reading_rules=1)
        [stale] = session.mail.load_stale_months(2)
        assert (stale.list_id, stale.month, stale.path) == (LIST, "2026-03", None)
        reports = [
            session.mail.save_messages([better], seen_at=AT + 9 * DAY, reading_rules=rules) for rules in (1, 2, 2)
        ]
        assert [(r.reread, r.touched) for r in reports] == [(0, set()), (1, {7}), (0, set())]
        assert session.mail.count_stale(LIST, "2026-03", 2) == 1
        assert session.mail.load_stale_months(1) == []


def test_a_mailbox_is_known_by_its_newest_mail_or_by_one_mail(any_store: Any) -> None:
    address = "kim@osei.example"
    mails = [
        make_message(name, 7, author_name=shown, arrived_at=AT + days * DAY)
        for name, shown, days in (("a", "Kim", 2), ("b", "Kim Osei", 3), ("c", "K.", 1))
    ]
    with any_store.begin() as session:
        assert (session.mail.find_mailbox(address), session.mail.find_first_mail(address)) == (None, None)
        session.mail.save_messages(mails, seen_at=AT + 9 * DAY)
        assert session.mail.find_mailbox(address) == Mailbox(key=address, name="Kim Osei")
        single = mails[2].message_id
        assert session.mail.find_mailbox(single) == Mailbox(key=single, name="K.", address=address)
        assert session.mail.find_first_mail(address) == AT + DAY


def test_an_ingest_is_kept_with_what_came_from_nowhere_else(any_store: Any) -> None:
    with any_store.begin() as session:
        empty, first = (session.batches.open("mail", [f"{n}.mbox"], seen_at=AT) for n in "ab")
        session.batches.close(empty)
        session.mail.save_messages([make_message("a", 7), make_message("b", 7)], seen_at=AT + 9 * DAY, batch=first)
        change = MonthChange(before=None, after=make_month(), breaks_before="", breaks_after="")
        session.batches.close(first, [change])
        [batch] = session.batches.load_all()
        assert (batch.sources, batch.items, batch.months) == (("b.mbox",), 2, (change,))
        session.mail.save_messages([make_message("a", 7)], seen_at=AT + 9 * DAY)
        assert [b.items for b in session.batches.load_all()] == [1]


def test_only_another_reading_of_an_index_says_something_new(any_store: Any) -> None:
    rows = [make_entry(7), make_entry(8), make_entry(8, title="Twice")]
    later = [make_entry(n, title=t, seen_at=AT + DAY) for n, t in ((7, "Tidy shelves"), (8, "Twice"))]
    with any_store.begin() as session:
        batch = session.batches.open("index", ["wiki.html"], seen_at=AT)
        assert session.pages.save_index_entries(rows, batch=batch) == 2
        assert [b.items for b in session.batches.load_all()] == [3]
        assert session.pages.save_index_entries(reversed(rows)) == 0
        assert session.pages.save_index_entries(later) == 1, "8 stands in it once now"


def test_numbers_are_taken_by_pages_rows_and_calls(any_store: Any) -> None:
    with any_store.begin() as session:
        session.pages.save_version(make_page(1, 7), seen_at=AT)
        session.pages.save_version(make_page(2, None), seen_at=AT + DAY)
        session.pages.save_index_entries([make_entry(9)])
        note = CallNote(number=11, call="call 3", held_on=None, url="https://x.example/3", note="looked at")
        assert [session.pages.save_call_notes([note], seen_at=AT) for _ in range(2)] == [1, 0]
        for number, origin in ((12, "page"), (None, "page"), (10, "import")):
            session.pages.save_stated_number(number, origin=origin)
        numbers = session.pages.load_taken()
        assert (numbers.taken, numbers.stated) == ({7, 9, 11}, 12)


def test_a_ticket_is_stored_where_it_says_something_else(any_store: Any) -> None:
    def state(status: str, days: int) -> TicketState:
        return TicketState(key="SHELF-12", status=status, resolution=None, fix_versions=(), seen_at=AT + days * DAY)

    with any_store.begin() as session:
        session.pages.save_version(make_page(1, 7), seen_at=AT)
        session.pages.save_version(make_page(2, 7, jira="SHELF-13"), seen_at=AT)
        session.pages.save_index_entries([make_entry(9, jira="SHELF-9")])
        assert session.pages.load_ticket_keys() == ["SHELF-13", "SHELF-9"]
        states = (state("Open", 1), state("Open", 2), state("Closed", 3))
        assert [session.pages.save_ticket(s) for s in states] == [True, False, True]


def test_a_fault_is_new_once_and_again_where_a_note_became_an_error(any_store: Any) -> None:
    page = CheckedPage(
        page_id="4711",
        number=7,
        version=1,
        title="KIP-7: Seven",
        saved_at=AT,
        status=StatusWord.UNKNOWN,
        stage=Stage.DRAFT,
        ticket=None,
        is_ticket_missing=False,
        others=(),
        judged=None,
    )
    lacks, thread = (
        PageFault(code=code, place=place, what="it is empty", fix="write it", severity=severity)
        for code, place, severity in (("K03", "Motivation", "note"), ("K06", "Status", "error"))
    )
    grown = PageFault(code="K03", place="Motivation", what="it is empty", fix="write it")
    with any_store.begin() as session:
        session.pages.save_version(make_page(1, 7), seen_at=AT)

        def check(*found: PageFault) -> tuple[PageFault, ...]:
            return tuple(session.pages.save_faults(page, found, rules="1", at=AT))

        assert check(lacks, thread) == (lacks, thread)
        assert check(lacks) == ()
        assert check(lacks, thread) == (), "it was found before"
        assert check(grown) == (grown,)
