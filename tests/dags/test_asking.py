"""What is put to people among Airflow's required actions: once, until it is settled, by the board's rules."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.services import asking
from kipflow.services.acts import perform
from kipflow.services.asking import Request, choose_new, find_requests
from kipflow.services.desk import ActContext
from kipflow.services.ports import Effect
from kipflow.services.ruling_checks import BadRuling
from kipflow.wiring import Parts, open_desk
from tests.web.community import NOW
from tests.web.story import connect_board, store_story

pytestmark = pytest.mark.airflow

HOSTILE = "{{ 1/0 }} <b>http://evil.example</b> [x](javascript:alert(1))"


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    """A vote that one conditional ballot decides, and two messages that wait for approval."""
    parts = connect_board(tmp_path)
    store_story(parts)
    with parts.store.begin() as session:
        session.outbox.enqueue(
            [
                Effect(key=f"KIP-7/{n}/slack", number=7, channel="slack", payload={"text": HOSTILE}, approval=True)
                for n in range(2)
            ],
            now=NOW,
        )
    return parts


def find_open(parts: Parts) -> list[Request]:
    return find_requests(parts.store, "KIP")


def context(reason: str = "the default stays") -> ActContext:
    return ActContext(author="ines", reason=reason, at=NOW)


def test_what_an_outcome_depends_on_comes_first_with_both_outcomes_then_the_effects(parts: Parts) -> None:
    ballot, *effects = find_open(parts)

    assert (ballot.number, ballot.title, list(ballot.answers)) == (
        7,
        "KIP-7: unclear ballot",
        ["+1", "0", "-1", "no vote"],
    )
    assert "“+1 if the default stays at one”" in ballot.text
    assert "at worst: falls short" in ballot.text
    assert "at best:" in ballot.text
    assert [list(effect.answers) for effect in effects] == [["send it", "refuse it"]] * 2
    assert (ballot.needs_reason, effects[0].needs_reason) == (True, False)


def test_a_run_asks_what_no_other_asks_and_the_same_again_when_it_is_tried_again(parts: Parts) -> None:
    open_now = find_open(parts)

    assert choose_new(parts.store, open_now[:1], run_id="one", now=NOW) == open_now[:1]
    assert choose_new(parts.store, open_now, run_id="two", now=NOW) == open_now[1:]
    assert choose_new(parts.store, open_now, run_id="one", now=NOW) == open_now[:1]
    assert choose_new(parts.store, open_now, run_id="three", now=NOW + asking.PATIENCE) == open_now


def test_what_was_settled_and_is_open_again_is_asked_again(parts: Parts) -> None:
    open_now = find_open(parts)
    choose_new(parts.store, open_now, run_id="one", now=NOW)
    assert choose_new(parts.store, open_now[1:], run_id="two", now=NOW) == []

    assert choose_new(parts.store, open_now, run_id="three", now=NOW) == open_now[:1]


def test_no_more_is_asked_at_once_than_anybody_reads(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    open_now = find_open(parts)
    monkeypatch.setattr(asking, "MAX_OPEN", 2)

    assert choose_new(parts.store, open_now, run_id="one", now=NOW) == open_now[:2]
    assert choose_new(parts.store, open_now, run_id="two", now=NOW) == []


def test_an_effect_stays_open_however_many_came_after_it(parts: Parts) -> None:
    first = find_open(parts)[1]
    later = [
        Effect(key=f"KIP-7/later/{n}/slack", number=7, channel="slack", payload={"text": "x"}, approval=True)
        for n in range(asking.MAX_OPEN + 1)
    ]
    with parts.store.begin() as session:
        session.outbox.enqueue(later, now=NOW + timedelta(minutes=1))

    assert find_open(parts)[1] == first
    assert asking.answer(open_desk(parts), first.key, "send it", context("")) is not None


def test_an_answer_is_the_act_that_the_board_performs(parts: Parts) -> None:
    ballot, effect, _ = find_open(parts)
    desk = open_desk(parts)

    done = asking.answer(desk, ballot.key, "+1", context())

    assert done is not None
    assert [(r.kind, r.value, r.author, r.reason) for r in parts.store.proposal(7, NOW).rulings] == [
        ("ballot", {"choice": "+1"}, "ines", "the default stays")
    ]
    assert asking.answer(desk, ballot.key, "-1", context()) is None  # settled: a second answer changes nothing
    assert asking.answer(desk, effect.key, "send it", context("")) is not None
    assert [row.status for row in parts.store.effects().rows if row.key in effect.key] == ["pending"]


@pytest.mark.parametrize(("chosen", "reason"), [("+1", ""), ("+1", "  "), ("+2", "because"), ("", "because")])
def test_an_answer_that_the_board_would_refuse_is_refused(parts: Parts, chosen: str, reason: str) -> None:
    key = find_open(parts)[0].key

    with pytest.raises(BadRuling):
        asking.answer(open_desk(parts), key, chosen, context(reason))
    assert parts.store.proposal(7, NOW).rulings == ()
    assert find_open(parts)[0].key == key


def make_task(request: Request) -> Any:
    from kip_dags.asking import AskPerson

    given = {"key": request.key, "title": request.title, "text": request.text, "path": "proposals/7"}
    return AskPerson(task_id="ask", answers=list(request.answers), needs_reason=request.needs_reason, **given)


def test_what_is_shown_is_cited_and_no_template_or_link(parts: Parts) -> None:
    task = make_task(find_open(parts)[1])
    task.render_template_fields({})

    assert task.body.startswith(f"```\n{HOSTILE}\n```\n\n[See the evidence on the board](")
    assert task.template_fields == ()
    assert HOSTILE not in task.subject


@given(line=st.text(alphabet="`~ ab", max_size=40))
def test_no_line_ends_the_block_that_it_stands_in(line: str) -> None:
    from kip_dags.asking import fence

    bar, *inside, end = fence(line).split("\n")
    assert bar == end
    assert "\n".join(inside) == line
    assert bar not in line


@pytest.mark.parametrize(("ended", "said"), [("settled", "elsewhere"), ("unanswered", "asks again")])
def test_a_wait_that_ends_without_an_answer_is_skipped(parts: Parts, ended: str, said: str) -> None:
    from airflow.sdk.exceptions import AirflowSkipException

    with pytest.raises(AirflowSkipException, match=said):
        make_task(find_open(parts)[0]).execute_complete({}, {"ended": ended})


async def wait(key: str, until: datetime) -> Any:
    from kipflow_waiting import SettledElsewhere

    return await anext_of(SettledElsewhere(key, until))


@pytest.fixture
def waiting(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> Parts:
    import kipflow_waiting

    kipflow_waiting._find_open.cache_clear()
    monkeypatch.setattr(kipflow_waiting, "_open_parts", lambda: parts)
    monkeypatch.setattr(kipflow_waiting, "INTERVAL", 0.01)
    return parts


def test_the_wait_ends_when_somebody_settles_it_elsewhere(waiting: Parts) -> None:
    key = find_open(waiting)[0].key

    async def settle_meanwhile() -> Any:
        ended = asyncio.create_task(wait(key, datetime.now(UTC) + timedelta(days=1)))
        await asyncio.sleep(0.1)
        assert not ended.done()
        mail = key.split(" ", 2)[2]
        perform(open_desk(waiting), "ballot", {"proposal": "7", "mail": mail, "choice": "none"}, context())
        return await asyncio.wait_for(ended, 10)

    assert run_apart(settle_meanwhile()) == {"ended": "settled"}


def test_the_wait_ends_after_its_time_and_not_because_the_store_is_away(
    waiting: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    import kipflow_waiting

    monkeypatch.setattr(kipflow_waiting, "_open_parts", lambda: 1 / 0)

    assert run_apart(wait("any", datetime.now(UTC) + timedelta(seconds=0.2))) == {"ended": "unanswered"}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What Airflow is told to ask; asking removes an answer that it has."""
    import kip_dags.asking

    calls: list[Any] = []
    monkeypatch.setattr(kip_dags.asking, "upsert_hitl_detail", lambda **given: calls.append(given["ti_id"]))
    return calls


