"""The steps of docs/operations.md for backup and restore, run as they are printed, with both databases."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import sqlalchemy as sa

from tests.databases import run_sql
from tests.unit.tools.test_docs import BLOCK, ROOT

SECTION = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8").partition("## Backup and restore\n")[2]
COMMUNITY = ROOT / "docs" / "example" / "community.yaml"


def find_steps(kind: str) -> tuple[str, str]:
    """The commands of backup and of restore as they are printed for a database."""
    part = re.split(r"^\*\*", SECTION, flags=re.MULTILINE)[{"sqlite": 1, "postgresql": 2}[kind]]
    backup, restore = (block["body"] for block in BLOCK.finditer(part))
    return backup, restore


def test_a_backup_is_restored_with_all_that_was_stored_and_ruled(database_url: sa.URL, tmp_path: Path) -> None:
    kind = database_url.get_backend_name()
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    own = {"KIPFLOW_HOME": ".kipflow", "KIPFLOW_COMMUNITY": str(ROOT / "docs" / "example" / "community.yaml")}
    if kind == "postgresql":
        own["KIPFLOW_DATABASE_URL"] = database_url.render_as_string(hide_password=False)
    plain = database_url.set(drivername="postgresql").render_as_string(hide_password=False)
    environment = {**os.environ, **own, "DATABASE": plain, "COMMUNITY": "community"}

    def follow(steps: str) -> str:
        """Run commands as a shell would, each in a process of its own: none keeps the database open."""
        command = ["bash", "-euc", steps]
        done = subprocess.run(command, env=environment, cwd=tmp_path, check=True, timeout=120, stdout=subprocess.PIPE)
        return done.stdout.decode()

    kipflow, state = ".venv/bin/kipflow", ".venv/bin/kipflow status 7 --format json; .venv/bin/kipflow review rulings"
    follow(f"{kipflow} ingest {ROOT}/docs/example/2026-03.mbox; {kipflow} advance")
    follow(f"{kipflow} review ballot 7 '<kip7-6@list.example>' +1 --reason 'it is met'")
    before = follow(state)
    assert "it is met" in before
    backup, restore = find_steps(kind)
    follow(backup)
    assert next(tmp_path.glob("backup.*")).stat().st_mode & 0o077 == 0, "it is closed to others"

    follow(f"{kipflow} review revoke 1 --reason 'by mistake'")
    assert follow(state) != before
    if kind == "postgresql":
        run_sql(database_url, "DROP TABLE ruling CASCADE")
    else:
        (tmp_path / ".kipflow" / "community.db").write_bytes(b"")
    follow(restore)
    assert follow(state) == before
    follow(f"{kipflow} replay; {kipflow} review revoke 1 --reason 'it takes new words'")
