"""The draft of a result reaches whoever called the vote, once, by direct message over HTTP."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import httpx
import pytest

from kipflow.adapters.slack import SlackChat
from kipflow.services.effect_kinds.handover import HandOverKind, render_handover
from kipflow.services.ports import Report
from tests.effect_kinds import make_due, scope_of
from tests.integration.late import AMARO, DAY, LIST, MONDAY, Village, found, story
from tests.unit.services.test_slack_goldens import check_limits

pytestmark = pytest.mark.integration

OVER = MONDAY + 5 * DAY


def live(folder: Path, caller: str = AMARO) -> Village:
    """A vote is over; nobody has announced its result."""
    village = found(folder)
    mails = story()
    del mails["result"]
    mails["vote"] = replace(mails["vote"], author=caller)
    village.receive(list(mails.values()), OVER)
    village.decide(OVER)
    return village


def run(village: Village, url: str, at: datetime = OVER) -> Report:
    kind = HandOverKind(
        scope=scope_of(village.parts.store, at),
        chat=SlackChat(f"{url}/slack/api", "xoxb-test"),
        roster=village.parts.roster,
        lists=frozenset({LIST}),
    )
    return make_due(village.parts.store, "handover", kind, at)


def test_the_caller_gets_the_draft_once(tmp_path: Path, own_sandbox: str) -> None:
    village = live(tmp_path)
    for hour in range(3):
        run(village, own_sandbox, OVER + hour * DAY / 24)
    [row] = village.outbox("handover")
    assert row.status == "sent"
    assert row.payload["text"] == "KIP-77: hand the draft of its result to Ines Amaro, who called the vote"
    page = httpx.get(f"{own_sandbox}/slack").text
    assert "Direct messages to Ines Amaro" in page
    assert page.count("[RESULT] [VOTE] KIP-77: Shelves that tell their load") == 1
    assert "3 binding +1 votes (Ines Amaro, Bertil Vogel, Tomo Nakagawa)" in page


def test_what_was_announced_meanwhile_is_not_handed_over(tmp_path: Path, own_sandbox: str) -> None:
    village = live(tmp_path)
    village.receive([story()["result"]], OVER + DAY)
    village.decide(OVER + DAY)
    run(village, own_sandbox, OVER + DAY)
    assert village.outbox("handover") == []


def test_a_caller_whom_slack_does_not_know_is_one_line(tmp_path: Path, own_sandbox: str) -> None:
    village = live(tmp_path, caller="Nobody Known <nobody@x.example>")
    [line] = run(village, own_sandbox).warnings
    assert "nobody there has the address of Nobody Known" in line
    assert "\n" not in line


def test_no_words_of_a_mail_break_the_message_or_call_anybody() -> None:
    words = ["```", "<!channel>", *("a`b & <@U1> " * 20 for _ in range(400)), "x" * 9_000]
    message = render_handover({"draft": {"subject": "<!here> [RESULT]"}, "diff": words})
    check_limits(message)
    shown = [block["text"]["text"] for block in message["blocks"]]
    assert all(part.count("```") % 2 == 0 for part in shown[:-1])
    assert not any("<!" in part or "<@" in part for part in (*shown, message["text"]))
