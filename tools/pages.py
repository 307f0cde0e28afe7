"""Writes every generated page of the documents: `make docs`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tools import (
    command_page,
    configuration_page,
    dag_page,
    package_picture,
    reading_pages,
    stage_table,
    stories,
)

DOCS = Path(__file__).resolve().parents[1] / "docs"
#: Page → what writes it.
WHOLE: dict[str, Callable[[], str]] = {
    "commands.md": command_page.render_page,
    "configuration.md": configuration_page.render_page,
    "dags.md": dag_page.render_page,
    "reading-results.md": reading_pages.render_results,
    "reading-votes.md": reading_pages.render_votes,
    "stages.md": stage_table.render_page,
}
#: Page → the name of the part between two marks, and what writes it.
PARTS: dict[str, tuple[str, Callable[[], str]]] = {
    "how-it-works.md": ("packages", package_picture.render_packages),
    "security.md": ("stories", stories.render_stories),
}


def render_page(name: str) -> str:
    """The current text of a page."""
    if name in WHOLE:
        return WHOLE[name]()
    part, render = PARTS[name]
    begin, end = f"<!-- {part}: written by make docs -->\n", f"<!-- end of {part} -->\n"
    head, _, rest = (DOCS / name).read_text(encoding="utf-8").partition(begin)
    return f"{head}{begin}{render()}{end}{rest.partition(end)[2]}"


if __name__ == "__main__":
    for each in (*WHOLE, *PARTS):
        (DOCS / each).write_text(render_page(each), encoding="utf-8")
