"""Settling questions on the board: who may, what it changes, what is refused, and that nobody else's page can do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import urljoin

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from httpx import Response
from lxml import html

from kipflow.cli import run
from kipflow.domain.pages import IndexEntry
from kipflow.posted_forms import MAX_BODY
from kipflow.services.acts import ACTS
from kipflow.services.desk import Desk
from kipflow.services.ports.effects import WARNS, Effect
from kipflow.web.app import create_app
from kipflow.web.writing import MAX_AGE, Gate, WriteAccess
from kipflow.wiring import Parts, open_desk
from tests.web.asked import MAIL, NOW
from tests.web.test_board_rulings import rule

QUESTION = "are K. Osei <kim@home.example> and Kim Osei <kosei> the same person?"


@dataclass
class Browser:
    """A signed-in user's browser, and what the board wrote into the audit log."""

    client: TestClient
    audited: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list)

    def text(self, path: str) -> str:
        return _text(self.client.get(path))

    def find_form(self, path: str, button: str) -> tuple[str, dict[str, str]]:
        """Where a button of a page sends its form, and what it sends."""
        page = html.fromstring(self.client.get(path).text, base_url=f"http://testserver{path}")
        page.make_links_absolute()
        pressed = page.xpath(f"//button[normalize-space()='{button}']")[0]
        [form] = pressed.xpath("ancestor::form")
        values = {name: value or "" for name, value in form.fields.items()}
        if pressed.get("name"):
            values[pressed.get("name")] = pressed.get("value")
        return urljoin(f"http://testserver{path}", pressed.get("formaction") or form.get("action")), values

    def press(self, path: str, button: str, *, reason: str = "asked", **changed: str) -> Response:
        target, values = self.find_form(path, button)
        answer: Response = self.client.post(target, data={**values, "reason": reason, **changed})
        return answer


def _text(answer: Response) -> str:
    return " ".join(html.fromstring(answer.text).text_content().split())


@cache
def _board_of(user: str, may: bool) -> tuple[FastAPI, dict[str, Any]]:
    """A board for one user, made once, and what it is over: FastAPI takes longer to make one than a test to use it."""
    over: dict[str, Any] = {}
    writing = WriteAccess(
        desk=lambda: open_desk(over["parts"]),
        find_operator=lambda _: user if may else None,
        secret="s" * 40,
        audit=lambda *reported: over["audited"].append(reported),
    )
    return create_app(lambda: over["parts"].store, clock=lambda: NOW, writing=writing), over


def open_browser(parts: Parts, user: str = "Ines", *, may: bool = True) -> Browser:
    app, over = _board_of(user, may)
    over.update(parts=parts, audited=[])
    return Browser(TestClient(app), over["audited"])


@pytest.fixture
def browser(parts: Parts) -> Browser:
    return open_browser(parts)


def test_a_question_is_settled_on_the_page_with_its_consequence_and_can_be_taken_back(browser: Browser) -> None:
    assert QUESTION in browser.text("/review")
    done = browser.press("/review", "two people", reason="met <both>")
    assert done.status_code == 200
    assert "ruling 1 recorded" in _text(done)
    assert "KIP-7, round 1:" in _text(done), "the votes that count otherwise now"
    assert QUESTION not in browser.text("/review")
    assert "Ines ruled: two people: " in browser.text("/proposals/7")
    assert "met <both>" in browser.text("/proposals/7")
    back = browser.press("/proposals/7", "take it back", reason="wrong")
    assert "ruling 1 revoked" in _text(back)
    assert QUESTION in browser.text("/review")
    acts = [("Ines", "split"), ("Ines", "revoke")]
    assert [reported[:2] for reported in browser.audited] == acts
    assert browser.audited[0][2]["reason"] == "met <both>"
    assert "token" not in browser.audited[0][2]


def test_a_stage_is_set_and_the_newest_move_undone(browser: Browser) -> None:
    assert "KIP-7 is now: Discarded" in _text(browser.press("/proposals/7", "set the stage", stage="Discarded"))
    assert "is now: Discarded" not in _text(browser.press("/proposals/7", "undo the newest move"))
    assert browser.client.get("/api/proposals/7").json()["proposal"]["stage"] != "Discarded"


def test_what_a_proposal_touches_is_said_on_its_page_and_taken_back(browser: Browser) -> None:
    assert browser.press("/proposals/7", "set the interfaces", interfaces="protocol").status_code == 200
    [said] = browser.client.get("/api/proposals/7").json()["proposal"]["rulings"]
    assert (said["kind"], said["value"]) == ("care", {"interfaces": ["protocol"]})
    assert "ruling 1 revoked" in _text(browser.press("/proposals/7", "take it back", reason="wrong"))


