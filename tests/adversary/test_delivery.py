"""Messages and the database in a bad hour: crashes, second deliveries, lost answers, deleted files."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from kipflow.adapters.store.engine import find_file
from kipflow.services import poll
from tests.adversary.conftest import DAY, LIND, MONDAY, Community, Mail, honest_vote
from tests.databases import run_sql
from tests.integration.conftest import running_sandbox
from tests.integration.killing import fork
from tests.waiting import wait_until

DISCUSS = "[DISCUSS] KIP-7: Tidy shelves"
TALK = Mail(
    name="talk", by=LIND, day=0, body="What do you think of it?", subject="[DISCUSS] KIP-7: Tidy shelves", answers=""
)
TOKEN = "xoxb-village"
SENDING = {"mode": "send", "slack": "send", "index": "off"}
POST = "/slack/api/chat.postMessage"


def at(day: float) -> str:
    return (MONDAY + day * DAY).isoformat()


@pytest.fixture
def outside(community: Community, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A Slack of the village's own, and its clock, which stands at Monday until `pass_to`."""
    with running_sandbox(speed=0, now=MONDAY) as url:
        monkeypatch.setenv("KIPFLOW_SLACK_TOKEN", TOKEN)
        channels = {"url": f"{url}/slack/api", "channel": "#proposals", "operators": "#proposals-ops"}
        community.write_config(slack=channels, clock=f"{url}/clock", effects=SENDING)
        yield url


@pytest.fixture
def slack(community: Community, outside: str) -> str:
    """KIP-7's vote has ended, and messages wait to be sent."""
    pass_to(community, outside, 0.1, TALK)
    vote = honest_vote()
    pass_to(community, outside, 1.1, vote["vote"])
    pass_to(community, outside, 6, vote["one"], vote["two"], vote["three"], vote["result"])
    return outside


def pass_to(community: Community, outside: str, day: float, *mails: Mail) -> None:
    """Let time pass to that day; kipflow polls and decides then."""
    now = datetime.fromisoformat(httpx.get(f"{outside}/clock").json()["now"])
    hours = (MONDAY + day * DAY - now) / timedelta(hours=1)
    httpx.post(f"{outside}/clock", json={"advance": f"{hours:.3f} hours"}).raise_for_status()
    community.receive(*mails)
    community.run("poll")
    assert community.run("advance").code == 0


def posted(slack: str) -> list[str]:
    """The keys of what stands in the village's channels."""
    found: list[str] = []
    for channel in ("C0PROPOSALS", "C0PROPOSALSOPS"):
        answer = httpx.get(
            f"{slack}/slack/api/conversations.history",
            params={"channel": channel, "limit": "999"},
            headers={"Authorization": f"Bearer {TOKEN}"},
        )
        found += [m["metadata"]["event_payload"]["key"] for m in answer.raise_for_status().json()["messages"]]
    return sorted(found)


def effects(community: Community) -> dict[str, str]:
    """Key → status of every message that the village decided to send."""
    return {e["key"]: e["status"] for e in community.status()["effects"]}


def spoil(slack: str, *rules: str) -> None:
    for rule in rules:
        httpx.post(f"{slack}/faults", json={"rule": rule}).raise_for_status()


