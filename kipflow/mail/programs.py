"""Votes that may be a program's: in a mail that it wrote by itself, or in a line that it adds to somebody's mail."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kipflow.domain.votes import Expression
from kipflow.mail.heads import Head
from kipflow.mail.quoting import Words
from kipflow.mail.trackers import is_of_issue


def ask_of_program(votes: tuple[Expression, ...], head: Head, words: Words) -> tuple[Expression, ...]:
    """The votes of a mail, as questions where a program wrote it: a gateway may send a person's, a builder never does.

    A vote in a tracker's issue is held there: its mirrored comments are its votes.
    """
    shows = "Auto-Submitted" if head.is_generated else ""
    if not shows and not is_of_issue(head.subject):
        shows = "by its sender" if head.sender.is_robot else "by its footer" if words.is_automated else ""
    if not shows:
        return votes
    why = f"a program wrote this mail by itself ({shows}): is it a person's vote?"
    return tuple(vote.as_question("auto-generated", why) for vote in votes)


#: Above what a program adds. What it adds is short, and leads somewhere.
_RULE = re.compile(r"\s*[-_=*]{3,}\s*")
_MOST_ADDED = 3


def ask_advertised(found: Iterable[Expression], words: Words) -> tuple[Expression, ...]:
    """The votes, as questions those in a few lines with a link below the last rule, unless they claim to bind or not.

    These lines may be their writer's, or an advertisement of a list or program: "Vote +1 for our newsletter! https://…".
    """
    lines = [line.text.strip() for line in words.own]
    start = next((i for i in range(len(lines), 0, -1) if _RULE.fullmatch(lines[i - 1])), len(lines))
    added = [line for line in lines[start:] if line]
    if len(added) > _MOST_ADDED or not any("://" in line for line in added):
        return tuple(found)
    why = "it stands with a link below a rule, as what a program adds: is it its writer's vote?"
    return tuple(
        e.as_question("advertised", why)
        if e.claimed_binding is None and e.line and any(line.startswith(e.line.strip()) for line in added)
        else e
        for e in found
    )
