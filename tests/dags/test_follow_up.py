"""The DAG for pages, result mails and tickets is made of the kinds that the community's file switches on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.airflow

ROOT = Path(__file__).resolve().parents[2]


def test_it_has_two_tasks_for_each_kind_that_is_switched_on(
    dags: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from airflow.dag_processing.dagbag import DagBag

    assert len(dags["kip_follow_up"].tasks) == 8
    own = (ROOT / "config/communities/sandbox.yaml").read_text().replace("name: sandbox", "name: own")
    (tmp_path / "own.yaml").write_text(own.replace("  result: approve\n  handover: approve\n", ""))
    monkeypatch.setenv("KIPFLOW_COMMUNITY", str(tmp_path / "own.yaml"))
    bag = DagBag(dag_folder=str(ROOT / "dags/kip_follow_up.py"))
    assert bag.import_errors == {}
    made = bag.dags["kip_follow_up"]
    assert {t.task_id: sorted(t.downstream_task_ids) for t in made.tasks} == {
        "plan_page": ["send_page"],
        "plan_ticket": ["send_ticket"],
        "send_page": [],
        "send_ticket": [],
    }
