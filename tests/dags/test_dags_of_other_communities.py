"""What a community lacks (wiki, tickets, chat, archive) is skipped, saying so; no DAG fails for want of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kipflow.config.settings import Settings
from kipflow.wiring import connect

pytestmark = pytest.mark.airflow

CONFIG = Path(__file__).resolve().parents[2] / "config"
Run = Callable[[str, str], Any]


@pytest.fixture
def run_in(dags: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Run]:
    """Runs one task's own function in a community, as the scheduler would."""

    def enter(community: str) -> Run:
        settings = Settings(
            home=tmp_path, config=CONFIG, community=community, database_url=f"sqlite:///{tmp_path / 'x.db'}", sends=True
        )
        parts = connect(settings)
        parts.store.migrate()

        def run(dag_id: str, task_id: str) -> Any:
            from kip_dags import outbox

            function = dags[dag_id].get_task(task_id).python_callable
            for scope in (function.__globals__, vars(outbox)):
                if "open_parts" in scope:
                    monkeypatch.setitem(scope, "open_parts", lambda: parts)
            return function()

        return run

    return enter


@pytest.mark.parametrize(
    ("community", "dag_id", "task_id", "why"),
    [
        ("pulsar", "kip_sync_wiki", "sync_pages", "community pulsar has no wiki"),
        ("pulsar", "kip_sync_wiki", "sync_tickets", "community pulsar has no ticket tracker"),
        ("pulsar", "kip_update_index", "render_round_up", "community pulsar has nothing to make index with"),
        ("pulsar", "kip_update_index", "save_page", "dry-run: nothing is sent"),
        ("pulsar", "kip_notify_slack", "post_messages", "dry-run: nothing is sent"),
        ("airflow", "kip_sync_wiki", "sync_tickets", "community airflow has no ticket tracker"),
        ("apache-release", "kip_sync_wiki", "sync_pages", "community apache-release has no wiki"),
    ],
)
def test_what_a_community_lacks_is_skipped_and_says_so(
    run_in: Callable[[str], Run], community: str, dag_id: str, task_id: str, why: str
) -> None:
    from airflow.sdk.exceptions import AirflowSkipException

    with pytest.raises(AirflowSkipException, match=why):
        run_in(community)(dag_id, task_id)


@pytest.mark.parametrize("community", ["flink", "cassandra", "airflow"])
def test_an_index_of_another_form_than_the_round_ups_is_never_edited(
    run_in: Callable[[str], Run], community: str
) -> None:
    assert run_in(community)("kip_update_index", "render_round_up") == {"edits": 0}
