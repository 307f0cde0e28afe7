"""What kipflow makes below its home is closed to other users of the machine from the first run on."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kipflow import cli
from tests.corpus import write_vote_cases

PLAIN = write_vote_cases() / "plain-vote.mbox"
MAIN = "from kipflow.cli import main; main()"


def run_kipflow(home: Path, *arguments: str) -> str:
    """Run one command as a program of its own under the usual umask; what it said on stderr."""
    environment = {**os.environ, "KIPFLOW_HOME": str(home), "KIPFLOW_COMMUNITY": "kafka"}
    environment.pop("KIPFLOW_DATABASE_URL", None)
    command = [sys.executable, "-c", MAIN, *arguments]
    done = subprocess.run(command, env=environment, umask=0o022, capture_output=True, text=True, check=True)
    return done.stderr


def find_open(home: Path) -> list[Path]:
    return [path for path in (home, *home.rglob("*")) if stat.S_IMODE(path.stat().st_mode) & 0o077]


def test_a_first_run_makes_everything_private_and_has_nothing_to_say_of_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    said = (
        run_kipflow(home, "ingest", "--list", "dev@kafka.apache.org", str(PLAIN))
        + run_kipflow(home, "advance")
        + run_kipflow(home, "status")
    )
    assert "could be read by others" not in said
    assert (home / "kafka.db").is_file()
    assert find_open(home) == []


def test_what_was_open_is_closed_and_said(tmp_path: Path) -> None:
    home = tmp_path / "home"
    run_kipflow(home, "status")
    (home / "kafka.db").chmod(0o644)
    assert "could be read by others on this machine; now only by you" in run_kipflow(home, "status")
    assert find_open(home) == []


def test_what_the_program_makes_is_private_whatever_the_umask_of_its_caller_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "run", lambda _arguments: 0)
    before = os.umask(0o022)
    try:
        with pytest.raises(SystemExit):
            cli.main([])
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "sandbox.pid").touch()
    finally:
        os.umask(before)
    assert find_open(tmp_path / "run") == []
