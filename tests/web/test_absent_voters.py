"""Who still has to vote, as the board shows it beside a vote that runs."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from kipflow.cli import run
from kipflow.services.board import MissingVoters
from kipflow.wiring import Parts
from tests.web.asked import MAIL, NOW, T0
from tests.web.test_board_rulings import page, rule

SUBJECT = "[VOTE] KIP-8: Wider shelves"
KIM, MARA = "Kim Osei <kosei@apache.org>", "Mara Lind <mlind@apache.org>"


def receive(folder: Path, sender: str, stem: str, words: str) -> None:
    answers = "" if stem == "open" else "In-Reply-To: <open@m.example>\n"
    subject = SUBJECT if stem == "open" else f"Re: {SUBJECT}"
    text = MAIL.format(sender=sender, stem=stem, subject=subject, words=words, answers=answers, hour=20)
    (folder / f"{stem}.eml").write_text(text, encoding="utf-8")
    assert run(["ingest", str(folder / f"{stem}.eml")]) == 0
    assert run(["advance", "--as-of", "2026-03-13"]) == 0


def test_binding_voters_of_late_who_have_not_voted_are_named_beside_the_vote(parts: Parts, tmp_path: Path) -> None:
    receive(tmp_path, MARA, "open", "Please vote.")
    receive(tmp_path, KIM, "one", "+1 (binding)")
    assert parts.store.absent(NOW, (7, 8))[8].unvoted == ("Mara Lind", "Rune Berg"), "who voted last comes first"
    said = "Not voted yet, of those who vote at present: Mara Lind, Rune Berg"
    assert said in page(parts, "/proposals/8")
    assert said in page(parts, "/")
    assert parts.store.absent(NOW, (7, 8))[7] == MissingVoters(), "all of them voted there"


def test_whose_vote_is_asked_about_stands_apart_from_those_who_have_not_voted(parts: Parts, tmp_path: Path) -> None:
    receive(tmp_path, KIM, "open", "Please vote.")
    receive(tmp_path, MARA, "two", "+1 (binding) if somebody writes the guide")
    receive(tmp_path, "Rune Berg <rune@new.example>", "three", "+1 (binding)")
    found = parts.store.absent(NOW, (8,))[8]
    assert found == MissingVoters(unvoted=("Kim Osei",), asked=("Mara Lind", "Rune Berg"))
    assert "Asked about, whether they voted: Mara Lind, Rune Berg" in page(parts, "/proposals/8")
    rune = parts.store.find_person("rberg", NOW)
    assert rune is not None
    assert [row.number for row in rune.unvoted] == [], "it waits for whoever is asked, not for them"
    assert "who is the sender" in page(parts, "/review")


def test_who_has_not_voted_for_half_a_year_is_not_waited_for(parts: Parts, tmp_path: Path) -> None:
    receive(tmp_path, MARA, "open", "Please vote.")
    assert parts.store.absent(T0 + timedelta(days=400), (7, 8)) == {7: MissingVoters(), 8: MissingVoters()}


def test_a_proposal_that_is_in_no_vote_waits_for_nobody(parts: Parts) -> None:
    rule("stage", "7", "Discarded")
    assert parts.store.absent(NOW, (7, 8)) == {}
    assert parts.store.absent(NOW, (7,)) == {}


def test_the_first_page_names_what_to_settle_first(parts: Parts) -> None:
    assert "KIP-7 are K. Osei <kim@home.example> and Kim Osei <kosei> the same person?" in page(parts, "/")
