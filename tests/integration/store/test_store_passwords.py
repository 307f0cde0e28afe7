"""A real PostgreSQL role with a password that no address can hold as it is: it works wherever the address goes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import pytest
import sqlalchemy as sa

from kipflow.adapters.store.engine import open_engine
from kipflow.cli import run
from kipflow.config.loading import load_community
from kipflow.config.settings import read_settings
from kipflow.launcher.environment import _connections
from kipflow.launcher.layout import find_layout
from kipflow.wiring.environment import build_database_url
from tests.databases import migrate, run_sql

pytestmark = [pytest.mark.postgres, pytest.mark.parametrize("database_url", ["postgres"], indirect=True)]

PASSWORD = "p@ss/w:rd?100%41#x"


@pytest.fixture
def place(database_url: sa.URL) -> Iterator[str]:
    """What follows the password in an address. The server asks this role for its password, as it asks no other."""
    admin = database_url.set(database="postgres")
    run_sql(admin, f"CREATE ROLE careful LOGIN SUPERUSER PASSWORD '{PASSWORD.replace('%', '%%')}'")
    yield f"127.0.0.1:{database_url.port}/{database_url.database}"
    run_sql(database_url, "REASSIGN OWNED BY careful TO kipflow")
    run_sql(admin, "DROP ROLE careful")


def test_the_server_does_ask_for_it(place: str) -> None:
    with (
        pytest.raises(sa.exc.OperationalError, match="password"),
        open_engine(f"postgresql://careful:wrong@{place}").connect(),
    ):
        pass


@pytest.mark.parametrize("form", ["encoded", "apart"])
def test_it_opens_the_command_line_the_migrations_and_airflows_connection(
    place: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [n for n in os.environ if n.startswith("KIPFLOW_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("KIPFLOW_HOME", str(tmp_path))
    monkeypatch.setenv("KIPFLOW_SANDBOX_URL", "http://127.0.0.1:9")
    if form == "encoded":
        monkeypatch.setenv("KIPFLOW_DATABASE_URL", f"postgresql://careful:{quote(PASSWORD, safe='')}@{place}")
    else:
        monkeypatch.setenv("KIPFLOW_DATABASE_URL", f"postgresql://careful@{place}")
        monkeypatch.setenv("KIPFLOW_DATABASE_PASSWORD", PASSWORD)
    settings = read_settings()
    migrate(settings.database_url)
    assert run(["status", "--format", "json"]) == 0
    assert PASSWORD not in "".join(capsys.readouterr())

    given = _connections(settings, load_community("sandbox", settings.config), find_layout(settings), {})
    fields = json.loads(given["AIRFLOW_CONN_KIPFLOW_DB"])
    connection = SimpleNamespace(
        **{name: fields.get(name) for name in ("login", "password", "host", "port", "schema")},
        extra_dejson=fields["extra"],
    )
    engine = open_engine(build_database_url(connection))
    with engine.connect() as opened:
        assert opened.scalar(sa.text("SELECT current_user")) == "careful"
    engine.dispose()


def test_written_as_it_is_it_works_without_an_at_sign(place: str, database_url: sa.URL) -> None:
    run_sql(database_url, "ALTER ROLE careful PASSWORD 'p/ss?w:rd#'")
    engine = open_engine(f"postgresql://careful:p/ss?w:rd#@{place}")
    with engine.connect() as opened:
        assert opened.scalar(sa.text("SELECT current_user")) == "careful"
    engine.dispose()
