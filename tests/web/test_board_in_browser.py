"""The board as a browser shows it: nothing overflows, nothing is refused, everything can be read and reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pytest
from fastapi import FastAPI, Response
from playwright.sync_api import Browser, Page, expect

from kipflow.web.app import create_app
from kipflow.web.render import Masthead
from kipflow.wiring import Parts
from tests.web.community import NOW, facts
from tests.web.memory import MemoryBoard, build_board
from tests.web.servers import hear_complaints, serve
from tests.web.story import connect_board, store_story
from tests.web.test_board_acts import open_browser, writing_of

pytestmark = pytest.mark.browser

PAGES = (
    "/",
    "/proposals?sort=activity",
    "/proposals/152",
    "/proposals/143",
    "/review",
    "/data",
    "/outbox",
    "/metrics",
    "/proposals/143/changes?from=1&to=7",
    "/proposals/4711",
    "/proposals?page=x",
)
PERSONAL = ("/people", "/people/wei", "/people/dario", "/me", "/people/nobody")

#: Every visible text against the colour behind it: [text, ratio] of those below what WCAG AA asks for.
FAINT_TEXTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const read = (color) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const blend = (top, under) => [0, 1, 2].map((i) => (top[i] * top[3] + under[i] * (255 - top[3])) / 255).concat(255);
  const luminance = (c) => {
    const [r, g, b] = c.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    const layers = [];
    for (; e; e = e.parentElement) layers.push(read(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((under, top) => blend(top, under), [255, 255, 255, 255]);
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement, text = walker.currentNode.textContent.trim();
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    if (!text || box.width < 2 || style.visibility === "hidden" || e.closest(".unseen, svg, option")) continue;
    let color = read(style.color);
    for (let a = e; a; a = a.parentElement) color[3] *= Number(getComputedStyle(a).opacity);
    const ground = behind(e), [x, y] = [luminance(blend(color, ground)), luminance(ground)];
    const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) faint.push([text.slice(0, 40), Number(ratio.toFixed(2))]);
  }
  return faint;
}"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    long_words = facts(161, "Un" + "break" * 40 + "able title", created=NOW)
    board = build_board([replace(long_words, proposal=replace(long_words.proposal, author="N" + "o" * 80))])
    with serve(
        create_app(
            lambda: board,
            clock=lambda: NOW,
            masthead=lambda: Masthead(title="Sandbox community", dry_run=True),
            writing=writing_of("Ines"),
        )
    ) as url:
        yield url


@pytest.fixture(scope="module")
def personal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A board over a store, for somebody of the roster who may settle."""
    parts = connect_board(tmp_path_factory.mktemp("personal"))
    store_story(parts)
    writing = writing_of("Noor", parts)
    app = create_app(lambda: parts.store, clock=lambda: NOW, find_me=lambda _: "noor", writing=writing)
    with serve(app) as url:
        yield url
    parts.store.close()


@pytest.fixture(scope="module")
def visit(address: str, personal: str) -> Callable[[Page], Iterator[str]]:
    """Opens each kind of page in turn, that of what was done last; gives its path."""

    def walk(page: Page) -> Iterator[str]:
        for url, paths in ((address, PAGES), (personal, PERSONAL)):
            for path in paths:
                page.goto(url + path)
                yield path
        page.goto(personal + "/people")
        page.locator("summary").click()
        yield "people, adding"
        page.get_by_label("The text").fill("id,name,email\nona,Ona Paz,ona@" + "long." * 40 + "example\n")
        page.get_by_label("Where it is from").fill("a list")
        page.get_by_role("button", name="show what that changes").click()
        page.get_by_text("Nothing is changed yet.").wait_for()
        yield "preview"
        page.goto(personal + "/proposals/7")
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        form = page.locator("form.settle", has=page.get_by_role("button", name="set the interfaces", exact=True))
        form.get_by_label("Reason").fill("asked")
        form.get_by_role("button", name="set the interfaces", exact=True).click()
        page.get_by_role("heading", name="Done").wait_for()
        yield "done"

    return walk


