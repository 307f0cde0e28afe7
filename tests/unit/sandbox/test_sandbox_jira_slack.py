"""Tickets and chat: shapes, limits, and when to wait."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import kipflow.services
from kipflow.sandbox.markup import render_mrkdwn
from tests.unit.sandbox.conftest import Ticks

TOKEN = {"Authorization": "Bearer xoxb-sandbox"}
POST = "/slack/api/chat.postMessage"


def say(client: TestClient, **message: Any) -> Any:
    return client.post(POST, json={"channel": "#proposals", **message}, headers=TOKEN)


def test_a_ticket_shows_the_fields_that_are_asked_for(client: TestClient) -> None:
    ticket = client.get("/jira/rest/api/2/issue/SAND-1061", params={"fields": "status,fixVersions"}).json()
    assert ticket["key"] == "SAND-1061"
    assert ticket["fields"] == {
        "status": {"name": "Resolved", "id": "1"},
        "fixVersions": [{"name": "3.1.0", "released": False}],
    }


def test_an_open_ticket_has_no_resolution(client: TestClient) -> None:
    fields = client.get("/jira/rest/api/2/issue/SAND-1102").json()["fields"]
    assert (fields["status"]["name"], fields["resolution"], fields["fixVersions"]) == ("Open", None, [])


def test_a_ticket_changes_when_its_time_has_come(client: TestClient) -> None:
    client.post("/clock", json={"advance": "2 days"})
    assert client.get("/jira/rest/api/2/issue/SAND-1080").json()["fields"]["status"]["name"] == "In Progress"


def test_an_unknown_ticket_does_not_exist(client: TestClient) -> None:
    answer = client.get("/jira/rest/api/2/issue/SAND-1")
    assert answer.status_code == 404
    assert answer.json()["errorMessages"] == ["Issue Does Not Exist"]


def test_a_message_is_stored_and_named(client: TestClient) -> None:
    answer = say(client, text="hello", blocks=[{"type": "section", "text": {"type": "mrkdwn", "text": "hi"}}]).json()
    assert answer["ok"] is True
    assert answer["channel"] == "C0PROPOSALS"
    assert answer["message"]["ts"] == answer["ts"]
    page = client.get("/slack").text
    assert "hi" in page
    assert "hello" not in page  # where there are blocks, the text is for notifications


def test_two_messages_of_one_moment_have_different_names(client: TestClient) -> None:
    assert say(client, text="a").json()["ts"] != say(client, text="b").json()["ts"]


def test_a_message_can_be_updated_by_channel_id(client: TestClient) -> None:
    first = say(client, text="before").json()
    content = {"channel": first["channel"], "ts": first["ts"], "text": "after"}
    changed = client.post("/slack/api/chat.update", json=content, headers=TOKEN).json()
    assert changed["ok"] is True
    page = client.get("/slack").text
    assert "after" in page
    assert "before" not in page


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_was_posted_is_found_again_with_its_metadata_newest_first_and_its_thread_apart(
    client: TestClient, method: str
) -> None:
    def ask(name: str, **given: str) -> Any:
        arguments = {"params": given} if method == "GET" else {"data": given}
        return client.request(method, f"/slack/api/{name}", headers=TOKEN, **arguments).json()

    root = say(client, text="one", metadata={"event_payload": {"key": "k"}}).json()["ts"]
    say(client, text="two")
    say(client, text="below", thread_ts=root)
    channel, other = ask("conversations.list")["channels"]
    assert (channel["name"], other["name"]) == ("proposals", "proposals-ops")
    found = ask("conversations.history", channel=channel["id"], limit="5")["messages"]
    assert [m["text"] for m in found] == ["two", "one"]
    assert found[1]["metadata"] == {"event_payload": {"key": "k"}}
    first = ask("conversations.history", channel=channel["id"], limit="1")
    assert [m["text"] for m in first["messages"]] == ["two"]
    cursor = first["response_metadata"]["next_cursor"]
    last = ask("conversations.history", channel=channel["id"], limit="1", cursor=cursor)
    assert [m["text"] for m in last["messages"]] == ["one"]
    assert "response_metadata" not in last
    since = ask("conversations.history", channel=channel["id"], oldest=root)["messages"]
    assert [m["text"] for m in since] == ["two"]
    replies = ask("conversations.replies", channel=channel["id"], ts=root)["messages"]
    assert [m["text"] for m in replies] == ["one", "below"]


def test_updating_what_was_never_said_fails(client: TestClient) -> None:
    content = {"channel": "#proposals", "ts": "1.000001", "text": "x"}
    assert client.post("/slack/api/chat.update", json=content, headers=TOKEN).json()["error"] == "message_not_found"


def test_arguments_may_come_as_a_form(client: TestClient) -> None:
    blocks = json.dumps([{"type": "divider"}])
    form = {"channel": "#proposals", "text": "x", "blocks": blocks, "token": "xoxb-sandbox"}
    assert client.post(POST, data=form).json()["ok"] is True


@pytest.mark.parametrize(
    ("headers", "error"), [({}, "not_authed"), ({"Authorization": "Bearer nonsense"}, "invalid_auth")]
)
def test_a_token_is_needed(client: TestClient, headers: dict[str, str], error: str) -> None:
    answer = client.post(POST, json={"channel": "#proposals", "text": "x"}, headers=headers)
    assert answer.json() == {"ok": False, "error": error}


def section(length: int) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": "x" * length}}


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ({"blocks": [section(1)] * 51, "text": "x"}, "invalid_blocks"),
        ({"blocks": [section(3_001)], "text": "x"}, "invalid_blocks"),
        ({"blocks": [{"type": "section", "fields": [section(3_001)["text"]]}], "text": "x"}, "invalid_blocks"),
        ({"blocks": "section", "text": "x"}, "invalid_blocks_format"),
        ({"text": ""}, "no_text"),
        ({"text": "x" * 40_001}, "msg_too_long"),
        ({"text": "x", "channel": "nowhere"}, "channel_not_found"),
    ],
)
def test_what_slack_would_not_take_is_refused(client: TestClient, message: dict[str, Any], error: str) -> None:
    assert say(client, **message).json() == {"ok": False, "error": error}


def test_messages_at_the_limits_are_taken(client: TestClient) -> None:
    assert say(client, text="x", blocks=[section(3_000)] * 50).json()["ok"] is True


def test_a_burst_is_taken_and_then_one_message_a_second(make_client: Callable[..., TestClient], ticks: Ticks) -> None:
    client = make_client(slack_burst=5)
    codes = [say(client, text=str(n)).status_code for n in range(7)]
    assert codes == [200] * 5 + [429] * 2
    assert say(client, text="again").headers["retry-after"] == "1"
    assert say(client, text="elsewhere", channel="#other").status_code == 200
    ticks.seconds += 1
    assert [say(client, text="later").status_code for _ in range(2)] == [200, 429]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a &lt;b&gt; &amp; c", "a &lt;b&gt; &amp; c"),
        ("*KIP-86* passed", "<strong>KIP-86</strong> passed"),
        ("<https://wiki.example/x|the page>", '<a rel="nofollow noopener" href="https://wiki.example/x">the page</a>'),
        (":white_check_mark: done :unheard_of:", "✅ done :unheard_of:"),
        ("&gt; *a*\nb", '<span class="quote"><strong>a</strong></span>\nb'),
        ("<!channel> look", "<mark>@channel</mark> look"),
        ("until <!date^1773046800^{date} {time}|9 March &amp; &lt;b>", "until <time>9 March &amp; &lt;b</time>"),
        ("<javascript:alert(1)|x>", "&lt;javascript:alert(1)|x&gt;"),
        (
            '<https://x.example/"onclick=1|x>',
            '<a rel="nofollow noopener" href="https://x.example/&quot;onclick=1">x</a>',
        ),
    ],
)
def test_a_message_is_shown_as_slack_would_show_it(text: str, shown: str) -> None:
    assert render_mrkdwn(text) == shown


def test_every_emoji_that_kipflow_writes_is_shown_as_a_picture() -> None:
    services = Path(kipflow.services.__file__).parent
    written = {
        name
        for file in services.glob("*.py")
        for name in re.findall(r'"(:[a-z_0-9]+:)', file.read_text(encoding="utf-8"))
    }
    assert len(written) > 5
    assert {name for name in written if render_mrkdwn(name) == name} == set()


def test_what_was_posted_cannot_inject_markup(client: TestClient) -> None:
    say(client, text="<script>alert(1)</script>", channel="#<b>bold</b>")
    page = client.get("/slack")
    assert "<script>" not in page.text
    assert "<b>bold" not in page.text
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