@pytest.mark.parametrize(("attempt", "asks"), [(1, True), (2, False)])
def test_an_attempt_after_a_failed_one_looks_for_an_answer_before_it_asks(
    parts: Parts, asked: list[Any], attempt: int, asks: bool
) -> None:
    from airflow.sdk.exceptions import TaskDeferred

    instance = SimpleNamespace(id=uuid4(), try_number=attempt)
    with pytest.raises(TaskDeferred) as deferred:
        make_task(find_open(parts)[0]).execute({"task_instance": instance})

    assert asked == ([instance.id] if asks else [])
    assert deferred.value.trigger.answered == (None if asks else str(instance.id))


def test_where_no_answer_is_found_it_is_asked(parts: Parts, asked: list[Any]) -> None:
    from airflow.sdk.exceptions import TaskDeferred
    from kipflow_waiting import UNANSWERED_BEFORE

    instance = SimpleNamespace(id=uuid4(), try_number=2)
    with pytest.raises(TaskDeferred) as deferred:
        make_task(find_open(parts)[0]).execute_complete({"task_instance": instance}, {"ended": UNANSWERED_BEFORE})

    assert asked == [instance.id]
    assert deferred.value.trigger.answered is None


@pytest.mark.parametrize("answered", [True, False])
def test_an_answer_given_before_ends_the_wait_at_once(monkeypatch: pytest.MonkeyPatch, answered: bool) -> None:
    import kipflow_waiting
    from airflow.sdk.api.datamodels._generated import HITLDetailResponse, HITLUser

    given = HITLDetailResponse(
        response_received=answered,
        responded_by_user=HITLUser(id="7", name="ines") if answered else None,
        responded_at=NOW if answered else None,
        chosen_options=["+1"] if answered else None,
        params_input={"reason": "the default stays"} if answered else {},
    )
    monkeypatch.setattr(kipflow_waiting, "get_hitl_detail_content_detail", lambda _: given)
    trigger = kipflow_waiting.SettledElsewhere("any", NOW, str(uuid4()))
    again = kipflow_waiting.SettledElsewhere(**trigger.serialize()[1])

    event = run_apart(anext_of(again))

    if answered:
        assert (event["chosen_options"], event["responded_by_user"]["name"]) == (["+1"], "ines")
    else:
        assert event == {"ended": kipflow_waiting.UNANSWERED_BEFORE}


