"""Closing announcements as people lay them out, with invented names, for any counts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from email.message import EmailMessage

from kipflow.domain.facts import Message
from tests.unit.mail.onemail import read_one

_FIRST = (
    *("Ada", "Ben", "Cleo", "Dov", "Edda", "Finn", "Gwen", "Hugo", "Ines", "Jonas"),
    *("Kaja", "Liam", "Mona", "Noor", "Orla", "Piet", "Quin", "Rosa", "Sven", "Tara"),
)
_LAST = ("Abel", "Brandt", "Castro", "Duarte", "Egger", "Ferro", "Grieg", "Hansen", "Ilves", "Jansen")
#: No name is another's part, and none reads like a word.
NAMES = tuple(f"{first} {last}" for last, first in itertools.product(_LAST, _FIRST))
_WORDS = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)

Layout = Callable[[Sequence[str], Sequence[str]], str]


def _in_words(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else str(number)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else "".join(names)


def _bullets(names: Sequence[str], mark: str = "- ") -> str:
    return "\n".join(mark + name for name in names) or "- none"


def _wrapped(names: Sequence[str]) -> str:
    lines = [", ".join(names[at : at + 4]) for at in range(0, len(names), 4)]
    return ",\n".join(lines) or "none"


def sentence(b: Sequence[str], o: Sequence[str]) -> str:
    passes = f"The vote passes with {len(b)} binding +1 votes ({_listed(b)})"
    return passes + (f" and {len(o)} non-binding +1 votes ({_listed(o)})." if o else " and no non-binding ones.")


def choice_lines(b: Sequence[str], o: Sequence[str]) -> str:
    other = ", ".join(o) or "none"
    return f"The vote passed.\n\n+1 (binding): {', '.join(b)}\n+1 (non-binding): {other}\n0: none\n-1: none"


def headings(b: Sequence[str], o: Sequence[str]) -> str:
    return f"The vote has passed.\n\nBinding +1 votes:\n{_bullets(b)}\n\nNon-binding +1 votes:\n{_bullets(o, '* ')}\n"


def counted_headings(b: Sequence[str], o: Sequence[str]) -> str:
    other = f"{len(o)} non-binding +1s:\n{_bullets(o)}\n\n" if o else ""
    return f"KIP-7 is accepted.\n\n{len(b)} binding +1s:\n{_bullets(b)}\n\n{other}No -1 votes."


def counts_behind_headings(b: Sequence[str], o: Sequence[str]) -> str:
    other = "\n".join(o) or "none"
    rows = "\n".join(b)
    return f"Binding votes ({len(b)}):\n{rows}\n\nNon-binding votes ({len(o)}):\n{other}\n\nThe vote is successful."


def vote_then_name(b: Sequence[str], o: Sequence[str]) -> str:
    rows = [f"+1 {name} (binding)" for name in b] + [f"+1 {name} (non-binding)" for name in o]
    return "Result of the vote:\n\n" + "\n".join(rows) + "\n\nThis KIP passes."


def name_then_vote(b: Sequence[str], o: Sequence[str]) -> str:
    rows = [f"* {name}: +1 (binding)" for name in b] + [f"* {name}: +1 (non-binding)" for name in o]
    return "Votes cast:\n\n" + "\n".join(rows) + "\n\nWith this the vote passes."


def of_which(b: Sequence[str], o: Sequence[str]) -> str:
    return f"The vote passed with {len(b) + len(o)} +1 votes, {len(b)} of them binding, and no -1."


def in_brackets(b: Sequence[str], o: Sequence[str]) -> str:
    return f"+1: {len(b) + len(o)} ({len(b)} binding)\n0: 0\n-1: 0\n\nThe vote passes."


def bare_counts(b: Sequence[str], o: Sequence[str]) -> str:
    return f"Thanks all. The vote passes.\n\nBinding: {len(b)}\nNon-binding: {len(o)}\nVetoes: 0\n"


def words(b: Sequence[str], o: Sequence[str]) -> str:
    one, other = _in_words(len(b)), _in_words(len(o))
    return f"The proposal is accepted with {one} binding and {other} non-binding votes in favour, and none against."


def bars(b: Sequence[str], o: Sequence[str]) -> str:
    rows = [f"| {name} | +1 | yes |" for name in b] + [f"| {name} | +1 | no |" for name in o]
    return "The vote passed.\n\n| Voter | Vote | Binding |\n|---|---|---|\n" + "\n".join(rows)


def tabs(b: Sequence[str], o: Sequence[str]) -> str:
    rows = [f"{name}\t+1\tbinding" for name in b] + [f"{name}\t+1\tnon-binding" for name in o]
    return "The vote passed.\n\nName\tVote\tStatus\n" + "\n".join(rows)


def count_table(b: Sequence[str], o: Sequence[str]) -> str:
    head = "|  | +1 | 0 | -1 |\n|---|---|---|---|\n"
    return f"The vote passed.\n\n{head}| Binding | {len(b)} | 0 | 0 |\n| Non-binding | {len(o)} | 0 | 0 |\n"


def wrapped(b: Sequence[str], o: Sequence[str]) -> str:
    other = f"{len(o)} non-binding: {_wrapped(o)}" if o else "no non-binding votes"
    return f"The vote has passed with {len(b)} binding votes: {_wrapped(b)}.\n\n{other}"


def items_of_counts(b: Sequence[str], o: Sequence[str]) -> str:
    return f"Vote result:\n  * {len(b)} x +1 (binding)\n  * {len(o)} x +1 (non-binding)\n  * 0 x -1\n\nVote passed."


def equal_signs(b: Sequence[str], o: Sequence[str]) -> str:
    return f"Binding +1 = {len(b)}\nNon-binding +1 = {len(o)}\nBinding -1 = 0\n\nThe motion carries."


def starred(b: Sequence[str], o: Sequence[str]) -> str:
    other = f"*+1 non-binding ({len(o)})*\n{_bullets(o)}\n" if o else ""
    return f"*+1 binding ({len(b)})*\n{_bullets(b)}\n\n{other}\nThe vote has been approved."


SPLIT: dict[str, Layout] = {
    f.__name__: f
    for f in (
        *(sentence, choice_lines, headings, counted_headings, counts_behind_headings, vote_then_name, name_then_vote),
        *(of_which, in_brackets, bare_counts, words, bars, tabs, count_table, wrapped, items_of_counts, equal_signs),
        starred,
    )
}
#: Layouts that name each voter under a number: what they say can contradict itself.
NUMBERED = ("sentence", "counted_headings", "counts_behind_headings", "wrapped", "starred")


def read_announcement(body: str, *, reply: bool, subject: str = "[RESULT] [VOTE] KIP-7: Shorter names") -> Message:
    """The mail that announces a result in these words: tagged, or as a plain answer in the vote's thread."""
    mail = EmailMessage()
    mail["From"] = "Mara Lind <mara@lind.example>"
    mail["To"] = "dev@commons.example"
    mail["Date"] = "Fri, 06 Mar 2026 10:00:00 +0000"
    mail["Message-ID"] = "<result@mail.example>"
    mail["Subject"] = "Re: [VOTE] KIP-7: Shorter names" if reply else subject
    if reply:
        mail["In-Reply-To"] = "<root@mail.example>"
    mail.set_content(f"Hi all,\n\n{body}\n\nThanks,\nMara\n")
    return read_one(mail.as_bytes(), list_id="dev@commons.example", month="2026-03")