SCREENS = [(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")]


@pytest.fixture(scope="module", params=SCREENS, ids=lambda p: f"{p[0]}-{p[1]}")
def page(request: pytest.FixtureRequest, chromium: Browser) -> Iterator[Page]:
    width, scheme = request.param
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    yield context.new_page()
    context.close()


@dataclass(slots=True)
class Walk:
    """What one walk saw: of each page its width and the window's, and its faint texts; what the browser refused."""

    complaints: list[str]
    widths: dict[str, tuple[int, int]] = field(default_factory=dict)
    faint: dict[str, list[object]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def walked(page: Page, visit: Callable[[Page], Iterator[str]]) -> Walk:
    walk = Walk(hear_complaints(page))
    for path in visit(page):
        scrolled, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        walk.widths[path] = scrolled, inner
        walk.faint[path] = page.evaluate(FAINT_TEXTS)
    return walk


def test_no_page_scrolls_sideways_and_the_browser_refuses_nothing(walked: Walk) -> None:
    assert len(walked.widths) > len(PAGES) + len(PERSONAL)
    assert {path: widths for path, widths in walked.widths.items() if widths[0] > widths[1]} == {}
    assert [line for line in walked.complaints if "status of 4" not in line] == []


def test_every_text_stands_out_enough_from_what_is_behind_it(walked: Walk) -> None:
    assert len(walked.faint) > len(PAGES) + len(PERSONAL)
    assert {path: texts for path, texts in walked.faint.items() if texts} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    chromium: Browser, visit: Callable[[Page], Iterator[str]], theme: Literal["light", "dark"]
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    # axe's own script is no script of the board: its policy would refuse it
    context = chromium.new_context(viewport={"width": 390, "height": 900}, color_scheme=theme, bypass_csp=True)
    page = context.new_page()
    for path in visit(page):
        found = axe.run(page).response["violations"]
        serious = [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] in {"serious", "critical"}]
        assert serious == [], path
    context.close()


def test_the_keyboard_reaches_the_content_first_and_sees_where_it_is(page: Page, address: str) -> None:
    page.goto(address + "/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.keyboard.press("Tab")
    focus = page.evaluate("[document.activeElement.tagName, getComputedStyle(document.activeElement).outlineStyle]")
    assert focus == ["A", "solid"]


def test_a_question_is_reached_chosen_and_confirmed_by_keyboard(parts: Parts, chromium: Browser) -> None:
    app: Any = open_browser(parts).client.app
    with serve(app) as url:
        page = chromium.new_page()
        page.goto(url + "/review")
        page.keyboard.press("Alt+n")
        page.keyboard.type("met both")
        page.keyboard.press("Alt+2")
        assert page.evaluate("document.activeElement.innerText") == "two people"
        page.keyboard.press("Shift+Tab")
        assert page.evaluate("document.activeElement.innerText") == "one person", "the order of Tab is that of the eye"
        page.keyboard.press("Shift+Tab")
        assert page.evaluate("document.activeElement.name") == "reason"
        page.keyboard.press("Alt+2")
        page.keyboard.press("Enter")
        page.get_by_text("ruling 1 recorded").wait_for()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        focus = "[document.activeElement.name, getComputedStyle(document.activeElement).outlineStyle]"
        assert page.evaluate(focus) == ["reason", "solid"], "taking it back comes first, and where one is can be seen"
        page.keyboard.press("Alt+n")
        page.get_by_role("heading", name="Open questions").wait_for()
        page.close()


def test_a_reader_finds_a_proposal_by_typing_its_number(page: Page, address: str) -> None:
    page.goto(address + "/proposals")
    page.get_by_label("Number, title or author").fill("143")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="KIP-143").click()
    expect(page).to_have_title("KIP-143: Graceful broker drain · Sandbox community")
    assert page.get_by_role("heading", name="Vote, round 2").is_visible()


def test_the_board_renews_itself_and_says_when_it_cannot(chromium: Browser) -> None:
    shown: dict[str, Any] = {"board": MemoryBoard([facts(1, "The first", created=NOW)]), "fails": 0}
    given, asked = [], []
    app: FastAPI = create_app(lambda: shown["board"], clock=lambda: NOW)

    @app.middleware("http")
    async def refresh_faster(request, call_next):  # type: ignore[no-untyped-def]
        if shown["fails"]:
            return Response(status_code=shown["fails"])
        answer = await call_next(request)
        if request.url.path == "/":
            asked.append((request.headers.get("if-none-match"), answer.status_code))
            given.append(answer.headers["etag"])
        body = b"".join([part async for part in answer.body_iterator])
        headers = {k: v for k, v in answer.headers.items() if k != "content-length"}
        return Response(body.replace(b'data-refresh="30"', b'data-refresh="0.2"'), answer.status_code, headers)

    with serve(app) as url:
        page = chromium.new_page()
        page.goto(url + "/")
        assert page.get_by_text("The first").first.is_visible()
        shown["board"] = MemoryBoard([facts(2, "The second", created=NOW)])
        page.get_by_text("The second").first.wait_for(timeout=5_000)
        assert page.get_by_text("The first").count() == 0
        with page.expect_response(lambda answer: answer.status == 304):
            pass
        assert (given[-1], 304) in asked, "what is shown already is not sent again"
        shown["fails"] = 503
        page.get_by_text("The board can't be reached just now").wait_for(timeout=5_000)
        assert page.get_by_text("The second").first.is_visible()
        shown["fails"] = 401
        page.get_by_text("You are signed out").wait_for(timeout=5_000)
        assert page.get_by_text("The board can't be reached just now").count() == 0
        assert page.get_by_role("link", name="Sign in again").get_attribute("href") == page.url
        page.close()
