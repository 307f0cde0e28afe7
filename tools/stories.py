"""Writes the table of adversary stories into docs/security.md.

Each test below tests/adversary is a story; its docstring is the row: the attempt, then what happens instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STORIES = ROOT / "tests" / "adversary"


def find_stories() -> Iterator[tuple[str, str, str]]:
    """Theme, attempt and actual result of every story, in order.

    Raises:
        ValueError: a story has no docstring of at least two sentences.
    """
    for path in sorted(STORIES.glob("test_*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        theme = (ast.get_docstring(module) or path.stem).partition("\n")[0].rstrip(".")
        for node in module.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                text = " ".join((ast.get_docstring(node) or "").split())
                attempt, _, instead = re.sub(r"([.!?]) (?=[A-Z\"`])", "\\1\n", text, count=1).partition("\n")
                if not instead:
                    raise ValueError(f"{path.name}: {node.name} must say what is tried, and what happens instead")
                yield theme, attempt, instead


def render_stories() -> str:
    """The stories as a Markdown table for each theme."""
    lines: list[str] = []
    before = ""
    for theme, attempt, instead in find_stories():
        if theme != before:
            lines += ["", f"**{theme}**", "", "| tried | what happens |", "|---|---|"]
            before = theme
        lines.append(f"| {attempt.replace('|', '/')} | {instead.replace('|', '/')} |")
    return "\n".join([*lines, "", ""])
