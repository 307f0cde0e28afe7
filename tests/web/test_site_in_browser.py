"""The public site in a real browser, as files: it filters, sorts, and keeps the theme that its reader chose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from kipflow.adapters.sitefiles import write_files
from kipflow.web.site.pages import build_site
from tests.web.community import NOW
from tests.web.servers import hear_complaints
from tests.web.story import connect_board, store_story
from tests.web.test_site import SITE, Given

pytestmark = pytest.mark.browser


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("public")
    parts = connect_board(tmp_path_factory.mktemp("home"))
    store_story(parts)
    (view,) = parts.store.published(NOW)
    titles = {5: "Zoned replicas", 6: "A clock for quotas"}
    more = [
        replace(view, key=f"KIP-{n}", proposal=replace(view.proposal, number=n, title=title))
        for n, title in titles.items()
    ]
    write_files(folder, build_site(Given(*more, view), SITE, NOW))
    parts.store.close()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    made = chromium.new_context(color_scheme="light")
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    shown = context.new_page()
    complaints = hear_complaints(shown)
    yield shown
    assert complaints == []


def listed(page: Page) -> list[str]:
    return [row.inner_text().strip() for row in page.locator("#list tbody tr:visible > :first-child").all()]


def test_the_list_is_filtered_and_sorted_and_its_address_says_how(page: Page, address: str) -> None:
    page.goto(f"{address}/index.html")
    assert listed(page) == ["KIP-7", "KIP-6", "KIP-5"]
    page.get_by_label("Number, title or author").fill("bounded")
    assert listed(page) == ["KIP-7"]
    assert page.url.endswith("?q=bounded")
    page.reload()
    assert listed(page) == ["KIP-7"]
    page.get_by_label("Number, title or author").fill("")
    page.get_by_role("button", name="Proposal", exact=True).click()
    page.get_by_role("button", name="Proposal", exact=True).click()
    assert listed(page) == ["KIP-5", "KIP-7", "KIP-6"]
    assert page.url.endswith("?sort=title&order=desc")


def test_the_theme_that_was_chosen_holds_on_every_page(page: Page, address: str) -> None:
    page.goto(f"{address}/index.html")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Dark theme").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.goto(f"{address}/proposals/7.html")
    assert page.evaluate(ground) == dark
    page.get_by_role("button", name="Light theme").click()
    assert page.evaluate(ground) == light
