"""The whole of kipflow as `make run` starts it the first time, and at rest."""

from __future__ import annotations

import re

import httpx
import psutil
import pytest

from kipflow.launcher import processes
from kipflow.launcher.runs import DAGS
from kipflow.sandbox.plans import EXPECTED
from tests.integration.system.running import Instance, find_differing, run_kipflow

pytestmark = [pytest.mark.system, pytest.mark.airflow, pytest.mark.spark, pytest.mark.timeout(1_500)]


def history(instance: Instance) -> list[object]:
    return instance.ask("SELECT id FROM transition ORDER BY id")


def events(instance: Instance) -> int:
    return int(instance.ask_airflow("SELECT count(*) FROM asset_event")[0][0])


def test_up_succeeds_and_prints_the_board_and_how_to_log_in(instance: Instance) -> None:
    done = instance.first

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "KIP-92" in done.stdout
    assert instance.ui in done.stdout
    assert re.search(r"Log in:\s+admin / \S{12,}", done.stdout)


def test_it_shows_progress_while_it_works(instance: Instance) -> None:
    assert instance.first.stdout.count("✓") >= 6
    assert "kip_backfill" in instance.first.stdout  # said while it ran


def test_every_dag_has_run_under_the_scheduler_and_none_failed(instance: Instance) -> None:
    with instance.api() as api:
        runs = {dag_id: [run.state for run in api.fetch_runs(dag_id)] for dag_id in DAGS}

    assert {dag_id: set(states) for dag_id, states in runs.items()} == {dag_id: {"success"} for dag_id in DAGS}


def test_decisions_started_the_effects_by_an_asset_event(instance: Instance) -> None:
    started = instance.ask_airflow("SELECT DISTINCT dag_id FROM dag_run WHERE run_type = 'asset_triggered'")

    assert {"kip_update_index", "kip_notify_slack", "kip_lifecycle_metrics"} <= {dag_id for (dag_id,) in started}


def test_spark_read_the_first_months(instance: Instance) -> None:
    rows = instance.ask_airflow(
        "SELECT operator, state, pool FROM task_instance WHERE dag_id = 'kip_backfill' AND task_id = 'read_archives'"
    )

    assert rows == [("SubmitJob", "success", "spark")]


def test_every_proposal_stands_where_the_story_left_it(instance: Instance) -> None:
    assert find_differing(instance.stages(), ((n, e.stage.value) for n, e in EXPECTED.items())) == {}


def test_no_dag_was_reported_as_switched_off(instance: Instance) -> None:
    """A start switches every DAG on before anything looks at it."""
    assert instance.ask("SELECT key FROM outbox WHERE key LIKE 'condition/paused/%'") == []


def test_metrics_are_on_the_store(instance: Instance) -> None:
    assert instance.ask("SELECT count(*) FROM metric")[0][0] > 5


def test_the_messages_are_posted_each_once(instance: Instance) -> None:
    by_status = dict(instance.ask("SELECT status, count(*) FROM outbox GROUP BY status"))

    assert by_status.get("sent", 0) > 5
    # pending: Slack's pace, the next run posts them; claimed: one that does so at this moment; held: pages, result
    # mails and tickets wait for a person
    assert by_status.keys() <= {"sent", "pending", "claimed", "held"}


def test_the_wikis_index_was_saved(instance: Instance) -> None:
    page = httpx.get(f"{instance.sandbox}/confluence/rest/api/content/1000?expand=version", timeout=10).json()

    assert page["version"]["number"] > 1


def test_the_board_wants_a_login(instance: Instance) -> None:
    with instance.api() as api:
        token = api._client.headers["Authorization"]
    anonymous = httpx.get(f"{instance.ui}/kipflow/", timeout=30)
    admin = httpx.get(f"{instance.ui}/kipflow/", headers={"Authorization": token}, timeout=30)

    assert anonymous.status_code == 401
    assert admin.status_code == 200
    assert "KIP-92" in admin.text


def test_the_programs_listen_on_this_machine_only(instance: Instance) -> None:
    listening = {
        connection.laddr.ip
        for process in processes.find_marked(instance.layout)
        for connection in process.net_connections(kind="inet")
        if connection.status == psutil.CONN_LISTEN
    }

    assert listening == {"127.0.0.1"}


def test_no_secret_is_in_a_log(instance: Instance) -> None:
    kept = instance.layout.secrets.read_text()
    secrets = re.findall(r'": "([^"]{12,})"', kept)
    logs = [path for path in instance.layout.logs.rglob("*.log") if path.is_file()]

    assert len(secrets) == 5
    assert logs
    assert [path for path in logs if any(s in path.read_text(errors="replace") for s in secrets)] == []


def test_a_second_up_starts_nothing_and_changes_nothing(instance: Instance) -> None:
    before = history(instance), events(instance)
    programs = processes.load_services(instance.layout)

    done = instance.run("up")

    assert done.returncode == 0, done.stderr
    assert "✓" not in done.stdout, "no step is done again"
    assert processes.load_services(instance.layout) == programs
    assert "KIP-92" in done.stdout
    assert (history(instance), events(instance)) == before


def test_a_port_in_use_is_one_clear_line_and_nothing_is_started(instance: Instance, tmp_path_factory: object) -> None:
    home = instance.home.parent / "other"

    done = run_kipflow(home, instance.ui_port, 0, "up")

    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1].startswith(f"kipflow: port {instance.ui_port}: is in use;")
    assert "KIPFLOW_UI_PORT" in done.stderr
    assert list(processes.find_marked(type(instance.layout)(home=home, community="sandbox"))) == []


def test_what_we_wrote_to_the_wiki_ourselves_is_read_back_and_changes_nothing(instance: Instance) -> None:
    before = history(instance)

    assert instance.run_dag("kip_sync_wiki").state == "success"
    assert history(instance) == before


@pytest.mark.parametrize("dag_id", ["kip_poll_threads", "kip_sync_wiki", "kip_advance_stages", "kip_update_index"])
def test_a_run_with_nothing_new_ends_well_and_starts_nothing(instance: Instance, dag_id: str) -> None:
    before = history(instance), events(instance)

    assert instance.run_dag(dag_id).state == "success"
    assert (history(instance), events(instance)) == before
