"""Each kind of question, and each act, behind Airflow's sign-in and by keyboard alone: done, kept, in the audit log."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Locator, Page

from kipflow.services.acts import ACTS
from kipflow.services.wording import REVIEW_WORDS
from tests.web.community import NOW
from tests.web.questions import PATIENT, open_questions, open_work
from tests.web.servers import fetch_token, serve, serve_airflow, sign_in

pytestmark = [pytest.mark.airflow, pytest.mark.browser]
#: More forms stand on no page.
_FORMS = 60
WHY = "asked <around>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A kind of question, the proposal that it is asked of, the button that settles it, and the ruling it comes to."""

    kind: str
    number: int
    act: str
    button: str
    ruled: tuple[str, dict[str, Any]]
    stage: str = ""


def by_stage(kind: str, number: int, stage: str) -> Settled:
    ruled = ("stage", {"stage": stage})
    return Settled(kind=kind, number=number, act="stage", button="set the stage", stage=stage, ruled=ruled)


SETTLED = (
    Settled(kind="identity", number=21, act="split", button="two people", ruled=("split", {})),
    Settled(kind="ending", number=22, act="ending", button="refuse it", ruled=("ending", {"ending": "refuse"})),
    Settled(kind="page", number=23, act="page", button="they must be cast again", ruled=("page", {"votes": "recast"})),
    Settled(kind="ruling", number=25, act="revoke", button="take it back", ruled=("snooze", {"until": "some day"})),
    Settled(kind="late-ballot", number=26, act="ballot", button="no vote", ruled=("ballot", {"choice": "none"})),
    by_stage("turned-vote", 27, "Accepted"),
    by_stage("retraction", 28, "Accepted"),
    by_stage("new-vote", 29, "Rejected"),
    by_stage("reopening", 30, "Discarded"),
    by_stage("unannounced", 31, "Accepted"),
    by_stage("crowd", 32, "Discussion"),
    Settled(kind="claimed-number", number=33, act="number", button="refuse it", ruled=("number", {"number": "refuse"})),
)
#: Settled in Airflow's own frame, with a mouse: test_board_in_airflow.py.
IN_THE_FRAME = {"ballot", "sender", "result", "dormancy"}
#: Settled where the pages are, in the wiki: two pages with one number, a page with another.
IN_THE_WIKI = {"number", "renumbered"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """Where an act's button stands, what is typed from field to field before it is pressed, and what is said then.

    `near` is a text beside the form. `ticked` are boxes to tick and `opened` is what to unfold before; `confirmed` is
    the button of the page that shows first what would change.
    """

    path: str
    near: str
    button: str
    said: str
    typed: tuple[str, ...] = (WHY,)
    ticked: tuple[str, ...] = ()
    opened: str = ""
    confirmed: str = ""


RULED = r"ruling \d+ recorded"
OVERRULE, ADD = "Stage, snooze", "Add people"
_CSV = "id,name,email,role,since\nona,Ona Paz,ona@paz.example,committer,2026-03-01"
PRESSED = {
    "snooze": Pressed(path="proposals/25", near=OVERRULE, opened=OVERRULE, button="snooze", said=RULED),
    "care": Pressed(path="proposals/36", near=OVERRULE, opened=OVERRULE, button="set the interfaces", said=RULED),
    "restore": Pressed(path="proposals/36", near=OVERRULE, opened=OVERRULE, button="undo the newest move", said=RULED),
    "drift": Pressed(path="review", near="Matter 27", button="it may say so", said=RULED),
    "merge": Pressed(path="review", near="KIP-34", button="one person", said=RULED),
    "sender": Pressed(path="review", near="wei@elsewhere.example", button="the same person", said=RULED),
    "senders": Pressed(
        path="review",
        near="accept those ticked",
        ticked=("Accept dario@elsewhere.example as Dario Mele",),
        button="accept those ticked",
        said="1 of . accepted",
    ),
    "release": Pressed(path="outbox?status=held", near="24/release", button="send it", typed=(), said="released"),
    "releases": Pressed(
        path="outbox?status=held",
        near="send those ticked",
        ticked=("Send 24/one", "Send 24/two"),
        button="send those ticked",
        typed=(),
        said="2 released",
    ),
    "hold": Pressed(path="outbox?status=pending", near="24/hold", button="hold it", said="held; it is not sent"),
    "refuse": Pressed(path="outbox?status=held", near="24/refuse", button="refuse it", said="refused; it is not sent"),
    "rollback": Pressed(
        path="outbox?status=sent", near="24/edit", button="take this edit back", said="taken back by the next"
    ),
    "sent": Pressed(path="outbox?status=unsure", near="24/unsure", button="it was sent", typed=(), said="noted"),
    "undo": Pressed(
        path="data",
        near="mistake.eml",
        button="show what that changes",
        typed=(),
        confirmed="take it out",
        said="ingest 1 undone",
    ),
    "roster": Pressed(
        path="people",
        near="CSV with the columns",
        opened=ADD,
        button="show what that changes",
        typed=(_CSV, "a list"),
        confirmed="save the roster",
        said="the roster is saved",
    ),
    "roster-back": Pressed(
        path="people",
        near="undoing the newest",
        opened=ADD,
        button="show what undoing the newest addition changes",
        typed=(),
        confirmed="take it back",
        said="as it was before",
    ),
}


def test_every_kind_of_question_and_every_act_is_settled_by_some_test() -> None:
    assert {case.kind for case in SETTLED} | IN_THE_FRAME | IN_THE_WIKI == set(REVIEW_WORDS)
    assert {case.act for case in SETTLED} | set(PRESSED) == set(ACTS)


@pytest.fixture(scope="module")
def airflow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("airflow")
    clock = FastAPI()
    clock.get("/")(lambda: {"now": NOW.isoformat()})
    with serve(clock) as now:
        parts = open_questions(home, f"{PATIENT}clock: {now}/\neffects: {{mode: send}}\n")
        open_work(parts)
        parts.store.close()
        variables = {
            "KIPFLOW_HOME": str(home),
            "KIPFLOW_CONFIG": str(home / "config"),
            "KIPFLOW_COMMUNITY": "board",
            "KIPFLOW_DATABASE_URL": f"sqlite:///{home / 'board.db'}",
        }
        with serve_airflow(home, variables) as address:
            yield address


@pytest.fixture(scope="module")
def signed_in(airflow: str) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {fetch_token(airflow, 'admin')}"}
    with httpx.Client(base_url=airflow, headers=headers, timeout=30) as client:
        yield client


@pytest.fixture(scope="module")
def page(airflow: str, chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page()
    page.goto(f"{airflow}/kipflow/review")
    sign_in(page, "admin")
    page.wait_for_url(f"{airflow}/kipflow/review")
    yield page
    page.close()


def press_by_keys(page: Page, form: Locator, button: str, typed: tuple[str, ...]) -> None:
    """Walk to a form, type from field to field, choose the button and confirm it."""
    for _ in range(_FORMS):
        page.keyboard.press("Alt+KeyN")
        if form.evaluate("form => form.contains(document.activeElement)"):
            break
    for place, text in enumerate(typed):
        if place:
            page.keyboard.press("Tab")
        page.keyboard.insert_text(text) if "\n" in text else page.keyboard.type(text)
    buttons = [text.strip() for text in form.locator("button:not([hidden])").all_inner_texts()]
    page.keyboard.press(f"Alt+Digit{buttons.index(button) + 1}")
    assert page.locator(":focus").inner_text().strip() == button
    page.keyboard.press("Enter")


def find_open(client: httpx.Client) -> set[tuple[str, int]]:
    asked = client.get("/kipflow/api/review").json()["review"]
    return {(row["item"]["kind"], row["number"]) for row in asked}


def is_noted(client: httpx.Client, act: str) -> bool:
    """Whether the newest act in Airflow's audit log is this one, and whose; what was pressed may still run."""
    for _ in range(100):
        newest = client.get("/api/v2/eventLogs", params={"order_by": "-event_log_id", "limit": 20}).json()["event_logs"]
        noted = next((e["event"], e["owner"]) for e in newest if e["event"].startswith("kipflow_"))
        if noted == (f"kipflow_{act}", "admin"):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("case", SETTLED, ids=lambda case: case.kind)
def test_a_question_is_gone_once_it_is_settled_and_the_ruling_is_kept(
    airflow: str, signed_in: httpx.Client, page: Page, case: Settled
) -> None:
    assert (case.kind, case.number) in find_open(signed_in)
    page.goto(f"{airflow}/kipflow/review")
    question = page.locator("article.question", has=page.get_by_text(f"KIP-{case.number}", exact=True))
    press_by_keys(page, question.locator("form"), case.button, (WHY, *([case.stage] if case.stage else [])))
    page.get_by_text(re.compile(r"ruling \d+ (recorded|revoked)")).wait_for()
    page.wait_for_load_state()
    page.keyboard.press("Alt+KeyN")
    page.get_by_role("heading", name="Open questions").wait_for()

    assert question.count() == 0
    assert (case.kind, case.number) not in find_open(signed_in)
    said = signed_in.get(f"/kipflow/api/proposals/{case.number}").json()["proposal"]["rulings"][-1]
    kind, value = case.ruled
    assert (said["kind"], said["value"] | value) == (kind, said["value"])
    is_back = said["revoked_at"] is not None
    who, why = (said["revoked_by"], said["revoked_reason"]) if is_back else (said["author"], said["reason"])
    assert (who, why, is_back) == ("admin", WHY, case.kind == "ruling")
    assert is_noted(signed_in, case.act)


@pytest.mark.parametrize("act", [name for name in ACTS if name not in {case.act for case in SETTLED}])
def test_an_act_is_done_by_keyboard_and_stands_in_airflows_audit_log(
    airflow: str, signed_in: httpx.Client, page: Page, act: str
) -> None:
    case = PRESSED[act]
    page.goto(f"{airflow}/kipflow/{case.path}")
    if case.opened:
        page.locator("summary", has_text=case.opened).focus()
        page.keyboard.press("Enter")
    for box in case.ticked:
        page.get_by_label(box, exact=True).focus()
        page.keyboard.press("Space")
    button = page.get_by_role("button", name=case.button, exact=True)
    near = page.locator("article, tr, section, details, main, form", has=button).filter(has_text=case.near).last
    press_by_keys(page, near.locator("form", has=button).or_(near.and_(page.locator("form"))), case.button, case.typed)
    if case.confirmed:
        page.get_by_role("heading", name="What it would change").wait_for()
        press_by_keys(page, page.locator("main form"), case.confirmed, (WHY,))
    page.get_by_text(re.compile(case.said)).first.wait_for()
    assert is_noted(signed_in, act)
