"""What an operator does on the board that nobody asked about: hold, merge, split, name a reviewer or interfaces."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from lxml import html

from kipflow.commands.settle import COMMANDS
from kipflow.domain.decisions import Drift
from kipflow.domain.events import Stage
from kipflow.services.acts import ACTS
from kipflow.services.board import DriftRow
from kipflow.services.ports.effects import RETRACTS, Effect
from kipflow.web.app import create_app
from kipflow.web.render import Masthead
from kipflow.wiring import Parts
from tests.web.community import NOW
from tests.web.memory import MemoryBoard
from tests.web.test_board_acts import Browser, _text, browser, statuses

__all__ = ["browser"]


@pytest.fixture
def waiting(parts: Parts) -> list[str]:
    """One message that waits for approval, and one that needs none."""
    effects = [
        Effect(key="7/a", number=7, channel="slack", payload={"text": "one", RETRACTS: True}, approval=True),
        Effect(key="7/b", number=7, channel="slack", payload={"text": "two"}),
    ]
    with parts.store.begin() as session:
        assert session.outbox.enqueue(effects, now=NOW) == 2
    return [effect.key for effect in effects]


def test_what_was_approved_is_held_again_until_it_is_approved_anew(
    parts: Parts, browser: Browser, waiting: list[str]
) -> None:
    browser.press("/outbox?status=held", "send it", reason="")
    for key in waiting:
        values = {"values": {"key": key}, "reason": "the number is wrong"}
        assert browser.client.post("/api/acts/hold", json=values).status_code == 200
    assert statuses(parts, waiting) == ["held", "held"]
    assert "held by Ines: the number is wrong" in browser.text("/outbox?status=held")
    with parts.store.read() as session:
        assert not session.outbox.is_retraction_released(7)
    assert browser.press("/outbox?status=held", "send it", reason="").status_code == 200
    assert sorted(statuses(parts, waiting)) == ["held", "pending"]


def test_what_waits_to_be_sent_is_held_by_a_button_with_a_reason(
    parts: Parts, browser: Browser, waiting: list[str]
) -> None:
    assert browser.press("/outbox?status=pending", "hold it", reason=" ").status_code == 409
    assert "held; it is not sent before" in _text(browser.press("/outbox?status=pending", "hold it"))
    assert statuses(parts, waiting) == ["held", "held"]


def test_what_may_have_gone_out_is_not_held(parts: Parts, browser: Browser, waiting: list[str]) -> None:
    with parts.store.begin() as session:
        session.outbox.mark_failed(waiting[1], error="timeout", next_attempt_at=NOW, tried_at=NOW)
    values = {"values": {"key": waiting[1]}, "reason": "x"}
    assert browser.client.post("/api/acts/hold", json=values).status_code == 409
    assert "hold it" not in browser.text("/outbox?status=pending")


def test_any_two_are_said_to_be_one_person_or_two(browser: Browser) -> None:
    pair = {"one": "kim@home.example", "other": "kosei@apache.org"}
    assert "ruling 1 recorded" in _text(_fill(browser, "one person", **pair))
    assert "revoke that first" in _text(_fill(browser, "two people", **pair))
    unknown = _fill(browser, "one person", one="nobody@x.example", other="kosei")
    assert (unknown.status_code, "no mail is from" in _text(unknown)) == (409, True)


def test_a_word_on_people_is_recorded_at_once_and_what_it_changes_left_to_a_run_where_too_much_waits(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kipflow.services.rulings.MOST_AT_ONCE", 0)
    done = _text(_fill(browser, "one person", one="kim@home.example", other="kosei@apache.org"))
    assert "ruling 1 recorded; the next run decides what waits, 1 in all" in done
    assert "take it back" in done
    assert browser.client.get("/api/review").json()["review"] != []


def test_an_address_is_somebodys_since_a_day(browser: Browser) -> None:
    given = {"address": "kim@home.example", "person": "kosei"}
    assert "ruling 1 recorded" in _text(_fill(browser, "it is theirs", **given, since="2026-03-05"))
    [said] = browser.client.get("/api/proposals/7").json()["proposal"]["rulings"]
    assert said["value"]["since"] == "2026-03-05T00:00:00+00:00"
    assert "ruling 2 recorded" in _text(_fill(browser, "it is theirs", **given, since=""))


def _fill(browser: Browser, button: str, **fields: str):  # type: ignore[no-untyped-def]
    """Send the form for any two people or for any address: the last on the page with that button."""
    page = html.fromstring(browser.client.get("/review").text)
    pressed = page.xpath(f"//details//button[normalize-space()='{button}']")[0]
    token = pressed.xpath("ancestor::form")[0].fields["token"]
    values = {"token": token, "reason": "asked", **fields}
    return browser.client.post("/acts/" + pressed.get("formaction").rpartition("/")[2], data=values)


@pytest.mark.parametrize("kept", [["protocol", "log-format"], []])
def test_a_proposal_touches_several_interfaces_or_none(browser: Browser, kept: list[str]) -> None:
    action, values = browser.find_form("/proposals/7", "set the interfaces")
    answer = browser.client.post(action, data={**values, "reason": "read it", "interfaces": ["none", *kept]})
    assert answer.status_code == 200
    [said] = browser.client.get("/api/proposals/7").json()["proposal"]["rulings"]
    assert said["value"] == {"interfaces": kept}


def test_who_reviewed_is_said_on_the_page_under_the_rule_of_the_command(browser: Browser) -> None:
    answer = browser.press("/proposals/7", "set the reviewer", reviewer="Rune Berg")
    assert (answer.status_code, "requires no review" in _text(answer)) == (409, True)
    assert browser.press("/proposals/7", "set the reviewer", reviewer="").status_code == 409


def test_what_overrules_has_one_reason_and_the_button_says_which_field_counts(browser: Browser) -> None:
    [overrule] = html.fromstring(browser.client.get("/proposals/7").text).xpath("//details[@id='overrule']")
    assert len(overrule.xpath(".//input[@name='reason']")) == 1
    action, values = browser.find_form("/proposals/7", "set the interfaces")
    given = {**values, "reason": "read it", "interfaces": ["none", "protocol"], "reviewer": "Rune Berg"}
    assert browser.client.post(action, data=given).status_code == 200
    [said] = browser.client.get("/api/proposals/7").json()["proposal"]["rulings"]
    assert said["value"] == {"interfaces": ["protocol"]}


def test_every_command_that_settles_something_is_an_act_of_the_board() -> None:
    assert {command.name for command in COMMANDS} <= set(ACTS)


def test_an_index_out_of_step_opens_in_the_wikis_editor() -> None:
    class Drifted(MemoryBoard):
        def drift(self) -> tuple[DriftRow, ...]:
            found = Drift(side="index", says="accepted", derived="Vote", evidence="", fix="move the row")
            return (DriftRow(number=7, key="KIP-7", title="Fences", stage=Stage.VOTE, drift=found),)

    editor = "https://wiki.example/pages/editpage.action?pageId=1"
    for given, links in ((editor, [editor]), ("", [])):
        masthead = Masthead(index_editor=given)
        app = create_app(lambda: Drifted(()), clock=lambda: NOW, masthead=lambda m=masthead: m)  # type: ignore[misc]
        page = html.fromstring(TestClient(app).get("/review").text)
        assert page.xpath("//section[@aria-labelledby='drift']//a[contains(@class,'out')]/@href") == links
