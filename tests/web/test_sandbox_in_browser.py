"""The sandbox's own pages in a real browser: a vote carried through by clicks, nothing refused, all of it legible."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest
from playwright.sync_api import Browser, Page

from kipflow.sandbox.app import create_app
from tests.web.servers import hear_complaints, serve
from tests.web.test_board_in_browser import FAINT_TEXTS

pytestmark = pytest.mark.browser

ANCHOR = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serve(create_app(anchor=ANCHOR, now=ANCHOR, ticks=lambda: 0.0)) as url:
        yield url


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    shown = chromium.new_page()
    complaints = hear_complaints(shown)
    yield shown
    shown.close()
    assert complaints == []


def test_a_vote_is_called_filled_watched_and_closed_by_clicks(page: Page, address: str) -> None:
    page.goto(f"{address}/wiki/2101")
    page.get_by_role("link", name="Call a vote").click()
    page.get_by_role("button", name="Send to").click()
    for name in ("Ines Amaro", "Bertil Vogel", "Hal Farrow"):
        page.get_by_role("link", name="Vote", exact=True).click()
        page.get_by_label("As").select_option(page.get_by_role("option", name=name).get_attribute("value"))
        page.get_by_role("button", name="Send to").click()
        assert page.locator("article.mail").last.inner_text().count("+1 (binding)") == 1
    for _ in range(3):
        page.get_by_role("button", name="Next day").click()
    page.get_by_role("button", name="Next hour").click()
    assert "Sat 21 Mar 2026 10:30 UTC" in page.get_by_role("banner").inner_text()
    page.get_by_role("link", name="Announce the result").click()
    page.get_by_label("Words").fill("The vote passes with three binding +1 and no -1.")
    page.get_by_role("button", name="Send to").click()
    assert page.locator("article.mail").count() == 5

    month = {"list": "dev", "domain": "sandbox.example", "d": "2026-03"}
    mails = httpx.get(f"{address}/api/mbox.lua", params=month).text
    subject = "[VOTE] KIP-101 - Publish a compatibility table"
    assert mails.count(f"\nSubject: {subject}\n") == 1
    assert mails.count(f"\nSubject: Re: {subject}\n") == 3
    assert mails.count(f"\nSubject: [RESULT] {subject}\n") == 1


def test_an_edit_a_ticket_and_a_post_are_made_by_clicks(page: Page, address: str) -> None:
    page.goto(f"{address}/wiki/2102")
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Storage format").fill("<p>Rewritten by hand</p>")
    page.get_by_role("button", name="Save version").click()
    assert "Rewritten by hand" in page.get_by_role("article").inner_text()

    page.get_by_role("link", name="Tickets").click()
    row = page.locator("tr", has_text="SAND-1102")
    row.get_by_role("button", name="Resolve").click()
    assert "Resolved" in page.locator("tr", has_text="SAND-1102").inner_text()

    page.get_by_role("link", name="Slack").click()
    page.get_by_label("Message to #proposals", exact=True).fill("<b>Well done</b>")
    page.get_by_role("button", name="Post").first.click()
    assert "<b>Well done</b>" in page.locator(".post").first.inner_text()


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize(
    "path", ["/", "/list", "/wiki/2087", "/wiki/2087/edit", "/write?kind=vote&page=2087", "/tickets", "/slack"]
)
def test_nothing_is_faint_and_nothing_is_wider_than_the_screen(page: Page, address: str, path: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(address + path)
    assert page.evaluate(FAINT_TEXTS) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
