"""What holds of the fakes in memory holds of both databases: one suite for all three."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kipflow.adapters.store import open_store
from kipflow.domain.facts import ArchiveMonth, Unreadable
from kipflow.domain.pages import PageVersion, StatusWord
from kipflow.domain.policy import Policy
from kipflow.services.assembly import CommunityRules
from tests.databases import KINDS, make_database
from tests.memory_store import MemoryStore

AT, DAY = datetime(2026, 3, 1, tzinfo=UTC), timedelta(days=1)


@pytest.fixture(params=("memory", *KINDS))
def any_store(request: pytest.FixtureRequest, tmp_path: Path, policy: Policy) -> Iterator[Any]:
    """The fake, and a store on each database."""
    rules = CommunityRules(policy=policy, prefix="KIP")
    if request.param == "memory":
        yield MemoryStore(rules)
        return
    for url in make_database(request, tmp_path):
        store = open_store(url, rules)
        yield store
        store.close()


def version(number: int, body: str = "<p>x</p>", page_id: str = "7") -> PageVersion:
    return PageVersion(
        page_id=page_id,
        version=number,
        saved_at=AT + number * DAY,
        saved_by="Ann",
        title="KIP-7: Seven",
        number=7,
        status=StatusWord.UNKNOWN,
        status_text="",
        body=body,
        substance=(("Why", "abc"),),
    )


def test_a_version_is_kept_once_and_those_that_lack_before_it_are_known(any_store: Any) -> None:
    with any_store.begin() as session:
        assert session.pages.save_version(version(3, "<p>three</p>"), seen_at=AT)
        assert not session.pages.save_version(version(3, "<p>three</p>"), seen_at=AT)
        assert session.pages.save_version(version(1), seen_at=AT)
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
        assert [(m.list_id, m.month, m.mails) for m in found] == [
            ("a@x.example", "2026-01", 0),
            ("a@x.example", "2026-02", 5),
        ]
        assert session.mail.load_months("b@x.example") == []


def test_what_cannot_be_read_is_counted_once(any_store: Any) -> None:
    item = Unreadable(source="page 7@1", why="torn")
    with any_store.begin() as session:
        assert session.mail.save_unreadable([item], seen_at=AT) == 1
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
