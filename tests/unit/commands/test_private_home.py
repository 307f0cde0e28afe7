"""What kipflow makes below its home is closed to other users of the machine from the first run on."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from kipflow import cli
from tests.corpus import write_vote_cases
from tests.living import live_in

PLAIN = write_vote_cases() / "plain-vote.mbox"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home that is not there yet, and the usual umask."""
    live_in(monkeypatch, tmp_path / "home")
    monkeypatch.delenv("KIPFLOW_DATABASE_URL", raising=False)
    before = os.umask(0o022)
    yield tmp_path / "home"
    os.umask(before)


def run_kipflow(*arguments: str) -> None:
    os.umask(0o022)
    with pytest.raises(SystemExit, match="0"):
        cli.main(list(arguments))


def find_open(home: Path) -> list[Path]:
    return [path for path in (home, *home.rglob("*")) if stat.S_IMODE(path.stat().st_mode) & 0o077]


def test_a_first_run_makes_everything_private_and_has_nothing_to_say_of_it(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_kipflow("ingest", "--list", "dev@kafka.apache.org", str(PLAIN))
    run_kipflow("advance")
    run_kipflow("status")
    assert "could be read by others" not in capsys.readouterr().err
    assert (home / "kafka.db").is_file()
    assert find_open(home) == []


def test_what_was_open_is_closed_and_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_kipflow("status")
    (home / "kafka.db").chmod(0o644)
    capsys.readouterr()
    run_kipflow("status")
    assert "could be read by others on this machine; now only by you" in capsys.readouterr().err
    assert find_open(home) == []


def test_what_the_program_makes_is_private_whatever_the_umask_of_its_caller_is(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "run", lambda _arguments: 0)
    run_kipflow()
    home.mkdir()
    (home / "sandbox.pid").touch()
    assert find_open(home) == []
