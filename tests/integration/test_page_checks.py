"""Faults of pages reach the board, and their authors once, in the thread of their proposal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from kipflow.adapters.deliverer import ThisProcess
from kipflow.adapters.slack import SlackChat
from kipflow.adapters.store import SqlStore
from kipflow.adapters.store.page_notes import PageNotes
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.pages import NO_TICKET, PageVersion, TicketState
from kipflow.services.checks import check_pages
from kipflow.services.deliver import deliver
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import Effect, OutboxRow, WikiPage
from kipflow.wiki.pages import parse_page
from kipflow.wiki.template import render_page
from tests.effect_kinds import chat_kind

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
RULES = EffectRules(prefix="KIP", sends=True, slack="send", channel="#proposals")
GOOD = """
<h1>Status</h1><p>Current state: Under Discussion</p>
<p>Discussion thread: <a href="https://lists.apache.org/thread/abc">here</a></p><p>JIRA: SAND-77</p>
<h1>Motivation</h1><p>Gates stick.</p><h1>Public Interfaces</h1><p>None of them.</p>
<h1>Proposed Changes</h1><p>Oil.</p><h1>Compatibility, Deprecation, and Migration Plan</h1><p>None.</p>
<h1>Test Plan</h1><p>Open the gate.</p><h1>Rejected Alternatives</h1><p>Rust.</p>
"""


def save(
    store: SqlStore,
    body: str,
    *,
    version: int = 1,
    page_id: str = "70",
    title: str = "KIP-7: Gates",
    at: datetime = NOW,
) -> PageVersion:
    page = WikiPage(page_id=page_id, version=version, title=title, body=body, saved_at=at, saved_by="Ann", labels=())
    found = parse_page(page, "KIP")
    with store.begin() as session:
        session.pages.save_version(found, seen_at=at)
    return found


def check(store: SqlStore, at: datetime = NOW, rules: EffectRules = RULES) -> dict[str, int]:
    return dict(check_pages(store, effects=rules, as_of=at).counts)


def outbox(store: SqlStore) -> list[OutboxRow]:
    return list(store.effects(status="pending", offset=0, limit=500).rows)[::-1]  # the oldest first


def faults(store: SqlStore) -> list[PageFault]:
    with store.begin() as session:
        return list(PageNotes(session.connection, session.rules).load_faults(7))


def test_a_page_is_judged_once_per_version(store: SqlStore) -> None:
    save(store, GOOD)
    assert check(store) == {"pages_checked": 1, "faults": 0, "faults_reported": 0}
    assert check(store)["pages_checked"] == 0
    save(store, GOOD + "<h1>More</h1><p>x</p>", version=2)
    assert check(store)["pages_checked"] == 1


def test_new_faults_are_reported_in_one_message_and_never_again(store: SqlStore) -> None:
    save(store, GOOD.replace("<p>Rust.</p>", "").replace("<p>Oil.</p>", ""))
    assert check(store)["faults_reported"] == 2
    (message,) = outbox(store)
    text = message.payload["blocks"][0]["text"]["text"]
    assert "Rejected Alternatives" in text
    assert "Proposed Changes" in text
    # mended, and broken again in the same way
    save(store, GOOD, version=2)
    check(store)
    assert faults(store) == []
    save(store, GOOD.replace("<p>Rust.</p>", ""), version=3)
    assert check(store) == {"pages_checked": 1, "faults": 1, "faults_reported": 0}
    assert len(outbox(store)) == 1
    assert [f.code for f in faults(store)] == ["K03"]


def test_a_draft_may_be_unfinished(store: SqlStore) -> None:
    save(store, render_page(state="Draft"))
    assert check(store)["faults_reported"] == 0
    assert {f.severity for f in faults(store)} == {"note"}


def test_what_a_draft_was_allowed_to_lack_is_reported_when_it_is_put_up_for_discussion(store: SqlStore) -> None:
    save(store, render_page(state="Draft"))
    check(store)
    save(store, render_page(state="Under Discussion"), version=2)
    reported = check(store)["faults_reported"]
    assert reported == len(faults(store)) > 5
    assert faults(store) == sorted(faults(store), key=lambda f: (f.severity, f.code, f.place)), "errors first"
    # the next save mends nothing: nobody is notified the same again
    save(store, render_page(state="Under Discussion") + "<p>x</p>", version=3)
    assert check(store)["faults_reported"] == 0
    assert len(outbox(store)) == 1


def test_ten_saves_in_an_hour_show_each_fault_once(store: SqlStore) -> None:
    for version in range(1, 11):
        missing = "<p>Rust.</p>" if version % 2 else "<p>Oil.</p>"
        save(store, GOOD.replace(missing, ""), version=version, at=NOW + timedelta(minutes=6 * version))
        check(store, at=NOW + timedelta(minutes=6 * version))
    assert len(outbox(store)) == 2


def test_the_page_of_a_settled_proposal_is_left_in_peace(store: SqlStore) -> None:
    save(store, GOOD.replace("Under Discussion", "Accepted").replace("<p>Rust.</p>", ""))
    assert check(store)["faults_reported"] == 0


def test_a_page_that_was_saved_long_ago_is_no_news(store: SqlStore) -> None:
    save(store, GOOD.replace("<p>Rust.</p>", ""), at=NOW - timedelta(days=30))
    assert check(store)["faults"] == 1
    assert outbox(store) == []


def test_a_number_that_is_taken_twice_is_reported_on_both_pages(store: SqlStore) -> None:
    save(store, GOOD)
    check(store)
    save(store, GOOD, page_id="71", title="KIP-7 - Doors")
    assert check(store) == {"pages_checked": 2, "faults": 2, "faults_reported": 2}
    assert [f.code for f in faults(store)] == ["K09", "K09"]


def test_a_ticket_that_the_tracker_does_not_have_is_a_fault_until_it_has(store: SqlStore) -> None:
    save(store, GOOD)
    check(store)
    for hours, status in ((1, NO_TICKET), (2, "Open")):
        at = NOW + timedelta(hours=hours)
        with store.begin() as session:
            session.pages.save_ticket(
                TicketState(key="SAND-77", status=status, resolution=None, fix_versions=(), seen_at=at)
            )
        check(store, at)
        assert [f.code for f in faults(store)] == (["K10"] if status == NO_TICKET else [])


def test_hostile_words_of_a_page_stay_words_in_slack(store: SqlStore) -> None:
    save(store, GOOD.replace("Under Discussion", "&lt;!channel&gt; *now*"))
    check(store)
    (message,) = outbox(store)
    text = message.payload["blocks"][0]["text"]["text"]
    assert "<!channel>" not in text
    assert "&lt;!channel&gt;" in text


def test_faults_are_reported_below_the_first_message_on_the_proposal(store: SqlStore, own_sandbox: str) -> None:
    chat = SlackChat(f"{own_sandbox}/slack/api", "xoxb-test")
    payload: dict[str, Any] = {"channel": "#proposals", "text": "KIP-7: Draft", "blocks": []}
    with store.begin() as session:
        session.outbox.enqueue(
            [Effect(key="first", number=7, channel="slack", payload=payload, approval=False)], now=NOW
        )
    kinds = {"slack": chat_kind(chat, store)}
    assert deliver(store, kinds, now=NOW, by=ThisProcess()).counts["sent"] == 1
    save(store, GOOD.replace("<p>Rust.</p>", ""))
    check(store)
    assert deliver(store, kinds, now=NOW, by=ThisProcess()).counts["sent"] == 1
    shown = httpx.get(f"{own_sandbox}/slack").text
    assert shown.index("KIP-7: Draft") < shown.index('class="answers"') < shown.index("1 thing to fix")


def test_sections_that_lack_the_same_are_reported_in_one_line(store: SqlStore) -> None:
    save(store, render_page(state="Under Discussion"))
    check(store)
    (message,) = outbox(store)
    lines = message.payload["blocks"][0]["text"]["text"].splitlines()
    (template,) = [line for line in lines if "(K04)" in line]
    assert template.startswith("• Motivation, Public Interfaces, Proposed Changes, Compatibility")
    assert template.endswith("(K04). Replace it with your own description, or delete it.")
    assert "8 things to fix" in lines[0]


def test_a_place_cannot_ping_a_channel(store: SqlStore) -> None:
    hostile = "<h1>&lt;!channel&gt; *Motivation*</h1><p>Describe the problems you are trying to solve.</p>"
    save(store, GOOD.replace("<h1>Motivation</h1><p>Gates stick.</p>", hostile))
    check(store)
    (message,) = outbox(store)
    text = message.payload["blocks"][0]["text"]["text"]
    assert "&lt;!channel&gt;" in text
    assert "<!channel>" not in text
