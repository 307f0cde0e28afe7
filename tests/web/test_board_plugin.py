"""The plugin file itself: what Airflow's loader gets, and what a wrong configuration does to it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest
from fastapi.testclient import TestClient

from kipflow.services.conditions import note_run
from tests.web.story import write_config

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "plugins" / "kipflow_board.py"

pytestmark = pytest.mark.airflow


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The file as Airflow loads it: under its bare name, by its path."""
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path / "airflow"))
    monkeypatch.setenv("KIPFLOW_CONFIG", str(write_config(tmp_path / "config")))
    monkeypatch.setenv("KIPFLOW_COMMUNITY", "board")
    monkeypatch.setenv("KIPFLOW_DATABASE_URL", f"sqlite:///{tmp_path / 'none.db'}")
    spec = importlib.util.spec_from_file_location("kipflow_board", PLUGIN)
    if spec is None or spec.loader is None:
        raise ImportError(PLUGIN)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    module.connect_parts.cache_clear()


def sign_in_anybody(app: object) -> TestClient:
    (dependency,) = app.router.dependencies  # type: ignore[attr-defined]
    app.dependency_overrides[dependency.dependency] = lambda: None  # type: ignore[attr-defined]
    return TestClient(app)  # type: ignore[arg-type]


def test_a_wrong_configuration_file_is_named_on_the_page_and_leaves_airflow_running(
    plugin: ModuleType, tmp_path: Path
) -> None:
    community = tmp_path / "config" / "communities" / "board.yaml"
    good = community.read_text()
    community.write_text(good.replace("dormant_after: 90 days", "dormant_after: soon"))
    client = sign_in_anybody(plugin.build_board())
    answer = client.get("/")
    assert answer.status_code == 503
    assert "policy.dormant_after: expected a period such as &#34;72 hours&#34;" in answer.text
    community.write_text(good)
    assert "database gives no answer" in client.get("/").text, "mended without a restart"


def test_a_database_without_tables_says_that_it_is_to_be_migrated(plugin: ModuleType) -> None:
    answer = sign_in_anybody(plugin.build_board()).get("/api/overview")
    assert answer.status_code == 503
    assert answer.json()["error"].startswith("The database gives no answer")


def test_a_scheduler_that_stopped_is_seen_on_the_board(plugin: ModuleType) -> None:
    store = plugin.open_parts().store
    store.migrate()
    client = sign_in_anybody(plugin.build_board())
    assert "No scheduled run" not in client.get("/data").text
    note_run(store, datetime.now(UTC) - timedelta(hours=5))
    assert "No scheduled run has begun for 5 hours" in client.get("/data").text


def test_the_board_stays_readable_where_the_sandbox_is_not_running(plugin: ModuleType, tmp_path: Path) -> None:
    community = tmp_path / "config" / "communities" / "board.yaml"
    community.write_text(f"{community.read_text()}\nclock: http://127.0.0.1:1/clock\n")
    plugin.open_parts().store.migrate()
    client = sign_in_anybody(plugin.build_board())
    for address in ("/", "/proposals", "/review", "/data", "/outbox", "/metrics", "/people"):
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert "The sandbox is not running, and this machine&#39;s time is used instead of its own" in answer.text, (
            address
        )
        assert "make run" in answer.text
    assert client.get("/api/overview").status_code == 200


def test_loading_the_plugin_loads_no_board_and_no_store(tmp_path: Path) -> None:
    """Every task's process loads it, too: it must cost them nothing."""
    code = (
        "import sys, runpy; import airflow.plugins_manager, airflow.configuration, sqlalchemy;"
        f" runpy.run_path({str(PLUGIN)!r});"
        " print(sorted(m for m in sys.modules if m.startswith(('kipflow.', 'fastapi.'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "AIRFLOW_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.splitlines()[-1] == "['kipflow.web', 'kipflow.web.lazy']"


def test_a_roster_that_was_written_since_is_read_without_a_restart(plugin: ModuleType, tmp_path: Path) -> None:
    assert "tomas" not in plugin.open_parts().roster.by_id
    assert plugin.open_parts() is plugin.open_parts()
    roster = tmp_path / "config" / "rosters" / "board.yaml"
    roster.write_text(roster.read_text() + "  - {id: tomas, name: Tomas Lind, roles: [{role: pmc}]}\n")
    assert "tomas" in plugin.open_parts().roster.by_id
