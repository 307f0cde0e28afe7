"""A proposal's page and ticket say what was decided: by the smallest edit, once, and never against a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from kipflow.adapters.confluence import ConfluenceWiki
from kipflow.adapters.jira import JiraTickets
from kipflow.adapters.store import SqlStore
from kipflow.adapters.store.engine import open_engine
from kipflow.services.effect_kinds.kind import EffectKind
from kipflow.services.effect_kinds.ticket import TicketKind
from kipflow.services.ports import Effect, OutboxRow, Report, WikiPage
from kipflow.wiki.pages import parse_page
from tests.effect_kinds import make_due, page_kind, scope_of
from tests.integration.conftest import running_sandbox
from tests.integration.killing import deliver_until, kill_at_every_step
from tests.integration.late import DAY, MONDAY, TITLE, Village, found, late_objections, story

pytestmark = pytest.mark.integration

#: The vote is over and announced.
OVER = MONDAY + 5 * DAY
BODY = (
    "<h1>Status</h1><p><strong>Current state</strong>: <em>Under Discussion</em></p>"
    "<p><strong>Discussion thread</strong>: TBD</p><p><strong>Vote thread</strong>: TBD</p>"
    '<p><strong>JIRA</strong>: <a href="https://jira.x.example/browse/SAND-1087">SAND-1087</a></p>'
    "<h1>Motivation</h1><p>Shelves bend&nbsp;&ndash; nobody knows.</p><h1>Public Interfaces</h1><p>None.</p>"
)
SET = (
    BODY.replace("Under Discussion", "Accepted")
    .replace("thread</strong>: TBD", 'thread</strong>: <a href="http://127.0.0.1:9/thread/talk@x.example">here</a>', 1)
    .replace("thread</strong>: TBD", 'thread</strong>: <a href="http://127.0.0.1:9/thread/vote@x.example">here</a>', 1)
)


@pytest.fixture(scope="module")
def outside() -> Iterator[str]:
    """A sandbox whose time stands still while the vote runs."""
    with running_sandbox(speed=0, now=OVER - DAY) as url:
        yield url


class Place:
    """A community whose proposal was accepted, while its page on the sandbox's wiki is as before the vote."""

    def __init__(self, home: Path, outside: str) -> None:
        self.village: Village = found(home)
        self.store, self.outside, self.now = self.village.parts.store, outside, OVER
        self.wiki = ConfluenceWiki(f"{outside}/confluence/rest/api", "secret")
        self.page_id = self.wiki.create_page("1000", title=f"{TITLE} ({home.name})", body=BODY).page_id
        self.village.receive(list(story().values()), OVER)
        self.read()

    @property
    def page(self) -> WikiPage:
        return self.wiki.fetch_page(self.page_id)

    def read(self) -> None:
        """What the next sync does, and the decision after it."""
        with self.store.begin() as session:
            session.pages.save_version(parse_page(self.page, "KIP"), seen_at=self.now)
        self.village.decide(self.now)

    def run(self, mode: str = "send") -> Report:
        """What `kip_follow_up` does."""
        return make_due(self.store, "page", page_kind(self.store, self.wiki, self.now, mode=mode), self.now)

    def list(self, status: str, channel: str = "page") -> list[OutboxRow]:
        return self.village.outbox(channel, status)

    def write(self, old: str, new: str) -> None:
        """What somebody saves by hand."""
        page = self.page
        assert old in page.body
        self.wiki.save_page(page, body=page.body.replace(old, new), message="I know better")
        self.now += timedelta(hours=1)
        self.read()

    def act(self, name: str, key: str) -> None:
        self.village.act(name, key, self.now)

    def spoil(self, rule: str) -> None:
        httpx.post(f"{self.outside}/faults", json={"rule": rule}).raise_for_status()


@pytest.fixture
def place(tmp_path: Path, outside: str) -> Iterator[Place]:
    yield Place(tmp_path, outside)
    httpx.delete(f"{outside}/faults").raise_for_status()


