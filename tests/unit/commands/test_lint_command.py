"""`lint`: pages from files, from a folder, and as they were stored."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kipflow.config.settings import read_settings
from kipflow.domain.pages import NO_TICKET, IndexEntry, TicketState
from kipflow.services.checks import check_pages
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import WikiPage
from kipflow.wiki.pages import parse_page
from kipflow.wiring import connect
from tests.living import live_in
from tests.unit.commands.conftest import Cli

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
GOOD = """<h1>Status</h1><p>Current state: Under Discussion</p>
<p>Discussion thread: <a href="https://lists.apache.org/thread/abc">here</a></p><p>JIRA: KAFKA-77</p>
<h1>Motivation</h1><p>Gates stick.</p><h1>Public Interfaces</h1><p>None of them.</p>
<h1>Proposed Changes</h1><p>Oil.</p><h1>Compatibility, Deprecation, and Migration Plan</h1><p>None.</p>
<h1>Test Plan</h1><p>Open the gate.</p><h1>Rejected Alternatives</h1><p>Rust.</p>
"""


@pytest.fixture(autouse=True)
def kafka(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live_in(monkeypatch, tmp_path / "home")


def write(folder: Path, name: str, body: str) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(body, encoding="utf-8")
    return str(path)


def store(title: str, body: str, *, page_id: str = "70") -> None:
    parts = connect(read_settings())
    parts.store.migrate()
    page = WikiPage(page_id=page_id, version=1, title=title, body=body, saved_at=NOW, saved_by="Ann", labels=())
    with parts.store.begin() as session:
        session.pages.save_version(parse_page(page, "KIP"), seen_at=NOW)
    parts.store.close()


def test_a_page_without_fault_is_said_to_have_none(tmp_path: Path, cli: Cli) -> None:
    assert cli("lint", write(tmp_path, "good.html", GOOD)).out.endswith("good.html: no fault found\n")


def test_a_folder_is_judged_page_by_page(tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "pages"
    write(folder, "a.html", GOOD)
    write(folder, "b.html", GOOD.replace("<p>Rust.</p>", ""))
    write(folder, "picture.png", "no page")
    shown = cli("lint", str(folder), code=1).out
    assert "a.html: no fault found" in shown
    assert "b.html: 1 error" in shown
    assert "Rejected Alternatives" in shown
    assert "picture" not in shown


def test_a_folder_without_pages_is_an_error_that_says_so(tmp_path: Path, cli: Cli) -> None:
    write(tmp_path / "pages", "picture.png", "no page")
    assert "no page in this folder" in cli("lint", str(tmp_path / "pages"), code=2).err


def test_json_and_csv_name_the_page_of_each_fault(tmp_path: Path, cli: Cli) -> None:
    page = write(tmp_path, "bad.html", GOOD.replace("KAFKA-77", "TBD"))
    (fault,) = cli("lint", page, "--format", "json", code=1).json()
    assert (fault["page"], fault["code"], fault["severity"]) == (page, "K07", "error")
    assert fault["fix"] == "name the ticket that tracks the work (KAFKA-N)"
    printed = cli("lint", page, "--format", "csv", code=1)
    assert next(csv.DictReader(io.StringIO(printed.out)))["what"] == 'JIRA is "TBD"'


def test_a_draft_with_gaps_only_has_notes_and_passes(tmp_path: Path, cli: Cli) -> None:
    page = write(tmp_path, "draft.html", GOOD.replace("Under Discussion", "Draft").replace("KAFKA-77", "TBD"))
    assert "1 note\n" in cli("lint", page).out


def test_a_stored_page_is_judged_with_what_is_around_it(cli: Cli) -> None:
    store("KIP-7: Gates", GOOD)
    store("KIP-7: Doors", GOOD, page_id="71")
    parts = connect(read_settings())
    missing = TicketState(key="KAFKA-77", status=NO_TICKET, resolution=None, fix_versions=(), seen_at=NOW)
    with parts.store.begin() as session:
        session.pages.save_ticket(missing)
    parts.store.close()
    shown = " ".join(cli("lint", "KIP-7", code=1).out.split())
    assert "KIP-7: Gates (version 1): 2 errors" in shown
    assert 'number 7 is taken twice: "KIP-7: Doors" has it too' in shown
    assert "KAFKA-77 does not exist in JIRA" in shown


def test_a_number_whose_page_cannot_be_read_is_reported_with_the_reason(cli: Cli) -> None:
    parts = connect(read_settings())
    parts.store.migrate()
    row = IndexEntry(number=7, title="Gates", section="discussion", seen_at=NOW, origin="page")
    with parts.store.begin() as session:
        session.pages.save_index_entries([row])
        session.pages.note_absent("70", why="restricted: this account may not read it", at=NOW, number=7)
    parts.store.close()
    assert "KIP-7: its page cannot be read since 2026-03-02: restricted" in cli("lint", "7", code=2).err


def test_what_is_neither_a_page_nor_a_number_is_named(cli: Cli) -> None:
    assert "gates: neither a file or folder nor a proposal's number" in cli("lint", "gates", code=2).err


def test_status_shows_what_is_to_be_fixed_on_the_page_now_and_not_then(cli: Cli) -> None:
    store("KIP-7: Gates", GOOD.replace("<p>Rust.</p>", ""))
    parts = connect(read_settings())
    check_pages(parts.store, effects=EffectRules(prefix="KIP", sends=False), as_of=NOW)
    parts.store.close()
    cli("advance", "--as-of", "2026-03-04")
    assert "page: Rejected Alternatives: the section is empty (K03): write it" in cli("status", "7").out
    (fault,) = cli("status", "7", "--format", "json").json()["faults"]
    assert (fault["code"], fault["place"], fault["severity"]) == ("K03", "Rejected Alternatives", "error")
    assert "K03" not in cli("status", "7", "--as-of", "2026-03-03").out
