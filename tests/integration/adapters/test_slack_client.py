"""The chat client against a server that misbehaves."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from kipflow.adapters.slack import SlackChat
from kipflow.domain.errors import RateLimited, ServiceUnavailable
from tests.integration.adapters.faulty import Server, answer, as_json, reset_in_body, silence

TOKEN = "xoxb-very-secret"
BLOCKS: list[dict[str, Any]] = [{"type": "section", "text": {"type": "mrkdwn", "text": "passed"}}]
SENT = {"ok": True, "channel": "C1", "ts": "1700000000.000100"}


@pytest.fixture
def chat(server: Server) -> SlackChat:
    server.by_path["/conversations.history"] = [as_json({"ok": False, "error": "missing_scope"})]
    return SlackChat(server.url, TOKEN, timeout=1)


def posts(server: Server) -> int:
    return sum(1 for s in server.seen if s.path == "/chat.postMessage")


def test_a_message_is_posted_with_its_key_and_found_again_by_its_reference(server: Server, chat: SlackChat) -> None:
    server.play(as_json(SENT))
    assert chat.post("#kips", "KIP-1 passed", BLOCKS, key="1/passed/slack") == "C1/1700000000.000100"
    sent = json.loads(server.seen[0].body)
    assert (sent["channel"], sent["text"], sent["blocks"]) == ("#kips", "KIP-1 passed", BLOCKS)
    assert sent["metadata"] == {"event_type": "kipflow_effect", "event_payload": {"key": "1/passed/slack"}}
    assert server.seen[0].headers["Authorization"] == f"Bearer {TOKEN}"


def test_one_key_gives_one_client_message_id(server: Server, chat: SlackChat) -> None:
    server.play(as_json(SENT))
    for key in ("a", "a", "b"):
        chat.post("#kips", "t", (), key=key)
    ids = [json.loads(s.body)["client_msg_id"] for s in server.seen]
    assert ids[0] == ids[1] != ids[2]


def test_a_rate_limit_is_passed_on_with_its_wait_and_nothing_is_repeated(server: Server, chat: SlackChat) -> None:
    server.play(as_json({"ok": False, "error": "ratelimited"}, 429, Retry_After="17"))
    with pytest.raises(RateLimited) as caught:
        chat.post("#kips", "t", BLOCKS, key="k")
    assert caught.value.retry_after == 17
    assert posts(server) == 1


def test_a_rate_limit_without_a_number_still_waits(server: Server, chat: SlackChat) -> None:
    server.play(answer(b"", 429))
    with pytest.raises(RateLimited) as caught:
        chat.post("#kips", "t", BLOCKS, key="k")
    assert caught.value.retry_after == 30


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (as_json({"ok": False, "error": "invalid_auth"}), "invalid_auth"),
        (as_json({"ok": False, "error": "channel_not_found"}), "channel_not_found"),
        (answer(b"<html>down</html>", 503), "answered 503"),
        (as_json({"ok": False}, 401), "chat.postMessage"),
    ],
)
def test_a_refusal_names_slacks_reason(server: Server, chat: SlackChat, step: Any, why: str) -> None:
    server.play(step)
    with pytest.raises(ServiceUnavailable, match=why):
        chat.post("#kips", "t", BLOCKS, key="k")
    assert posts(server) == 1


def history(key: str) -> Any:
    return as_json({"ok": True, "messages": [{"ts": "5.5", "metadata": {"event_payload": {"key": key}}}, {"ts": "1"}]})


@pytest.mark.parametrize(
    "lost",
    [reset_in_body(json.dumps(SENT).encode(), 5), answer(b"", 502), answer(b"<html>back soon</html>")],
    ids=["reset", "502", "HTML with status 200"],
)
def test_a_message_whose_answer_was_lost_is_found_and_not_sent_again(
    server: Server, chat: SlackChat, lost: Any
) -> None:
    server.by_path["/conversations.history"] = [history("k")]
    server.play(lost)
    assert chat.post("C1", "t", BLOCKS, key="k") == "C1/5.5"
    assert posts(server) == 1


def test_a_channel_given_by_name_is_found_by_its_id(server: Server, chat: SlackChat) -> None:
    one = as_json({"ok": True, "channels": [{"id": "C1", "name": "x"}], "response_metadata": {"next_cursor": "n"}})
    two = as_json({"ok": True, "channels": [{"id": "C2", "name": "kips"}]})
    server.by_path["/conversations.list"] = [one, two]
    server.by_path["/conversations.history"] = [history("k")]
    server.play(reset_in_body(json.dumps(SENT).encode(), 5))
    assert chat.post("#kips", "t", BLOCKS, key="k") == "C2/5.5"


@pytest.mark.parametrize("lookup", [history("another"), as_json({"ok": False, "error": "missing_scope"})])
def test_a_message_that_cannot_be_found_is_reported_as_not_sent(server: Server, chat: SlackChat, lookup: Any) -> None:
    server.by_path["/conversations.history"] = [lookup]
    server.play(silence(3, server.stop))
    with pytest.raises(ServiceUnavailable, match=r"chat\.postMessage"):
        chat.post("C1", "t", BLOCKS, key="k")
    assert posts(server) == 1


def test_the_token_is_never_shown(server: Server, chat: SlackChat, caplog: pytest.LogCaptureFixture) -> None:
    server.play(reset_in_body(b"x" * 100, 5))
    with caplog.at_level(logging.DEBUG), pytest.raises(ServiceUnavailable) as caught:
        chat.post("C1", "t", BLOCKS, key="k")
    assert TOKEN not in str(caught.value) + repr(chat) + caplog.text
    lines = [r for r in caplog.records if r.levelno >= logging.WARNING]
    assert len(lines) == 1, "one line per fault"
