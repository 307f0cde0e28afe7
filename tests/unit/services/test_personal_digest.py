"""A digest of one's own: as it goes out, in `tests/data/slack/personal`, and without what is somebody else's.

After a change that is meant: `SLACK_GOLDEN=write pytest` with this file, and read the diff.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from kipflow.domain.facts import Message
from kipflow.mail.messages import read_message
from kipflow.services.digests import DigestRules, plan_digests
from kipflow.wiring import Parts
from tests.unit.services.test_slack_goldens import FOLDER, RULES, check_limits
from tests.web.community import NOW, hours
from tests.web.story import LIST, OPENED, SUBJECT, add_questions, connect_board, store_story, write_mail

PEOPLE = ("ines", "wei", "dario")


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Parts]:
    """Three open votes with questions of other people's, one of them answered by somebody who gives no name."""
    parts = connect_board(tmp_path)
    opener = f"ines.{OPENED:%Y%m%d%H%M%S}@people.example"
    answer = write_mail("Kim", OPENED + hours(1), f"Re: {SUBJECT}", "What of timeouts?", answers=opener)
    nameless = answer.replace(b"Kim <kim@people.example>", b"<kim@home.example>")
    read = read_message(nameless, source=f"{LIST}#nameless", list_id=LIST, month="", prefix="KIP")
    assert isinstance(read, Message)
    with parts.store.begin() as session:
        session.mail.save_messages([*add_questions(), read], seen_at=NOW)
    store_story(parts)
    yield parts
    parts.store.close()


def write_digests(parts: Parts) -> Mapping[str, Mapping[str, Any]]:
    people = tuple(parts.roster.by_id[name] for name in PEOPLE)
    rules = DigestRules(day=f"{NOW:%A}".lower(), at=time(0), zone=ZoneInfo("UTC"), people=people)
    found = plan_digests(parts.store, RULES, rules, NOW)
    return {e.key.split("/")[2]: e.payload for e in found if "direct" in e.payload}


def test_a_digest_of_ones_own_is_as_a_person_read_it_and_as_slack_takes_it(board: Parts) -> None:
    payload = write_digests(board)["ines"]
    check_limits(payload)
    shown = json.dumps({name: payload[name] for name in ("channel", "text", "blocks")}, indent=1, ensure_ascii=False)
    golden = FOLDER / "personal" / "ines.json"
    if os.environ.get("SLACK_GOLDEN") == "write":
        golden.write_text(shown + "\n", encoding="utf-8")
    assert shown + "\n" == golden.read_text(encoding="utf-8")


def test_no_field_has_an_address_but_for_those_it_is_sent_to(board: Parts) -> None:
    digests = write_digests(board)
    assert set(digests) == set(PEOPLE)
    for name, payload in digests.items():
        assert payload["direct"] == sorted(board.roster.by_id[name].emails)
        assert payload["channel"] == f"@{name}"
        rest = json.dumps({key: value for key, value in payload.items() if key not in {"direct", "channel"}})
        assert re.findall(r"[\w.]+@[\w.]+", rest) == []
    assert "by kim, Wei Anan, Dario Mele, others" in str(digests["ines"])


def test_no_field_has_a_question_or_a_vote_that_is_somebody_elses(board: Parts) -> None:
    asked = board.store.review()
    assert len({row.item.kind for row in asked}) > 2, "questions of several kinds are open"
    foreign = {text for row in asked for text in (row.item.question, row.item.line, row.item.subject) if text}
    for name, payload in write_digests(board).items():
        said = json.dumps(payload, ensure_ascii=False)
        assert [text for text in foreign if text in said] == []
        assert set(payload) == {"text", "blocks", "kind", "channel", "direct"}, "and nothing to settle one by"
        awaited = said.partition("Your proposals that somebody answered")[0]
        others = [person.name for person in board.roster.by_id.values() if person.id != name]
        assert [other for other in others if other in awaited] == []
        assert "KIP-7" not in awaited, "all three have voted there"
