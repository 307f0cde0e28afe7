"""Commands that messages show: they exist, are whole, and can be copied where they are shown."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kipflow.cli import COMMANDS, run
from kipflow.commands import invocation
from kipflow.services.shown_commands import name_program
from tests.unit.tools.shown import find_faults

ROOT = Path(__file__).resolve().parents[3]
SHOWN = re.compile(r"`(kipflow [^`]*)`")
BARE = re.compile(rf"(?<!`)\bkipflow (?:-C \S+ )?(?:{'|'.join(COMMANDS)})\b")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    return list(list_texts())


def list_texts() -> Iterator[tuple[str, str]]:
    """Every text of the program that is no docstring, with its place; what is filled in is a 7."""
    for path in sorted([*(ROOT / "kipflow").rglob("*.py"), *(ROOT / "dags").rglob("*.py")]):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        nodes = list(ast.walk(tree))
        inner = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node)} - {
            id(node) for node in nodes if isinstance(node, ast.JoinedStr)
        }
        docs = {id(node.body[0].value) for node in nodes if isinstance(node, DOCUMENTED) and is_documented(node)}  # type: ignore[attr-defined]
        for node in nodes:
            if isinstance(node, ast.JoinedStr):
                text = "".join(str(p.value) if isinstance(p, ast.Constant) else "7" for p in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner | docs:
                text = node.value
            else:
                continue
            yield f"{path.relative_to(ROOT)}:{node.lineno}", text


def is_documented(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return bool(node.body) and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)


def test_each_command_in_a_message_exists_and_has_what_it_needs(texts: list[tuple[str, str]]) -> None:
    shown = [(place, found[1]) for place, text in texts for found in SHOWN.finditer(text)]
    assert len(shown) > 25
    for place, line in shown:
        assert find_faults(re.sub(r'"…"', "reason", line).split()[1:], whole=True) == [], (place, line)


def test_no_message_shows_a_command_that_would_act_on_another_community(texts: list[tuple[str, str]]) -> None:
    assert [place for place, text in texts if BARE.search(text)] == []


@pytest.mark.parametrize(
    ("called", "community", "begins"),
    [
        ("/usr/bin/pytest", "", "kipflow"),
        (".venv/bin/kipflow", "", ".venv/bin/kipflow"),
        ("{here}/.venv/bin/kipflow", "kafka", ".venv/bin/kipflow -C kafka"),
        ("{bin}/kipflow", "kafka", "kipflow -C kafka"),
        ("/opt/kip flow/kipflow", "my town.yaml", "'/opt/kip flow/kipflow' -C 'my town.yaml'"),
    ],
)
def test_a_command_begins_as_it_was_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called: str, community: str, begins: str
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "kipflow").touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("KIPFLOW_COMMUNITY", community)
    monkeypatch.setattr(sys, "argv", [called.format(here=tmp_path, bin=tmp_path / "bin")])
    assert invocation.say_program() == begins


def test_errors_and_reports_name_the_community_that_they_are_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KIPFLOW_HOME", str(tmp_path))
    monkeypatch.setenv("KIPFLOW_COMMUNITY", "sandbox")
    assert run(["-C", "kafka", "status", "932"]) == 2
    assert "run `kipflow -C kafka status` for the ones that are" in capsys.readouterr().err
    assert run(["-C", "kafka", "status"]) == 0
    assert "run `kipflow -C kafka poll` (or `kipflow -C kafka ingest FILE`)" in capsys.readouterr().out


def test_a_board_without_a_community_of_its_own_shows_plain_commands() -> None:
    assert name_program(None) == "kipflow"
