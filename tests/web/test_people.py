"""Pages of people: whom the roster knows, what each has done, and what waits for whoever is signed in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from lxml import html

from kipflow.config.loading import find_faults, find_roster, load_community
from kipflow.domain.errors import ConfigError
from kipflow.services.desk import ActContext
from kipflow.services.who_is_who import accept_sender
from kipflow.web.app import create_app
from kipflow.wiring import Parts, open_desk
from tests.web.community import NOW
from tests.web.story import connect_board, store_story, write_config


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    connected = connect_board(tmp_path_factory.mktemp("people"))
    store_story(connected)
    yield connected
    connected.store.close()


def read(parts: Parts, path: str, *, me: str = "") -> str:
    app = create_app(lambda: parts.store, clock=lambda: NOW, find_me=lambda _: me)
    answer = TestClient(app).get(path)
    assert answer.status_code == 200
    assert "<b>Haddad" not in answer.text
    return " ".join(" ".join(html.fromstring(answer.text).itertext()).split())


def test_people_are_listed_with_roles_and_how_often_they_voted(parts: Parts) -> None:
    text = read(parts, "/people")
    assert "Its source: the board's own list, as of 2026-03-01. 1 vote opened within a year." in text
    assert "Wei Anan wei pmc 1 of 1 1" in text
    assert "Noor <b>Haddad</b> noor pmc 0 of 1 0 none seen" in text
    assert "Dario Mele dario pmc 0 of 1 0 none seen" in text, "a vote that is asked about does not count yet"


def test_a_person_has_roles_over_time_with_their_source(parts: Parts) -> None:
    text = read(parts, "/people/noor")
    assert "pmc since 2024-05-01 committer since 2020-01-01 until 2024-05-01" in text
    assert "Source: the board's own list, as of 2026-03-01" in text


def test_a_vote_waits_for_whoever_has_not_voted_and_for_nobody_else(parts: Parts) -> None:
    assert "Waiting for you Votes under way without a vote of yours" in read(parts, "/people/noor", me="noor")
    for who in ("wei", "dario"):
        assert "without a vote" not in read(parts, f"/people/{who}")


def test_questions_about_a_persons_votes_and_proposals_wait_for_them(parts: Parts) -> None:
    assert "+1 if the default stays at one" in read(parts, "/people/dario")
    assert "Open questions" in read(parts, "/people/dario")
    assert "Open questions" not in read(parts, "/people/wei")


def test_a_persons_addresses_say_by_whose_word_they_are_theirs(parts: Parts) -> None:
    context = ActContext(author="Ines", reason="asked <her>", at=NOW)
    accept_sender(open_desk(parts), "mallory@people.example", "noor", context)
    text = read(parts, "/people/noor")
    assert "mallory@people.example ruling 1 by Ines: asked <her>" in text
    assert "wei@people.example in the roster; 1 ballot" in read(parts, "/people/wei")


def test_who_is_signed_in_finds_what_waits_for_them(parts: Parts) -> None:
    assert "Noor <b>Haddad</b> that is you" in read(parts, "/me", me="noor")
    assert "Nobody has said yet who you are" in read(parts, "/me")
    assert " You " not in read(parts, "/people")


def test_programs_read_the_same(parts: Parts) -> None:
    client = TestClient(create_app(lambda: parts.store, clock=lambda: NOW))
    people = client.get("/api/people").json()["people"]
    assert [row["person"]["id"] for row in people["rows"]] == ["ines", "wei", "dario", "noor"]
    wei = client.get("/api/people/wei").json()["person"]
    [cast] = wei["ballots"]
    assert (cast["key"], cast["ballot"]["choice"], cast["ballot"]["binding"]) == ("KIP-7", "+1", True)
    assert client.get("/api/people/nobody").status_code == 404


def test_an_account_is_somebody_of_the_roster_or_the_file_is_refused(tmp_path: Path) -> None:
    config = write_config(tmp_path / "config")
    assert load_community("board", config).users == {"viewer": "noor"}
    file = config / "communities" / "board.yaml"
    file.write_text(file.read_text().replace("viewer: noor", "viewer: nor"))
    with pytest.raises(ConfigError, match=r"users\.viewer.*'nor': did you mean noor\?"):
        find_roster(load_community("board", config), config)
    assert [fault.key for fault in find_faults("board", config)] == ["users.viewer"]
