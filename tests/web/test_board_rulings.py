"""What the board shows of rulings: who said what and why, whether it still holds, and how to settle what is open."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from pathlib import Path

from fastapi.testclient import TestClient
from lxml import html

from kipflow.cli import run
from kipflow.domain.decisions import ReviewItem
from kipflow.services.settling import find_commands
from kipflow.web.app import create_app
from kipflow.web.render import Masthead
from kipflow.wiring import Parts
from tests.web.asked import MAIL, NOW


def page(parts: Parts, path: str) -> str:
    answer = TestClient(create_app(lambda: parts.store, clock=lambda: NOW)).get(path)
    assert answer.status_code == 200
    assert "<b>Osei" not in answer.text, "a sender's name is text"
    return " ".join(html.fromstring(answer.text).text_content().split())


def rule(*words: str, by: str = "Ines") -> None:
    assert run(["review", *words, "--by", by, "--reason", "asked <both>", "--as-of", "2026-03-13"]) == 0


def test_a_pair_that_may_be_one_person_is_shown_with_what_depends_on_it_and_how_to_settle_it(parts: Parts) -> None:
    for path in ("/review", "/proposals/7"):
        text = page(parts, path)
        assert (
            "are K. Osei <kim@home.example> and Kim Osei <kosei> the same person? (initials of the same name)" in text
        )
        assert "if one person: falls short with +2 -1" in text
        assert """kipflow review merge kim@home.example kosei --reason "…\"""" in text
        assert """kipflow review split kim@home.example kosei --reason "…\"""" in text


def test_a_command_that_is_shown_names_the_community_of_its_board(parts: Parts) -> None:
    masthead = Masthead(program="kipflow -C kafka")
    app = create_app(lambda: parts.store, clock=lambda: NOW, masthead=lambda: masthead)
    assert "kipflow -C kafka review merge kim@home.example kosei" in TestClient(app).get("/review").text


def test_a_merge_stands_in_the_timeline_and_among_who_is_who_until_it_is_revoked(parts: Parts) -> None:
    rule("merge", "kim@home.example", "kosei")
    said = "Ines ruled: one person: kim@home.example = kosei (ruling 1) asked <both>"
    assert said in page(parts, "/proposals/7")
    assert "ruled to be one person by Ines: asked <both>" in page(parts, "/proposals/7"), "its ballot says so"
    assert "one person ruling 1 by Ines" in page(parts, "/review")
    rule("revoke", "1", by="Otto")
    assert "(revoked by Otto on 2026-03-13 00:00 UTC: asked <both>)" in page(parts, "/proposals/7")
    assert "Who is who" not in page(parts, "/review")


def test_other_programs_get_questions_and_rulings_as_json(parts: Parts) -> None:
    board = TestClient(create_app(lambda: parts.store, clock=lambda: NOW))
    asked = board.get("/api/review").json()["review"]
    assert {row["item"]["kind"] for row in asked} == {"identity"}
    rule("merge", "kim@home.example", "kosei")
    [said] = board.get("/api/proposals/7").json()["proposal"]["rulings"]
    assert (said["kind"], said["target"], said["author"]) == ("merge", "kim@home.example = kosei", "Ines")


def test_senders_who_only_claim_to_be_somebody_are_listed_with_what_speaks_for_them(
    parts: Parts, tmp_path: Path
) -> None:
    claim = {"sender": "Rune Berg <rune@home.example>", "stem": "q", "subject": "Re: [VOTE] KIP-7: Tidy shelves"}
    mail = MAIL.format(**claim, words="-1", hour=20, answers="In-Reply-To: <root@m.example>\n")
    (tmp_path / "q.eml").write_text(mail, encoding="utf-8")
    assert run(["ingest", str(tmp_path / "q.eml")]) == 0
    assert run(["advance", "--as-of", "2026-03-13"]) == 0
    text = page(parts, "/review")
    assert "Senders not proven 1" in text
    assert "1. Rune Berg rune@home.example Rune Berg rberg KIP-7 -1 20" in text
    for shown in (text, page(parts, "/proposals/7")):
        assert "no receiving host recorded whether the sender's domain is authentic" in shown
        assert "q.eml#0" in shown
        assert """kipflow review sender rune@home.example rberg --reason "…\"""" in shown
    assert "name only" in page(parts, "/proposals/7")
    board = TestClient(create_app(lambda: parts.store, clock=lambda: NOW))
    [row] = board.get("/api/review").json()["senders"]
    assert (row["sender"], row["person"], row["mails"]) == ("rune@home.example", "rberg", 1)


def test_a_line_that_is_no_vote_is_listed_with_the_reason_why(parts: Parts) -> None:
    client = TestClient(create_app(lambda: parts.store, clock=lambda: datetime.now(UTC)))  # as it reads the mail
    shown = " ".join(html.fromstring(client.get("/proposals/7").text).text_content().split())
    assert "1 line not counted as a vote: why Mara Lind: counts votes, casts none" in shown
    assert "We have two more +1 by now & <i>wait</i> for a third. rule counted" in shown
    [found] = client.get("/api/proposals/7").json()["passed_over"]
    assert (found["rule"], found["message_id"]) == ("counted", "<t@m.example>")


def test_an_override_and_its_restoring_show_who_and_why(parts: Parts) -> None:
    rule("stage", "7", "Discarded")
    rule("restore", "7", by="Otto")
    shown = page(parts, "/proposals/7")
    assert "Ines ruled: stage Discarded (ruling 1) asked <both>" in shown
    assert "Otto ruled: restore the stage before (ruling 2) asked <both>" in shown


def test_the_command_that_is_shown_is_safe_to_paste() -> None:
    item = ReviewItem(kind="identity", subject="a'; reboot #@x.example = kosei", question="?")
    merge, _ = find_commands(7, item)
    words = ["kipflow", "review", "merge", "a'; reboot #@x.example", "kosei", "--reason", "…"]
    assert shlex.split(merge, comments=True) == words
    ballot = ReviewItem(kind="ballot", subject="<$(reboot)@x.example>", question="?")
    [command] = find_commands(7, ballot)
    assert shlex.split(command)[2:6] == ["ballot", "7", "<$(reboot)@x.example>", "CHOICE"]
    assert command.endswith("# CHOICE: +1, 0, -1 or none")


def test_an_address_that_looks_like_an_option_is_none_in_the_command_that_is_shown() -> None:
    item = ReviewItem(kind="identity", subject="--as-of@x.example = kosei", question="?")
    words = ["kipflow", "review", "merge", "--reason", "…", "--", "--as-of@x.example", "kosei"]
    assert shlex.split(find_commands(7, item)[0], comments=True) == words


def test_a_question_about_a_page_names_the_command_that_settles_it() -> None:
    item = ReviewItem(kind="page", subject="70@2", question="do the votes hold?")
    assert find_commands(7, item) == (
        'kipflow review page 7 hold --reason "…"  # the votes hold',
        'kipflow review page 7 recast --reason "…"  # they must be cast again',
    )
