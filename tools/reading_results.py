"""Generates docs/reading-results.md from the tables of rules."""

from __future__ import annotations

from kipflow.mail.announcements.callrules import call
from kipflow.mail.announcements.mails import result
from kipflow.mail.announcements.rules import end, outcome
from kipflow.mail.announcements.verdicts import Table

_HEAD = """# How results are read
Written by `make docs` from `kipflow/mail/announcements/mails.py` and `rules.py`; their words are
in `lexicon.toml` in the same folder.

A mail that may announce a result is split into sentences. The tables below classify each word for an outcome, an end or
a withdrawal; the first matching rule decides. The first table combines the findings of all sentences with the counts
and names in the mail. **ask** ends nothing: it is a question to a person. `[RESULT]` marks a mail with that tag; other
texts are plain replies in the vote's thread.

A new thread that names the proposal also ends its vote (`[PASSED] KIP-7`, "KIP-7 accepted") if its author may end it,
else it is a question. Later mails correct an announced result. An announcement's list of voters casts no votes, except
for its author as "me" or "mine".
"""
_TABLES = (
    ("What a mail announces", result),
    ("The outcome that a word states", outcome),
    ("The end that a word states", end),
    ("What a word calls off", call),
)


def render_page() -> str:
    """The current text of the page."""
    return _HEAD + "".join(_render_table(title, table) for title, table in _TABLES)


def _render_table(title: str, table: Table) -> str:
    rows = "".join(f"| {r.name} | {r.says} | {r.why} | {_list(r.takes)} | {_list(r.leaves)} |\n" for r in table)
    return f"\n## {title}\n| rule | says | why | takes | does not take |\n|---|---|---|---|---|\n{rows}"


def _list(examples: tuple[str, ...]) -> str:
    return "; ".join(f"`{' '.join(text.split())}`" for text in examples)
