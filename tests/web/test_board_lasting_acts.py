"""Acts that are shown before they are done: a roster that is added to, an ingest that is taken out again."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from httpx import Response
from lxml import html

from kipflow.cli import run
from kipflow.config.roster import RosterFileAt, load_roster
from kipflow.config.settings import read_settings
from kipflow.domain.events import Stage
from kipflow.services.desk import Consequence, Done, ShownStages
from kipflow.web.acting import find_links
from kipflow.web.app import create_app
from kipflow.wiring import Parts, connect
from tests.web.community import NOW
from tests.web.test_board_acts import Browser, _text, browser, open_browser, writing_of

__all__ = ["browser"]

CSV = "id,name,email,role,since\nnew,Ona <b>Paz</b>,ona@paz.example,committer,2026-03-01\n"
GIVEN = {"text": CSV, "source": "a list", "as_of": "2026-03-02"}


def confirm(browser: Browser, shown: Response, reason: str = "asked", **changed: str) -> Response:
    """Press the button of the page that shows what an act would change."""
    assert shown.status_code == 200, shown.text
    [form] = html.fromstring(shown.text).xpath("//form[contains(@action, 'acts/')]")
    values = {name: value or "" for name, value in form.fields.items()}
    path = "/acts/" + form.get("action").rpartition("/")[2]
    answer: Response = browser.client.post(path, data={**values, "reason": reason, **changed})
    return answer


def token(browser: Browser) -> str:
    return str(html.fromstring(browser.client.get("/review").text).xpath("//input[@name='token']/@value")[0])


def show(browser: Browser, name: str, **values: str) -> Response:
    answer: Response = browser.client.post(f"/previews/{name}", data={"token": token(browser), **values})
    return answer


def roster_path(parts: Parts) -> Path:
    assert parts.roster_file is not None
    return parts.roster_file.path


def test_an_ingest_is_shown_then_taken_out_and_history_says_by_whom(parts: Parts, browser: Browser) -> None:
    assert "mails, of 1 proposal" not in browser.text("/data")
    answer = browser.press("/data", "show what that changes")
    shown = _text(answer)
    assert "Nothing is changed yet." in shown
    assert "7 mails of" in shown
    assert browser.client.get("/api/proposals/7").status_code == 200
    assert confirm(browser, answer, reason=" ").status_code == 409, "why, is kept with it"
    leaves = "KIP-7 leaves the lists: none of its facts is left"
    assert leaves in shown
    done = confirm(browser, answer, reason="it was <another> list's")
    assert f"ingest 1 undone; {leaves}" in _text(done)
    assert "proposals/7" not in done.text, "no link to a page that is gone"
    assert browser.client.get("/proposals/7").status_code == 404
    assert "Ines, 2026-03-22 09:00 UTC: it was <another> list's" in browser.text("/data")
    assert [reported[:2] for reported in browser.audited][-1] == ("Ines", "undo")
    again = confirm(browser, answer)
    assert (again.status_code, "was undone" in _text(again)) == (409, True)


def test_an_ingest_of_more_than_anybody_waits_for_is_taken_out_at_once_and_decided_by_a_run(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kipflow.services.rulings.MOST_AT_ONCE", 0)
    done = _text(confirm(browser, browser.press("/data", "show what that changes")))
    assert "ingest 1 undone; the next run decides what waits, 1 in all" in done


def test_what_changed_since_it_was_shown_is_not_taken_out_unseen(parts: Parts, browser: Browser) -> None:
    answer = browser.press("/data", "show what that changes")
    assert "Discarded" in _text(browser.press("/proposals/7", "set the stage", stage="Discarded"))
    late = confirm(browser, answer)
    assert (late.status_code, "look at it again" in _text(late)) == (409, True)
    assert "taken out" not in browser.text("/data")


def test_a_roster_gains_what_was_shown_and_is_taken_back(parts: Parts, browser: Browser) -> None:
    path = roster_path(parts)
    before = path.read_text()
    shown = show(browser, "roster", **GIVEN)
    assert "1 added, 0 changed, 3 as before" in _text(shown)
    assert "+ - id: new" in _text(shown)
    assert "<b>Paz" not in shown.text
    assert path.read_text() == before
    assert "the roster is saved" in _text(confirm(browser, shown))
    assert [p.id for p in load_roster(path).people] == ["mlind", "kosei", "rberg", "new"]
    assert parts.roster_file is not None
    assert parts.roster_file.has_changed(), "the board opens its parts anew"
    assert connect(read_settings()).roster.by_id["new"].emails == ("ona@paz.example",)
    stale = confirm(browser, shown)
    assert (stale.status_code, "look at it again" in _text(stale)) == (409, True)
    assert "as it was before" in _text(confirm(browser, show(browser, "roster-back")))
    assert [p.id for p in load_roster(path).people] == ["mlind", "kosei", "rberg"]


def test_the_votes_that_a_roster_turns_are_shown_before_it_is_saved(parts: Parts, browser: Browser) -> None:
    assert "no vote there is would count otherwise" in _text(show(browser, "roster", **GIVEN))
    kim = {**GIVEN, "text": "id,name,email,role,since\nkosei,Kim Osei,kim@home.example,committer,\n"}
    shown = show(browser, "roster", **kim)
    before, after = "binding +3/0/-0, non-binding +0/0/-2: passing", "binding +2/0/-1, non-binding +0/0/-1: short"
    assert f"KIP-7, round 1: {before} → {after}; ballots of Kim Osei start to bind" in _text(shown)
    confirm(browser, shown)
    assert run(["advance", "--as-of", "2026-03-23"]) == 0
    (vote,) = connect(read_settings()).store.proposal(7, NOW + timedelta(days=2)).votes
    assert (vote.outcome, vote.tally.binding.minus) == ("short", 1), "it comes to what was shown"


def test_the_command_line_shows_the_votes_that_an_import_into_the_communitys_roster_turns(
    parts: Parts, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "people.csv"
    listed.write_text("id,name,email,role,since\nkosei,Kim Osei,kim@home.example,committer,\n", encoding="utf-8")
    importing = ["roster", "import", str(listed), "--source", "a list", "--as-of", "2026-03-02", "--output"]
    capsys.readouterr()
    assert run([*importing, str(roster_path(parts))]) == 0
    assert "votes: KIP-7, round 1: binding +3/0/-0, non-binding +0/0/-2: " in capsys.readouterr().err
    assert run([*importing, str(tmp_path / "other.yaml")]) == 0
    assert "votes:" not in capsys.readouterr().err, "no vote is counted by another file"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"text": "x"}, "form is not known"),
        ({"as_of": "soon"}, "is not a date"),
        ({"source": ""}, "fill in first: source"),
        ({"format": "paper"}, "a form is one of"),
        ({"text": "id,name\n"}, "names nobody"),
    ],
)
def test_a_source_that_makes_no_sense_is_refused(browser: Browser, changed: dict[str, str], why: str) -> None:
    answer = show(browser, "roster", **{**GIVEN, **changed})
    assert (answer.status_code, why in _text(answer)) == (409, True), answer.text


def test_what_contradicts_the_roster_is_shown_and_left_out(browser: Browser) -> None:
    text = "id,name,email\nother,Somebody Else,mlind@apache.org\n"
    assert "conflict, left out: " in _text(show(browser, "roster", **{**GIVEN, "text": text}))


def test_what_kipflow_would_refuse_is_refused_when_it_is_shown(browser: Browser) -> None:
    """An id that differs from another one by case only: two rosters' readers would not agree on whose votes count."""
    answer = show(browser, "roster", **{**GIVEN, "text": "people:\n  - {id: MLind, name: Ona Paz}\n"})
    assert (answer.status_code, "kipflow would refuse the roster" in _text(answer)) == (409, True)


