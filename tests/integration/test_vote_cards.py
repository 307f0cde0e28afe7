"""The message of a vote: posted once, kept up to date in place, its thread hears what is new; over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from kipflow.adapters.slack import SlackChat
from kipflow.services.desk import ActContext
from kipflow.services.ports.effects import CARD, OutboxRow
from kipflow.services.releases import refuse
from kipflow.wiring import open_desk
from tests.integration.conftest import running_sandbox
from tests.integration.late import AMARO, DAY, MONDAY, OKAFOR, TITLE, VOGEL, Mail, Village, found, story
from tests.integration.test_late_mail import WEEK, live_through

pytestmark = pytest.mark.integration

TOKEN = "xoxb-test"
ANSWER = f"Re: [VOTE] {TITLE}"
CHANNEL = "C0PROPOSALS"


@pytest.fixture
def slack() -> Iterator[str]:
    with running_sandbox(speed=0) as url:
        yield f"{url}/slack/api"


@pytest.fixture
def village(tmp_path: Path, slack: str) -> Iterator[Village]:
    one = found(tmp_path / "village")
    one.channel = SlackChat(slack, TOKEN)  # type: ignore[assignment]
    yield one
    one.parts.store.close()


def read(slack: str, method: str, **given: Any) -> list[dict[str, Any]]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    answer = httpx.get(f"{slack}/conversations.{method}", params={"channel": CHANNEL, **given}, headers=headers).json()
    return [m for m in answer["messages"] if m["text"].startswith("KIP-77")]


def find_card(slack: str) -> dict[str, Any]:
    [card] = [m for m in read(slack, "history") if m["text"] == "KIP-77: Discussion → Vote"]
    return card


def body(message: dict[str, Any]) -> str:
    return str(message["blocks"][0]["text"]["text"])


def find_answers(slack: str) -> list[str]:
    card = find_card(slack)
    return [m["text"] for m in read(slack, "replies", ts=card["ts"]) if m["ts"] != card["ts"]]


def stored_card(village: Village) -> OutboxRow:
    [row] = [row for row in village.parts.store.effects(limit=99).rows if CARD in row.payload]
    return row


def live_day(village: Village, mails: list[Mail], day: float) -> datetime:
    """The evening of a day, its mail received and decided on."""
    evening = MONDAY + (day + 0.9) * DAY
    village.receive([m for m in mails if evening - DAY < m.at <= evening], evening)
    village.decide(evening)
    return evening


def test_a_vote_fills_in_place_and_its_thread_hears_of_each_binding_vote(village: Village, slack: str) -> None:
    mails = list(story().values())
    live_day(village, mails, 0)
    live_day(village, mails, 1)
    first = body(find_card(slack))
    assert ":large_green_square::large_green_square::white_large_square:" in first
    assert "binding +2 / 0 / -0*, 3 needed" in first
    assert "<!date^" in first
    assert find_answers(slack) == []

    live_day(village, mails, 2)
    assert "binding +3" in body(find_card(slack))
    assert find_answers(slack) == ["KIP-77: Tomo Nakagawa: +1"]

    for day in (3, 4, 5):
        live_day(village, mails, day)
    last = body(find_card(slack))
    assert "The vote *passed*: KIP-77 is *Accepted*" in last
    assert "<!date^" not in last
    assert [m["text"] for m in reversed(read(slack, "history"))] == [
        "KIP-77: Draft",
        "KIP-77: Draft → Discussion",
        "KIP-77: Discussion → Vote",
        "KIP-77: the voting period is over: passed",
        "KIP-77: Vote → Accepted",
    ]
    assert len(find_answers(slack)) == 1


def test_a_vote_that_changes_is_unclear_or_hostile_is_reported_below_and_pings_nobody(
    village: Village, slack: str
) -> None:
    mails = list(story().values())[:4]
    mails += [
        Mail(name="four", at=MONDAY + 2.1 * DAY, author=VOGEL, subject=ANSWER, body="-1 (binding)", answers="vote"),
        Mail(
            name="five",
            at=MONDAY + 2.2 * DAY,
            author=OKAFOR,
            subject=ANSWER,
            body="+1 if <!channel> *agrees* _with_ <https://evil.example|this>",
            answers="vote",
        ),
    ]
    for day in (0, 1, 2):
        live_day(village, mails, day)
    answers = find_answers(slack)
    assert [a.partition(": ")[2].partition(": ")[2] for a in answers] == [
        "-1 (was: +1)",
        "unclear, a person is asked",
    ]
    card = find_card(slack)
    assert ":large_green_square::large_red_square:" in body(card)
    for message in read(slack, "replies", ts=card["ts"]):
        assert "<!channel>" not in body(message)
        assert "<https://evil" not in body(message)


def test_nothing_is_written_again_that_says_the_same(village: Village, slack: str) -> None:
    live_through(village, list(story().values()), last=3)
    before = stored_card(village)
    village.decide(MONDAY + 3.2 * DAY)
    village.decide(MONDAY + 3.2 * DAY)
    assert stored_card(village) == before


def test_a_message_that_somebody_deleted_is_not_posted_again(village: Village, slack: str) -> None:
    mails = list(story().values())
    for day in (0, 1):
        live_day(village, mails, day)
    row = stored_card(village)
    with village.parts.store.begin() as session:
        session.outbox.mark_sent(row.key, at=WEEK, external_ref=f"{CHANNEL}/1.000001")
    live_day(village, mails, 2)
    assert stored_card(village).status == "sent"
    assert len([m for m in read(slack, "history") if m["text"].endswith("Vote")]) == 1


def test_where_a_person_approves_the_message_and_its_updates_wait_for_one(village: Village, slack: str) -> None:
    village.slack = "approve"
    mails = list(story().values())
    for day in (0, 1, 2):
        live_day(village, mails, day)
    assert read(slack, "history") == []
    row = stored_card(village)
    assert row.status == "held"
    assert "binding +3" in row.payload["blocks"][0]["text"]["text"], "what waits says what is so now"

    release(village, row.key)
    live_day(village, mails, 3)
    assert "binding +3" in body(find_card(slack))
    for day in (4, 5):
        live_day(village, mails, day)
    assert "*passed*" not in body(find_card(slack))
    assert stored_card(village).status == "held"
    release(village, row.key)
    village.decide(WEEK)
    assert "*passed*" in body(find_card(slack))


def test_who_refuses_an_update_keeps_the_message_as_it_went_out(village: Village, slack: str) -> None:
    mails = list(story().values())
    for day in (0, 1):
        live_day(village, mails, day)
    village.slack = "approve"
    live_day(village, mails, 2)
    row = stored_card(village)
    assert row.status == "held"
    context = ActContext(author="ops", reason="nobody needs it", at=MONDAY + 3 * DAY)
    refuse(open_desk(village.parts), {"key": row.key}, context)
    for day in (3, 4, 5):
        live_day(village, mails, day)
    assert "binding +2" in body(find_card(slack))
    assert stored_card(village).status == "withdrawn"


def release(village: Village, key: str) -> None:
    with village.parts.store.begin() as session:
        assert session.outbox.release(key, by="ops", at=MONDAY)


def test_in_dry_run_it_is_kept_true_and_nothing_goes_out(tmp_path: Path, slack: str) -> None:
    village = found(tmp_path / "dry", KIPFLOW_DRY_RUN="1")
    village.channel = SlackChat(slack, TOKEN)  # type: ignore[assignment]
    live_through(village, list(story().values()))
    row = stored_card(village)
    assert row.status == "skipped"
    assert "*passed*" in row.payload["blocks"][0]["text"]["text"]
    assert read(slack, "history") == []
    village.parts.store.close()


def test_a_correction_still_reaches_people_whose_message_waits_to_be_updated(village: Village, slack: str) -> None:
    """A message that is to be updated has gone out: it is neither withdrawn nor taken for unsent."""
    mails = list(story().values())
    for day in (0, 1):
        live_day(village, mails, day)
    row = stored_card(village)
    with village.parts.store.begin() as session:
        session.outbox.rewrite(row.key, {**row.payload, "text": "KIP-77: another"}, now=WEEK, approval=True)
        assert session.outbox.load_status([row.key]) == {row.key: "sent"}
        assert session.outbox.withdraw([row.key], why="corrected") == 0
    assert stored_card(village).status == "held"


def test_a_name_cannot_ping_or_break_the_message(village: Village, slack: str) -> None:
    mails = [replace(m, author=AMARO.replace("Ines", "<!here> *x*")) for m in story().values()]
    for day in (0, 1, 2):
        live_day(village, mails, day)
    assert "<!here>" not in body(find_card(slack))
