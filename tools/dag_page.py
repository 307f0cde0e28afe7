"""Generates docs/dags.md from the DAG files' docstrings."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_HEAD = """# The DAGs
Written by `make docs` from the docstring of each DAG file, which Airflow shows too.

A run with nothing new ends in seconds and changes nothing. There is no catchup: the next run makes up for missed ones.
Times are UTC; `KIPFLOW_EVERY` replaces the schedules of polling, syncing and deciding.
"""
#: The functions of `kip_dags.defaults` that create schedules.
_TIMETABLES = {"every", "often"}


def render_page() -> str:
    """The page: a section for each DAG, with its schedule."""
    return _HEAD + "".join(_render(path) for path in sorted((ROOT / "dags").glob("kip_*.py")))


def _render(path: Path) -> str:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return f"\n## {path.stem}\n**Runs:** {_say_schedule(tree)}.\n\n{(ast.get_docstring(tree) or '').rstrip()}\n"


def _say_schedule(tree: ast.Module) -> str:
    found = next(k.value for n in ast.walk(tree) if isinstance(n, ast.Call) for k in n.keywords if k.arg == "schedule")
    assets = sorted({f"new {n.id.lower()}" for n in ast.walk(found) if isinstance(n, ast.Name) and n.id.isupper()})
    crons = [
        f"at `{n.args[0].value!s}`"
        for n in ast.walk(found)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in _TIMETABLES
        if isinstance(n.args[0], ast.Constant)
    ]
    return ", on ".join([*crons, *assets]) or "by hand"
