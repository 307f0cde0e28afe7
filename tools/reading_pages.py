"""Generates docs/reading-votes.md and docs/reading-results.md from the tables of rules."""

from __future__ import annotations

from kipflow.mail.announcements.calls import call
from kipflow.mail.announcements.counts import read_counts
from kipflow.mail.announcements.mails import result
from kipflow.mail.announcements.rules import end, outcome
from kipflow.mail.announcements.verdicts import Table
from kipflow.mail.votes.doubts import DOUBT_RULES, STANCE
from kipflow.mail.votes.judging import RULES
from kipflow.mail.votes.labelrules import LABEL_RULES
from kipflow.mail.votes.leftovers import LEANINGS
from kipflow.mail.votes.lexicon import load_words

_VOTES = """# How votes are read
Written by `make docs` from `numbers.py`, `talk.py`, `remarks.py`, `rules.py`, `labelrules.py`,
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


def render_votes() -> str:
    """How votes are read."""
    rules = "".join(
        f"| {r.name} | {r.verdict} | {r.mine or ''} | {r.why} | {_list(r.takes)} | {_list(r.leaves)} |\n" for r in RULES
    )
    labels = "".join(f"| {t.name} | {'yes' if t.introduces_vote else 'no'} | {_list(t.takes)} |\n" for t in LABEL_RULES)
    doubts = "".join(f"| {t.name} | {t.why} | {_list(t.takes)} |\n" for t in (*DOUBT_RULES, STANCE))
    leanings = "".join(f"| {t.name} | {side} | {t.why} | {_list(t.takes)} |\n" for side, t in LEANINGS.items())
    words = "".join(f"| {name} | {len(found)} |\n" for name, found in load_words().items())
    return f"{_VOTES}{rules}{_LABELS}{labels}{_DOUBTS}{doubts}{_LEANINGS}{leanings}{_WORDS}{words}"


_RESULTS = """# How results are read
Written by `make docs` from `kipflow/mail/announcements/mails.py` and `rules.py`; their words are
in `lexicon.toml` in the same folder.

A mail that may announce a result is split into sentences. The tables below classify each word for an outcome, an end or
a withdrawal; the first matching rule decides. The first table combines the findings of all sentences with the counts
and names in the mail. **ask** ends nothing: it is a question to a person. `[RESULT]` marks a mail with that tag; other
texts are plain replies in the vote's thread.

A new thread that names the proposal also ends its vote (`[PASSED] KIP-7`, "KIP-7 accepted") if its author may end it,
else it is a question. Later mails correct an announced result. An announcement's list of voters casts no votes, except
for its author as "me" or "mine"; an author who is listed by name only and has not voted is asked.

A vote is of the group that the mail names for it: binding, non-binding, or neither. A mail that never says what binds
may group votes by role, as labels ("PMC: …", "Community: …"), behind numbers ("3 from the PMC") or in brackets.
"PMC" stands for binding there, and "committers" does where no PMC is named.
"""
_COUNTS = """
## Numbers and names
Each line of an announcement is read as words that count votes: choices ("+1", "in favour"), groups ("binding"), numbers
and names, in any order (`tallies.py`; their words are in `patterns.toml`). Names belong to what stands before them in
brackets, behind a colon or "from", or right behind them. A heading or a colon applies to what follows. A word that fits
nowhere ends an entry, so that "we need 3 binding +1" counts nothing.

| announced | read as |
|---|---|
"""
_COUNTED = (
    "3 binding +1 (Mara, Jun, Ana), 1 non-binding +1 (Kim), no -1.",
    "+1 from Mara, Jun, Ana (binding) and Kim (non-binding), -0 from Rune (binding)",
    "Mara, Jun and Ana voted +1 (all binding), Kim -1.",
    "+1: 5 (3 binding)",
    "binding: +1 x 4, -1 x 1",
    "Binding / +1 Mara Lind / +1 Jun Okafor / 0 Ana Petit / Non-binding / +1 Kim Osei",
    "+1 votes / binding: 2 / - Mara Lind / - Jun Okafor / -1 votes / binding: 1 / - Ana Petit",
    "| vote | binding | non-binding | / | +1 | 3 | 1 | / | -1 | 0 | 2 |",
    "Pour (contraignants) : Mara, Jun / Contre : personne",
    "5 out of 11 binding votes are -1.",
    "We did not reach three binding +1.",
)
_TABLES = (
    ("What a mail announces", result),
    ("The outcome that a word states", outcome),
    ("The end that a word states", end),
    ("What a word calls off", call),
)


def render_results() -> str:
    """How results are read."""
    counted = "".join(f"| `{text.replace('|', chr(92) + '|')}` | {_render_counts(text)} |\n" for text in _COUNTED)
    return _RESULTS + "".join(_render_table(title, table) for title, table in _TABLES) + _COUNTS + counted


def _render_counts(text: str) -> str:
    read = read_counts([part.strip() for part in text.split(" / ")])
    groups = (("binding", read.binding), ("non-binding", read.non_binding), ("in all", read.total))
    found = (
        f"{name} {', '.join(f'{n} × {choice}' for choice, n in counts.items())}" for name, counts in groups if counts
    )
    return "; ".join(found) or "nothing"


def _render_table(title: str, table: Table) -> str:
    rows = "".join(f"| {r.name} | {r.says} | {r.why} | {_list(r.takes)} | {_list(r.leaves)} |\n" for r in table)
    return f"\n## {title}\n| rule | says | why | takes | does not take |\n|---|---|---|---|---|\n{rows}"


def _list(examples: tuple[str, ...]) -> str:
    return "; ".join(f"`{' '.join(text.split())}`" for text in examples)
