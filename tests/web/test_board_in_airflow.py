"""The board where operators meet it: in Airflow, behind Airflow's own sign-in, in Airflow's own frame."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page

from tests.web.community import NOW
from tests.web.servers import fetch_token, serve_airflow, sign_in
from tests.web.story import add_questions, connect_board, store_story

pytestmark = pytest.mark.airflow


@pytest.fixture(scope="module")
def airflow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("airflow")
    parts = connect_board(home)
    with parts.store.begin() as session:
        session.mail.save_messages(add_questions(), seen_at=NOW)
    store_story(parts)
    parts.store.close()
    variables = {
        "KIPFLOW_HOME": str(home),
        "KIPFLOW_CONFIG": str(home / "config"),
        "KIPFLOW_COMMUNITY": "board",
        # by Airflow's connection, as in a deployment
        "AIRFLOW_CONN_KIPFLOW_DB": f'{{"conn_type": "generic", "schema": "{home / "board.db"}",'
        ' "extra": {"drivername": "sqlite"}}',
    }
    with serve_airflow(home, variables) as address:
        yield address


@pytest.mark.parametrize("path", ["/", "/proposals", "/proposals/7", "/review", "/api/overview", "/api/proposals/7"])
def test_an_anonymous_reader_gets_nothing(airflow: str, path: str) -> None:
    answer = httpx.get(f"{airflow}/kipflow{path}")
    assert answer.status_code == 401
    assert "Sign in to Airflow to see this board." in answer.text
    assert "Bounded" not in answer.text


def test_a_forged_token_is_no_sign_in(airflow: str) -> None:
    answer = httpx.get(f"{airflow}/kipflow/", cookies={"_token": "eyJhbGciOiJub25lIn0.e30."})
    assert answer.status_code == 401


ASKED = (
    "/",
    "/proposals?stage=Vote&q=a%26b&sort=activity&order=asc",
    "/proposals/7",
    "/proposals/7/changes?since=vote&layout=inline",
    "/review?page=1&drift_page=1",
    "/data?page=1",
    "/outbox?status=held",
    "/metrics",
)


@pytest.mark.parametrize("path", ASKED)
def test_airflows_sign_in_takes_the_page_to_come_back_to(airflow: str, path: str) -> None:
    browser = {"Accept": "text/html"}
    asked = httpx.get(f"{airflow}/kipflow{path}", headers=browser)
    assert asked.status_code == 302
    form = httpx.get(airflow + asked.headers["location"], headers=browser)
    assert form.status_code == 307, "Airflow found the address safe"
    assert parse_qs(urlsplit(form.headers["location"]).query) == {"next": [f"/kipflow{path}"]}


@pytest.mark.parametrize("path", ["//evil.example/", "/%5Cevil.example", "/..//evil.example"])
def test_no_address_of_the_board_leads_to_another_host(airflow: str, path: str) -> None:
    answer = httpx.get(f"{airflow}/kipflow{path}", headers={"Accept": "text/html"})
    where = urlsplit(answer.headers.get("location", ""))
    assert where.netloc in {"", urlsplit(airflow).netloc}
    assert not parse_qs(where.query).get("next", ["/"])[0].startswith(("//", "/\\", "http"))


@pytest.mark.parametrize("user", ["viewer", "admin"])
def test_whoever_may_see_airflow_may_read_the_board_by_token_and_by_cookie(airflow: str, user: str) -> None:
    token = fetch_token(airflow, user)
    by_token = httpx.get(f"{airflow}/kipflow/proposals/7", headers={"Authorization": f"Bearer {token}"})
    by_cookie = httpx.get(f"{airflow}/kipflow/api/proposals/7", cookies={"_token": token})
    assert by_token.status_code == 200
    assert "Bounded &lt;b&gt;retries&lt;/b&gt; &amp; more" in by_token.text
    assert by_cookie.json()["proposal"]["stage"] == "Vote"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_pages_take_nothing_but_reading(airflow: str, method: str) -> None:
    token = fetch_token(airflow, "admin")
    answer = httpx.request(method, f"{airflow}/kipflow/review", cookies={"_token": token})
    assert answer.status_code == 405


def test_airflow_loaded_the_plugin_without_complaint(airflow: str) -> None:
    headers = {"Authorization": f"Bearer {fetch_token(airflow, 'admin')}"}
    assert httpx.get(f"{airflow}/api/v2/plugins/importErrors", headers=headers).json()["total_entries"] == 0
    plugins = httpx.get(f"{airflow}/api/v2/plugins", headers=headers).json()["plugins"]
    assert sorted(plugin["name"] for plugin in plugins) == ["kipflow", "kipflow_imports"]
    entry, of_run = next(plugin["external_views"] for plugin in plugins if plugin["external_views"])
    assert (entry["name"], entry["href"], entry["destination"]) == ("Proposals", "/kipflow/", "nav")
    assert (of_run["href"], of_run["destination"]) == ("/kipflow/runs?dag={DAG_ID}&run={RUN_ID}", "dag_run")
    assert httpx.get(airflow + entry["icon"]).headers["content-type"] == "image/svg+xml"


@pytest.mark.browser
@pytest.mark.parametrize("kept", ["", "eyJhbGciOiJub25lIn0.e30."], ids=["a-stranger", "a-cookie-of-an-earlier-airflow"])
def test_signing_in_leads_back_to_the_page_that_was_asked_for(airflow: str, chromium: Browser, kept: str) -> None:
    context = chromium.new_context()
    if kept:
        context.add_cookies([{"name": "_token", "value": kept, "url": airflow}])
    page = context.new_page()
    asked = f"{airflow}/kipflow/proposals?q=retries&sort=activity&order=asc"
    page.goto(asked)
    sign_in(page, "viewer")
    page.wait_for_url(asked)
    assert page.get_by_label("Number, title or author").input_value() == "retries"
    context.close()


@pytest.mark.browser
def test_a_viewer_signs_in_and_reads_the_board_in_airflows_frame(airflow: str, chromium: Browser) -> None:
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, color_scheme="dark")
    page = context.new_page()
    page.goto(airflow)
    sign_in(page, "viewer")
    page.get_by_role("link", name="Proposals").click()
    frame = page.frame_locator("iframe")
    frame.get_by_role("link", name="KIP-7").first.click()
    frame.get_by_role("heading", name="What is still missing").wait_for()
    # Airflow keeps the address of the frame in its own: it can be sent to somebody else
    page.wait_for_url("**/plugin/kipflow/kipflow/proposals/7")
    assert frame.locator("html").get_attribute("data-theme") in {"dark", "light"}
    with context.expect_page() as opened:
        frame.locator("table.ballots a.out").first.click()
    assert opened.value != page, "the mail opens beside Airflow, which may not be framed by an archive"
    assert page.url.endswith("/proposals/7")
    context.close()


STAGE = {"values": {"proposal": 7, "stage": "Discarded"}, "reason": "asked"}


def test_a_viewer_reads_commands_and_changes_nothing(airflow: str) -> None:
    cookies = {"_token": fetch_token(airflow, "viewer")}
    assert "<form" not in httpx.get(f"{airflow}/kipflow/review", cookies=cookies).text
    assert httpx.post(f"{airflow}/kipflow/api/acts/stage", json=STAGE, cookies=cookies).status_code == 403
    assert httpx.post(f"{airflow}/kipflow/acts/stage", data={"reason": "x"}, cookies=cookies).status_code == 403
    unseen = {"values": {"batch": 1}}
    assert httpx.post(f"{airflow}/kipflow/api/previews/undo", json=unseen, cookies=cookies).status_code == 403
    assert httpx.post(f"{airflow}/kipflow/api/acts/stage", json=STAGE).status_code == 401
    shown = httpx.get(f"{airflow}/kipflow/api/proposals/7", cookies=cookies).json()["proposal"]
    assert (shown["stage"], shown["rulings"]) == ("Vote", [])


def test_another_site_cannot_use_an_operators_sign_in(airflow: str) -> None:
    cookies = {"_token": fetch_token(airflow, "admin")}
    answer = httpx.post(
        f"{airflow}/kipflow/api/acts/stage", json=STAGE, cookies=cookies, headers={"Origin": "https://evil.example"}
    )
    assert answer.status_code == 403


@pytest.mark.browser
def test_an_operator_settles_a_question_in_airflows_frame_and_takes_it_back(airflow: str, chromium: Browser) -> None:
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(f"{airflow}/plugin/kipflow")
    sign_in(page, "admin")
    frame = page.frame_locator("iframe")
    frame.get_by_role("link", name="Review", exact=True).click()
    frame.get_by_role("heading", name="Open questions").wait_for()
    reason = frame.get_by_label("Reason").first
    reason.fill("the default stays at one")
    reason.press("Enter")  # no outcome is chosen by that
    reason.press("Tab")
    assert frame.locator(":focus").inner_text() == "+1"
    page.keyboard.press("Enter")
    frame.get_by_text("ruling 1 recorded").wait_for()
    frame.get_by_label("Reason").fill("pressed the wrong one")
    frame.get_by_role("button", name="take it back").click()
    frame.get_by_text("ruling 1 revoked").wait_for()
    headers = {"Authorization": f"Bearer {fetch_token(airflow, 'admin')}"}
    logged = httpx.get(f"{airflow}/api/v2/eventLogs?order_by=-when&limit=2", headers=headers).json()["event_logs"]
    assert [(e["event"], e["owner"]) for e in logged] == [("kipflow_revoke", "admin"), ("kipflow_ballot", "admin")]
    assert "the default stays at one" in logged[1]["extra"]
    [said] = httpx.get(f"{airflow}/kipflow/api/proposals/7", headers=headers).json()["proposal"]["rulings"]
    assert (said["author"], said["revoked_by"]) == ("admin", "admin")
    context.close()


@pytest.fixture(scope="module")
def operators_page(airflow: str, chromium: Browser) -> Iterator[Page]:
    """A page of somebody who has signed in to Airflow and may settle questions."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{airflow}/kipflow/review")
    sign_in(page, "admin")
    page.wait_for_url(f"{airflow}/kipflow/review")
    yield page
    context.close()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("proposal", "outcome", "stage"),
    [
        pytest.param("KIP-7", "no vote", "", id="unclear-ballot"),
        pytest.param("KIP-8", "somebody else", "", id="sender"),
        pytest.param("KIP-9", "set the stage", "Rejected", id="unclear-result"),
        pytest.param("KIP-11", "Dormant", "", id="dormancy"),
    ],
)
def test_each_kind_of_question_is_settled_by_a_button(
    airflow: str, operators_page: Page, proposal: str, outcome: str, stage: str
) -> None:
    page = operators_page
    page.goto(f"{airflow}/kipflow/review")
    question = page.locator("article.question", has=page.get_by_text(proposal, exact=True))
    question.get_by_label("Reason").fill("asked on the list")
    if stage:
        question.get_by_label("Stage").select_option(stage)
    question.get_by_role("button", name=outcome, exact=True).click()
    page.get_by_text(re.compile(r"ruling \d+ recorded")).wait_for()
    page.get_by_role("link", name="Next question").click()
    page.get_by_role("heading", name="Open questions").wait_for()
    assert question.count() == 0
