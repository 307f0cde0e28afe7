"""Generates docs/reading-votes.md from the table of rules."""

from __future__ import annotations

from kipflow.mail.votes.doubts import DOUBT_RULES, STANCE
from kipflow.mail.votes.judging import RULES
from kipflow.mail.votes.labels import LABEL_RULES
from kipflow.mail.votes.leftovers import LEANINGS
from kipflow.mail.votes.lexicon import load_words

_HEAD = """# How votes are read
Written by `make docs` from `numbers.py`, `talk.py`, `remarks.py`, `rules.py`, `labels.py`,
`doubts.py`, `leftovers.py` and `lexicon.toml` in `kipflow/mail/votes`.

A mail's own lines (without quotes, signatures and footers) are searched for boxes, legends and lists, then split into
sentences. For each written value the first matching rule below decides: **cast** counts it, **ask** makes it a question
to a person, **ignore** leaves it out for the reason shown. "mine": the verdict if the words are the voter's own.

| rule | verdict | mine | why | takes | leaves |
|---|---|---|---|---|---|
"""
_LABELS = """
## Labels: the words before a value, up to a colon
The first matching rule decides. After any other label the value is a question: it may not be the author's own vote.

| rule | the author's own vote follows | takes |
|---|---|---|
"""
_DOUBTS = """
## Words without a value
A question only if the voter has a vote that they could change:

| rule | why | takes |
|---|---|---|
"""
_LEANINGS = """
A question, asked once, only if the voter's vote is the opposite:

| rule | leans to | why | takes |
|---|---|---|---|
"""
_WORDS = """
A question only if the voter has no vote: a few words that answer the call itself and are not understood ("Seconded.
Binding.", "a yes from the cheap seats"). Questions, links, thanks and plans ("I will read it this week") are none.

## Quotes without marks
Lines of a mail above, led in by "Jun said:" or cut out of a longer line, are a quote if at least four of their words
stand beside the vote. A row of a drawn table is a summary, except the row with its author's name.

## The vote to which a ballot belongs
A ballot belongs to the round whose thread it answers, or whose subject it has. A ballot under the subject of a
restarted round belongs to that round, whatever mail it answers. An answer to a finished round while the next one runs
under the same title is a question in the next one. If a caller starts a vote again in its own thread, votes cast before
become questions in the new round. Votes below a reply with a mistyped number belong to the vote of their thread.

## The lexicon
| class | words |
|---|---|
"""


def render_page() -> str:
    """The current text of the page."""
    rules = "".join(
        f"| {r.name} | {r.verdict} | {r.mine or ''} | {r.why} | {_list(r.takes)} | {_list(r.leaves)} |\n" for r in RULES
    )
    labels = "".join(f"| {t.name} | {'yes' if t.leads else 'no'} | {_list(t.takes)} |\n" for t in LABEL_RULES)
    doubts = "".join(f"| {t.name} | {t.why} | {_list(t.takes)} |\n" for t in (*DOUBT_RULES, STANCE))
    leanings = "".join(f"| {t.name} | {side} | {t.why} | {_list(t.takes)} |\n" for side, t in LEANINGS.items())
    words = "".join(f"| {name} | {len(found)} |\n" for name, found in load_words().items())
    return f"{_HEAD}{rules}{_LABELS}{labels}{_DOUBTS}{doubts}{_LEANINGS}{leanings}{_WORDS}{words}"


def _list(examples: tuple[str, ...]) -> str:
    return "; ".join(f"`{text}`" for text in examples)
