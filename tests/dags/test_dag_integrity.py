"""What holds for every DAG: documented, owned, retried, bounded, and quick to read."""

from __future__ import annotations

import ast
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kipflow.services.conditions import DAGS

pytestmark = pytest.mark.airflow

ROOT = Path(__file__).resolve().parents[2]
IDS = (
    "kip_advance_stages",
    "kip_ask_people",
    "kip_backfill",
    "kip_follow_up",
    "kip_lifecycle_metrics",
    "kip_notify_slack",
    "kip_poll_threads",
    "kip_sync_wiki",
    "kip_update_index",
)
#: Made only where the community's configuration asks for it.
OPTIONAL = ("kip_publish_site",)
FILES = sorted((ROOT / "dags").glob("*.py"))


def outlets(dag: Any) -> set[str]:
    return {asset.uri.rstrip("/") for task in dag.tasks for asset in task.outlets}


def awaited(dag: Any) -> set[str]:
    condition = getattr(dag.timetable, "asset_condition", None)
    assets = getattr(condition, "objects", [condition] if condition is not None else [])
    return {asset.uri.rstrip("/") for asset in assets}


def test_the_folder_holds_these_dags_and_nothing_else(dags: dict[str, Any]) -> None:
    assert sorted(dags) == list(IDS)
    assert [path.stem for path in FILES] == sorted([*IDS, *OPTIONAL])


@pytest.mark.parametrize("dag_id", IDS)
def test_a_dag_shows_its_modules_docstring(dags: dict[str, Any], dag_id: str) -> None:
    docstring = ast.get_docstring(ast.parse((ROOT / "dags" / f"{dag_id}.py").read_text()), clean=False)

    assert docstring
    assert dags[dag_id].doc_md.strip() == docstring.strip()
    assert dags[dag_id].description == docstring.strip().splitlines()[0]


@pytest.mark.parametrize("dag_id", IDS)
def test_a_dag_is_tagged_never_catches_up_and_runs_once_at_a_time(dags: dict[str, Any], dag_id: str) -> None:
    dag = dags[dag_id]

    assert "kipflow" in dag.tags
    assert len(dag.tags) > 1
    assert dag.catchup is False
    # runs that wait for people hold up no later one
    assert dag.max_active_runs == 1 or dag_id == "kip_ask_people"
    assert dag.dagrun_timeout


@pytest.mark.parametrize("dag_id", IDS)
def test_every_task_is_owned_documented_retried_with_backoff_and_bounded(dags: dict[str, Any], dag_id: str) -> None:
    for task in dags[dag_id].tasks:
        partial = getattr(task, "partial_kwargs", {})

        def of(name: str, task: Any = task, partial: dict[str, Any] = partial) -> Any:
            return partial[name] if name in partial else getattr(task, name)

        assert of("owner") == "kipflow", task.task_id
        assert of("retries") >= 1, task.task_id
        assert of("retry_exponential_backoff"), task.task_id
        assert of("retry_delay") >= timedelta(seconds=10), task.task_id
        assert of("max_retry_delay") <= timedelta(hours=1), task.task_id
        assert of("execution_timeout") is not None, task.task_id


def test_each_spark_task_takes_the_one_slot_of_the_pool(dags: dict[str, Any]) -> None:
    spark = {(d.dag_id, t.task_id): t.pool for d in dags.values() for t in d.tasks if t.task_type == "SubmitJob"}

    assert spark == {
        ("kip_backfill", "read_archives"): "spark",
        ("kip_poll_threads", "read_archives"): "spark",
        ("kip_lifecycle_metrics", "compute_metrics"): "spark",
    }


def test_facts_start_decisions_and_decisions_start_effects(dags: dict[str, Any]) -> None:
    assert {i: outlets(d) for i, d in dags.items() if outlets(d)} == {
        "kip_backfill": {"kip://messages"},
        "kip_poll_threads": {"kip://messages"},
        "kip_sync_wiki": {"kip://pages"},
        "kip_advance_stages": {"kip://transitions"},
        # an answer may move a proposal at once
        "kip_ask_people": {"kip://transitions"},
        # once the index is saved its rows are facts: the drift they showed is gone
        "kip_update_index": {"kip://pages"},
    }
    assert {i: awaited(d) for i, d in dags.items() if awaited(d)} == {
        "kip_advance_stages": {"kip://messages", "kip://pages"},
        "kip_update_index": {"kip://transitions"},
        "kip_notify_slack": {"kip://transitions"},
        "kip_lifecycle_metrics": {"kip://transitions"},
        "kip_ask_people": {"kip://transitions"},
        "kip_follow_up": {"kip://transitions"},
    }


def test_mapped_tasks_decide_proposals(dags: dict[str, Any]) -> None:
    dag = dags["kip_advance_stages"]

    assert dag.get_task("advance").is_mapped
    assert dag.get_task("advance").upstream_task_ids == {"find_due"}


