"""The chat client against a server that misbehaves."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

import pytest

from kipflow.adapters.slack import CLOCK_MARGIN, SlackChat
from kipflow.adapters.slackfaults import WITHHELD
from kipflow.domain.errors import DeliveryUnclear, RateLimited, Refused, ServiceUnavailable, Withheld
from tests.integration.adapters.faulty import Server, answer, as_json, reset_in_body

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


def test_what_only_a_person_can_put_right_keeps_all_waiting_and_says_what_to_do(
    server: Server, chat: SlackChat
) -> None:
    for code, fix in WITHHELD.items():
        server.play(as_json({"ok": False, "error": code}))
        with pytest.raises(Withheld) as caught:
            chat.post("#kips", "t", BLOCKS, key="k")
        assert caught.value.why == f"chat.postMessage to #kips: {code}: {fix}"
        assert f"Slack refuses everything: chat.postMessage to #kips: {code}: {fix}; what waits" in str(caught.value)
    assert posts(server) == len(WITHHELD)


def test_a_scope_that_is_missing_is_named(server: Server, chat: SlackChat) -> None:
    server.play(as_json({"ok": False, "error": "missing_scope", "needed": "chat:write", "provided": "im:write"}))
    with pytest.raises(Withheld, match=r"missing_scope \(chat:write\): the token lacks a scope: add it to the app"):
        chat.post("#kips", "t", BLOCKS, key="k")


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (
            as_json({"ok": False, "error": "invalid_blocks"}),
            r"postMessage to #kips: Slack answers invalid_blocks$",
        ),
        (as_json({"ok": False, "error": "new_word"}), r"postMessage to #kips: Slack answers new_word$"),
        (as_json({"ok": False}, 401), r"chat\.postMessage to #kips: Slack gives no reason$"),
    ],
)
def test_a_refusal_names_slacks_reason_and_says_that_nothing_was_posted(
    server: Server, chat: SlackChat, step: Any, why: str
) -> None:
    server.play(step)
    with pytest.raises(Refused, match=why):
        chat.post("#kips", "t", BLOCKS, key="k")
    assert posts(server) == 1


def test_an_error_of_slacks_own_says_nothing_of_whether_it_was_posted(server: Server, chat: SlackChat) -> None:
    server.play(as_json({"ok": False, "error": "internal_error"}))
    with pytest.raises(ServiceUnavailable, match=r"chat\.postMessage") as caught:
        chat.post("C1", "t", BLOCKS, key="k")
    assert not isinstance(caught.value, Refused)
    assert posts(server) == 1


# -- finding it again -------------------------------------------------------------------------------------
SINCE = datetime(2026, 3, 2, 9, tzinfo=UTC)


def history(*keys: str, more: str = "") -> Any:
    messages = [{"ts": f"5.{n}", "metadata": {"event_payload": {"key": key}}} for n, key in enumerate(keys)]
    return as_json({"ok": True, "messages": [*messages, {"ts": "1"}], "response_metadata": {"next_cursor": more}})


def asked(server: Server, call: str) -> list[dict[str, Any]]:
    return [dict(parse_qsl(s.body.decode())) for s in server.seen if s.path == f"/{call}"]


def test_a_message_is_found_by_its_key_among_all_that_were_posted_since(server: Server, chat: SlackChat) -> None:
    server.by_path["/conversations.history"] = [history("a", "b", more="2"), history("c", "k")]
    assert chat.find("C1", key="k", since=SINCE) == "C1/5.1"
    first, second = asked(server, "conversations.history")
    assert float(first["oldest"]) == (SINCE - CLOCK_MARGIN).timestamp()
    assert second == {**first, "cursor": "2"}


def test_a_message_that_is_nowhere_since_then_is_certainly_not_there(server: Server, chat: SlackChat) -> None:
    server.by_path["/conversations.history"] = [history("a")]
    assert chat.find("C1", key="k", since=SINCE) is None


def test_an_answer_in_a_thread_is_looked_for_there_as_well(server: Server, chat: SlackChat) -> None:
    server.by_path["/conversations.history"] = [history("a")]
    server.by_path["/conversations.replies"] = [history("k")]
    assert chat.find("C1", key="k", since=SINCE, thread="C1/3.3") == "C1/5.0"
    assert asked(server, "conversations.replies")[0]["ts"] == "3.3"


def test_a_channel_given_by_name_is_found_by_its_id(server: Server, chat: SlackChat) -> None:
    one = as_json({"ok": True, "channels": [{"id": "C1", "name": "x"}], "response_metadata": {"next_cursor": "n"}})
    two = as_json({"ok": True, "channels": [{"id": "C2", "name": "kips"}]})
    server.by_path["/conversations.list"] = [one, two]
    server.by_path["/conversations.history"] = [history("k")]
    assert chat.find("#kips", key="k", since=SINCE) == "C2/5.0"
    server.by_path["/conversations.list"] = [as_json({"ok": True, "channels": []})]
    with pytest.raises(DeliveryUnclear, match="give the channel by its id"):
        chat.find("#hidden", key="k", since=SINCE)


@pytest.mark.parametrize("reason", ["missing_scope", "not_in_channel", "channel_not_found"])
def test_a_channel_that_may_not_be_read_leaves_it_to_a_person(server: Server, chat: SlackChat, reason: str) -> None:
    server.by_path["/conversations.history"] = [as_json({"ok": False, "error": reason})]
    with pytest.raises(DeliveryUnclear, match=f"{reason}; reading needs the scopes channels:history"):
        chat.find("C1", key="k", since=SINCE)


def test_a_channel_that_cannot_be_read_at_present_is_asked_later(server: Server, chat: SlackChat) -> None:
    server.by_path["/conversations.history"] = [answer(b"", 502)]
    with pytest.raises(ServiceUnavailable, match=r"conversations\.history: answered 502"):
        chat.find("C1", key="k", since=SINCE)
    server.by_path["/conversations.history"] = [as_json({"ok": False, "error": "ratelimited"}, 429, Retry_After="9")]
    with pytest.raises(RateLimited):
        chat.find("C1", key="k", since=SINCE)


def test_more_than_can_be_looked_through_leaves_it_to_a_person(server: Server, chat: SlackChat) -> None:
    server.by_path["/conversations.history"] = [history("a", more="again")]
    with pytest.raises(DeliveryUnclear, match="more than 4,000 messages"):
        chat.find("C1", key="k", since=SINCE)


def test_the_token_is_never_shown(server: Server, chat: SlackChat, caplog: pytest.LogCaptureFixture) -> None:
    server.play(reset_in_body(b"x" * 100, 5))
    with caplog.at_level(logging.DEBUG), pytest.raises(ServiceUnavailable) as caught:
        chat.post("C1", "t", BLOCKS, key="k")
    assert TOKEN not in str(caught.value) + repr(chat) + caplog.text
    lines = [r for r in caplog.records if r.levelno >= logging.WARNING]
    assert len(lines) == 1, "one line per fault"


def test_a_message_is_updated_where_it_stands(server: Server, chat: SlackChat) -> None:
    server.play(as_json(SENT))
    chat.update("C1/1700000000.000100", "KIP-1 passed", BLOCKS)
    sent = json.loads(server.seen[0].body)
    assert server.seen[0].path == "/chat.update"
    assert (sent["channel"], sent["ts"], sent["text"], sent["blocks"]) == (
        "C1",
        "1700000000.000100",
        "KIP-1 passed",
        BLOCKS,
    )


def test_a_message_that_is_gone_needs_no_update(
    server: Server, chat: SlackChat, caplog: pytest.LogCaptureFixture
) -> None:
    server.play(as_json({"ok": False, "error": "message_not_found"}))
    chat.update("C1/1.1", "t", BLOCKS)
    assert "C1/1.1 is gone" in caplog.text


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (as_json({"ok": False, "error": "cant_update_message"}), Refused),
        (as_json({"ok": False, "error": "ratelimited"}, 429, Retry_After="17"), RateLimited),
        (as_json({"ok": False, "error": "internal_error"}), ServiceUnavailable),
        (answer(b"not json"), ServiceUnavailable),
    ],
)
def test_an_update_fails_as_a_message_does(server: Server, chat: SlackChat, step: Any, error: type[Exception]) -> None:
    server.play(step)
    with pytest.raises(error):
        chat.update("C1/1.1", "t", BLOCKS)
