"""What time alone brings, and what people are shown and asked about through a running Airflow."""

from __future__ import annotations

import json
import shlex
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

import pytest

from kipflow.launcher.api import ASK, AirflowApi
from kipflow.sandbox.plans import EXPECTED
from tests.integration.system.running import Instance, assert_replay_agrees

pytestmark = [pytest.mark.system, pytest.mark.airflow, pytest.mark.spark, pytest.mark.timeout(1_500)]


def test_a_silent_proposal_sleeps_when_the_grace_of_its_warning_is_over(instance: Instance) -> None:
    """The first start warned of it; 15 days later by its clock it is dormant since its grace ended."""
    [(number, due_at, recorded_at)] = instance.ask("SELECT number, due_at, recorded_at FROM warning WHERE number = 107")
    assert instance.stages()[107] == "Discussion"
    instance.push_time("6 days")
    # silence brings no mail that would start decisions: what starts them is the clock
    for dag_id in ("kip_poll_threads", "kip_advance_stages"):
        assert instance.run_dag(dag_id).state == "success"

    assert {n: e.asleep.value for n, e in EXPECTED.items() if e.asleep} == {number: instance.stages()[number]}
    # the grace is counted from the warning's delivery, which follows its record
    [(delivered_at,)] = instance.ask("SELECT delivered_at FROM warning_delivery WHERE number = 107")
    [(since,)] = instance.ask("SELECT since FROM proposal WHERE number = 107")
    assert datetime.fromisoformat(since) == datetime.fromisoformat(delivered_at) + timedelta(days=14)
    assert delivered_at > recorded_at
    assert since > due_at
    unwarned = "SELECT t.number FROM transition t WHERE t.rule = 'silence' AND t.at > ? AND t.number <> 107"
    with closing(sqlite3.connect(f"file:{instance.home / 'sandbox.db'}?mode=ro", uri=True)) as database:
        assert database.execute(unwarned, (recorded_at,)).fetchall() == []
    assert_replay_agrees(instance)


def test_operators_are_told_of_a_dag_that_is_switched_off(instance: Instance) -> None:
    told = "SELECT payload FROM outbox WHERE key LIKE 'condition/paused/%' ORDER BY created_at"
    before = instance.ask(told)
    with instance.api() as api:
        api.pause("kip_lifecycle_metrics")
        try:
            instance.run_dag("kip_advance_stages")
        finally:
            api.unpause("kip_lifecycle_metrics")
    *earlier, (message,) = instance.ask(told)
    assert earlier == before
    assert "Switched off in Airflow: kip_lifecycle_metrics" in message


def test_what_waits_for_a_person_is_asked_by_airflow_and_answered_once(instance: Instance) -> None:
    """One question is answered among the required actions, another by a command, which ends its task."""
    with instance.api() as api:
        api.trigger(ASK)
        first, second = sorted(wait_for_questions(api, least=2), key=lambda asked: asked["subject"])[:2]
        number = int(first["subject"].partition(":")[0].removeprefix("KIP-"))
        before = instance.ask("SELECT max(id) FROM ruling")[0][0] or 0
        response = {"chosen_options": first["options"][:1], "params_input": {"reason": "the other thread says so"}}

        unreasoned = {**response, "params_input": {}}
        api._send("PATCH", find_path(first), json=unreasoned)
        wait_for_state(api, first, "deferred", received=False)
        assert instance.ask("SELECT count(*) FROM ruling WHERE id > ?", before) == [(0,)]

        api._send("PATCH", find_path(first), json=response)
        wait_for_state(api, first, "success", received=True)
        [(ruled, author, reason)] = instance.ask("SELECT number, author, reason FROM ruling WHERE id > ?", before)
        assert (ruled or number, author, reason) == (number, "admin", "the other thread says so")

        rows = json.loads(instance.run("review", "--format", "json").stdout)
        command = next(r["settle"] for r in rows if second["subject"].startswith(f"{r['proposal']}:")).splitlines()[0]
        words = shlex.split(command.replace("CHOICE", "none").replace("…", "settled by a command"), comments=True)
        done = instance.run(*words[1:])
        assert done.returncode == 0, done.stderr
        wait_for_state(api, second, "skipped", received=False)


def find_path(asked: Mapping[str, Any]) -> str:
    task = asked["task_instance"]
    run = f"/api/v2/dags/{task['dag_id']}/dagRuns/{task['dag_run_id']}"
    return f"{run}/taskInstances/{task['task_id']}/{task['map_index']}/hitlDetails"


def wait_for_questions(api: AirflowApi, *, least: int) -> list[dict[str, Any]]:
    deadline = time.monotonic() + 120
    while True:
        found = api._send("GET", "/api/v2/dags/~/dagRuns/~/hitlDetails", params={"limit": 50})["hitl_details"]
        # "KIP-90: save this on its page?" asks for a release, which needs no reason
        asked = [each for each in found if not each["subject"].endswith("?")]
        waiting = [each for each in asked if each["task_instance"]["state"] == "deferred"]
        if len(waiting) >= least:
            return waiting
        assert time.monotonic() < deadline, found
        time.sleep(1)


def wait_for_state(api: AirflowApi, asked: Mapping[str, Any], state: str, *, received: bool) -> None:
    """Until the question's task has come to this. An answer that is received shows at once, before it is heard.

    Airflow takes a task that is answered within a second of its question for a failed one: it is tried again.
    """
    deadline, wanted, last = time.monotonic() + 240, (state, received), None
    while last != wanted:
        assert time.monotonic() < deadline, last
        time.sleep(2)
        task = api._send("GET", find_path(asked).removesuffix("/hitlDetails"))
        last = (task["state"], api._send("GET", find_path(asked))["response_received"])