def test_the_page_says_what_was_decided_and_is_saved_once(place: Place) -> None:
    for _ in range(3):
        place.run()
    assert place.page.body == SET
    assert place.page.version == 2
    place.read()
    assert not [d for d in place.store.proposal(77, place.now).drift if d.side == "page"]


def test_an_edit_waits_for_approval_with_the_lines_that_change(place: Place) -> None:
    place.run(mode="approve")
    assert place.page.body == BODY
    [held] = place.list("held")
    assert held.payload["diff"][:2] == ["-Current state: Under Discussion", "-Discussion thread: TBD"]
    assert "+Current state: Accepted" in held.payload["diff"]
    place.act("release", held.key)
    place.run(mode="approve")
    assert place.page.body == SET


def test_who_changes_the_state_back_is_asked_and_not_overruled(place: Place) -> None:
    place.run()
    place.write("Accepted", "Under Discussion")
    theirs = place.page
    for _ in range(3):
        place.run()
    assert place.page == theirs
    [asked] = place.list("held")
    assert "somebody changed the state on the page back to 'Under Discussion'. Set it again?" in asked.payload["text"]
    place.act("refuse", asked.key)
    place.write("Shelves bend", "All shelves bend")
    place.run()
    assert place.list("held") == []
    assert [d.side for d in place.store.proposal(77, place.now).drift] == ["page"]


def test_a_state_that_was_changed_back_is_set_again_once_a_person_says_so(place: Place) -> None:
    place.run()
    place.write("Accepted", "Under Discussion")
    place.run()
    place.act("release", place.list("held")[0].key)
    place.run()
    assert place.page.body == SET


def test_a_saved_edit_is_taken_back_byte_for_byte_and_only_made_again_if_a_person_says_so(place: Place) -> None:
    place.run()
    place.act("rollback", place.list("sent")[0].key)
    place.run()
    assert place.page.body == BODY
    place.now += timedelta(hours=1)
    place.read()
    place.run()
    assert place.page.body == BODY
    assert len(place.list("held")) == 1


def test_what_somebody_wrote_since_the_page_was_read_is_not_overwritten(place: Place) -> None:
    page = place.page
    place.wiki.save_page(page, body=BODY.replace("Under Discussion", "Withdrawn"), message="we gave it up")
    [warning] = place.run().warnings
    assert "says 'Withdrawn' by now: it is read first" in warning
    assert "Withdrawn" in place.page.body


def test_others_who_save_at_the_same_moment_lose_nothing(place: Place) -> None:
    place.spoil("conflict /confluence x2")
    place.run()
    body = place.page.body
    assert body.startswith(SET)
    assert [f"Edited meanwhile (version {n})" in body for n in (2, 3)] == [True, True]


def test_a_storm_of_conflicts_leaves_the_edit_for_later(place: Place) -> None:
    place.spoil("conflict /confluence x30")
    report = place.run()
    assert report.counts["failed"] == 1
    assert "Accepted" not in place.page.body
    httpx.delete(f"{place.outside}/faults").raise_for_status()
    place.now += timedelta(hours=1)
    place.read()
    place.run()
    assert place.page.body.startswith(SET)


def test_a_token_that_has_expired_is_one_line_and_the_edit_waits(place: Place) -> None:
    place.spoil("expired /confluence x40")
    [warning] = place.run().warnings
    assert "\n" not in warning
    httpx.delete(f"{place.outside}/faults").raise_for_status()
    place.now += timedelta(hours=1)
    place.run()
    assert place.page.body == SET


def test_an_acceptance_that_fell_changes_no_page_before_a_person_released_it(place: Place) -> None:
    place.run()
    place.now += DAY
    place.village.receive(late_objections(), place.now)
    place.village.decide(place.now)
    place.run()
    assert place.page.body == SET
    [held] = place.list("held", "slack")
    place.act("release", held.key)
    place.run()
    assert "<em>Rejected</em>" in place.page.body


