"""Buttons under messages: pressed on the sandbox's page, heard over Socket Mode, settled as on the board."""

from __future__ import annotations

import json
import logging
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from kipflow.adapters.slackapp import parse_press
from kipflow.launcher.slackapp import AIRFLOW_DATABASE, APP_TOKEN, find_audit, listen, open_app
from kipflow.sandbox.channels import channel_id
from kipflow.services.acts import perform
from kipflow.services.desk import ActContext
from kipflow.services.effect_kinds.slack import ChatKind
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import Effect, Press
from kipflow.services.presses import settle_press
from kipflow.wiring import Parts, effect_rules, open_desk
from tests.effect_kinds import make_due, scope_of
from tests.integration.conftest import connect_to
from tests.unit.services.test_slack_goldens import check_limits
from tests.waiting import wait_until

pytestmark = pytest.mark.integration

TOKENS = {APP_TOKEN: "xapp-sandbox", "KIPFLOW_SLACK_TOKEN": "xoxb-test"}
KEY = "index/1/2/abc"


@pytest.fixture
def airflow(tmp_path: Path) -> sa.Engine:
    """A database with a table such as Airflow's audit log."""
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'airflow.db'}")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE log (dttm TIMESTAMP, event TEXT, owner TEXT, extra TEXT)")
    return engine


def ask_for_approval(parts: Parts) -> None:
    edit = Effect(key=KEY, number=None, channel="index", payload={"page_id": "1", "moves": []}, approval=True)
    with parts.store.begin() as session:
        session.outbox.enqueue([edit], now=parts.clock())
    assert parts.chat is not None
    kind = ChatKind(scope=scope_of(parts.store, parts.clock()), chat=parts.chat, rules=effect_rules(parts))
    make_due(parts.store, "slack", kind, parts.clock())


@pytest.fixture
def story(played: tuple[str, Parts], airflow: sa.Engine) -> Iterator[tuple[str, Parts]]:
    """A sandbox whose operators were asked, and an app that listens there."""
    url, parts = played
    ask_for_approval(parts)
    app = open_app(parts, {**TOKENS, AIRFLOW_DATABASE: str(airflow.url)})
    assert app is not None
    app.connect()
    yield url, parts
    app.close()


def read_log(airflow: sa.Engine) -> list[tuple[str, str, dict[str, str]]]:
    with airflow.connect() as connection:
        rows = connection.exec_driver_sql("SELECT owner, event, extra FROM log ORDER BY dttm").all()
    return [(row.owner, row.event, json.loads(row.extra)) for row in rows]


OPS, EVERYBODY = "#proposals-ops", "#proposals"
BOT = {"Authorization": "Bearer xoxb-test"}


def read_channel(url: str, call: str, channel: str, **more: str) -> list[dict[str, Any]]:
    asked = {"channel": channel_id(channel), "limit": "900", **more}
    messages: list[dict[str, Any]] = httpx.get(f"{url}/slack/api/{call}", params=asked, headers=BOT).json()["messages"]
    return messages


def find_asked(url: str, said: str, channel: str = OPS) -> dict[str, Any]:
    found = [m for m in read_channel(url, "conversations.history", channel) if m["blocks"][-1]["type"] == "actions"]
    return next(m for m in found if said in str(m["blocks"]))


def find_button(message: dict[str, Any], label: str = "") -> dict[str, Any]:
    buttons: list[dict[str, Any]] = message["blocks"][-1]["elements"]
    return next(b for b in buttons if label in {"", b["text"]["text"]})


def press(url: str, message: dict[str, Any], label: str, who: str, reason: str = "", channel: str = OPS) -> str:
    """Press a button as somebody; what that person is answered."""
    button = find_button(message, label)["action_id"]
    form = {"who": who, "channel": channel, "ts": message["ts"], "button": button, "reason": reason}
    before = find_answers(url, message, channel)
    done = httpx.post(f"{url}/slack/press", data=form, headers={"Origin": url})
    assert done.status_code == 303, done.text
    return wait_for_answers(url, message, len(before) + 1, channel)[-1]


def hand_over(url: str, message: dict[str, Any], envelope: str = "e1", **forged: str) -> None:
    """An envelope such as Slack's, as bvogel's press of the first button, unless `forged` says otherwise."""
    given = {"user": "U0BVOGEL", "ts": message["ts"], "value": find_button(message)["value"], **forged}
    payload = {
        "type": "block_actions",
        "user": {"id": given["user"], "name": "bvogel"},
        "container": {"type": "message", "channel_id": channel_id(OPS), "message_ts": given["ts"]},
        "actions": [{"action_id": "kipflow-0", "type": "button", "value": given["value"]}],
        "state": {"values": {"reason": {"reason": {"type": "plain_text_input", "value": "she says so"}}}},
    }
    sent = {"envelope_id": envelope, "type": "interactive", "payload": payload, "accepts_response_payload": False}
    assert httpx.post(f"{url}/slack/socket", json=sent).status_code == 204


def find_answers(url: str, message: dict[str, Any], channel: str = OPS) -> list[str]:
    found = read_channel(url, "conversations.replies", channel, ts=message["ts"])
    return [str(m["text"]) for m in found if m["ts"] != message["ts"]]


