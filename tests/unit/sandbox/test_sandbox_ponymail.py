"""The archive's endpoints have Pony Mail's shapes."""

from __future__ import annotations

import mailbox
import re
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from kipflow.sandbox.story import Story
from tests.unit.sandbox.conftest import ANCHOR

MONTH = {"list": "dev", "domain": "sandbox.example", "d": "2026-03"}


def test_a_month_comes_as_an_mbox_that_the_standard_library_can_split(
    client: TestClient, story: Story, tmp_path: Path
) -> None:
    answer = client.get("/api/mbox.lua", params=MONTH)
    file = tmp_path / "month.mbox"
    file.write_bytes(answer.content)
    due = [m for m in story.mails if m.month == "2026-03" and m.arrives_at <= ANCHOR]
    assert answer.status_code == 200
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert len(mailbox.mbox(file)) == len(due) > 50


def test_a_line_of_a_body_never_looks_like_a_separator(client: TestClient) -> None:
    content = client.get("/api/mbox.lua", params=MONTH).content
    separators = re.findall(rb"^From \S+ \w{3} \w{3} \d\d \d\d:\d\d:\d\d \d{4}$", content, re.MULTILINE)
    stats = client.get("/api/stats.lua", params=MONTH).json()
    assert len(separators) == stats["active_months"]["2026-03"]


def test_an_unchanged_month_is_not_sent_again(client: TestClient) -> None:
    first = client.get("/api/mbox.lua", params=MONTH)
    again = client.get("/api/mbox.lua", params=MONTH, headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert again.content == b""
    assert first.headers["last-modified"].endswith("GMT")


def test_a_month_that_grew_has_another_tag(client: TestClient) -> None:
    first = client.get("/api/mbox.lua", params=MONTH)
    client.post("/clock", json={"advance": "1 day"})
    again = client.get("/api/mbox.lua", params=MONTH, headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 200
    assert len(again.content) > len(first.content)
    assert again.content.startswith(first.content)


def test_the_list_can_be_named_in_one_word_and_the_month_as_date(client: TestClient) -> None:
    answer = client.get("/api/mbox.lua", params={"list": "dev@sandbox.example", "date": "2026-03"})
    assert answer.content == client.get("/api/mbox.lua", params=MONTH).content


@pytest.mark.parametrize("change", [{"list": "user"}, {"domain": "other.example"}, {"d": "2026-13"}, {"d": "../etc"}])
def test_an_unknown_list_or_month_is_not_found(client: TestClient, change: dict[str, str]) -> None:
    assert client.get("/api/mbox.lua", params={**MONTH, **change}).status_code == 404


def test_a_month_before_the_list_began_is_empty(client: TestClient) -> None:
    answer = client.get("/api/mbox.lua", params={**MONTH, "d": "2001-01"})
    assert (answer.status_code, answer.content) == (200, b"")


def test_statistics_count_the_months_and_list_the_mails(client: TestClient) -> None:
    stats = client.get("/api/stats.lua", params=MONTH).json()
    newest = stats["emails"][0]
    assert {"id", "mid", "message-id", "subject", "from", "epoch", "in-reply-to"} <= set(newest)
    assert stats["hits"] == len(stats["emails"])
    assert [e["epoch"] for e in stats["emails"]] == sorted((e["epoch"] for e in stats["emails"]), reverse=True)
    assert len(stats["active_months"]) >= 14


def test_addresses_are_masked_in_a_listing(client: TestClient) -> None:
    senders = re.findall(r'"from":"([^"]*)"', client.get("/api/stats.lua", params=MONTH).text)
    assert senders
    assert all(re.search(r"<[\w.+-]{1,2}\.\.\.@", s) for s in senders if "@" in s)


def test_the_source_of_a_mail_is_found_by_its_message_id(client: TestClient) -> None:
    ballot = find_listed(client, r"^Re: \[VOTE\] KIP-86")
    source = client.get("/api/source.lua", params={"id": ballot["message-id"]})
    assert f"Message-ID: {ballot['message-id']}" in source.text
    assert client.get("/api/source.lua", params={"id": "<no@where.example>"}).status_code == 404


def test_a_permalink_by_message_id_leads_to_the_thread(client: TestClient) -> None:
    ballot = find_listed(client, r"^Re: \[VOTE\] KIP-86")
    page = client.get(f"/thread/{quote(ballot['message-id'].strip('<>'), safe='@')}")
    assert page.status_code == 200
    assert "Rotate certificates" in page.text


def test_mails_of_the_future_are_not_there_yet(client: TestClient, story: Story) -> None:
    with pytest.raises(StopIteration):
        find_listed(client, r"^\[VOTE\] KIP-93")
    client.post("/clock", json={"advance": "13 hours"})
    assert find_listed(client, r"^\[VOTE\] KIP-93")
    assert max(m.arrives_at for m in story.mails) > ANCHOR + timedelta(days=5)


def find_listed(client: TestClient, pattern: str) -> dict[str, str]:
    emails = client.get("/api/stats.lua", params=MONTH).json()["emails"]
    return next(e for e in emails if re.search(pattern, e["subject"]))
