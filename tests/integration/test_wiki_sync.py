"""Pages that move, vanish, are hidden and come back: nothing is lost, nothing is asked for in vain."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from kipflow.adapters.store import SqlStore
from kipflow.domain.pages import IndexEntry
from kipflow.domain.policy import Policy
from kipflow.services.advance import advance_all
from kipflow.services.assembly import load_facts
from kipflow.services.effectrules import EffectRules
from kipflow.services.sync import sync_wiki
from tests.memory_wiki import MemoryWiki

START = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def wiki() -> MemoryWiki:
    made = MemoryWiki()
    for body in ("<h1>Motivation</h1><p>Old.</p>", "<h1>Motivation</h1><p>New.</p>"):
        made.save("7", "KIP-7: Seven", body)
    return made


def sync(store: SqlStore, wiki: MemoryWiki, at: datetime = START) -> tuple[dict[str, int], tuple[str, ...]]:
    report = sync_wiki(store, wiki, index_page="1", prefix="KIP", as_of=at)
    return dict(report.counts), report.warnings


def decide_all(store: SqlStore) -> None:
    """Let the rules decide, so that the board shows something."""
    policy = Policy(version="1", binding_roles=frozenset({"pmc"}))
    advance_all(store, policy=policy, effects=EffectRules(prefix="KIP", sends=False), as_of=START)


def absences(store: SqlStore, number: int = 7) -> list[tuple[str, bool]]:
    """Why the proposal's page could not be had, and whether that is so still."""
    with store.begin() as session:
        return [(a.why, a.until is None) for a in load_facts(session, number).absences]


def test_versions_carry_labels_and_what_they_say_in_substance(store: SqlStore, wiki: MemoryWiki) -> None:
    assert sync(store, wiki)[0]["versions_new"] == 2
    with store.begin() as session:
        old, new = load_facts(session, 7).pages
    assert (old.labels, new.labels) == (("kip",), ("kip",))
    assert old.substance != new.substance
    assert [title for title, _ in new.substance] == ["Motivation"]


def test_a_deleted_page_is_noted_once_and_keeps_what_was_read(store: SqlStore, wiki: MemoryWiki) -> None:
    sync(store, wiki)
    wiki.children.remove("7")
    wiki.refused["7"] = "not found: deleted, or hidden from this account"
    assert sync(store, wiki)[1] == ("page 7: not found: deleted, or hidden from this account",)
    assert sync(store, wiki)[1] == ()
    assert absences(store) == [("not found: deleted, or hidden from this account", True)]
    with store.begin() as session:
        assert len(load_facts(session, 7).pages) == 2


def test_a_missing_page_is_looked_for_once_a_day(store: SqlStore, wiki: MemoryWiki) -> None:
    sync(store, wiki)
    wiki.children.remove("7")
    wiki.refused["7"] = "gone"
    for hour in range(30):
        sync(store, wiki, START + timedelta(hours=hour))
    assert wiki.asked.count("7") == 1 + 2


def test_a_page_that_moved_elsewhere_is_followed(store: SqlStore, wiki: MemoryWiki) -> None:
    sync(store, wiki)
    wiki.children.remove("7")
    wiki.save("7", "KIP-7: Seven", "<h1>Motivation</h1><p>Newer.</p>", listed=False)
    assert sync(store, wiki)[0]["versions_new"] == 1
    assert absences(store) == [("moved away from below the index page", True)]
    wiki.children.add("7")
    sync(store, wiki, START + timedelta(hours=1))
    assert absences(store) == [("moved away from below the index page", False)]


def test_a_page_that_is_shown_again_is_present_again(store: SqlStore, wiki: MemoryWiki) -> None:
    sync(store, wiki)
    wiki.save("7", "KIP-7: Seven", "<h1>Motivation</h1><p>Hidden.</p>")
    wiki.refused["7"] = "restricted: this account may not read it"
    sync(store, wiki)
    assert absences(store) == [("restricted: this account may not read it", True)]
    del wiki.refused["7"]
    counts, warnings = sync(store, wiki, START + DAY)
    assert counts["versions_new"] == 1
    assert warnings == ("page 7: can be read again",)
    assert absences(store) == [("restricted: this account may not read it", False)]


def test_a_wiki_that_is_down_makes_no_page_absent(store: SqlStore, wiki: MemoryWiki) -> None:
    sync(store, wiki)
    wiki.children.remove("7")
    wiki.down = True
    _, warnings = sync(store, wiki)
    assert any("503" in w for w in warnings)
    assert absences(store) == []


def test_a_renamed_page_takes_its_new_title_and_keeps_its_number(store: SqlStore, wiki: MemoryWiki) -> None:
    sync(store, wiki)
    newest = wiki.versions["7"][-1]
    wiki.versions["7"].append(replace(newest, version=3, title="KIP-7: Seven dwarfs"))
    sync(store, wiki)
    with store.begin() as session:
        assert load_facts(session, 7).proposal.title == "Seven dwarfs"


def test_notes_of_calls_on_the_index_page_are_kept_with_their_proposals(store: SqlStore, wiki: MemoryWiki) -> None:
    row = '<tr><td><a href="https://video.x.example/1">2026-02-03</a></td><td><ul><li>KIP-7: go on.</li></ul></td></tr>'
    wiki.save("1", "Index", f"<h1>Recordings</h1><table>{row}</table>", listed=False)
    sync(store, wiki)
    decide_all(store)
    (call,) = store.proposal(7, START).calls
    assert (str(call.held_on), call.note, call.url) == ("2026-02-03", "KIP-7: go on.", "https://video.x.example/1")


def test_a_page_that_could_never_be_read_is_shown_on_its_proposal(store: SqlStore, wiki: MemoryWiki) -> None:
    """Its title alone is known from the list of pages; the thread on the list says that there is a proposal."""
    row = IndexEntry(number=9, title="Nine", section="discussion", seen_at=START, origin="page")
    with store.begin() as session:
        session.pages.save_index_entries([row])
    wiki.save("9", "KIP-9: Nine", "<p>hidden</p>")
    wiki.refused["9"] = "restricted: this account may not read it"
    sync(store, wiki)
    assert absences(store, 9) == [("restricted: this account may not read it", True)]
    decide_all(store)
    (gone,) = [d for d in store.proposal(9, START + DAY).drift if d.side == "page"]
    assert gone.says == "gone: restricted: this account may not read it"
    assert "never read" in gone.evidence
    assert "let the account" in gone.fix
    # shown again: its versions are read as those of any new page
    del wiki.refused["9"]
    assert sync(store, wiki, START + DAY)[0]["versions_new"] == 1
    assert absences(store, 9) == [("restricted: this account may not read it", False)]


def test_a_page_of_call_notes_is_linked_to_the_proposals_that_it_names(store: SqlStore, wiki: MemoryWiki) -> None:
    wiki.save("3", "Call notes", "<h2>2026-02-27</h2><p>KIP-7: the hinges stay.</p>")
    sync(store, wiki)
    wiki.save("3", "Call notes", "<h2>2026-02-27</h2><p>KIP-7: the hinges stay.</p><p>KIP-7 again.</p>")
    sync(store, wiki, START + DAY)
    decide_all(store)
    calls = store.proposal(7, START + DAY).calls
    assert [(c.held_on, c.note) for c in calls] == [
        (date(2026, 2, 27), "KIP-7: the hinges stay."),
        (date(2026, 2, 27), "KIP-7 again."),
    ]