@pytest.mark.parametrize("attempt", [1, 2])
def test_an_answer_to_what_is_settled_is_skipped_unless_the_attempt_before_may_have_performed_it(
    parts: Parts, monkeypatch: pytest.MonkeyPatch, attempt: int
) -> None:
    """Airflow takes a task that is answered within a second of its question for a failed one, and tries it again."""
    from airflow.sdk.exceptions import AirflowSkipException

    monkeypatch.setattr("kip_dags.asking.open_parts", lambda: parts)
    task = make_task(find_open(parts)[0])
    answer = {
        "responded_by_user": {"name": "ines"},
        "chosen_options": ["+1"],
        "params_input": {"reason": "she says so"},
    }
    assert "ruling" in task.execute_complete({"task_instance": SimpleNamespace(try_number=1)}, answer)[0]

    again = {"task_instance": SimpleNamespace(try_number=attempt)}
    if attempt == 1:
        with pytest.raises(AirflowSkipException, match="settled elsewhere"):
            task.execute_complete(again, answer)
    else:
        assert task.execute_complete(again, answer) == []
    assert [ruling.author for ruling in parts.store.proposal(7, parts.clock()).rulings] == ["ines"]


def run_apart(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What it comes to, in a thread of its own: a browser driven before leaves its loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


async def anext_of(trigger: Any) -> Any:
    return (await anext(trigger.run())).payload
