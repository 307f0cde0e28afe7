"""A page that changed in substance after people voted: from the mails to the ruling, by the commands."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from kipflow.cli import run
from kipflow.config.settings import read_settings
from kipflow.services.ports import WikiPage
from kipflow.wiki.pages import parse_page
from kipflow.wiki.substance import read_substance
from kipflow.wiring import connect
from tests.living import build_mail, live_in

COMMUNITY = """
    name: shelves
    title: Shelves
    prefix: KIP
    lists: [dev@shelves.example]
    roster: rosters/shelves.yaml
    policy:
      source: invented
      binding_roles: [committer]
      quorum: 1
      voting_period: 72 hours
      page_changes: ask
"""
ROSTER = """
    people:
      - id: mara
        name: Mara Lind
        emails: [mara@lind.example]
        roles: [{role: committer}]
"""
BEFORE = "<h1>Status</h1><p>Current state: Voting</p><h1>Proposed Changes</h1><p>The shelves are painted green.</p>"
AFTER = BEFORE.replace("green", "red, and every second one is removed")


def write_mail(folder: Path, subject: str, at: datetime, text: str, *, replies_to: str = "") -> None:
    name, who = f"{at:%m%d%H}", ("Mara Lind <mara@lind.example>", "dev@shelves.example")
    answers = f"{replies_to}@mail.example" if replies_to else ""
    mail = build_mail(f"{name}@mail.example", *who, at, subject, text, answers=answers)
    (folder / f"{name}.eml").write_bytes(mail)


def march(day: int) -> datetime:
    return datetime(2026, 3, day, tzinfo=UTC)


def save_page(version: int, body: str, at: datetime) -> None:
    parts = connect(read_settings())
    parts.store.migrate()
    raw = WikiPage(
        page_id="70", version=version, title="KIP-7: Shelves", body=body, saved_at=at, saved_by="Ann", labels=()
    )
    page = parse_page(raw, "KIP")
    with parts.store.begin() as session:
        before = session.pages.find_text("70", version - 1)
        session.pages.save_version(replace(page, substance=read_substance(body, before=before)), seen_at=at)
    parts.store.close()


@pytest.fixture
def changed_after_the_vote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """KIP-7 was voted on from 9 March on, its page changed on the 10th, its result was announced on the 13th."""
    config = tmp_path / "config"
    for name, text in {"communities/shelves.yaml": COMMUNITY, "rosters/shelves.yaml": ROSTER}.items():
        path = config / name
        path.parent.mkdir(parents=True)
        path.write_text(dedent(text), encoding="utf-8")
    live_in(monkeypatch, tmp_path / "home", community="shelves", config=config)
    mails = tmp_path / "mails"
    mails.mkdir()
    write_mail(mails, "[DISCUSS] KIP-7: Shelves", march(2), "Please have a look.")
    write_mail(mails, "[VOTE] KIP-7: Shelves", march(8), "Please vote.")
    write_mail(mails, "Re: [VOTE] KIP-7: Shelves", march(9), "+1 (binding)", replies_to="030800")
    write_mail(mails, "[RESULT] [VOTE] KIP-7: Shelves", march(13), "The vote passes with 1 binding +1.")
    # nothing is accepted beyond the time up to which the archive was read
    write_mail(mails, "Paint is on sale", march(20), "Green only.")
    assert run(["ingest", str(mails), "--complete-through", "2026-03-31"]) == 0
    save_page(1, BEFORE, march(1))
    save_page(2, AFTER, march(10))
    assert run(["advance", "--as-of", "2026-03-14"]) == 0
    capsys.readouterr()


def reported_status(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert run(["status", "7", "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.usefixtures("changed_after_the_vote")
def test_a_passed_vote_waits_until_a_person_says_that_the_votes_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert reported_status(capsys)["stage"] == "Vote"

    assert run(["review", "--format", "json"]) == 1
    (question,) = json.loads(capsys.readouterr().out)
    assert "Proposed Changes" in json.dumps(question)
    hold, recast = question["settle"].splitlines()
    assert hold.startswith("kipflow -C shelves review page 7 hold --reason ")
    assert recast.startswith("kipflow -C shelves review page 7 recast --reason ")
    assert question["both_ways"] == [
        "if they hold: it passes with +1 -0; the proposal is Accepted",
        "if they must be cast again: it falls short with +0 -0, and the voting period begins anew",
    ]

    assert run(["diff", "7", "--since", "vote", "--format", "csv"]) == 0
    assert 'Proposed Changes,added,yes,"The shelves are painted red' in capsys.readouterr().out

    ruling = ["review", "page", "7", "--by", "ann", "--reason", "the voters agree", "--as-of", "2026-03-15"]
    assert run(ruling) == 0
    run(["advance", "--as-of", "2026-03-15"])
    capsys.readouterr()
    assert reported_status(capsys)["stage"] == "Accepted"
    assert run(["review"]) == 0
    capsys.readouterr()
    assert run(["review", "page", "7", "--by", "bo", "--reason", "me too", "--as-of", "2026-03-16"]) == 0
    assert "ruling 1 says so already" in capsys.readouterr().out


@pytest.mark.usefixtures("changed_after_the_vote")
def test_a_ruling_on_a_page_that_is_taken_back_asks_again(capsys: pytest.CaptureFixture[str]) -> None:
    page = ["review", "page", "7", "--by", "ann", "--reason", "the voters agree", "--as-of", "2026-03-15"]
    assert run(page) == 0
    capsys.readouterr()
    assert run(["review", "rulings", "7", "--format", "json"]) == 0
    (ruling,) = json.loads(capsys.readouterr().out)
    revoke = ["review", "revoke", str(ruling["id"]), "--by", "ann", "--reason", "they do not", "--as-of", "2026-03-16"]
    assert run(revoke) == 0
    run(["advance", "--as-of", "2026-03-16"])
    capsys.readouterr()
    assert run(["review", "--format", "json"]) == 1
    assert "Proposed Changes" in capsys.readouterr().out


@pytest.mark.usefixtures("changed_after_the_vote")
def test_votes_that_must_be_cast_again_count_from_the_change_on_in_the_same_thread(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recast = ["review", "page", "7", "recast", "--by", "ann", "--reason", "ask them", "--as-of", "2026-03-15"]
    assert run(recast) == 0
    assert "round 1: binding +1/0/-0: passed → binding +0/0/-0: open" in capsys.readouterr().out
    (vote,) = read_votes(capsys)
    assert (vote["outcome"], vote["earliest_close"][:10], vote["declared"]) == ("open", "2026-03-18", None)
    assert [(b["status"], "ruled by ann: ask them" in b["why"]) for b in vote["ballots"]] == [("void", True)]
    assert run(["review"]) == 0, "nothing is asked any more"
    assert run(["replay"]) == 0
    capsys.readouterr()
    assert run([*recast[:-1], "2026-03-16"]) == 0
    assert "ruling 1 says so already" in capsys.readouterr().out
    assert run(["review", "page", "7", "hold", "--by", "bo", "--reason", "they agree", "--as-of", "2026-03-16"]) == 2
    assert "ruling 1 by ann says of these votes: recast; revoke that one first" in capsys.readouterr().err

    write_mail(tmp_path / "mails", "Re: [VOTE] KIP-7: Shelves", march(16), "+1 (binding)", replies_to="030800")
    assert run(["ingest", str(tmp_path / "mails"), "--complete-through", "2026-03-31"]) == 0
    assert run(["advance", "--as-of", "2026-03-19"]) == 0
    capsys.readouterr()
    (vote,) = read_votes(capsys)
    assert (vote["outcome"], [b["status"] for b in vote["ballots"]]) == ("passed", ["void", "counted"])
    assert reported_status(capsys)["stage"] == "Vote", "what was announced before was of other votes"

    revoke = ["review", "revoke", "1", "--by", "ann", "--reason", "they agree after all", "--as-of", "2026-03-20"]
    assert run(revoke) == 0
    capsys.readouterr()
    (vote,) = read_votes(capsys)
    assert [b["status"] for b in vote["ballots"]] == ["counted", "void"], "the result closes it again"


def read_votes(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    votes: list[dict[str, Any]] = reported_status(capsys)["votes"]
    return votes


@pytest.mark.usefixtures("changed_after_the_vote")
def test_a_ruling_holds_for_the_page_as_it_stood_and_not_for_the_next_change(
    capsys: pytest.CaptureFixture[str],
) -> None:
    save_page(3, AFTER.replace("red", "blue and orange"), march(11))
    run(["advance", "--as-of", "2026-03-14"])
    page = ["review", "page", "7", "--by", "ann", "--reason", "the voters agree", "--as-of", "2026-03-15"]
    assert run(page) == 0
    capsys.readouterr()
    assert run(["review", "rulings", "7", "--format", "json"]) == 0
    assert "70@3" in capsys.readouterr().out


@pytest.mark.usefixtures("changed_after_the_vote")
def test_a_ruling_on_a_page_about_which_nothing_is_asked_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    save_page(3, BEFORE, march(11))
    run(["advance", "--as-of", "2026-03-14"])
    capsys.readouterr()
    assert run(["review", "page", "7", "--by", "ann", "--reason", "sure", "--as-of", "2026-03-15"]) == 2
    assert "nothing is asked about the page of KIP-7: its votes hold as they are" in capsys.readouterr().err
