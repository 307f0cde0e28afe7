"""The board's JSON: the pages' values for scripts."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

from fastapi.testclient import TestClient

from kipflow.domain.pages import CallNote, StatusWord
from kipflow.services.board import ProposalView
from kipflow.web.app import create_app
from tests.web.community import NOW, ago, facts, page
from tests.web.memory import MemoryBoard


def test_the_overview_gives_counts_by_stage(client: TestClient) -> None:
    answer = client.get("/api/overview").json()
    assert answer["schema"] == 1
    assert answer["as_of"] == "2026-03-18T14:20:00Z"
    assert answer["overview"]["stages"]["Discussion"] == 12


def test_a_proposal_gives_votes_with_ballots_terms_and_links(client: TestClient) -> None:
    proposal = client.get("/api/proposals/152").json()["proposal"]
    (state,) = proposal["votes"]
    assert state["outcome"] == "open"
    assert state["tally"]["binding"] == {"plus": 2, "zero": 0, "minus": 0}
    assert state["terms"]["earliest_close"] == "2026-03-19T04:20:00Z"
    ballot = state["vote"]["ballots"][0]
    assert (ballot["choice"], ballot["status"], ballot["binding"]) == ("+1", "counted", True)
    assert proposal["links"][ballot["message_id"]].startswith("https://lists.example/thread/")


def test_the_list_takes_the_pages_own_query(client: TestClient) -> None:
    answer = client.get("/api/proposals", params={"stage": "Vote", "sort": "close"}).json()
    assert answer["total"] == 5
    assert [row["key"] for row in answer["proposals"]][:2] == ["KIP-146", "KIP-149"]
    assert answer["proposals"][2]["clock"]["opened_at"] == "2026-03-16T04:20:00Z"


def test_review_unreadable_and_effects_are_there_too(client: TestClient) -> None:
    review = client.get("/api/review").json()
    assert [row["key"] for row in review["review"]] == ["KIP-152"]
    assert {row["key"] for row in review["drift"]} == {"KIP-146", "KIP-143"}
    assert client.get("/api/unreadable").json()["total"] == 3
    held = client.get("/api/effects", params={"status": "held"}).json()
    assert [row["key"] for row in held["effects"]] == ["index/2026-03-18"]


def test_every_mail_that_a_move_rests_on_has_its_link(client: TestClient) -> None:
    history = client.get("/api/proposals/143").json()["proposal"]["history"]
    cited = [e for r in history for e in r["transition"]["evidence"] if e["kind"] in {"message", "ballot"}]
    assert len(cited) > 3
    named = [e["url"] for e in cited if not e["ref"].startswith(("<143.cancel", "<143.result"))]
    assert all(url.startswith("https://lists.example/thread/143.") for url in named), named


def test_the_day_of_a_call_is_written_as_a_date() -> None:
    note = CallNote(number=152, call="The call of March", held_on=date(2026, 3, 2), url="", note="it is asked for")

    class Noted(MemoryBoard):
        def proposal(self, number: int, as_of: datetime) -> ProposalView:
            return replace(super().proposal(number, as_of), calls=(note,))

    board = Noted([facts(152, "Noted", created=ago(d=3))])
    answer = TestClient(create_app(lambda: board, clock=lambda: NOW)).get("/api/proposals/152").json()
    assert answer["proposal"]["calls"][0]["held_on"] == "2026-03-02"


def test_the_labels_of_a_page_are_there() -> None:
    saved = page(3, "Labelled", ago(d=2), 1, StatusWord.DISCUSSION, "Under Discussion")
    board = MemoryBoard([facts(3, "Labelled", created=ago(d=3), pages=[replace(saved, labels=("kip", "storage"))])])
    shown = TestClient(create_app(lambda: board, clock=lambda: NOW)).get("/api/proposals/3").json()
    assert shown["proposal"]["pages"][-1]["labels"] == ["kip", "storage"]
