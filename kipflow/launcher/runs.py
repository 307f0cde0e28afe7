"""The first runs after a start: trigger the DAGs in order and wait until nothing is left to do."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from kipflow.domain.errors import LaunchFailed
from kipflow.java import POOL
from kipflow.launcher.api import ASK, AirflowApi, DagRun
from kipflow.launcher.processes import find_last_error, has_raised
from kipflow.launcher.progress import Progress, Step
from kipflow.services.conditions import DAGS as ALL_DAGS

BACKFILL = "kip_backfill"
POLL = "kip_poll_threads"
SYNC = "kip_sync_wiki"
ADVANCE = "kip_advance_stages"
#: DAGs that deliver effects: these may have waited since the last stop, and no event starts the DAGs.
DELIVERING = ("kip_update_index", "kip_notify_slack", "kip_follow_up")
#: All DAGs except kip_ask_people, whose runs wait for people.
DAGS = tuple(dag_id for dag_id in ALL_DAGS if dag_id != ASK)
ENDED = frozenset({"success", "skipped", "failed", "upstream_failed"})
AT_WORK = frozenset({"running", "queued", "scheduled"})
RETRIED = "up_for_retry"
#: After so many tries with an exception a task's service counts as unreachable: Airflow retries later and later, so
#: nobody waits. Killed tries, as behind Airflow's locked database, are not counted.
TRIES = 2
PARSE_SECONDS = 120.0
POLL_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitContext:
    """The context of waiting: the API, the time limit, and a check that the programs are alive."""

    api: AirflowApi
    progress: Progress
    seconds: float
    task_logs: Path
    check_alive: Callable[[], None]


def run_dags(waiting: WaitContext) -> list[str]:
    """Unpause all DAGs, bring facts in, let decisions and effects follow. Returns a line per failed run.

    The first time facts come from the backfill, later from the poll. Decisions start after mail and wiki are read, so
    that a proposal is not decided twice in the first minute.

    Raises:
        LaunchFailed: DAGs do not parse, a program ended, or the runs take longer than allowed.
    """
    api, progress = waiting.api, waiting.progress
    with progress.step("Airflow reads the DAGs") as step:
        _wait_parsed(waiting, step)
    api.ensure_pool(POOL, slots=1, description="one JVM at a time: two on two cores are slower than one by one")
    first = not any(run.state == "success" for run in api.fetch_runs(BACKFILL))
    sources = (BACKFILL if first else POLL, SYNC)
    title = "Mail archive and wiki are read for the first time" if first else "Mail archive and wiki are polled"
    with progress.step(title) as step:
        _trigger(waiting, step, sources)
        _wait_quiet(waiting, step, sources)
        if failed := _find_failures(waiting, sources):
            step.failed = f"{' and '.join(failed)} failed: what is new is not read, and their timetable tries again"
    with progress.step("Stages, index, Slack and metrics follow") as step:
        there = api.fetch_dags()  # including DAGs that only some communities have
        for dag_id in there:
            api.unpause(dag_id)
        # an unreachable source is left to its timetable: it would most likely fail again
        left = {POLL} if failed else set()
        _trigger(waiting, step, [ADVANCE, *({POLL} - left if first else there.keys() & DELIVERING)])
        _wait_quiet(waiting, step, DAGS)
        # run DAGs that no event has started once too: a fresh start shows every DAG at work
        if missing := [dag_id for dag_id in DAGS if dag_id not in left and not api.fetch_runs(dag_id, limit=1)]:
            _trigger(waiting, step, missing)
            _wait_quiet(waiting, step, DAGS)
        _trigger(waiting, step, [ASK])
    return [*(failed | _find_failures(waiting, DAGS)).values()]


def _trigger(waiting: WaitContext, step: Step, dag_ids: Collection[str]) -> None:
    """Start a run of each, unless one is running: after a pause the timetable may have started it already.

    Wait for DAGs that are missing for a moment because the database was locked.
    """
    api = waiting.api
    for dag_id in dag_ids:
        _wait_parsed(waiting, step)
        api.unpause(dag_id)
        if not any(run.dag_id == dag_id for run in api.fetch_active()):
            api.trigger(dag_id)


def _wait_parsed(waiting: WaitContext, step: Step) -> None:
    deadline = time.monotonic() + PARSE_SECONDS
    while True:
        waiting.check_alive()
        missing = sorted(set(ALL_DAGS) - set(waiting.api.fetch_dags()))
        if not missing:
            return
        if errors := waiting.api.fetch_import_errors():
            raise LaunchFailed(what="a DAG file does not load", why=errors[0])
        if time.monotonic() > deadline:
            raise LaunchFailed(what="DAGs", why=f"not read after {PARSE_SECONDS:.0f} s: {', '.join(missing)}")
        step.say(f"{len(ALL_DAGS) - len(missing)} of {len(ALL_DAGS)}")
        time.sleep(POLL_SECONDS)


def _wait_quiet(waiting: WaitContext, step: Step, dag_ids: Collection[str]) -> None:
    """Wait until no run of these DAGs is active and no event waits to start one.

    With constant new runs (`KIPFLOW_EVERY`), wait until each DAG has ended a run since the call.
    """
    deadline = time.monotonic() + waiting.seconds
    ended = {dag_id: _ended(waiting.api, dag_id) for dag_id in dag_ids}
    restless = bool(os.environ.get("KIPFLOW_EVERY"))
    while True:
        waiting.check_alive()
        active = _find_active(waiting, dag_ids)
        if restless:
            at_work = {run.dag_id for run in active}
            if all(_ended(waiting.api, d) - ended[d] or (d == BACKFILL and d not in at_work) for d in dag_ids):
                return
        if not active and not any(waiting.api.is_awaited(dag_id) for dag_id in dag_ids):
            # an event can become a run between the two requests
            active = _find_active(waiting, dag_ids)
            if not active:
                return
        if time.monotonic() > deadline:
            names = ", ".join(sorted({run.dag_id for run in active}))
            raise LaunchFailed(
                what=names or "DAG runs",
                why=f"not finished after {waiting.seconds:.0f} s; `kipflow up --no-wait` starts without waiting",
            )
        step.say(_describe(waiting.api, active))
        time.sleep(POLL_SECONDS)


def _find_active(waiting: WaitContext, dag_ids: Collection[str]) -> list[DagRun]:
    """The runs of these DAGs that are worth waiting for: none that is stuck, or queued behind one that is."""
    runs = [run for run in waiting.api.fetch_active() if run.dag_id in dag_ids]
    stuck = {run.dag_id for run in runs if run.state == "running" and _find_stuck(waiting, run)}
    return [run for run in runs if run.dag_id not in stuck]


def _find_stuck(waiting: WaitContext, run: DagRun) -> list[tuple[str, int]]:
    """The tasks with their tries that failed `TRIES` times, if the run only waits to retry them."""
    states = waiting.api.fetch_task_states(run)
    if any(state in AT_WORK for _, state, _ in states):
        return []
    return [
        (task, tries)
        for task, state, tries in states
        if state == RETRIED
        and sum(has_raised(_log(waiting, run, task, number + 1)) for number in range(tries)) >= TRIES
    ]


def _log(waiting: WaitContext, run: DagRun, task: str, number: int) -> Path:
    folder = waiting.task_logs / f"dag_id={run.dag_id}" / f"run_id={run.run_id}" / f"task_id={task}"
    return folder / f"attempt={number}.log"


def _ended(api: AirflowApi, dag_id: str) -> set[str]:
    return {run.run_id for run in api.fetch_runs(dag_id) if run.state in {"success", "failed"}}


def _describe(api: AirflowApi, active: Sequence[DagRun]) -> str:
    """The runs under way with their ended and all tasks: "kip_backfill 2/6 read_archives, 1 run waits"."""
    parts = []
    for run in active:
        if run.state == "running":
            states = api.fetch_task_states(run)
            ended = sum(state in ENDED for _, state, _ in states)
            again = {f"{task} (failed, is tried again)" for task, state, _ in states if state == RETRIED}
            at = sorted({task for task, state, _ in states if state == "running"} | again)
            parts.append(" ".join([run.dag_id, f"{ended}/{len(states)}", *at]))
    waiting = sum(run.state == "queued" for run in active)
    return ", ".join([*parts, *([f"{waiting} more to come"] if waiting else [])])


def _find_failures(waiting: WaitContext, dag_ids: Collection[str]) -> dict[str, str]:
    """DAG → a line for each whose newest run failed or waits for a retry: task, last error, log."""
    lines = {}
    for dag_id in dag_ids:
        newest = next(iter(waiting.api.fetch_runs(dag_id, limit=1)), None)
        if newest is None or newest.state not in {"failed", "running"}:
            continue
        if newest.state == "running":
            failed = _find_stuck(waiting, newest)
        else:
            states = waiting.api.fetch_task_states(newest)
            failed = [(task, tries) for task, state, tries in states if state == "failed"] or [("?", 0)]
        if not failed:
            continue
        log = _log(waiting, newest, *failed[0])
        lines[dag_id] = f"{dag_id} failed at {failed[0][0]}: {find_last_error(log)} (log: {log})"
    return lines
