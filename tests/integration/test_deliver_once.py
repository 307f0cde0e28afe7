"""Every effect goes out exactly once, whoever dies at whatever moment, and however many deliver at once.

Real processes (forked, ended by SIGKILL), real HTTP to the sandbox's Slack and wiki, real databases. A process dies
before or after any of its steps: a statement or commit of the database, a request to the service and its answer; or
while the service has done what was asked and has not answered yet. The points are drawn from a seed, fifty for each
database. What is proven: after a rerun the channel holds each message once, none is lost, and the wiki's page has one
version for each edit. What is not: a service that shows a message minutes after it took it, or a machine that stands
still between asking whether a claim still holds and sending.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from kipflow.adapters.confluence import ConfluenceWiki
from kipflow.adapters.slack import SlackChat
from kipflow.adapters.store import SqlStore
from kipflow.adapters.store.engine import open_engine
from kipflow.services.ports import Effect
from tests.effect_kinds import chat_kind, index_kind
from tests.integration.conftest import ANCHOR
from tests.integration.killing import await_end, deliver_until, fork, kill_at_every_step
from tests.integration.late import MONDAY, found, story
from tests.waiting import wait_until

pytestmark = pytest.mark.integration

EFFECTS, KILLS, DELIVERERS = 14, 50, 4
#: Steps of a delivery: about ten for each message.
DEEPEST = 25
TOKEN = "xoxb-test"


Open = Callable[[], SqlStore]


@pytest.fixture
def opener(tmp_path: Path, database_url: sa.URL) -> Open:
    """Opens the test's database with connections of one's own: a forked process must share none."""
    village = found(tmp_path, KIPFLOW_DATABASE_URL=database_url.render_as_string(hide_password=False))
    village.parts.store.close()
    return lambda: SqlStore(open_engine(database_url), village.parts.store.rules)


_channels = itertools.count(1)


def new_channel() -> str:
    return f"C0ONCE{next(_channels)}"


def enqueue(opener: Open, channel: str) -> list[str]:
    """Fourteen effects for a channel; their keys in order."""
    keys = [f"{channel}/{n:02d}/slack" for n in range(EFFECTS)]
    store = opener()
    with store.begin() as session:
        session.outbox.enqueue(
            [
                Effect(key=key, number=7, channel="slack", payload={"channel": channel, "text": key, "blocks": []})
                for key in keys
            ],
            now=ANCHOR,
        )
    store.close()
    return keys


def posted(outside: str, channel: str) -> list[str]:
    """The keys of a channel's messages, oldest first."""
    answer = httpx.get(
        f"{outside}/slack/api/conversations.history",
        params={"channel": channel, "limit": "999"},
        headers={"Authorization": f"Bearer {TOKEN}"},
    )
    messages = answer.raise_for_status().json()["messages"]
    return [m["metadata"]["event_payload"]["key"] for m in reversed(messages)]


# -- processes that die ---------------------------------------------------------------------------------
def deliver_messages(opener: Open, outside: str, *, last: int = 0) -> None:
    chat = SlackChat(f"{outside}/slack/api", TOKEN)
    deliver_until(opener, "slack", lambda store: chat_kind(chat, store), ANCHOR, last)


@contextmanager
def late_answer(outside: str, path: str) -> Iterator[None]:
    """The next request of that path is done and not answered for long."""
    httpx.post(f"{outside}/faults", json={"rule": f"late {path} x1 seconds=3"}).raise_for_status()
    yield
    httpx.delete(f"{outside}/faults").raise_for_status()


def kill_once_posted(opener: Open, outside: str, channel: str) -> int:
    """Kill a delivery when Slack has the message and has not answered yet."""
    before = len(posted(outside, channel))
    with late_answer(outside, "/slack/api/chat.postMessage"):
        child = fork(lambda: deliver_messages(opener, outside))
        has_ended = partial(os.waitid, os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        assert wait_until(lambda: len(posted(outside, channel)) > before or has_ended(), every=0.01)
        os.kill(child, signal.SIGKILL)
        return await_end(child)


def statuses(opener: Open) -> set[str]:
    store = opener()
    found_ = {row.status for row in store.effects(limit=1_000).rows}
    store.close()
    return found_


def test_fifty_kills_at_any_point_end_in_fourteen_messages_for_fourteen_effects(opener: Open, outside: str) -> None:
    luck, deaths, rounds = random.Random(9), 0, 0  # noqa: S311 - a seed, no secret
    while deaths < KILLS:
        rounds += 1
        channel = new_channel()
        keys = enqueue(opener, channel)
        died = True
        while died and deaths < KILLS:
            if luck.random() < 0.2:
                died = kill_once_posted(opener, outside, channel) == -9
            else:
                last = luck.randint(1, DEEPEST)
                died = await_end(fork(partial(deliver_messages, opener, outside, last=last))) == -9
            deaths += died
        deliver_messages(opener, outside)
        assert posted(outside, channel) == keys, f"round {rounds}, after {deaths} deaths"
        assert statuses(opener) == {"sent"}
    assert rounds > 1


def test_four_deliveries_at_once_give_fourteen_messages_for_fourteen_effects_in_their_order(
    opener: Open, outside: str
) -> None:
    channel = new_channel()
    keys = enqueue(opener, channel)

    def work() -> None:
        while statuses(opener) != {"sent"}:
            deliver_messages(opener, outside)

    children = [fork(work) for _ in range(DELIVERERS)]
    assert [await_end(child) for child in children] == [0] * DELIVERERS
    assert posted(outside, channel) == keys


def test_one_of_four_that_dies_leaves_its_message_to_the_others(opener: Open, outside: str) -> None:
    channel = new_channel()
    keys = enqueue(opener, channel)

    def work(last: int) -> None:
        deliver_messages(opener, outside, last=last)
        while statuses(opener) != {"sent"}:
            deliver_messages(opener, outside)

    ends = [await_end(child) for child in [fork(partial(work, last)) for last in (12, 0, 31, 0)]]
    assert 0 in ends
    assert posted(outside, channel) == keys


# -- the index -------------------------------------------------------------------------------------------
def test_a_kill_at_any_step_of_an_index_save_leaves_one_version_for_the_edit(
    opener: Open, outside: str, tmp_path: Path, database_url: sa.URL
) -> None:
    village = found(tmp_path, KIPFLOW_DATABASE_URL=database_url.render_as_string(hide_password=False))
    village.receive(list(story().values()), MONDAY)
    village.decide(MONDAY)
    village.parts.store.close()
    wiki = ConfluenceWiki(f"{outside}/confluence/rest/api", "secret")
    body = wiki.fetch_page("1000").body
    pages: list[str] = []

    def prepare(last: int) -> None:
        title = f"Index {database_url.get_backend_name()} {last}"
        pages.append(wiki.create_page("1000", title=title, body=body).page_id)
        store = opener()
        index_kind(store, wiki, pages[-1], ANCHOR).plan()
        store.close()

    def work(last: int) -> None:
        deliver_until(opener, "index", lambda store: index_kind(store, wiki, pages[-1], ANCHOR), ANCHOR, last)

    def check(last: int) -> None:
        assert statuses(opener) == {"sent"}, f"killed at step {last}"
        assert wiki.fetch_page(pages[-1]).version == 2, f"killed at step {last}"

    assert kill_at_every_step(prepare, work, check) > 10
