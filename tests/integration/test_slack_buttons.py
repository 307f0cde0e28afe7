"""Buttons under messages: pressed on the sandbox's page, heard over Socket Mode, settled as on the board."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from kipflow.adapters.slackapp import parse_press
from kipflow.launcher.slackapp import APP_TOKEN, listen, open_app
from kipflow.services import deliver
from kipflow.services.effectrules import EffectRules
from kipflow.services.kinds.chat import ChatKind
from kipflow.services.ports import Effect, Press
from kipflow.services.presses import settle_press
from kipflow.wiring import Parts, effect_rules, open_desk
from tests.integration.test_story import run_once
from tests.kinds import scope_of
from tests.unit.services.test_slack_goldens import check_limits

pytestmark = pytest.mark.integration

TOKENS = {APP_TOKEN: "xapp-sandbox", "KIPFLOW_SLACK_TOKEN": "xoxb-test"}
KEY = "index/1/2/abc"


@pytest.fixture
def told(own_sandbox: str, parts_of: Callable[[str], Parts]) -> Iterator[tuple[str, Parts]]:
    """A sandbox whose operators were asked, and an app that listens there."""
    parts = parts_of(own_sandbox)
    run_once(parts)
    edit = Effect(key=KEY, number=None, channel="index", payload={"page_id": "1", "moves": []}, approval=True)
    with parts.store.begin() as session:
        session.outbox.enqueue([edit], now=parts.clock())
    assert parts.chat is not None
    kind = ChatKind(scope=scope_of(parts.store, parts.clock()), chat=parts.chat, rules=effect_rules(parts))
    kind.plan()
    deliver.deliver(parts.store, {"slack": kind}, now=parts.clock())
    app = open_app(parts, TOKENS)
    assert app is not None
    app.connect()
    yield own_sandbox, parts
    app.close()
    parts.store.close()


def find_asked(url: str, said: str) -> dict[str, Any]:
    headers = {"Authorization": "Bearer xoxb-test"}
    ops = {"channel": "C0PROPOSALSOPS", "limit": "900"}
    messages = httpx.get(f"{url}/slack/api/conversations.history", params=ops, headers=headers).json()["messages"]
    return next(m for m in messages if said in str(m["blocks"]) and m["blocks"][-1]["type"] == "actions")


def press(url: str, message: dict[str, Any], label: str, who: str, reason: str = "") -> str:
    """Press a button as somebody; what that person is answered."""
    [button] = [b for b in message["blocks"][-1]["elements"] if b["text"]["text"] == label]
    form = {
        "who": who,
        "channel": "#proposals-ops",
        "ts": message["ts"],
        "button": button["action_id"],
        "reason": reason,
    }
    before = len(find_answers(url, message))
    done = httpx.post(f"{url}/slack/press", data=form, headers={"Origin": url})
    assert done.status_code == 303, done.text
    for _ in range(200):
        answers = find_answers(url, message)
        if len(answers) > before:
            return answers[-1]
        time.sleep(0.05)
    raise AssertionError("nobody answered")


def find_answers(url: str, message: dict[str, Any]) -> list[str]:
    asked = {"channel": "C0PROPOSALSOPS", "ts": message["ts"]}
    headers = {"Authorization": "Bearer xoxb-test"}
    found = httpx.get(f"{url}/slack/api/conversations.replies", params=asked, headers=headers).json()["messages"]
    return [str(m["text"]) for m in found if m["ts"] != message["ts"]]


def test_a_held_effect_is_approved_by_who_may_and_by_nobody_else(told: tuple[str, Parts]) -> None:
    url, parts = told
    asked = find_asked(url, "this waits for approval")
    assert "not among those who may settle" in press(url, asked, "send it", "lokafor")
    row = parts.store.effects(status="held").rows[0]
    assert row.key == KEY, "nobody else's press does anything"
    assert "released" in press(url, asked, "send it", "bvogel")
    assert parts.store.effects(status="held").total == 0
    assert "waits for approval" in press(url, asked, "send it", "amaro"), "the same refusal as on the board"


def test_a_question_is_settled_with_a_reason_by_whom_the_roster_has(told: tuple[str, Parts]) -> None:
    url, parts = told
    asked = find_asked(url, "needs a person")
    label = asked["blocks"][-1]["elements"][0]["text"]["text"]
    assert "Nothing was done" in press(url, asked, label, "bvogel"), "without a reason, as anywhere"
    assert "ruling" in press(url, asked, label, "bvogel", reason="she says so in the thread")
    found = [r for number in range(70, 110) for r in _rulings(parts, number)]
    assert [(r.author, r.reason) for r in found] == [("bvogel", "she says so in the thread")]


def _rulings(parts: Parts, number: int) -> tuple[Any, ...]:
    try:
        return parts.store.proposal(number, parts.clock()).rulings
    except Exception:
        return ()


def test_the_result_is_drafted_for_who_asks(told: tuple[str, Parts]) -> None:
    _, parts = told
    rows = [r for r in parts.store.effects(limit=500).rows if r.payload.get("kind") == "period-over"]
    [row] = [r for r in rows if r.payload["blocks"][-1]["type"] == "actions"]
    check_limits(row.payload)
    assert "draft the result" in str(row.payload["blocks"][-1])


def test_without_an_app_there_are_links_and_no_buttons(told: tuple[str, Parts]) -> None:
    _, parts = told
    assert open_app(parts, {"KIPFLOW_SLACK_TOKEN": "xoxb-test"}) is None
    rules = EffectRules(prefix="KIP", sends=True, slack="send", channel="#kips", operators="#ops")
    message = {"text": "x", "blocks": [{"type": "section"}], "answers": [{"type": "actions"}]}
    written = rules.address("question", message)
    assert written is not None
    assert written["blocks"] == [{"type": "section"}]
    assert "answers" not in written


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"type": "block_actions", "actions": []},
        {"type": "block_actions", "actions": ["x"], "user": {"id": "U1"}},
        {"type": "block_actions", "actions": [{"action_id": "kipflow-0", "value": "[]"}]},
        {"type": "view_submission"},
    ],
)
def test_what_is_no_press_of_ours_is_left_alone(payload: dict[str, Any]) -> None:
    assert parse_press(payload) is None


@pytest.mark.parametrize("value", ["", "[]", '["ballot", ["+1"]]', "[1, {}]", '{"act": "stage"}'])
def test_a_value_that_is_no_act_of_ours_does_nothing(told: tuple[str, Parts], value: str) -> None:
    _, parts = told
    said = settle_press(open_desk(parts), Press(user="U1", value=value, reason="x"), {"U1": "bvogel"}, at=parts.clock())
    assert said.startswith("Nothing was done: this button is not of this version")


def test_a_revoked_token_is_said_once_a_minute_and_ends_nothing(
    own_sandbox: str, parts_of: Callable[[str], Parts], caplog: pytest.LogCaptureFixture
) -> None:
    app = open_app(parts_of(own_sandbox), {**TOKENS, APP_TOKEN: "revoked"})
    assert app is not None
    stopped = threading.Event()
    listener = threading.Thread(target=listen, args=(app, stopped), daemon=True)
    listener.start()
    for _ in range(200):
        if "invalid_auth" in caplog.text:
            break
        time.sleep(0.05)
    assert listener.is_alive()
    stopped.set()
    listener.join(10)
    assert caplog.text.count("no buttons in Slack: ") == 1


def test_a_dropped_connection_is_opened_again_and_presses_are_heard_over_it(
    told: tuple[str, Parts], caplog: pytest.LogCaptureFixture
) -> None:
    url, parts = told
    caplog.set_level(logging.INFO, "slack_sdk")
    assert httpx.delete(f"{url}/slack/socket").status_code == 204
    wait_for(caplog, "A new session has been established")
    assert "released" in press(url, find_asked(url, "this waits for approval"), "send it", "bvogel")
    assert parts.store.effects(status="held").total == 0


def wait_for(caplog: pytest.LogCaptureFixture, said: str) -> None:
    for _ in range(400):
        if said in caplog.text:
            return
        time.sleep(0.05)
    raise AssertionError(f"never logged: {said}")


def test_an_app_that_is_stopped_as_slack_closes_logs_no_error(
    own_sandbox: str, parts_of: Callable[[str], Parts], caplog: pytest.LogCaptureFixture
) -> None:
    parts = parts_of(own_sandbox)
    caplog.set_level(logging.INFO, "slack_sdk")
    for _ in range(3):
        caplog.clear()
        app = open_app(parts, TOKENS)
        assert app is not None
        app.connect()
        wait_for(caplog, "Starting to receive messages")
        closing = threading.Thread(target=app.close)
        closing.start()
        httpx.delete(f"{own_sandbox}/slack/socket")
        closing.join()
        assert [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR] == []
    parts.store.close()