def test_what_is_saved_while_an_act_runs_is_not_lost(
    parts: Parts, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, save, path = show(browser, "roster", **GIVEN), RosterFileAt.save, roster_path(parts)

    def save_late(file: RosterFileAt, text: str, *, instead_of: str) -> bool:
        path.write_text(f"{instead_of}# by hand\n")
        return save(file, text, instead_of=instead_of)

    monkeypatch.setattr(RosterFileAt, "save", save_late)
    answer = confirm(browser, shown)
    assert (answer.status_code, "look at it again" in _text(answer)) == (409, True)
    assert path.read_text().endswith("# by hand\n")


def test_of_several_who_save_at_once_one_does(parts: Parts) -> None:
    file, was = RosterFileAt(roster_path(parts)), roster_path(parts).read_text()
    begin = threading.Barrier(8)

    def save(number: int) -> bool:
        begin.wait()
        return file.save(f"{was}# {number}\n", instead_of=was)

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(save, range(8))) == 1
    assert file.find_before() == was


def test_a_roster_that_cannot_be_written_is_refused_in_one_line(
    parts: Parts, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = show(browser, "roster", **GIVEN)

    def refuse(*_: object, **__: object) -> tuple[int, str]:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("kipflow.config.roster.tempfile.mkstemp", refuse)
    answer = confirm(browser, shown)
    assert (answer.status_code, "cannot be written here: Read-only file system" in _text(answer)) == (409, True)


def test_only_who_may_settle_sees_what_an_act_would_change(parts: Parts, browser: Browser) -> None:
    reader = open_browser(parts, may=False)
    for path in ("/data", "/people"):
        assert "<form" not in reader.client.get(path).text
    assert "ingest --undo 1" in reader.text("/data")
    values = {"token": token(browser), "batch": "1"}
    assert reader.client.post("/previews/undo", data=values).status_code == 403
    assert reader.client.post("/api/previews/undo", json={"values": {"batch": 1}}).status_code == 403
    foreign = {"origin": "https://evil.example"}
    assert browser.client.post("/previews/undo", data=values, headers=foreign).status_code == 403
    assert browser.client.get("/previews/undo").status_code == 405


def test_a_program_sees_first_and_names_what_it_saw(browser: Browser) -> None:
    unseen = browser.client.post("/api/acts/roster", json={"values": GIVEN, "reason": "x"})
    assert (unseen.status_code, "fill in first: seen" in unseen.json()["error"]) == (409, True)
    shown = browser.client.post("/api/previews/roster", json={"values": GIVEN}).json()
    assert any("Ona" in line for line in shown["diff"])
    values = {**GIVEN, "seen": shown["seen"]}
    assert browser.client.post("/api/acts/roster", json={"values": values, "reason": "x"}).status_code == 200
    plain = browser.client.post("/api/previews/stage", json={"values": {"proposal": 7, "stage": "Vote"}})
    assert plain.status_code == 409


def test_a_document_is_not_copied_whole_into_the_audit_log(browser: Browser) -> None:
    long = CSV + "".join(f"p{n},Person Number{n},p{n}@x.example,committer,2026-03-01\n" for n in range(100))
    assert confirm(browser, show(browser, "roster", **{**GIVEN, "text": long})).status_code == 200
    assert len(browser.audited[-1][2]["text"]) < 2_100


def test_people_have_the_form_for_whoever_may(parts: Parts) -> None:
    app = create_app(lambda: parts.store, clock=lambda: NOW, writing=writing_of("Ines"))
    page = html.fromstring(TestClient(app).get("/people").text)
    assert page.xpath("//form/@action") == ["./previews/roster", "./previews/roster-back"]


def test_done_links_to_what_changed_and_not_to_all_that_was_decided_with_it() -> None:
    decided = [Consequence(number=n, stage=Stage.VOTE if n != 3 else None, moved=n != 1) for n in (1, 2, 3)]
    for shown, linked in ((ShownStages.MOVED, [(2, "KIP-2")]), (ShownStages.ALL, [(1, "KIP-1"), (2, "KIP-2")])):
        assert find_links(Done(said="x", consequences=tuple(decided), shown=shown), "KIP") == linked