def test_the_run_fails_with_a_proposal_though_the_others_are_announced(dags: dict[str, Any]) -> None:
    dag = dags["kip_advance_stages"]

    assert dag.get_task("announce_transitions").trigger_rule == "all_done"
    # a leaf that a failed mapped task reaches: without it the run would end as a success
    assert dag.get_task("close").trigger_rule == "all_success"
    assert dag.get_task("close").downstream_task_ids == set()


def test_the_poll_reads_few_mails_in_process_and_many_with_spark(dags: dict[str, Any]) -> None:
    dag = dags["kip_poll_threads"]

    assert dag.get_task("land_changed").downstream_task_ids == {"read_archives", "read_in_process"}
    assert dag.get_task("read_archives").downstream_task_ids == {"store_read"}
    assert dag.get_task("announce_messages").upstream_task_ids == {"store_read", "read_in_process"}
    assert dag.get_task("announce_messages").trigger_rule == "none_failed_min_one_success"


def test_stored_mail_is_read_again_also_where_the_archive_is_away(dags: dict[str, Any]) -> None:
    dag = dags["kip_poll_threads"]

    assert dag.get_task("read_again").upstream_task_ids == set()
    assert dag.get_task("announce_readings").upstream_task_ids == {"read_again"}


def test_decisions_can_be_backfilled_over_past_dates(dags: dict[str, Any]) -> None:
    from airflow.serialization.serialized_objects import DagSerialization
    from pendulum import datetime as moment

    dag = DagSerialization.from_dict(DagSerialization.to_dict(dags["kip_advance_stages"]))
    infos = list(dag.iter_dagrun_infos_between(moment(2026, 3, 1), moment(2026, 3, 1, 1)))

    assert dag.timetable.periodic, "Airflow refuses to backfill others"
    assert [i.logical_date.strftime("%H:%M") for i in infos] == ["00:00", "00:15", "00:30", "00:45", "01:00"]


@pytest.mark.parametrize("month", ["2024-13", "24-01", "2024-1", "2024-01; rm"])
def test_a_backfill_refuses_what_is_no_month(dags: dict[str, Any], month: str) -> None:
    from airflow.sdk.exceptions import ParamValidationError

    params = dags["kip_backfill"].params

    with pytest.raises(ParamValidationError):
        params["first"] = month


def test_reading_the_dags_opens_no_database_and_no_connection(tmp_path: Path) -> None:
    """A DAG file is read every few minutes: it must not ask the network, a database or Java anything."""
    program = (
        "import runpy, socket, sqlite3, subprocess, sys\n"
        "def read():\n"
        "    for name in [n for n in sys.modules if n.startswith('kip_dags')]: del sys.modules[name]\n"
        "    for path in sys.argv[1:]: runpy.run_path(path)\n"
        "read()\n"  # some libraries start programs when they are first imported; that is theirs
        "def refuse(*a, **k): raise SystemExit('a DAG file works at its top level')\n"
        "socket.socket.connect = sqlite3.connect = subprocess.Popen.__init__ = refuse\n"
        "read()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *(str(path) for path in FILES)],
        capture_output=True,
        text=True,
        env={
            "PATH": "/usr/bin:/bin",
            "AIRFLOW_HOME": str(tmp_path),
            "PYTHONPATH": f"{ROOT}/dags:{ROOT}/plugins",
            "KIPFLOW_HOME": "/none",
        },
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]


def test_polling_is_hourly_unless_the_environment_hurries_it(dags: dict[str, Any], monkeypatch: Any) -> None:
    from kip_dags.defaults import often

    monkeypatch.delenv("KIPFLOW_EVERY", raising=False)
    assert often("7 * * * *").expression == "7 * * * *"
    monkeypatch.setenv("KIPFLOW_EVERY", "* * * * *")
    assert often("7 * * * *").expression == "* * * * *"


def test_a_start_waits_for_no_dag_that_the_sandbox_does_not_have(dags: dict[str, Any]) -> None:
    assert set(DAGS) <= set(dags)


def test_programs_that_fork_tasks_import_kipflow_once(tmp_path: Path) -> None:
    """Their listeners hear that they start, before they fork: tasks then have no rules and use cases left to import."""
    program = (
        "import runpy, sys\n"
        "from airflow.listeners.listener import get_listener_manager\n"
        "hook = get_listener_manager().hook\n"
        "assert 'kipflow.wiring' not in sys.modules\n"
        "hook.on_starting(component=None)\n"
        "kept = set(sys.modules)\n"
        "for path in sys.argv[1:]: runpy.run_path(path)\n"
        "print(sorted({'.'.join(m.split('.')[:2]) for m in set(sys.modules) - kept if m.startswith('kipflow.')}))\n"
    )
    environment = {
        "PATH": "/usr/bin:/bin",
        "AIRFLOW_HOME": str(tmp_path),
        "AIRFLOW__CORE__PLUGINS_FOLDER": f"{ROOT}/plugins",
        "PYTHONPATH": f"{ROOT}/dags",
    }
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, FILES)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    left = set(ast.literal_eval(done.stdout.splitlines()[-1]))
    assert left  # what single tasks need: the public site
    assert left.isdisjoint(f"kipflow.{name}" for name in ("domain", "mail", "wiki", "services", "rosters", "config"))
