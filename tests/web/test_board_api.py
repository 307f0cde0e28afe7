"""The board's JSON: the pages' values for scripts."""

from __future__ import annotations

from fastapi.testclient import TestClient


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