def test_a_kill_after_slack_took_a_message(community: Community, slack: str) -> None:
    """kipflow is killed when Slack has taken a message and kipflow has not noted it yet. The next delivery finds that
    message in the channel and sends only the others: each stands there once."""
    wanted = sorted(effects(community))
    assert len(wanted) > 1
    spoil(slack, f"late {POST} x1 seconds=3")
    child = fork(lambda: community.run("deliver"))
    assert wait_until(lambda: posted(slack), every=0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert len(posted(slack)) == 1

    assert community.run("deliver").code == 0
    assert posted(slack) == wanted
    assert set(effects(community).values()) == {"sent"}


def test_two_deliveries_at_once(community: Community, slack: str) -> None:
    """An operator runs `kipflow deliver` while the DAG delivers, and two more do. Each message goes out once."""
    wanted = sorted(effects(community))
    children = [fork(lambda: community.run("deliver")) for _ in range(4)]
    for child in children:
        os.waitpid(child, 0)
    assert posted(slack) == wanted
    assert set(effects(community).values()) == {"sent"}


def test_an_answer_that_is_lost(community: Community, slack: str) -> None:
    """The connection breaks after Slack took a message. It is found in the channel by its key and not repeated."""
    spoil(slack, f"reset {POST} x1")
    assert community.run("deliver").code == 0
    assert posted(slack) == sorted(effects(community))


def test_an_answer_that_is_lost_where_the_channel_cannot_be_read(community: Community, slack: str) -> None:
    """The connection breaks after Slack took a message, and the bot may not read the channel. The message is never sent
    again on a guess: a person is asked, and says that it is there or that it is not."""
    wanted = sorted(effects(community))
    spoil(slack, f"reset {POST} x1", "scope /slack/api/conversations x9")
    community.run("deliver")
    pass_to(community, slack, 6.2)
    community.run("deliver")
    [asked] = [row for row in community.questions() if row["kind"] == "unsure"]
    assert "missing_scope" in asked["line"]
    assert asked["settle"].splitlines() == [
        f"kipflow -C village review {w} {asked['subject']}" for w in ("sent", "release")
    ]
    assert community.run("review", "sent", asked["subject"]).code == 0
    httpx.delete(f"{slack}/faults")
    community.run("deliver")
    assert posted(slack) == wanted


# -- warnings of dormancy ---------------------------------------------------------------------------------
def test_a_warning_that_nobody_released(community: Community, outside: str) -> None:
    """A community approves each message, and nobody releases the warning of dormancy. The proposal is not dormant,
    however long that lasts; once the warning is delivered, its author has the whole grace."""
    community.write_config(effects={**SENDING, "slack": "approve"}, policy={"dormancy": "clock"})
    pass_to(community, outside, 0.1, TALK)
    for day in (92.0, 150.0, 200.0):
        pass_to(community, outside, day)
        community.run("deliver")
    assert community.stage() == "Discussion"
    heard = posted(outside)
    assert all(key.startswith("approval/") for key in heard), "operators hear that it waits, nobody hears the warning"

    [held] = [row["subject"] for row in community.questions() if "/warning/" in row["subject"]]
    community.run("review", "release", held)
    assert community.run("deliver").code == 0
    assert sorted(set(posted(outside)) - set(heard)) == [held]
    for day, stage in ((213.9, "Discussion"), (214.1, "Dormant")):
        pass_to(community, outside, day)
        assert community.stage() == stage
    assert community.run("replay").code == 0


def test_a_warning_in_dry_run(community: Community, outside: str) -> None:
    """A community runs dry, so that no author ever gets a warning of dormancy. Nothing falls asleep by the clock;
    `status` shows what would follow, and says that nobody was warned."""
    community.write_config(effects={**SENDING, "mode": "dry-run"}, policy={"dormancy": "clock"})
    pass_to(community, outside, 0.1, TALK)
    pass_to(community, outside, 92)
    pass_to(community, outside, 300)
    shown = community.status()
    assert shown["stage"] == "Discussion"
    assert shown["missing"][-1].endswith("nobody was warned yet; dormant 14 days after the warning is delivered")
    assert [w["delivery"] for w in shown["warnings"]] == ["would be warned; dry-run: nobody was"]
    assert posted(outside) == []
    assert community.run("replay").code == 0


# -- the database -----------------------------------------------------------------------------------------
def test_a_database_that_is_deleted_in_mid_run(
    community: Community, database_url: sa.URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody deletes the database while kipflow polls. The command ends with one line that says so and exit code 2,
    and so does every later one; none makes an empty database and prints its usual counts."""
    community.follow(TALK, day=1)
    vote = honest_vote()
    community.receive(vote["vote"])
    read = poll.poll_months

    def lose_the_database(*arguments: Any, **more: Any) -> Any:
        path = find_file(database_url)
        if path is not None:
            path.unlink()
        else:
            run_sql(database_url.set(database="postgres"), f"DROP DATABASE {database_url.database} WITH (FORCE)")
        return read(*arguments, **more)

    with monkeypatch.context() as losing:
        losing.setattr(poll, "poll_months", lose_the_database)
        said = community.run("poll", "--as-of", at(1.2))
    assert (said.code, said.out) == (2, "")
    assert said.err.strip().splitlines()[-1].startswith("kipflow: database: ")
    for command in (("poll", "--as-of", at(1.3)), ("advance", "--as-of", at(1.3)), ("status",), ("review",)):
        said = community.run(*command)
        assert (said.code, said.out) == (2, ""), command


def test_another_user_of_the_machine(community: Community, tmp_path: Path, database_url: sa.URL) -> None:
    """Another user of the machine looks into kipflow's folder, made with the usual umask or left open by an older
    version. Folder and database are closed to everybody but their owner, and kipflow says once that they were open."""
    before = os.umask(0o022)
    try:
        community.follow(TALK, day=1)
        home = tmp_path / "home"
        path = find_file(database_url) or home / "some.db"
        path.touch()
        home.chmod(0o755)
        path.chmod(0o644)
        first, second = community.run("status"), community.run("status")
    finally:
        os.umask(before)
    assert "could be read by others on this machine; now only by you" in first.err
    assert "could be read" not in second.err
    for kept in (home, path, *path.parent.glob(f"{path.name}-*")):
        assert stat.S_IMODE(kept.stat().st_mode) & 0o077 == 0, kept


def test_messages_that_no_token_can_send_are_said_to_wait(
    community: Community, slack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that delivers has no token for Slack.

    It says how many messages wait, and why, and its exit code says that this is not well.
    """
    monkeypatch.delenv("KIPFLOW_SLACK_TOKEN")
    said = community.run("deliver")
    waiting = sum(status == "pending" for status in effects(community).values())
    assert waiting
    assert f"{waiting} wait: KIPFLOW_SLACK_TOKEN is not set" in said.out
    assert said.code == 1
    assert posted(slack) == []


def test_a_service_that_is_not_there_refuses_the_connection(community: Community, slack: str) -> None:
    """Slack's address leads to nothing.

    The warning says "connection refused", which says more than the name of an error.
    """
    assert slack
    community.write_config(slack={"url": "http://127.0.0.1:9/api", "channel": "#proposals", "operators": "#ops"})
    said = community.run("deliver")
    assert said.code == 1
    assert "connection refused" in said.err
    assert "URLError" not in said.err
