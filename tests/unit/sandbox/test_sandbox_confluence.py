"""The wiki's endpoints have Confluence's shapes and manners."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from starlette.testclient import TestClient

from kipflow.domain.pages import WikiPage
from kipflow.sandbox.plans import EXPECTED
from kipflow.wiki.index_reading import parse_index_page
from kipflow.wiki.pages import parse_page

CONTENT = "/confluence/rest/api/content"
ALL = "body.storage,version,metadata.labels"


def read(client: TestClient, page_id: str, **params: Any) -> dict[str, Any]:
    answer = client.get(f"{CONTENT}/{page_id}", params={"expand": ALL, **params})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def save(client: TestClient, page: dict[str, Any], body: str, *, number: int | None = None) -> Any:
    content = {
        "type": "page",
        "title": page["title"],
        "version": {"number": number or page["version"]["number"] + 1, "message": "test"},
        "body": {"storage": {"value": body, "representation": "storage"}},
    }
    return client.put(f"{CONTENT}/{page['id']}", json=content, headers={"Authorization": "Bearer sandbox"})


def test_a_page_shows_only_the_parts_that_are_asked_for(client: TestClient) -> None:
    bare = client.get(f"{CONTENT}/2061").json()
    assert bare["title"] == "KIP-61 - Release buffers of idle producers"
    assert not {"body", "version", "metadata"} & set(bare)
    full = read(client, "2061")
    assert full["body"]["storage"]["representation"] == "storage"
    assert full["version"]["by"]["displayName"] == "Ines Amaro"
    assert full["metadata"]["labels"]["results"][0]["name"] == "kip"


def test_every_version_of_a_page_can_be_read(client: TestClient) -> None:
    newest = read(client, "2066")
    states = [read(client, "2066", status="historical", version=n) for n in range(1, newest["version"]["number"] + 1)]
    assert [s["version"]["number"] for s in states] == [1, 2, 3, 4]
    assert [word in s["body"]["storage"]["value"] for s, word in zip(states, STATES, strict=True)] == [True] * 4
    assert [s["version"]["when"] for s in states] == sorted(s["version"]["when"] for s in states)


STATES = ("Draft", "Under Discussion", "Voting", "Accepted")


def test_a_version_that_never_was_is_not_found(client: TestClient) -> None:
    params = {"status": "historical", "version": 99}
    assert client.get(f"{CONTENT}/2066", params=params).status_code == 404


def test_children_come_in_pages_with_a_link_to_the_next(client: TestClient) -> None:
    ids, path = list[str](), f"{CONTENT}/1000/child/page?limit=20&expand=version"
    while path:
        answer = client.get(path).json()
        assert answer["size"] == len(answer["results"]) <= 20
        ids += [child["id"] for child in answer["results"]]
        following = answer["_links"].get("next")
        path = f"{answer['_links']['context']}{following}" if following else ""
    assert len(ids) == len(set(ids)) == len(EXPECTED) + 2


def test_a_restricted_page_is_listed_and_refused(client: TestClient) -> None:
    answer = client.get(f"{CONTENT}/2105")
    assert answer.status_code == 403
    assert answer.json()["statusCode"] == 403


def test_a_deleted_page_is_not_found(client: TestClient) -> None:
    assert client.get(f"{CONTENT}/2106").status_code == 404


def test_saving_the_next_version_works_once(client: TestClient) -> None:
    page = read(client, "1000")
    first, second = save(client, page, "<p>mine</p>"), save(client, page, "<p>too late</p>")
    assert first.status_code == 200
    assert first.json()["version"] == {**first.json()["version"], "number": page["version"]["number"] + 1}
    assert second.status_code == 409
    assert "Version must be incremented" in second.json()["message"]
    assert read(client, "1000")["body"]["storage"]["value"] == "<p>mine</p>"


def test_skipping_a_version_is_a_conflict_too(client: TestClient) -> None:
    page = read(client, "1000")
    assert save(client, page, "<p>x</p>", number=page["version"]["number"] + 2).status_code == 409


def test_a_save_without_a_body_is_refused(client: TestClient) -> None:
    answer = client.put(f"{CONTENT}/1000", json={"version": {"number": 1}})
    assert answer.status_code == 400


def test_a_page_that_a_visitor_keeps_is_left_alone_by_the_story(client: TestClient) -> None:
    page = read(client, "2080")
    save(client, page, "<p>kept</p>")
    client.post("/clock", json={"advance": "5 days"})
    assert read(client, "2080")["body"]["storage"]["value"] == "<p>kept</p>"


def test_a_page_changes_when_its_time_has_come(client: TestClient) -> None:
    before = read(client, "2080")["version"]["number"]
    client.post("/clock", json={"advance": "2 days"})
    after = read(client, "2080")
    assert after["version"]["number"] == before + 1
    assert "Accepted" in after["body"]["storage"]["value"]


def test_a_page_changed_after_its_vote_had_opened(client: TestClient) -> None:
    page = read(client, "2092")
    assert page["version"]["message"].startswith("Raise transaction.dedupe.window.ms")
    earlier = read(client, "2092", status="historical", version=page["version"]["number"] - 1)
    assert "300000" not in earlier["body"]["storage"]["value"]
    assert "300000" in page["body"]["storage"]["value"]


def test_a_new_page_can_be_created_and_found_by_its_title(client: TestClient) -> None:
    content = {
        "type": "page",
        "title": "KIP-108: Something new",
        "ancestors": [{"id": "1000"}],
        "body": {"storage": {"value": "<p>new</p>", "representation": "storage"}},
    }
    made = client.post(CONTENT, json=content)
    assert made.status_code == 200
    assert read(client, made.json()["id"])["version"]["number"] == 1
    found = client.get(CONTENT, params={"title": "KIP-108: Something new"}).json()
    assert [p["id"] for p in found["results"]] == [made.json()["id"]]
    assert client.post(CONTENT, json=content).status_code == 400


def test_a_conflict_on_request_is_somebody_elses_save(make_client: Callable[..., TestClient]) -> None:
    client = make_client(faults="conflict /confluence")
    page = read(client, "1000")
    assert save(client, page, "<p>mine</p>").status_code == 409
    newer = read(client, "1000")
    assert "Edited meanwhile" in newer["body"]["storage"]["value"]
    assert save(client, newer, "<p>mine</p>").status_code == 200


def test_the_index_page_holds_every_section_and_prose(client: TestClient) -> None:
    page = read(client, "1000")
    index = parse_index_page(page["body"]["storage"]["value"], "KIP", datetime_of(page))
    numbers = [entry.number for entry in index.entries]
    assert index.next_number == 108
    assert numbers.count(4) == 2
    assert set(EXPECTED) <= set(numbers)
    assert {e.section for e in index.entries} == {"accepted", "discussion", "dormant", "discarded"}
    assert {(e.number, e.in_progress) for e in index.entries} >= {(63, True), (61, False)}
    assert {e.number: e.release for e in index.entries}[61] == "3.1.0"
    for prose in ("KIP Discussion Recordings", "three binding +1 &amp; more", "Please keep this page in order &ndash;"):
        assert prose in page["body"]["storage"]["value"]


def test_rows_of_the_index_separate_number_and_title_in_five_ways(client: TestClient) -> None:
    body = read(client, "1000")["body"]["storage"]["value"]
    for written in ("KIP-4 - ", "KIP-23: ", "KIP-17 P", "KIP-38- Q", ",,, (WIP)"):
        assert written in body


def test_the_status_of_pages_is_written_in_different_ways(client: TestClient) -> None:
    bodies = {n: read(client, str(2000 + n))["body"]["storage"]["value"] for n in (61, 62, 69, 78, 98, 103)}
    assert 'ac:name="status"' in bodies[61]
    assert "Accepted Adopted (3.1.0)" in bodies[62]
    assert "<em>Accepted</em>" in bodies[69]
    assert "Not accepted" in bodies[78]
    assert "Superseded by KIP-80" in bodies[98]
    assert "[One of &quot;Under Discussion&quot;" in bodies[103]


def test_pages_are_read_by_kipflow_as_they_are_meant(client: TestClient) -> None:
    def status(number: int) -> str:
        page = read(client, str(2000 + number))
        body = page["body"]["storage"]["value"]
        raw = WikiPage(
            page_id=page["id"], version=1, title=page["title"], body=body, saved_at=datetime_of(page), saved_by="x"
        )
        version = parse_page(raw, "KIP")
        assert version.number == number
        return version.status

    assert [status(n) for n in (61, 78, 91, 97, 98, 99, 102, 103)] == [
        "accepted", "rejected", "accepted", "discarded", "discarded", "discarded", "draft", "template",
    ]  # fmt: skip


def datetime_of(page: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(page["version"]["when"])


@pytest.mark.parametrize("number", [66, 70, 84, 92, 104])
def test_every_proposals_page_has_the_templates_sections(client: TestClient, number: int) -> None:
    body = read(client, str(2000 + number))["body"]["storage"]["value"]
    for section in (
        "Status",
        "Motivation",
        "Public Interfaces",
        "Proposed Changes",
        "Test Plan",
        "Rejected Alternatives",
    ):
        assert f"<h1>{section}" in body
