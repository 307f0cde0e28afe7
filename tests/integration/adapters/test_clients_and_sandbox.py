"""The real clients against the whole sandbox, whose faults are switched on one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from kipflow.adapters.confluence import ConfluenceWiki
from kipflow.adapters.jira import JiraTickets
from kipflow.adapters.patience import Patience
from kipflow.adapters.ponymail import PonyMailArchive
from kipflow.adapters.slack import SlackChat
from kipflow.domain.errors import RateLimited, SaveConflict, UnreadableInput
from kipflow.domain.pages import StatusWord
from kipflow.domain.sameids import render_permalink
from kipflow.wiki.index_editing import replace_index
from kipflow.wiki.index_reading import parse_index_page
from kipflow.wiki.index_writing import render_index
from kipflow.wiki.pages import parse_page
from tests.integration.conftest import running_sandbox

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
LIST, MONTH = "dev@sandbox.example", "2026-02"
QUICK = Patience(attempts=4, total=20, first_wait=0.02, longest_wait=1, read=1.5)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[str]:
    with running_sandbox(now=NOW) as url:
        yield url


@pytest.fixture(autouse=True)
def no_faults(sandbox: str) -> Iterator[None]:
    yield
    httpx.delete(f"{sandbox}/faults").raise_for_status()


def spoil(sandbox: str, rule: str) -> None:
    rules = httpx.post(f"{sandbox}/faults", json={"rule": rule}).raise_for_status().json()["rules"]
    assert rules, "the sandbox took the rule"


@pytest.fixture
def archive(sandbox: str) -> PonyMailArchive:
    return PonyMailArchive(f"{sandbox}/api", pause=0, patience=QUICK)


@pytest.fixture
def wiki(sandbox: str) -> ConfluenceWiki:
    return ConfluenceWiki(f"{sandbox}/confluence/rest/api", patience=QUICK)


def raw_month(sandbox: str) -> bytes:
    params = {"list": "dev", "domain": "sandbox.example", "d": MONTH}
    return httpx.get(f"{sandbox}/api/mbox.lua", params=params).content


@pytest.mark.parametrize("kind", ["429", "500", "503", "reset", "short", "cut", "html", "slow"])
def test_a_month_lands_whole_behind_every_fault(
    sandbox: str, archive: PonyMailArchive, tmp_path: Path, kind: str
) -> None:
    whole = raw_month(sandbox)
    values = {"429": " retry-after=1", "slow": " seconds=3"}.get(kind, "")
    spoil(sandbox, f"{kind} /api/mbox.lua x{1 if kind == 'slow' else 2}{values}")
    month = archive.fetch_month(LIST, MONTH, tmp_path / "m.mbox", now=NOW)
    assert month.status == "complete"
    assert (tmp_path / "m.mbox").read_bytes() == whole


def test_a_month_that_stays_cut_is_partial_and_whole_at_the_next_poll(
    sandbox: str, archive: PonyMailArchive, tmp_path: Path
) -> None:
    spoil(sandbox, f"cut /api/mbox.lua x{QUICK.attempts}")
    first = archive.fetch_month(LIST, MONTH, tmp_path / "m.mbox", now=NOW)
    assert first.status == "partial"
    second = archive.fetch_month(LIST, MONTH, tmp_path / "m.mbox", now=NOW)
    assert second.status == "complete"
    assert (tmp_path / "m.mbox").read_bytes() == raw_month(sandbox)


def test_a_second_look_at_a_month_moves_no_mail(sandbox: str, archive: PonyMailArchive, tmp_path: Path) -> None:
    first = archive.fetch_month(LIST, MONTH, tmp_path / "m.mbox", now=NOW)
    written = (tmp_path / "m.mbox").stat().st_mtime_ns
    second = archive.fetch_month(LIST, MONTH, tmp_path / "m.mbox", now=NOW)
    assert second == first
    assert (tmp_path / "m.mbox").stat().st_mtime_ns == written


def test_statistics_stay_the_same_while_nothing_happens(archive: PonyMailArchive) -> None:
    first = archive.fetch_stats(LIST, MONTH)
    assert first.mails > 50
    assert first == archive.fetch_stats(LIST, MONTH)
    assert first.digest != archive.fetch_stats(LIST, "2026-01").digest


def test_a_permalink_leads_to_its_mail(sandbox: str) -> None:
    match = re.search(rb"^Message-ID: (<[^>\s]+>)", raw_month(sandbox), re.IGNORECASE | re.MULTILINE)
    assert match is not None
    assert httpx.get(render_permalink(f"{sandbox}/thread/{{mid}}", match.group(1).decode())).status_code == 200


def test_every_version_of_every_page_is_read_and_the_hidden_ones_say_why(wiki: ConfluenceWiki) -> None:
    words: set[StatusWord] = set()
    hidden: list[str] = []
    for ref in wiki.fetch_children("1000"):
        try:
            versions = [wiki.fetch_version(ref.page_id, n) for n in range(1, ref.version)]
            versions.append(wiki.fetch_page(ref.page_id))
        except UnreadableInput as error:
            hidden.append(error.why)
            continue
        assert [v.version for v in versions] == list(range(1, ref.version + 1))
        for page in versions:
            found = parse_page(page, "KIP")
            if found.number is not None:
                words.add(found.status)
    assert words >= {StatusWord.DRAFT, StatusWord.DISCUSSION, StatusWord.VOTE, StatusWord.ACCEPTED, StatusWord.REJECTED}
    assert StatusWord.UNKNOWN not in words
    assert all("restricted" in why or "not found" in why for why in hidden)


def test_the_index_can_be_edited_and_saved_and_reads_back_as_meant(sandbox: str, wiki: ConfluenceWiki) -> None:
    page = wiki.fetch_page("1000")
    held = parse_index_page(page.body, "KIP", NOW)
    sections: dict[str, list[object]] = {}
    for entry in held.entries:
        sections.setdefault(entry.section, []).append(entry)
    moved = sections["discussion"].pop()
    sections["accepted"].append(moved)
    rendered = render_index(sections, prefix="KIP", next_number=500, format="confluence")  # type: ignore[arg-type]
    body = replace_index(page.body, rendered)
    spoil(sandbox, "conflict /confluence x1")
    with pytest.raises(SaveConflict):
        wiki.save_page(page, body=body, message="m")
    newer = wiki.fetch_page("1000")
    spoil(sandbox, "reset /confluence x1")
    saved = wiki.save_page(newer, body=replace_index(newer.body, rendered), message="m")
    assert saved.version == newer.version + 1
    found = parse_index_page(saved.body, "KIP", NOW)
    assert found.next_number == 500
    assert [e.section for e in found.entries if e.number == moved.number] == ["accepted"]  # type: ignore[attr-defined]
    assert len(found.entries) == len(held.entries)


def test_a_ticket_is_read_behind_wrong_json_and_one_that_is_not_there_is_none(
    sandbox: str, wiki: ConfluenceWiki
) -> None:
    tickets = JiraTickets(f"{sandbox}/jira/rest/api/2", patience=QUICK)
    spoil(sandbox, "json /jira x1")
    found = tickets.fetch_ticket("SAND-1065", now=NOW)
    assert found is not None
    assert found.status
    assert tickets.fetch_ticket("SAND-999999", now=NOW) is None


def test_slack_takes_a_message_and_says_when_to_come_back(sandbox: str) -> None:
    chat = SlackChat(f"{sandbox}/slack/api", "xoxb-sandbox")
    assert "/" in chat.post("#proposals", "hello", (), key="a")
    spoil(sandbox, "429 /slack x1 retry-after=7")
    with pytest.raises(RateLimited) as caught:
        chat.post("#proposals", "hello", (), key="b")
    assert caught.value.retry_after == 7
