"""What a killed task, and a crash of everything, leave is repaired by Airflow and by the next start."""

from __future__ import annotations

import os
import signal
import time

import pytest

from kipflow.launcher import processes
from kipflow.sandbox.plans import EXPECTED
from tests.integration.system.running import Instance, assert_replay_agrees, find_differing
from tests.waiting import wait_until

pytestmark = [pytest.mark.system, pytest.mark.airflow, pytest.mark.spark, pytest.mark.timeout(1_500)]


def test_a_task_killed_in_the_middle_is_tried_again_and_the_history_is_the_same(instance: Instance) -> None:
    instance.push_time("26 hours")
    with instance.api() as api:
        api.trigger("kip_poll_threads")
        killed = kill_a_task(instance, "advance")
        instance.wait_quiet(api, 600)
        newest = api.fetch_runs("kip_advance_stages", limit=5)

    retried = instance.ask_airflow(
        "SELECT count(*) FROM task_instance WHERE dag_id = 'kip_advance_stages' AND try_number > 1"
    )
    assert killed
    assert retried[0][0] >= 1
    assert {run.state for run in newest} == {"success"}
    assert_replay_agrees(instance)


def test_a_crash_of_everything_is_repaired_by_the_next_start(instance: Instance) -> None:
    """Ten days later by the sandbox's clock, in the middle of the decisions, every process is killed."""
    instance.push_time("9 days")
    with instance.api() as api:
        api.trigger("kip_poll_threads")
        wait_for_task(instance, "advance")
    for process in list(processes.find_marked(instance.layout)):
        process.send_signal(signal.SIGKILL)

    done = instance.run("up")

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert_replay_agrees(instance)
    later = {n: e.later or e.stage for n, e in EXPECTED.items()}
    assert find_differing(instance.stages(), ((n, stage.value) for n, stage in later.items())) == {}


def kill_a_task(instance: Instance, task_id: str) -> bool:
    """Kill the process of a task instance that is at work; its supervisor sees it and tells the scheduler."""
    wait_for_task(instance, task_id)
    for _ in range(100):
        for (pid,) in instance.ask_airflow(
            "SELECT pid FROM task_instance WHERE task_id = ? AND state = 'running' AND pid IS NOT NULL", task_id
        ):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue  # it has just ended by itself
            return True
        time.sleep(0.1)
    return False


def wait_for_task(instance: Instance, task_id: str) -> None:
    """Until an instance of the task is at work."""
    sql = "SELECT count(*) FROM task_instance WHERE task_id = ? AND state = 'running'"
    assert wait_until(lambda: instance.ask_airflow(sql, task_id)[0][0], 300, every=0.2), f"{task_id} does not start"
