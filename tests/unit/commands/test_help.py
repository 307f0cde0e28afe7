"""What `kipflow --help` says."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kipflow.cli import COMMANDS
from tests.unit.commands.conftest import Cli


def test_help_names_every_command_in_a_whole_sentence(cli: Cli) -> None:
    shown = " ".join(cli("--help").out.split())
    for name, (_, printed) in COMMANDS.items():
        assert f"{name} {printed}" in shown


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself(name: str, cli: Cli) -> None:
    assert cli(name, "--help").out.startswith(f"Usage: kipflow {name}")


def test_an_unknown_command_is_refused_in_one_line(cli: Cli) -> None:
    printed = cli("frobnicate", code=2).err
    assert printed.count("\n") == 1
    assert "frobnicate" in printed


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (
            ["review", "care", "74", "nonsense", "--reason", "x"],
            "Invalid value for INTERFACES: 'nonsense' is not one of ",
        ),
        (["review", "stage", "7"], "Missing argument STAGE. Choose from: draft, discussion, "),
        (["votes"], "Missing argument PATHS (see kipflow votes --help)"),
        (["lint"], "Missing argument PAGE (see kipflow lint --help)"),
        (["status", "--stage", "gone"], "Invalid value for '--stage': 'gone' is not one of "),
        (["init", "XIP", "--nmae", "x"], "No such option '--nmae'. Did you mean '--name'?\n"),
        (["site", "--otu", "x"], "No such option '--otu'. kipflow site has --as-of, --help\n"),
        (["status", "7", "--explain"], "No such option '--explain'. kipflow status has --stage, --as-of, "),
        (["stauts"], "No such command 'stauts'. Did you mean 'status'?\n"),
        (["explain", "7"], "there is no command 'explain': `kipflow votes FILE --explain` says why "),
    ],
)
def test_what_is_wrong_is_named_by_a_word_and_not_by_the_usage_line(
    words: list[str], printed: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KIPFLOW_COMMUNITY", raising=False)  # with it, the commands that are shown name the community
    said = cli(*words, code=2).err
    assert said.startswith(f"kipflow: {printed}")
    assert said.count("\n") == 1
    assert "[" not in said
    assert "..." not in said


def test_help_loads_none_of_the_heavy_parts() -> None:
    code = "import sys; from kipflow.cli import run; run(['--help']); print([m for m in sys.modules if m in BAD])"
    heavy = "BAD = ('sqlalchemy', 'airflow', 'pyspark', 'httpx', 'lxml');"
    done = subprocess.run([sys.executable, "-c", f"{heavy} {code}"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
