"""Before anything starts: ports, room, secrets, the environment of the programs."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path

import pytest

from kipflow import java
from kipflow.config.loading import load_community
from kipflow.config.settings import Settings
from kipflow.domain.errors import LaunchFailed
from kipflow.launcher import checks
from kipflow.launcher.environment import build_environment
from kipflow.launcher.layout import Layout, load_credentials, write_passwords


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(home=tmp_path, community="sandbox")


@pytest.fixture
def built(tmp_path: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setattr(java, "spark_environment", lambda home, env: {"JAVA_HOME": "/jre"})
    settings = Settings(
        home=tmp_path,
        config=Path(__file__).resolve().parents[3] / "config",
        community="sandbox",
        database_url="postgresql+psycopg://kip:s3cret@db.example:5433/kipflow?sslmode=require",
        sends=True,
    )
    caller = {"PATH": "/bin", "AIRFLOW_HOME": "/elsewhere", "AIRFLOW__CORE__EXECUTOR": "CeleryExecutor"}
    return build_environment(
        settings,
        load_community("sandbox", settings.config),
        layout,
        load_credentials(layout.secrets),
        base={**caller, "KIPFLOW_SPARK_MASTER": "spark://10.0.0.5:7077"},
        port=2699,
    )


def test_a_port_in_use_is_refused_with_the_variable_that_changes_it() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(LaunchFailed, match=f"port {port}: is in use; .*KIPFLOW_UI_PORT"):
            checks.check_port_free(port, variable="KIPFLOW_UI_PORT", purpose="the UI")
    checks.check_port_free(port, variable="KIPFLOW_UI_PORT", purpose="the UI")


@pytest.mark.parametrize("text", ["http", "80", "70000", "-1", "8080.5"])
def test_what_is_no_port_is_refused(text: str) -> None:
    with pytest.raises(LaunchFailed, match="KIPFLOW_UI_PORT: expected a port"):
        checks.read_port({"KIPFLOW_UI_PORT": text}, "KIPFLOW_UI_PORT", 8080)


@pytest.mark.parametrize(("variables", "port"), [({}, 8080), ({"P": ""}, 8080), ({"P": "9000"}, 9000)])
def test_a_port_left_out_is_the_default(variables: dict[str, str], port: int) -> None:
    assert checks.read_port(variables, "P", 8080) == port


def test_a_full_disk_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**12, 10**12, 50_000_000))
    with pytest.raises(LaunchFailed, match="50 MB free and 300 are needed"):
        checks.check_room(tmp_path)


def test_a_home_that_cannot_be_made_names_the_variable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LaunchFailed, match="set KIPFLOW_HOME"):
        checks.check_room(tmp_path / "file" / "home")


def test_secrets_are_made_once_and_are_the_owners_only(layout: Layout) -> None:
    first = load_credentials(layout.secrets)
    write_passwords(layout.passwords, first)

    assert load_credentials(layout.secrets) == first
    assert layout.secrets.stat().st_mode & 0o777 == 0o600
    assert layout.passwords.stat().st_mode & 0o777 == 0o600
    assert first.admin_password not in repr(first)
    assert first.admin_password != first.viewer_password


def test_secrets_that_cannot_be_read_say_what_to_do(layout: Layout) -> None:
    layout.secrets.write_text('{"jwt_secret": "x"}')
    with pytest.raises(LaunchFailed, match="remove it to have new ones generated"):
        load_credentials(layout.secrets)


def test_another_airflows_settings_do_not_reach_ours(built: dict[str, str], layout: Layout) -> None:
    assert built["AIRFLOW_HOME"] == str(layout.airflow)
    assert built["AIRFLOW__CORE__EXECUTOR"] == "LocalExecutor"


def test_airflow_listens_on_this_machine_only_with_secrets_of_its_own(built: dict[str, str]) -> None:
    assert built["AIRFLOW__API__HOST"] == "127.0.0.1"
    assert built["AIRFLOW__LOGGING__FILE_TASK_HANDLER_NEW_FOLDER_PERMISSIONS"] == "0o700"
    assert built["AIRFLOW__LOGGING__FILE_TASK_HANDLER_NEW_FILE_PERMISSIONS"] == "0o600"
    assert built["AIRFLOW__CORE__EXECUTION_API_SERVER_URL"] == "http://127.0.0.1:2699/execution/"
    assert len(built["AIRFLOW__API_AUTH__JWT_SECRET"]) > 40
    assert built["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS"] == "admin:admin,viewer:viewer"


def test_the_database_connection_carries_the_addresss_fields(built: dict[str, str]) -> None:
    connection = json.loads(built["AIRFLOW_CONN_KIPFLOW_DB"])

    assert (connection["host"], connection["port"], connection["schema"]) == ("db.example", 5433, "kipflow")
    assert (connection["login"], connection["password"]) == ("kip", "s3cret")
    assert connection["extra"] == {"drivername": "postgresql+psycopg", "query": {"sslmode": "require"}}


def test_a_spark_master_elsewhere_goes_into_host_and_port(built: dict[str, str]) -> None:
    connection = json.loads(built["AIRFLOW_CONN_SPARK_DEFAULT"])

    assert (connection["host"], connection["port"]) == ("spark://10.0.0.5", 7077)


def test_calls_to_this_machine_go_past_a_proxy(built: dict[str, str]) -> None:
    assert "127.0.0.1" in built["NO_PROXY"].split(",")