def wait_for_answers(url: str, message: dict[str, Any], count: int, channel: str = OPS) -> list[str]:
    assert wait_until(lambda: len(find_answers(url, message, channel)) >= count), "nobody answered"
    return find_answers(url, message, channel)


def test_a_held_effect_is_approved_by_who_may_and_by_nobody_else(story: tuple[str, Parts]) -> None:
    url, parts = story
    asked = find_asked(url, "this waits for approval")
    assert "not among those who may settle" in press(url, asked, "send it", "lokafor")
    row = parts.store.effects(status="held").rows[0]
    assert row.key == KEY, "nobody else's press does anything"
    assert "released" in press(url, asked, "send it", "bvogel")
    assert parts.store.effects(status="held").total == 0
    assert "waits for approval" in press(url, asked, "send it", "amaro"), "the same refusal as on the board"


def test_a_question_is_settled_with_a_reason_by_whom_the_roster_has(
    story: tuple[str, Parts], airflow: sa.Engine
) -> None:
    url, parts = story
    asked = find_asked(url, "needs a person")
    label = find_button(asked)["text"]["text"]
    assert "Nothing was done" in press(url, asked, label, "bvogel"), "without a reason, as anywhere"
    assert "ruling" in press(url, asked, label, "bvogel", reason="she says so in the thread")
    assert find_rulings(parts) == [("bvogel", "she says so in the thread")]
    act, values = json.loads(find_button(asked)["value"])
    logged = ("bvogel", f"kipflow_{act}", {**values, "reason": "she says so in the thread"})
    assert read_log(airflow)[-1] == logged, "as an act on the board is"


def find_rulings(parts: Parts) -> list[tuple[str, str]]:
    with parts.store.read() as session:
        return [(ruling.author, ruling.reason) for ruling in session.rulings.load_all()]


def test_nothing_is_done_where_airflows_audit_log_does_not_take_it(
    story: tuple[str, Parts], airflow: sa.Engine
) -> None:
    url, parts = story
    with airflow.begin() as connection:
        connection.exec_driver_sql("DROP TABLE log")
    asked = find_asked(url, "this waits for approval")
    assert "Nothing was done: the database of Airflow gives no answer" in press(url, asked, "send it", "bvogel")
    assert parts.store.effects(status="held").rows[0].key == KEY


def test_an_app_that_does_not_know_airflows_database_says_so_and_notes_acts_in_its_own_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    find_audit({})("bvogel", "release", {"key": KEY})
    assert f"{AIRFLOW_DATABASE} is not set" in caplog.text
    assert f'bvogel: release {{"key": "{KEY}"}}' in caplog.text


def test_an_envelope_that_slack_repeats_acts_once(story: tuple[str, Parts], airflow: sa.Engine) -> None:
    url, parts = story
    asked = find_asked(url, "needs a person")
    hand_over(url, asked)
    hand_over(url, asked)
    answers = sorted(wait_for_answers(url, asked, 2), key=lambda said: "Nothing was done" in said)
    assert "ruling 1 recorded" in answers[0]
    assert "not asked any more. bvogel settled it on" in answers[1]
    assert find_rulings(parts) == [("bvogel", "she says so")]
    assert len(read_log(airflow)) == 1


def test_a_press_that_is_replayed_later_sends_nothing_again(story: tuple[str, Parts]) -> None:
    url, parts = story
    asked = find_asked(url, "this waits for approval")
    hand_over(url, asked)
    assert "released" in wait_for_answers(url, asked, 1)[0]
    with parts.store.begin() as session:
        session.outbox.mark_sent(KEY, at=parts.clock(), external_ref="1@3")
    hand_over(url, asked, "e2")
    assert "waits for approval: bvogel let it go" in wait_for_answers(url, asked, 2)[1]
    row = next(row for row in parts.store.effects(limit=500).rows if row.key == KEY)
    assert row.status == "sent"


def test_a_button_of_a_question_that_was_settled_elsewhere_says_by_whom_and_does_nothing(
    story: tuple[str, Parts], airflow: sa.Engine
) -> None:
    url, parts = story
    asked = find_asked(url, "needs a person")
    act, values = json.loads(find_button(asked)["value"])
    perform(open_desk(parts), act, values, ActContext(author="amaro", reason="read <it>", at=parts.clock()))
    said = press(url, asked, asked["blocks"][-1]["elements"][-1]["text"]["text"], "bvogel", reason="no, she did not")
    assert "not asked any more. amaro settled it on" in said
    assert ": read &lt;it&gt;" in said
    assert find_rulings(parts) == [("amaro", "read <it>")]
    assert read_log(airflow) == []


def test_the_result_is_drafted_for_who_asks_and_nothing_is_recorded(
    story: tuple[str, Parts], airflow: sa.Engine
) -> None:
    url, parts = story
    asked = find_asked(url, "draft the result", EVERYBODY)
    check_limits(asked)
    said = press(url, asked, "draft the result", "bvogel", channel=EVERYBODY)
    assert "To: dev@" in said
    assert "Subject: [RESULT]" in said
    assert (find_rulings(parts), read_log(airflow)) == ([], [])
    assert "not among those" in press(url, asked, "draft the result", "lokafor", channel=EVERYBODY)