def test_an_act_that_changes_no_count_says_so(browser: Browser) -> None:
    done = _text(browser.press("/proposals/7", "set the interfaces", interfaces="monitoring"))
    assert "KIP-7 stays in Vote, and nothing is counted otherwise" in done


def test_a_snooze_ends_on_the_day_that_was_chosen(browser: Browser) -> None:
    rule("stage", "7", "Discussion")
    day = f"{NOW + timedelta(days=50):%Y-%m-%d}"
    assert browser.press("/proposals/7", "snooze", until=day).status_code == 200
    [_, said] = browser.client.get("/api/proposals/7").json()["proposal"]["rulings"]
    assert said["value"] == {"until": f"{day}T00:00:00+00:00"}
    assert browser.press("/proposals/7", "snooze", until="2020-01-01").status_code == 409


def test_the_second_of_two_operators_learns_who_was_quicker(parts: Parts) -> None:
    ines, otto = open_browser(parts), open_browser(parts, "Otto")
    action, values = otto.find_form("/review", "one person")
    assert ines.press("/review", "two people").status_code == 200
    late = otto.client.post(action, data={**values, "reason": "sure"})
    assert late.status_code == 409
    assert "Nothing was changed: " in _text(late)
    assert "ruling 1 (Ines)" in _text(late)


def test_the_same_answer_twice_is_recorded_once(browser: Browser) -> None:
    action, values = browser.find_form("/review", "two people")
    for said in ("ruling 1 recorded", "ruling 1 says so already"):
        assert said in _text(browser.client.post(action, data={**values, "reason": "met both"}))


def test_an_outcome_needs_a_reason(browser: Browser) -> None:
    answer = browser.press("/review", "two people", reason="  ")
    assert (answer.status_code, QUESTION in browser.text("/review")) == (409, True)


def test_who_may_only_read_gets_commands_and_is_refused(parts: Parts) -> None:
    reader = open_browser(parts, may=False)
    shown = reader.client.get("/review").text
    assert "<form" not in shown
    assert "kipflow review merge" in shown
    token = Gate(writing_of("Ines")).find_operator(_no_request()).token
    answer = reader.client.post(
        "/acts/stage", data={"proposal": "7", "stage": "Accepted", "reason": "x", "token": token}
    )
    assert answer.status_code == 403
    assert "may read this board, but not settle anything" in _text(answer)
    sent = reader.client.post("/api/acts/stage", json={"values": {"proposal": 7, "stage": "Accepted"}, "reason": "x"})
    assert sent.status_code == 403
    assert reader.audited == []


def test_a_board_without_writing_has_no_address_that_changes_anything(parts: Parts) -> None:
    client = TestClient(create_app(lambda: parts.store, clock=lambda: NOW))
    for path in ("/acts/stage", "/api/acts/stage"):
        assert client.post(path, data={"proposal": "7"}).status_code in {404, 405}


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://testserver.evil.example"},
    ],
)
def test_a_page_of_another_site_changes_nothing(browser: Browser, headers: dict[str, str]) -> None:
    _, values = browser.find_form("/review", "two people")
    sent = browser.client.post("/acts/split", data={**values, "reason": "x"}, headers=headers)
    assert (sent.status_code, browser.audited) == (403, [])
    reported = browser.client.post(
        "/api/acts/restore", json={"values": {"proposal": 7}, "reason": "x"}, headers=headers
    )
    assert (reported.status_code, browser.audited) == (403, [])


@pytest.mark.parametrize("token", ["", "x", "IkluZXMi.aaaaaa.bbbbbb"])
def test_a_form_without_its_token_changes_nothing(browser: Browser, token: str) -> None:
    answer = browser.press("/review", "two people", token=token)
    assert answer.status_code == 403
    assert "load the page again" in _text(answer)
    assert QUESTION in browser.text("/review")


