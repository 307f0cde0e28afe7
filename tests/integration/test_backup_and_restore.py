"""The steps of docs/operations.md for backup and restore, run as they are printed, with both databases."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

from kipflow.cli import run
from tests.databases import run_sql
from tests.integration.killing import await_end, fork
from tests.unit.tools.test_docs import BLOCK, ROOT

SECTION = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8").partition("## Backup and restore\n")[2]
COMMUNITY = ROOT / "docs" / "example" / "community.yaml"


def find_steps(kind: str) -> tuple[str, str]:
    """The commands of backup and of restore as they are printed for a database."""
    part = re.split(r"^\*\*", SECTION, flags=re.MULTILINE)[{"sqlite": 1, "postgresql": 2}[kind]]
    backup, restore = (block["body"] for block in BLOCK.finditer(part))
    return backup, restore


def call(words: Sequence[str]) -> None:
    assert run([*words]) == 0
    sys.stdout.flush()


def test_a_backup_is_restored_with_all_that_was_stored_and_ruled(
    database_url: sa.URL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    kind = database_url.get_backend_name()
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KIPFLOW_HOME", ".kipflow")
    monkeypatch.setenv("KIPFLOW_COMMUNITY", str(COMMUNITY))
    if kind == "postgresql":
        monkeypatch.setenv("KIPFLOW_DATABASE_URL", database_url.render_as_string(hide_password=False))
    plain = database_url.set(drivername="postgresql").render_as_string(hide_password=False)

    def follow(steps: str) -> None:
        environment = {**os.environ, "DATABASE": plain, "COMMUNITY": "community"}
        subprocess.run(["bash", "-euc", steps], env=environment, check=True, timeout=120)

    def cli(*words: str) -> str:
        """What a command prints, in a process of its own: none keeps the database open."""
        capfd.readouterr()
        assert await_end(fork(partial(call, words))) == 0
        return capfd.readouterr().out

    def show_state() -> str:
        return cli("status", "7", "--format", "json") + cli("review", "rulings")

    cli("ingest", f"{ROOT}/docs/example/2026-03.mbox")
    cli("advance")
    cli("review", "ballot", "7", "<kip7-6@list.example>", "+1", "--reason", "it is met")
    before = show_state()
    assert "it is met" in before
    backup, restore = find_steps(kind)
    follow(backup)
    assert next(tmp_path.glob("backup.*")).stat().st_mode & 0o077 == 0, "it is closed to others"

    cli("review", "revoke", "1", "--reason", "by mistake")
    assert show_state() != before
    if kind == "postgresql":
        run_sql(database_url, "DROP TABLE ruling CASCADE")
    else:
        (tmp_path / ".kipflow" / "community.db").write_bytes(b"")
    follow(restore)
    assert show_state() == before
    cli("replay")
    cli("review", "revoke", "1", "--reason", "it takes new words")
