"""Reading mail and pages into a store in memory, and writing pages of a wiki in memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kipflow.domain.errors import KipflowError, Refused, SaveConflict, ServiceUnavailable
from kipflow.services.assembly import CommunityRules
from kipflow.services.away import load_outages
from kipflow.services.effect_kinds.wikiedits import WikiEdits
from kipflow.services.ingest import ingest_paths
from kipflow.services.pages import create_proposal
from kipflow.services.ports import WikiPage
from kipflow.services.ports.effects import TAKES_BACK, Effect
from kipflow.services.sync import ABSENT_EVERY, sync_wiki
from tests.memory_store import MemoryStore, as_row
from tests.memory_wiki import MemoryWiki
from tests.unit.domain.building import POLICY

LIST, NOW, HOUR = "dev@x.example", datetime(2026, 3, 10, 12, tzinfo=UTC), timedelta(hours=1)
INDEX = "1"


@pytest.fixture
def store() -> Any:
    return MemoryStore(CommunityRules(policy=POLICY, prefix="KIP"))


@pytest.fixture
def wiki() -> MemoryWiki:
    made = MemoryWiki()
    for body in ("<h1>Motivation</h1><p>Old.</p>", "<h1>Motivation</h1><p>New.</p>"):
        made.save("7", "KIP-7: Gates", body)
    return made


# -- mail from files ---------------------------------------------------------------------------------
def write_box(path: Path, *days: int, list_id: str = LIST) -> Path:
    path.write_text(
        "".join(
            f"From nia@x.example Mon Mar {day:2} 09:00:00 2026\nFrom: Nia Holt <nia@x.example>\n"
            f"List-Id: <{list_id.replace('@', '.')}>\nSubject: [DISCUSS] KIP-7: Gates\n"
            f"Message-ID: <m{day}@x.example>\nDate: Mon, {day} Mar 2026 09:00:00 +0000\n\nWords of day {day}.\n\n"
            for day in days
        )
    )
    return path


def ingest(store: MemoryStore, *paths: Path, **more: Any) -> tuple[dict[str, int], tuple[str, ...]]:
    report = ingest_paths(store, paths, list_id=LIST, prefix="KIP", seen_at=NOW, **more)
    return dict(report.counts), report.warnings


def test_overlapping_files_add_only_what_is_new_and_each_ingest_is_noted(store: MemoryStore, tmp_path: Path) -> None:
    one, two = write_box(tmp_path / "a.mbox", 2, 3), write_box(tmp_path / "b.mbox", 3, 4)
    assert [ingest(store, path)[0]["new"] for path in (one, two)] == [2, 1]
    assert [(batch.sources, batch.items) for batch in store.batches.load_all()] == [((str(one),), 2), ((str(two),), 2)]
    assert (ingest(store, two)[0]["new"], len(store.batches.load_all())) == (0, 3)
    assert store.mail.messages.keys() == {f"<m{day}@x.example>" for day in (2, 3, 4)}


def test_a_month_is_held_by_an_operators_word_only_up_to_the_present(store: MemoryStore, tmp_path: Path) -> None:
    ingest(store, write_box(tmp_path / "a.mbox", 2))
    assert [(m.month, m.status) for m in store.mail.load_months(LIST).values()] == [("2026-03", "partial")]
    ingest(store, write_box(tmp_path / "a.mbox", 2, 3), complete_through=NOW + 30 * HOUR)
    assert [(m.status, m.fetched_at) for m in store.mail.load_months(LIST).values()] == [("complete", NOW)]


def test_mail_of_a_strange_list_is_left_out_with_a_warning(store: MemoryStore, tmp_path: Path) -> None:
    box = write_box(tmp_path / "a.mbox", 2, list_id="other@y.example")
    counts, [warning] = ingest(store, box, lists={LIST: LIST})
    assert (counts["new"], store.mail.messages) == (0, {})
    assert warning.startswith("1 of the mails are left out: other@y.example is none of this community's lists")


def test_a_path_without_mail_is_reported_and_leaves_no_batch(store: MemoryStore, tmp_path: Path) -> None:
    counts, [warning] = ingest(store, tmp_path)
    assert counts["new"] == 0
    assert warning.startswith(f"nothing was read from {tmp_path}: the folder has no files")
    assert store.batches.load_all() == ()


# -- the wiki ----------------------------------------------------------------------------------------
def sync(store: MemoryStore, wiki: MemoryWiki, at: datetime = NOW) -> tuple[dict[str, int], tuple[str, ...]]:
    wiki.asked.clear()
    report = sync_wiki(store, wiki, index_page=INDEX, prefix="KIP", as_of=at)
    return dict(report.counts), report.warnings


def test_a_second_sync_asks_only_for_the_index_and_for_what_is_new(store: MemoryStore, wiki: MemoryWiki) -> None:
    assert sync(store, wiki)[0]["versions_new"] == 2
    assert (sync(store, wiki)[0]["versions_new"], wiki.asked) == (0, [INDEX])
    wiki.save("7", "KIP-7: Gates", "<h1>Motivation</h1><p>Newer.</p>")
    assert (sync(store, wiki)[0]["versions_new"], wiki.asked) == (1, ["7", INDEX])


def test_a_refused_page_is_reported_once_and_asked_for_once_a_day(store: MemoryStore, wiki: MemoryWiki) -> None:
    sync(store, wiki)
    wiki.refused["7"] = "you may not read it"
    wiki.children.remove("7")
    assert sync(store, wiki, NOW + HOUR)[1] == ("page 7: you may not read it",)
    assert (sync(store, wiki, NOW + 2 * HOUR)[1], wiki.asked) == ((), [INDEX])
    del wiki.refused["7"]
    wiki.children.add("7")
    assert sync(store, wiki, NOW + HOUR + ABSENT_EVERY)[1] == ("page 7: can be read again",)
    assert store.pages.load_absent() == {}


def test_an_old_version_that_was_refused_is_filled_in_a_day_later(store: MemoryStore, wiki: MemoryWiki) -> None:
    wiki.refused_versions.add(("7", 1))
    assert sync(store, wiki)[0] == {"versions_new": 1, "index_rows": 0, "unreadable": 1}
    wiki.refused_versions.clear()
    assert sync(store, wiki, NOW + HOUR)[0]["versions_new"] == 0
    assert sync(store, wiki, NOW + ABSENT_EVERY)[0]["versions_new"] == 1
    assert store.pages.load_holes(9) == []


def test_a_wiki_that_is_away_is_noted_until_it_answers(store: MemoryStore, wiki: MemoryWiki) -> None:
    def fail(page_id: str) -> Any:
        raise ServiceUnavailable(service="wiki", url="http://wiki.x.example", why="503")

    answers, wiki.fetch_children = wiki.fetch_children, fail  # type: ignore[method-assign]
    with pytest.raises(ServiceUnavailable):
        sync(store, wiki)
    assert load_outages(store.marks)["wiki"].why == "503"
    wiki.fetch_children = answers  # type: ignore[method-assign]
    sync(store, wiki)
    assert load_outages(store.marks) == {}


# -- a new proposal ----------------------------------------------------------------------------------
def take(store: MemoryStore, wiki: MemoryWiki, title: str, **more: Any) -> int:
    made = create_proposal(
        store, wiki, index_page=INDEX, prefix="KIP", title=title, now=NOW, **{"writes": True, **more}
    )
    return made.number


def test_numbers_are_given_one_after_the_other_and_a_dry_run_takes_none(store: MemoryStore, wiki: MemoryWiki) -> None:
    assert take(store, wiki, "Doors", writes=False) == 8
    assert [take(store, wiki, title) for title in ("Doors", "Locks")] == [8, 9]
    assert {ref.title for ref in wiki.fetch_children(INDEX)} == {"KIP-7: Gates", "KIP-8: Doors", "KIP-9: Locks"}
    with pytest.raises(KipflowError, match=r"KIP-8: Doors.*--again"):
        take(store, wiki, "doors")


def test_whoever_takes_a_number_second_gives_it_way(store: MemoryStore, wiki: MemoryWiki) -> None:
    create = wiki.create_page
    raced: list[WikiPage] = []

    def lose(parent_id: str, *, title: str, body: str) -> WikiPage:
        if not raced:
            raced.append(create(parent_id, title="KIP-8: Somebody was quicker", body=body))
        return create(parent_id, title=title, body=body)

    wiki.create_page = lose  # type: ignore[method-assign]
    assert take(store, wiki, "Doors") == 9


# -- edits -------------------------------------------------------------------------------------------
EDIT = Effect(key="KIP-7/ab12/page", number=7, channel="page", payload={"page_id": "7", "version": 2})
ROW = as_row(EDIT, "claimed", NOW)


def append(page: WikiPage) -> str:
    return page.body if "Added" in page.body else f"{page.body}<p>Added.</p>"


def test_an_edit_is_saved_once_and_found_again_by_its_key(wiki: MemoryWiki) -> None:
    noted: list[WikiPage] = []
    edits = WikiEdits(wiki, noted.append)
    assert edits.find(ROW) is None
    assert edits.save(ROW, append, "page brought up to date") == "7@3"
    assert edits.save(ROW, append, "page brought up to date") == "7@3", "nothing is left to change"
    wiki.save("7", "KIP-7: Gates", "<p>somebody's</p>")
    assert edits.find(ROW) == "7@3"
    assert [page.version for page in noted] == [3, 4]


def test_an_edit_is_made_on_what_somebody_saved_meanwhile(wiki: MemoryWiki) -> None:
    def edit(page: WikiPage) -> str:
        if page.version < 3:
            wiki.save("7", "KIP-7: Gates", "<p>Theirs.</p>")
        return append(page)

    assert WikiEdits(wiki, print).save(ROW, edit, "up to date") == "7@4"
    assert wiki.fetch_page("7").body == "<p>Theirs.</p><p>Added.</p>"


def test_where_others_always_save_first_an_edit_is_given_up(wiki: MemoryWiki) -> None:
    def edit(page: WikiPage) -> str:
        wiki.save("7", "KIP-7: Gates", f"<p>{page.version}</p>")
        return append(page)

    with pytest.raises(SaveConflict):
        WikiEdits(wiki, print).save(ROW, edit, "up to date")
    assert wiki.fetch_page("7").body == "<p>4</p>"


def test_an_edit_is_taken_back_only_where_nobody_saved_since(wiki: MemoryWiki) -> None:
    edits = WikiEdits(wiki, print)
    edits.save(ROW, append, "up to date")
    undo = replace(ROW, key="undo", payload={"page_id": "7", TAKES_BACK: 3, "undoes": ROW.key})
    before = wiki.fetch_version("7", 2).body
    assert edits.save(undo, append, "unused") == "7@4"
    assert wiki.fetch_page("7").body == before
    with pytest.raises(Refused, match="it has version 4 by Ann by now"):
        edits.save(undo, append, "unused")