def test_a_stranger_whose_name_is_somebody_elses_changes_nothing(
    story: tuple[str, Parts], airflow: sa.Engine, caplog: pytest.LogCaptureFixture
) -> None:
    url, parts = story
    hand_over(url, find_asked(url, "this waits for approval"), user="U0STRANGER")
    wait_for(caplog, "U0STRANGER was not answered")
    assert parts.store.effects(status="held").rows[0].key == KEY
    assert read_log(airflow) == []


def test_who_was_taken_out_of_the_roster_meanwhile_settles_nothing(
    own_sandbox: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = shutil.copytree(Path(__file__).parents[2] / "config", tmp_path / "config")
    monkeypatch.setenv("KIPFLOW_SANDBOX_URL", own_sandbox)
    monkeypatch.setenv("KIPFLOW_SANDBOX_SINCE", "2025-08")
    parts = connect_to(own_sandbox, tmp_path / "home", KIPFLOW_CONFIG=str(config))
    ask_for_approval(parts)
    app = open_app(parts, TOKENS)
    assert app is not None
    app.connect()
    roster = config / "rosters" / "sandbox.yaml"
    roster.write_text(roster.read_text().replace("id: bvogel", "id: gone"))
    said = press(own_sandbox, find_asked(own_sandbox, "this waits for approval"), "send it", "bvogel")
    assert "Nothing was done" in said
    assert parts.store.effects(status="held").rows[0].key == KEY
    app.close()
    parts.store.close()


def test_a_forged_press_does_nothing_whatever_it_names(story: tuple[str, Parts], airflow: sa.Engine) -> None:
    url, parts = story
    asked, waits = find_asked(url, "needs a person"), find_asked(url, "this waits for approval")
    act, values = json.loads(find_button(asked)["value"])
    forged = (
        {"value": find_button(waits)["value"]},  # another message's
        {"value": json.dumps([act, {**values, "proposal": "1"}])},  # another question
        {"value": json.dumps(["stage", {"proposal": values["proposal"], "stage": "Accepted"}])},  # another act
        {"value": "[1, {}]"},
        {"value": ""},
    )
    for count, given in enumerate(forged, start=1):
        hand_over(url, asked, f"e{count}", **given)
        assert "has not offered this below that message" in wait_for_answers(url, asked, count)[-1]
    assert (find_rulings(parts), read_log(airflow)) == ([], [])
    assert parts.store.effects(status="held").rows[0].key == KEY


def test_without_an_app_there_are_links_and_no_buttons(story: tuple[str, Parts]) -> None:
    _, parts = story
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


def test_a_button_of_another_version_does_nothing(story: tuple[str, Parts]) -> None:
    _, parts = story
    values = ("", "[]", '["ballot", ["+1"]]', "[1, {}]", '{"act": "stage"}')
    old = {"blocks": [{"type": "actions", "elements": [{"value": value} for value in values]}]}
    with parts.store.begin() as session:
        session.outbox.enqueue([Effect(key="old", number=None, channel="slack", payload=old)], now=parts.clock())
        session.outbox.mark_sent("old", at=parts.clock(), external_ref="C1/2")
    for value in values:
        pressed = Press(user="U1", message="C1/2", value=value, reason="x")
        said = settle_press(open_desk(parts), pressed, {"U1": "bvogel"}, at=parts.clock(), audit=lambda *_: None)
        assert said.startswith("Nothing was done: this button is not of this version"), value


def test_a_revoked_token_is_said_once_a_minute_and_ends_nothing(
    own_sandbox: str, parts_of: Callable[[str], Parts], caplog: pytest.LogCaptureFixture
) -> None:
    app = open_app(parts_of(own_sandbox), {**TOKENS, APP_TOKEN: "revoked"})
    assert app is not None
    stopped = threading.Event()
    listener = threading.Thread(target=listen, args=(app, stopped), daemon=True)
    listener.start()
    wait_for(caplog, "invalid_auth")
    assert listener.is_alive()
    stopped.set()
    listener.join(10)
    assert caplog.text.count("no buttons in Slack: ") == 1


def test_a_dropped_connection_is_opened_again_and_presses_are_received_over_it(
    story: tuple[str, Parts], caplog: pytest.LogCaptureFixture
) -> None:
    url, parts = story
    caplog.set_level(logging.INFO, "slack_sdk")
    assert httpx.delete(f"{url}/slack/socket").status_code == 204
    wait_for(caplog, "A new session has been established")
    assert "released" in press(url, find_asked(url, "this waits for approval"), "send it", "bvogel")
    assert parts.store.effects(status="held").total == 0


def wait_for(caplog: pytest.LogCaptureFixture, said: str) -> None:
    assert wait_until(lambda: said in caplog.text), f"never logged: {said}"


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
        dropped = httpx.delete(f"{own_sandbox}/slack/socket")
        closing.join()
        assert dropped.status_code == 204
        assert [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR] == []
    parts.store.close()