# -- the ticket ------------------------------------------------------------------------------------
def ticket_kind(place: Place, store: SqlStore) -> TicketKind:
    return TicketKind(scope=scope_of(store, place.now), tickets=JiraTickets(f"{place.outside}/jira/rest/api/2"))


def comment(place: Place) -> None:
    make_due(place.store, "ticket", ticket_kind(place, place.store), place.now)


def comments(place: Place) -> list[str]:
    answer = httpx.get(f"{place.outside}/jira/rest/api/2/issue/SAND-1087/comment").raise_for_status().json()
    return [str(c["body"]) for c in answer["comments"]]


def test_a_ticket_hears_of_the_outcome_once_and_of_its_end_after_a_person_released_it(place: Place) -> None:
    before = len(comments(place))
    for _ in range(3):
        comment(place)
    assert len(comments(place)) == before + 1
    assert "KIP-77 is Accepted since 2026-03-0" in comments(place)[0]
    place.now += DAY
    with place.store.begin() as session:
        session.outbox.withdraw([row.key for row in place.list("pending", "ticket")], why="x")
    place.village.receive(late_objections()[:3], place.now)
    place.village.decide(place.now)
    for row in place.list("held", "slack"):
        place.act("release", row.key)
    comment(place)
    assert len(comments(place)) == before + 1
    [held] = place.list("held", "ticket")
    place.act("release", held.key)
    comment(place)
    assert "no longer holds" in comments(place)[0]


def test_a_ticket_whose_answer_was_lost_has_one_comment(place: Place) -> None:
    before = len(comments(place))
    place.spoil("reset /jira/rest/api/2/issue/SAND-1087/comment x1")
    comment(place)
    place.now += timedelta(hours=1)
    comment(place)
    assert len(comments(place)) == before + 1
    assert place.list("sent", "ticket") != []


# -- processes that die ----------------------------------------------------------------------------
def forget(store: SqlStore) -> None:
    """What was planned and made so far is forgotten; the services keep it."""
    with store.begin() as session:
        session.connection.exec_driver_sql("DELETE FROM outbox")


def opens(place: Place) -> Callable[[], SqlStore]:
    """Opens the place's store with connections of one's own."""
    engine, rules = place.store._engine, place.store.rules
    return lambda: SqlStore(open_engine(engine.url), rules)


def test_a_kill_at_any_step_of_an_edit_leaves_one_version_of_the_page(place: Place) -> None:
    before: list[int] = []

    def make(store: SqlStore) -> EffectKind:
        return page_kind(store, place.wiki, place.now)

    def prepare(_last: int) -> None:
        if place.page.body != BODY:
            place.write(place.page.body, BODY)
        forget(place.store)
        make(place.store).plan()
        before.append(place.page.version)
        place.store.close()

    def work(last: int) -> None:
        deliver_until(opens(place), "page", make, place.now, last)

    def check(last: int) -> None:
        assert (place.page.version, place.page.body) == (before[-1] + 1, SET), f"killed at step {last}"
        assert len(place.list("sent")) == 1

    assert kill_at_every_step(prepare, work, check) > 8


def test_a_kill_at_any_step_of_a_comment_leaves_one_comment(place: Place) -> None:
    before: list[int] = []

    def prepare(last: int) -> None:
        forget(place.store)
        payload = {"ticket": "SAND-1087", "text": "It was accepted.", "stage": "Accepted"}
        effect = Effect(key=f"{place.page_id}/{last}/ticket", number=77, channel="ticket", payload=payload)
        with place.store.begin() as session:
            session.outbox.enqueue([effect], now=place.now)
        before.append(len(comments(place)))
        place.store.close()

    def work(last: int) -> None:
        deliver_until(opens(place), "ticket", lambda store: ticket_kind(place, store), place.now, last)

    def check(last: int) -> None:
        assert len(comments(place)) == before[-1] + 1, f"killed at step {last}"
        assert len(place.list("sent", "ticket")) == 1

    assert kill_at_every_step(prepare, work, check) > 8
