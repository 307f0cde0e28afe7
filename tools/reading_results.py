"""docs/reading-results.md from the tables of rules: `python -m tools.reading_results` writes it anew."""

from __future__ import annotations

from pathlib import Path

from kipflow.mail.announcements.callrules import call
from kipflow.mail.announcements.mails import result
from kipflow.mail.announcements.rules import end, outcome
from kipflow.mail.announcements.verdicts import Table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reading-results.md"
_HEAD = """# How results are read
Written by `python -m tools.reading_results` from `kipflow/mail/announcements/mails.py` and `rules.py`; their words
stand in `lexicon.toml` beside them.

A mail that may announce a result is split into sentences. Each word for an outcome, an end or a withdrawal in them is
put to the tables below, in which the first rule that applies decides. What the sentences say, with the counts and
names in the mail, is put to the first table. **ask** ends nothing: a person is asked. `[RESULT]` stands for a mail
with that tag; other texts are plain replies in the vote's thread.
"""
_TABLES = (
    ("What a mail announces", result),
    ("The outcome that a word states", outcome),
    ("The end that a word states", end),
    ("What a word calls off", call),
)


def render_page() -> str:
    """The page as it must be."""
    return _HEAD + "".join(_render_table(title, table) for title, table in _TABLES)


def _render_table(title: str, table: Table) -> str:
    rows = "".join(f"| {r.name} | {r.says} | {r.why} | {_list(r.takes)} | {_list(r.leaves)} |\n" for r in table)
    return f"\n## {title}\n| rule | says | why | takes | does not take |\n|---|---|---|---|---|\n{rows}"


def _list(examples: tuple[str, ...]) -> str:
    return "; ".join(f"`{' '.join(text.split())}`" for text in examples)


if __name__ == "__main__":
    PAGE.write_text(render_page(), encoding="utf-8")
