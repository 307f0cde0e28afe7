"""Pages for a person, and what outlives a restart."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from kipflow.sandbox import __main__ as program
from kipflow.sandbox.markup import render_storage
from kipflow.sandbox.people import render_roster
from kipflow.sandbox.plans import EXPECTED

CONTENT = "/confluence/rest/api/content"


class Balance(HTMLParser):
    """Complains about tags that are closed in the wrong order or never."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in {"br", "hr", "meta", "link", "input"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def is_balanced(html: str) -> bool:
    balance = Balance()
    balance.feed(html)
    return not balance.open


@pytest.mark.parametrize("path", ["/", "/wiki/1000", "/wiki/2061", "/wiki/2061?version=1", "/list", "/slack"])
def test_a_page_answers_well_formed_and_without_scripts(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert is_balanced(answer.text)
    assert "<script" not in answer.text
    assert "script-src" not in answer.headers["content-security-policy"]


def test_the_overview_shows_what_every_proposal_is_there_for(client: TestClient) -> None:
    text = client.get("/").text
    assert all(f"KIP-{number}<" in text for number in EXPECTED)


def test_the_wiki_leads_from_its_start_to_a_proposal(client: TestClient) -> None:
    assert "KIP round-up" in client.get("/wiki/").text
    title = "KIP-86 - Rotate certificates without a restart"
    assert "the network layer" in client.get("/wiki/", params={"title": title}).text


@pytest.mark.parametrize(("page_id", "status"), [("2105", 403), ("2106", 404), ("none", 404)])
def test_a_page_that_may_not_be_seen_says_so(client: TestClient, page_id: str, status: int) -> None:
    assert client.get(f"/wiki/{page_id}").status_code == status


def test_a_page_of_broken_markup_is_shown_without_breaking_the_frame(client: TestClient) -> None:
    text = client.get("/wiki/2104").text
    assert "cost &amp; gain" in text
    assert is_balanced(text)


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        '<p onclick="alert(1)">x</p>',
        '<a href="javascript:alert(1)">x</a>',
        '<ac:structured-macro ac:name="status"><ac:parameter ac:name="title"><![CDATA[<img src=x>]]></ac:parameter>',
        "</article></main><iframe src=x>",
        '<ri:page ri:content-title="&quot;><img src=x onerror=alert(1)>" />',
        "<html><head><script>alert(1)</script></head></html>",
        "<!doctype html>",
        "<html",
        "</body><img src=x>",
        "<frameset><frame src=x></frameset>",
        "<?xml version='1.0' encoding='utf-8'?><script>alert(1)</script>",
        "\x00<script>alert(1)</script>",
        "<ul><li>" * 400 + "<script>alert(1)</script>",
    ],
)
def test_hostile_wiki_text_stays_text(hostile: str) -> None:
    shown = render_storage(hostile).lower()
    for danger in ("<script", "onclick", "javascript:", "<img", "<iframe", "</article"):
        assert danger not in shown


def test_a_page_leads_to_its_proposals_mails(client: TestClient) -> None:
    assert 'href="/list?about=KIP-86"' in client.get("/wiki/2086").text
    mails = client.get("/list", params={"about": "KIP-86"}).text
    assert "[VOTE] KIP-86" in mails
    assert "KIP-80" not in mails


def test_the_roster_is_served_as_it_stands_in_the_configuration(client: TestClient) -> None:
    assert client.get("/roster.yaml").text == render_roster()


def test_health_answers_with_the_sandboxs_time(client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "ok", "now": "2026-03-18T09:30:00.000Z"}


# -- restarts --------------------------------------------------------------------------------------


def save_index(client: TestClient, body: str) -> int:
    page = client.get(f"{CONTENT}/1000", params={"expand": "version"}).json()
    content = {"version": {"number": page["version"]["number"] + 1}, "body": {"storage": {"value": body}}}
    return int(client.put(f"{CONTENT}/1000", json=content).json()["version"]["number"])


def test_what_visitors_did_outlives_a_restart(make_client: Callable[..., TestClient], tmp_path: Path) -> None:
    first = make_client(memory=tmp_path / "memory.json")
    number = save_index(first, "<p>kept</p>")
    first.post(
        CONTENT, json={"title": "KIP-108: New", "ancestors": [{"id": "1000"}], "body": {"storage": {"value": "x"}}}
    )
    message = {"channel": "#proposals", "text": "still here"}
    first.post("/slack/api/chat.postMessage", json=message, headers={"Authorization": "Bearer xoxb-x"})

    second = make_client(memory=tmp_path / "memory.json")
    page = second.get(f"{CONTENT}/1000", params={"expand": "version,body.storage"}).json()
    assert (page["version"]["number"], page["body"]["storage"]["value"]) == (number, "<p>kept</p>")
    assert second.get(CONTENT, params={"title": "KIP-108: New"}).json()["size"] == 1
    assert "still here" in second.get("/slack").text
    older = second.get(
        f"{CONTENT}/1000", params={"status": "historical", "version": number - 1, "expand": "body.storage"}
    )
    assert "KIP round-up" in older.json()["body"]["storage"]["value"]


def test_a_time_that_was_pushed_forward_outlives_a_crash(
    make_client: Callable[..., TestClient], tmp_path: Path
) -> None:
    first = make_client(memory=tmp_path / "memory.json")
    pushed = first.post("/clock", json={"advance": "9 days"}).json()["now"]
    assert make_client(memory=tmp_path / "memory.json").get("/clock").json()["now"] >= pushed


def test_without_a_memory_a_restart_starts_afresh(make_client: Callable[..., TestClient]) -> None:
    number = save_index(make_client(), "<p>gone</p>")
    page = make_client().get(f"{CONTENT}/1000", params={"expand": "version"}).json()
    assert page["version"]["number"] == number - 1


def test_a_damaged_memory_is_refused_with_its_name(make_client: Callable[..., TestClient], tmp_path: Path) -> None:
    (tmp_path / "memory.json").write_text('{"pages": [], "posts": 3}')
    with pytest.raises(ValueError, match=r"memory\.json is not a sandbox's memory"):
        make_client(memory=tmp_path / "memory.json")


# -- the program -----------------------------------------------------------------------------------


def test_a_wrong_fault_ends_the_program_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["--faults", "explode"]) == 2
    assert capsys.readouterr().err.startswith("sandbox: a fault starts with one of")


def test_a_wrong_moment_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        program.main(["--now", "tomorrow"])
    assert "ISO 8601" in capsys.readouterr().err
