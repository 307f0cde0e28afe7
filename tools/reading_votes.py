"""docs/reading-votes.md from the table of rules: `python -m tools.reading_votes` writes it anew."""

from __future__ import annotations

from pathlib import Path

from kipflow.mail.votes.doubts import DOUBT_RULES, STANCE
from kipflow.mail.votes.judging import RULES
from kipflow.mail.votes.labels import LABEL_RULES
from kipflow.mail.votes.leftovers import LEANINGS
from kipflow.mail.votes.lexicon import load_words

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reading-votes.md"
_HEAD = """# How votes are read
Written by `python -m tools.reading_votes` from `talk.py`, `rules.py`, `labels.py`, `doubts.py`, `leftovers.py` and
`lexicon.toml` in `kipflow/mail/votes`.

A mail's own lines (without quotes, signatures and footers) pass through boxes, legends and lists, then through
sentences. Of each written value the first rule below that takes it decides: **cast** counts it, **ask** puts it to a
person, **ignore** leaves it out for the reason shown. "mine": what is made of it when the words are the voter's own.

| rule | verdict | mine | why | takes | leaves |
|---|---|---|---|---|---|
"""
_LABELS = """
## What stands before a value, up to a colon
The first that takes it decides. Behind what none takes stands no vote of the writer's own: the value is asked about.

| rule | the writer's own vote follows | takes |
|---|---|---|
"""
_DOUBTS = """
## Said without a value
Asked about only where the voter has a vote that it could change:

| rule | why | takes |
|---|---|---|
"""
_LEANINGS = """
Asked about, once, only where the voter's vote is the other one:

| rule | leans to | why | takes |
|---|---|---|---|
"""
_WORDS = """
## The lexicon
| class | words |
|---|---|
"""


def render_page() -> str:
    """The page as it must be."""
    rules = "".join(
        f"| {r.name} | {r.verdict} | {r.mine or ''} | {r.why} | {_list(r.takes)} | {_list(r.leaves)} |\n" for r in RULES
    )
    labels = "".join(f"| {t.name} | {'yes' if t.leads else 'no'} | {_list(t.takes)} |\n" for t in LABEL_RULES)
    doubts = "".join(f"| {t.name} | {t.why} | {_list(t.takes)} |\n" for t in (*DOUBT_RULES, STANCE))
    leanings = "".join(f"| {t.name} | {t.choice} | {t.why} | {_list(t.takes)} |\n" for t in LEANINGS)
    words = "".join(f"| {name} | {len(found)} |\n" for name, found in load_words().items())
    return f"{_HEAD}{rules}{_LABELS}{labels}{_DOUBTS}{doubts}{_LEANINGS}{leanings}{_WORDS}{words}"


def _list(examples: tuple[str, ...]) -> str:
    return "; ".join(f"`{text}`" for text in examples)


if __name__ == "__main__":
    PAGE.write_text(render_page(), encoding="utf-8")
