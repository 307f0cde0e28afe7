"""What `kipflow --help` says."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kipflow.cli import COMMANDS, run


def test_help_tells_of_every_command_in_a_whole_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for name, (_, told) in COMMANDS.items():
        assert f"{name} {told}" in shown


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: kipflow {name}")


def test_an_unknown_command_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["frobnicate"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "frobnicate" in told


def test_help_loads_none_of_the_heavy_parts() -> None:
    code = "import sys; from kipflow.cli import run; run(['--help']); print([m for m in sys.modules if m in BAD])"
    heavy = "BAD = ('sqlalchemy', 'airflow', 'pyspark', 'httpx', 'lxml');"
    done = subprocess.run([sys.executable, "-c", f"{heavy} {code}"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