def test_a_form_of_somebody_else_or_of_yesterday_changes_nothing(
    parts: Parts, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, others = open_browser(parts, "Otto").find_form("/review", "two people")
    assert browser.press("/review", "two people", token=others["token"]).status_code == 403
    _, mine = browser.find_form("/review", "two people")
    later = time() + MAX_AGE + 5
    monkeypatch.setattr("itsdangerous.timed.time.time", lambda: later)
    assert browser.client.post("/acts/split", data={**mine, "reason": "x"}).status_code == 403


@pytest.mark.parametrize("name", sorted(ACTS))
def test_nothing_changes_by_reading(browser: Browser, name: str) -> None:
    for path in (f"/acts/{name}", f"/api/acts/{name}"):
        assert browser.client.get(path).status_code == 405
    assert browser.audited == []


@pytest.mark.parametrize("name", sorted(ACTS))
def test_an_act_without_its_values_is_refused_in_one_line(browser: Browser, name: str) -> None:
    answer = browser.client.post(f"/api/acts/{name}", json={"values": {}, "reason": "x"})
    assert answer.status_code == 409
    assert " fill in first: " in answer.json()["error"]


def test_a_program_acts_by_json_under_the_same_rules(browser: Browser) -> None:
    values = {"one": "kim@home.example", "other": "kosei"}
    done = browser.client.post("/api/acts/merge", json={"values": values, "reason": "asked both"})
    assert (done.status_code, done.json()["ruling"]) == (200, 1)
    assert done.json()["said"][0].startswith("ruling 1 recorded")
    assert browser.client.post("/api/acts/split", json={"values": values, "reason": "no"}).status_code == 409


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("stage", b"{", 422),
        ("stage", b'{"values": {"proposal": {"a": 1}}}', 422),
        ("stage", b'{"values": {}, "author": "Otto"}', 422),
        ("stage", b'{"values": {"author": "Otto"}}', 422),
        ("stage", b'{"values": {"proposal": 7, "stage": "Nowhere"}, "reason": "x"}', 409),
        ("stage", b'{"values": {"proposal": "7; drop", "stage": "Vote"}, "reason": "x"}', 409),
        ("stage", b'{"values": {"proposal": 12345, "stage": "Vote"}, "reason": "x"}', 404),
        ("ballot", b'{"values": {"proposal": 7, "mail": "<no@x>", "choice": "+1"}, "reason": "x"}', 409),
        ("ballot", b'{"values": {"proposal": 7, "mail": "<k@m.example>", "choice": "+7"}, "reason": "x"}', 409),
        ("senders", b'{"values": {"picked": ["a b"]}, "reason": "x"}', 409),
        ("nothing", b"{}", 404),
        ("stage", b'{"values": {"proposal": 7, "stage": ["Vote"]}, "reason": "x"}', 422),
        ("merge", b'{"values": {"one": ["a"], "other": "kosei"}, "reason": "x"}', 422),
        ("merge", b'{"values": {"one": 5, "other": "kosei"}, "reason": "x"}', 409),
        ("merge", b'{"values": {"one": "a\\u0000b", "other": "kosei"}, "reason": "x"}', 422),
        ("merge", b'{"values": {"one": "kim@home.example", "other": "kosei"}, "reason": "\\u0000"}', 422),
        ("merge", b'{"values": {"one": "' + b"k" * 3000 + b'", "other": "kosei"}, "reason": "x"}', 422),
        ("senders", b'{"values": {"picked": "kosei"}, "reason": "x"}', 422),
        ("releases", b'{"values": {"picked": ["7/x"]}, "reason": ""}', 409),
        ("refuse", b'{"values": {"key": "7/x"}, "reason": "x"}', 409),
        ("care", b'{"values": {"proposal": 7}, "reason": "x"}', 409),
        ("care", b'{"values": {"proposal": 7, "interfaces": ["roof"]}, "reason": "x"}', 409),
        (
            "sender",
            b'{"values": {"address": "a@home.example", "person": "kosei", "since": "soon"}, "reason": "x"}',
            409,
        ),
        ("revoke", b'{"values": {"ruling": "1; 2"}, "reason": "x"}', 409),
        ("restore", b'{"values": {"proposal": 7}, "reason": ""}', 409),
    ],
)
def test_what_makes_no_sense_is_refused(browser: Browser, name: str, body: bytes, status: int) -> None:
    before = browser.client.get("/api/proposals/7").json()
    answer = browser.client.post(f"/api/acts/{name}", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status, answer.text
    assert browser.client.get("/api/proposals/7").json() == before


def test_a_request_of_another_kind_or_any_size_is_refused(browser: Browser) -> None:
    huge = b"reason=" + b"x" * (MAX_BODY + 1)
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert browser.client.post("/acts/stage", content=huge, headers=form).status_code == 413
    assert browser.client.post("/api/acts/stage", content=huge).status_code == 413
    assert browser.client.post("/acts/stage", content=b"&".join([b"a=1"] * 5_000), headers=form).status_code == 400
    assert browser.client.post("/acts/stage", json={}).status_code == 415
    assert (
        browser.client.post("/api/acts/stage", content=b"{}", headers={"content-type": "text/plain"}).status_code == 415
    )


def test_several_senders_are_accepted_at_once_and_only_those_who_are_asked_about(
    browser: Browser, tmp_path: Path
) -> None:
    for stem, name in (("q", "Rune Berg"), ("s", "Mara Lind")):
        claim = {"sender": f"{name} <{stem}@home.example>", "stem": stem, "subject": "Re: [VOTE] KIP-7: Tidy shelves"}
        mail = MAIL.format(**claim, words="-1", hour=20, answers="In-Reply-To: <root@m.example>\n")
        (tmp_path / f"{stem}.eml").write_text(mail, encoding="utf-8")
        assert run(["ingest", str(tmp_path / f"{stem}.eml")]) == 0
    assert run(["advance", "--as-of", "2026-03-13"]) == 0
    page = html.fromstring(browser.client.get("/review").text)
    ticks = page.xpath("//input[@name='picked']/@value")
    assert sorted(ticks) == ["q@home.example rberg", "s@home.example mlind"]
    [token] = page.xpath("//form[@id='accept-senders']//input[@name='token']/@value")
    fields = {"token": token, "reason": "met them"}
    forged = browser.client.post("/acts/senders", data={**fields, "picked": [ticks[0], "evil@x.example rberg"]})
    assert forged.status_code == 409
    assert "2 of 2 accepted" in _text(browser.client.post("/acts/senders", data={**fields, "picked": ticks}))
    assert "Senders not proven" not in browser.text("/review")


def writing_of(user: str, parts: Parts | None = None) -> WriteAccess:
    """What shows the forms to a user, and performs their acts on these parts, if it is given any."""

    def desk() -> Desk:
        assert parts is not None
        return open_desk(parts)

    return WriteAccess(desk=desk, find_operator=lambda _: user, secret="s" * 40, audit=lambda *_: None)


def _no_request() -> Request:
    return Request({"type": "http", "headers": []})


@pytest.fixture
def held(parts: Parts) -> list[str]:
    """Three messages that wait for approval; the last warns of a silence."""
    payloads: list[dict[str, Any]] = [{"text": "one"}, {"text": "two"}, {"text": "three", WARNS: NOW.isoformat()}]
    effects = [
        Effect(key=f"7/{n}", number=7, channel="slack", payload=payload, approval=True)
        for n, payload in enumerate(payloads)
    ]
    with parts.store.begin() as session:
        assert session.outbox.enqueue(effects, now=NOW) == 3
    return [effect.key for effect in effects]


def statuses(parts: Parts, keys: list[str]) -> list[str]:
    with parts.store.read() as session:
        found = session.outbox.load_status(keys)
    return [found[key] for key in keys]


def test_an_effect_is_sent_or_refused_from_the_outbox(parts: Parts, browser: Browser, held: list[str]) -> None:
    sent = _text(browser.press("/outbox?status=held", "send it", reason=""))
    assert "released; the next delivery sends it, and until then" in sent
    assert "review hold" in sent
    waiting = browser.text("/outbox?status=pending")
    assert "with the next delivery" in waiting
    assert "hold it" in waiting, "there is a way back until it has gone"
    released = [status == "pending" for status in statuses(parts, held)]
    assert released.count(True) == 1
    assert browser.press("/outbox?status=held", "refuse it", reason="").status_code == 409, "why, is kept with it"
    answer = _text(browser.press("/outbox?status=held", "refuse it", reason="said in person"))
    assert "refused; it is not sent, and" in answer
    assert "lets it wait again" in answer
    assert sorted(statuses(parts, held)) == ["held", "pending", "withdrawn"]
    refused = browser.text("/outbox?status=withdrawn")
    assert "refused by Ines: said in person" in refused
    assert "not sent: refused, or corrected before 1" in refused


def test_what_was_refused_waits_again_if_somebody_says_why_and_its_proposal_shows_each_word(
    parts: Parts, browser: Browser, held: list[str]
) -> None:
    key = held[0]
    asked = {"values": {"key": key}, "reason": "said in person"}
    assert browser.client.post("/api/acts/refuse", json=asked).status_code == 200
    assert browser.press("/outbox?status=withdrawn", "let it wait again", reason=" ").status_code == 409
    assert "held; it is not sent before somebody" in _text(
        browser.press("/outbox?status=withdrawn", "let it wait again", reason="they did not hear it")
    )
    assert browser.audited[-1][1] == "hold"
    assert run(["review", "release", key, "--by", "Ann"]) == 0
    assert run(["review", "hold", key, "--by", "Ann", "--reason", "not today"]) == 0
    assert run(["review", "refuse", key, "--by", "Ann", "--reason", "never mind"]) == 0
    assert run(["review", "hold", key, "--by", "Ann", "--reason", "after all"]) == 0
    with parts.store.begin() as session:
        row = session.outbox.find(key)
    assert row is not None
    assert row.status == "held"
    assert [(word.by, word.act, word.reason) for word in row.words] == [
        ("Ines", "refuse", "said in person"),
        ("Ines", "hold", "they did not hear it"),
        ("Ann", "release", ""),
        ("Ann", "hold", "not today"),
        ("Ann", "refuse", "never mind"),
        ("Ann", "hold", "after all"),
    ]
    page = browser.text(f"/proposals/{row.number}")
    for said in ("Ines refused: slack", "said in person", "Ines held: slack", "they did not hear it", "Ann let go:"):
        assert said in page


def test_what_was_withdrawn_because_it_no_longer_holds_does_not_wait_again(
    parts: Parts, browser: Browser, held: list[str]
) -> None:
    with parts.store.begin() as session:
        assert session.outbox.withdraw([held[0]], why="it is no longer so") == 1
    answer = browser.client.post("/api/acts/hold", json={"values": {"key": held[0]}, "reason": "x"})
    assert (answer.status_code, statuses(parts, held)[0]) == (409, "withdrawn")
    assert "let it wait again" not in browser.text("/outbox?status=withdrawn")


def test_a_warning_is_not_refused_but_put_off(parts: Parts, browser: Browser, held: list[str]) -> None:
    answer = browser.client.post("/api/acts/refuse", json={"values": {"key": held[2]}, "reason": "x"})
    assert (answer.status_code, statuses(parts, held)[2]) == (409, "held")
    assert "snooze the proposal instead" in answer.json()["error"]


def test_several_effects_are_sent_at_once(parts: Parts, browser: Browser, held: list[str]) -> None:
    page = html.fromstring(browser.client.get("/outbox?status=held").text)
    assert sorted(page.xpath("//input[@name='picked']/@value")) == held
    [token] = page.xpath("//form[@id='release-several']//input[@name='token']/@value")
    for picked, said in (
        (held[:2], "2 released"),
        (held, "1 released, the next delivery sends them; 2 waited"),
    ):
        answer = browser.client.post("/acts/releases", data={"token": token, "picked": picked})
        assert said in _text(answer)
    assert statuses(parts, held) == ["pending"] * 3
    assert browser.client.post("/acts/releases", data={"token": token, "picked": held}).status_code == 409


def test_the_addresses_for_programs_describe_themselves(browser: Browser, parts: Parts) -> None:
    found = browser.client.get("/api/openapi.json").json()
    assert "/api/proposals/{number}" in found["paths"]
    assert found["paths"]["/api/acts/{name}"]["post"]["requestBody"]["required"]
    assert all(path.startswith("/api/") for path in found["paths"])
    assert all(how.get("description") for path in found["paths"].values() for how in path.values())
    reading = TestClient(create_app(lambda: parts.store, clock=lambda: NOW)).get("/api/openapi.json").json()
    assert {method for path in reading["paths"].values() for method in path} == {"get"}


def test_what_is_out_of_step_is_acknowledged_on_the_page_and_by_command(parts: Parts, browser: Browser) -> None:
    row = IndexEntry(number=7, title="KIP-7: Tidy shelves", section="accepted", seen_at=NOW, origin="page")
    with parts.store.begin() as session:
        session.pages.save_index_entries([row])
    assert run(["advance", "--as-of", NOW.isoformat()]) == 0
    assert "The index is out of step" in browser.text("/proposals/7")
    assert "ruling 1 recorded" in _text(browser.press("/review", "it may say so", reason="the row is a joke of ours"))
    assert "is out of step" not in browser.text("/proposals/7")
    assert "ruled: the index may say “accepted” (ruling 1) the row is a joke of ours" in browser.text("/proposals/7")
    assert browser.press("/proposals/7", "take it back").status_code == 200
    assert "The index is out of step" in browser.text("/proposals/7")
    assert run(["review", "drift", "7", "index", "--reason", "so be it", "--as-of", NOW.isoformat()]) == 0
    assert run(["review", "drift", "7", "page", "--reason", "so be it", "--as-of", NOW.isoformat()]) == 2
    assert browser.client.get("/api/review").json()["drift"] == []


def test_no_stage_is_chosen_before_a_person_chooses_one(browser: Browser) -> None:
    answer = browser.press("/proposals/7", "set the stage")
    assert (answer.status_code, "fill in first: stage" in _text(answer)) == (409, True)
