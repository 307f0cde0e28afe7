"""docs/security.md lists every adversary story, in the words of its test."""

from __future__ import annotations

from tools import stories


def test_the_table_of_stories_is_current() -> None:
    assert stories.DOCUMENT.read_text(encoding="utf-8") == stories.render_document(), "run python -m tools.stories"
