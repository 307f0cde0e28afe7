"""Faults on request, and time on request."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta

import httpx
import pytest
from starlette.testclient import TestClient

from kipflow.sandbox.clock import parse_step
from kipflow.sandbox.faults import FaultKind, parse_fault, parse_faults
from tests.unit.sandbox.conftest import ANCHOR, Ticks

MONTH = {"list": "dev", "domain": "sandbox.example", "d": "2026-03"}
MBOX, STATS = "/api/mbox.lua", "/api/stats.lua"


def test_a_rule_is_read_with_path_count_and_values() -> None:
    fault = parse_fault("429 /api/mbox.lua x2 retry-after=1.5")
    assert (fault.kind, fault.path, fault.left) == (FaultKind.TOO_MANY, MBOX, 2)
    assert fault.values == {"retry-after": 1.5}


def test_rules_are_separated_by_semicolons_or_lines() -> None:
    assert [f.kind for f in parse_faults("500 /jira; reset\nslow seconds=1")] == ["500", "reset", "slow"]


@pytest.mark.parametrize("text", ["explode", "500 x", "429 retry-after=soon", "500 jira", "slow seconds=-1"])
def test_a_rule_with_an_unknown_word_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected|starts with"):
        parse_fault(text)


def test_a_wrong_rule_over_http_is_refused_and_changes_nothing(client: TestClient) -> None:
    assert client.post("/faults", json={"rule": "explode"}).status_code == 422
    assert client.get("/faults").json() == {"rules": []}


def test_too_many_requests_says_when_to_come_back(make_client: Callable[..., TestClient]) -> None:
    client = make_client(faults="429 /api/mbox.lua x2 retry-after=7")
    answers = [client.get(MBOX, params=MONTH) for _ in range(3)]
    assert [a.status_code for a in answers] == [429, 429, 200]
    assert answers[0].headers["retry-after"] == "7"


def test_a_fault_meets_only_its_path(make_client: Callable[..., TestClient]) -> None:
    client = make_client(faults="500 /api/mbox.lua")
    assert client.get(STATS, params=MONTH).status_code == 200
    assert client.get(MBOX, params=MONTH).status_code == 500


def test_the_same_requests_meet_the_same_faults(make_client: Callable[..., TestClient]) -> None:
    def run() -> list[int]:
        client = make_client(faults="500 /api x2; 429 /api/stats.lua; 503 /api/mbox.lua")
        return [client.get(path, params=MONTH).status_code for path in (STATS, MBOX, STATS, MBOX, STATS, MBOX)]

    assert run() == run() == [500, 500, 429, 503, 200, 200]


def test_a_cut_month_looks_whole_to_http(make_client: Callable[..., TestClient]) -> None:
    client = make_client(faults="cut /api/mbox.lua")
    cut, whole = client.get(MBOX, params=MONTH), client.get(MBOX, params=MONTH)
    assert cut.status_code == 200
    assert int(cut.headers["content-length"]) == len(cut.content) == len(whole.content) // 2
    assert whole.content.startswith(cut.content)


def test_an_error_page_can_come_with_status_200(make_client: Callable[..., TestClient]) -> None:
    answer = make_client(faults="html /api/stats.lua").get(STATS, params=MONTH)
    assert answer.status_code == 200
    assert answer.text.startswith("<!doctype html>")


def test_json_can_have_a_shape_that_nobody_asked_for(make_client: Callable[..., TestClient]) -> None:
    assert isinstance(make_client(faults="json /jira").get("/jira/rest/api/2/issue/SAND-1061").json(), list)


def test_a_token_can_expire_in_slack_and_elsewhere(make_client: Callable[..., TestClient]) -> None:
    client = make_client(faults="expired x2")
    said = client.post("/slack/api/chat.postMessage", json={"channel": "#x", "text": "x"})
    assert said.json() == {"ok": False, "error": "token_expired"}
    assert client.get("/confluence/rest/api/content/1000").status_code == 401


def test_faults_never_touch_clock_health_and_themselves(make_client: Callable[..., TestClient]) -> None:
    client = make_client(faults="500 x9")
    assert [client.get(p).status_code for p in ("/clock", "/health", "/faults")] == [200, 200, 200]
    client.delete("/faults")
    assert client.get("/").status_code == 200


def test_a_connection_can_end_in_the_middle_of_a_body(server: str) -> None:
    httpx.post(f"{server}/faults", json={"rule": "reset /api/mbox.lua; short /api/mbox.lua"})
    for _ in range(2):
        with pytest.raises(httpx.RemoteProtocolError):
            httpx.get(f"{server}{MBOX}", params=MONTH)
    assert httpx.get(f"{server}{MBOX}", params=MONTH).status_code == 200


def test_a_short_body_promises_more_than_it_holds(server: str) -> None:
    whole = len(httpx.get(f"{server}{MBOX}", params=MONTH).content)
    httpx.post(f"{server}/faults", json={"rule": "short /api/mbox.lua"})
    with httpx.stream("GET", f"{server}{MBOX}", params=MONTH) as answer:
        assert int(answer.headers["content-length"]) == whole
        parts = answer.iter_raw()
        with pytest.raises(httpx.RemoteProtocolError):
            list(parts)
        assert answer.num_bytes_downloaded < whole


def test_a_slow_answer_outlasts_a_short_patience(server: str) -> None:
    httpx.post(f"{server}/faults", json={"rule": "slow /health-not x1 seconds=5; slow /api/stats.lua seconds=0.5"})
    with pytest.raises(httpx.ReadTimeout):
        httpx.get(f"{server}{STATS}", params=MONTH, timeout=0.2)
    started = time.monotonic()
    assert httpx.get(f"{server}{STATS}", params=MONTH).status_code == 200
    assert time.monotonic() - started < 5


# -- time ----------------------------------------------------------------------------------------


def now_of(client: TestClient) -> datetime:
    return datetime.fromisoformat(client.get("/clock").json()["now"].replace("Z", "+00:00"))


def test_time_stands_where_it_was_set_until_real_time_passes(client: TestClient, ticks: Ticks) -> None:
    assert now_of(client) == ANCHOR
    ticks.seconds += 90
    assert now_of(client) == ANCHOR + timedelta(seconds=90)


def test_time_runs_faster_on_request(make_client: Callable[..., TestClient], ticks: Ticks) -> None:
    client = make_client(speed=3_600)
    ticks.seconds += 24
    assert now_of(client) == ANCHOR + timedelta(days=1)


def test_time_can_be_let_run_faster_from_now_on_and_never_back(client: TestClient, ticks: Ticks) -> None:
    client.post("/clock", json={"advance": "1 day"})
    ticks.seconds += 3_600
    assert client.post("/clock", json={"speed": 60}).status_code == 200
    ticks.seconds += 60
    reached = ANCHOR + timedelta(days=1, hours=2)
    assert now_of(client) == reached
    for wrong in (-1, "inf", "nan", "fast"):
        assert client.post("/clock", json={"speed": wrong}).status_code == 422
    assert now_of(client) == reached


def test_time_can_be_pushed_forward_and_never_back(client: TestClient) -> None:
    assert client.post("/clock", json={"advance": "3 days"}).status_code == 200
    assert now_of(client) == ANCHOR + timedelta(days=3)
    for wrong in ("-1 day", "soon", ""):
        assert client.post("/clock", json={"advance": wrong}).status_code == 422
    assert now_of(client) == ANCHOR + timedelta(days=3)


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("3 days", timedelta(days=3)),
        ("90 minutes", timedelta(minutes=90)),
        ("1.5h", timedelta(minutes=90)),
        ("1 second", timedelta(seconds=1)),
    ],
)
def test_a_period_is_read(text: str, step: timedelta) -> None:
    assert parse_step(text) == step


def test_a_story_can_be_played_from_an_earlier_anchor(make_client: Callable[..., TestClient]) -> None:
    client = make_client(now=ANCHOR + timedelta(days=4))
    subjects = [e["subject"] for e in client.get(STATS, params=MONTH).json()["emails"]]
    assert "[RESULT] [VOTE] KIP-80: Let consumers pause single keys" in subjects


def test_a_viewer_can_watch_a_vote_open_fill_and_close(client: TestClient) -> None:
    seen = []
    for _ in range(5):
        emails = client.get(STATS, params=MONTH).json()["emails"]
        seen.append(
            [
                sum(t in e["subject"] for e in emails)
                for t in ("] KIP-93", "Re: [VOTE] KIP-93", "[RESULT] [VOTE] KIP-93")
            ]
        )
        client.post("/clock", json={"advance": "1 day"})
    assert [counts[1] for counts in seen] == sorted(counts[1] for counts in seen)
    assert seen[0][1:] == [0, 0]
    assert seen[-1][1:] == [4, 1]
