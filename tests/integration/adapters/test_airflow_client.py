"""The launcher's client of Airflow: what passes is waited for, what does not is one line."""

from __future__ import annotations

import json

import pytest

from kipflow.domain.errors import LaunchFailed
from kipflow.launcher.api import AirflowApi
from tests.integration.adapters.faulty import Server, answer, as_json, truncated

LOCKED = as_json({"detail": {"reason": "Database error"}}, 500)


def test_an_answer_that_the_database_is_locked_is_waited_out(server: Server) -> None:
    server.play(LOCKED, LOCKED, as_json({"is_paused": False}))

    with AirflowApi(server.url, user="", password="") as api:
        api.unpause("kip_backfill")

    assert [seen.method for seen in server.seen] == ["PATCH"] * 3


def test_a_run_whose_answer_was_lost_is_not_started_twice(server: Server) -> None:
    server.play(truncated(b'{"dag_run_id": "x"}', 4), as_json({"detail": "exists"}, 409))

    with AirflowApi(server.url, user="", password="") as api:
        api.trigger("kip_backfill")

    first, second = (json.loads(seen.body)["dag_run_id"] for seen in server.seen)
    assert first == second


def test_a_refusal_is_not_tried_again(server: Server) -> None:
    server.play(as_json({"detail": "no"}, 403))

    with AirflowApi(server.url, user="", password="") as api, pytest.raises(LaunchFailed, match="not allowed"):
        api.unpause("kip_backfill")

    assert len(server.seen) == 1


def test_an_answer_that_is_no_json_is_one_line(server: Server) -> None:
    server.play(answer(b"<html>"))

    with AirflowApi(server.url, user="", password="") as api, pytest.raises(LaunchFailed, match="not JSON"):
        api.fetch_dags()
