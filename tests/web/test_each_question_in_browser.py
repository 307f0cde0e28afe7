"""Each kind of question, settled by a person in a browser: it is gone then, and who said what and why is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page

from kipflow.services.wording import REVIEW_WORDS
from kipflow.web.app import create_app
from kipflow.web.writing import Writing
from kipflow.wiring import open_desk
from tests.web.community import NOW
from tests.web.questions import open_questions
from tests.web.servers import serve

pytestmark = pytest.mark.browser


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A kind of question, the proposal that it is asked of, the button that settles it, and the ruling it comes to."""

    kind: str
    number: int
    button: str
    ruled: tuple[str, dict[str, Any]]
    stage: str = ""


def by_stage(kind: str, number: int, stage: str) -> Settled:
    return Settled(kind=kind, number=number, button="set the stage", stage=stage, ruled=("stage", {"stage": stage}))


SETTLED = (
    Settled(kind="identity", number=21, button="two people", ruled=("split", {})),
    Settled(kind="ending", number=22, button="refuse it", ruled=("ending", {"ending": "refuse"})),
    Settled(kind="page", number=23, button="they must be cast again", ruled=("page", {"votes": "recast"})),
    Settled(kind="ruling", number=25, button="take it back", ruled=("snooze", {"until": "some day"})),
    Settled(kind="late-ballot", number=26, button="no vote", ruled=("ballot", {"choice": "none"})),
    by_stage("turned-vote", 27, "Accepted"),
    by_stage("retraction", 28, "Accepted"),
    by_stage("new-vote", 29, "Rejected"),
    by_stage("reopening", 30, "Discarded"),
    by_stage("unannounced", 31, "Accepted"),
    by_stage("crowd", 32, "Discussion"),
    Settled(kind="claimed-number", number=33, button="refuse it", ruled=("number", {"number": "refuse"})),
)
#: Settled through Airflow's own sign-in: test_board_in_airflow.py.
IN_AIRFLOW = {"ballot", "sender", "result", "dormancy"}
#: Settled where the pages are, in the wiki: two pages with one number, a page with another.
IN_THE_WIKI = {"number", "renumbered"}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    parts = open_questions(tmp_path_factory.mktemp("questions"))
    writing = Writing(
        desk=lambda: open_desk(parts), find_operator=lambda _: "Noor", secret="s" * 40, audit=lambda *_: None
    )
    with serve(create_app(lambda: parts.store, clock=lambda: NOW, writing=writing)) as url:
        yield url
    parts.store.close()


@pytest.fixture(scope="module")
def review(address: str, chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page()
    page.goto(f"{address}/review")
    yield page
    page.close()


def find_open(address: str) -> set[tuple[str, int]]:
    asked = httpx.get(f"{address}/api/review").json()["review"]
    return {(row["item"]["kind"], row["number"]) for row in asked}


def test_every_kind_of_question_is_settled_in_a_browser_by_some_test() -> None:
    assert {case.kind for case in SETTLED} | IN_AIRFLOW | IN_THE_WIKI == set(REVIEW_WORDS)


@pytest.mark.parametrize("case", SETTLED, ids=lambda case: case.kind)
def test_a_question_is_gone_once_it_is_settled_and_the_ruling_is_kept(
    address: str, review: Page, case: Settled
) -> None:
    assert (case.kind, case.number) in find_open(address)
    question = review.locator("article.question", has=review.get_by_text(f"KIP-{case.number}", exact=True))
    question.get_by_label("Reason").fill(f"asked about <{case.kind}>")
    if case.stage:
        question.get_by_label("Stage").select_option(case.stage)
    question.get_by_role("button", name=case.button, exact=True).click()
    review.get_by_text(re.compile(r"ruling \d+ (recorded|revoked)")).wait_for()
    review.get_by_role("link", name="Next question").click()
    review.get_by_role("heading", name="Open questions").wait_for()

    assert question.count() == 0
    assert (case.kind, case.number) not in find_open(address)
    said = httpx.get(f"{address}/api/proposals/{case.number}").json()["proposal"]["rulings"][-1]
    kind, value = case.ruled
    assert (said["kind"], said["value"] | value) == (kind, said["value"])
    is_back = said["revoked_at"] is not None
    who, why = (said["revoked_by"], said["revoked_reason"]) if is_back else (said["author"], said["reason"])
    assert (who, why, is_back) == ("Noor", f"asked about <{case.kind}>", case.kind == "ruling")
