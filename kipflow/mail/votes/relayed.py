"""Votes that a mail passes on for somebody who asked its writer to."""

from __future__ import annotations

import re
from dataclasses import replace

from kipflow.domain.votes import Expression, Standing
from kipflow.mail.votes.lexicon import fold, has
from kipflow.mail.votes.values import find_values, parse_value

#: "For Acme and myself: +1", "Jun is -1, he asked me to say. My own vote is +1"
SPEAKS_FOR_SELF = re.compile(r"\band myself\b|\bmy own(?: (?:vote|[+-]1)\b|\s*:)|^\W*mine\s*:", re.IGNORECASE)
#: beside a vote of its writer's: somebody else's is passed on, too
_TOO = re.compile(r"\b(?:as well|also|too)\b", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n\s*\n")


def part_relayed(vote: Expression, text: str) -> tuple[Expression | None, str]:
    """The vote of somebody else that a mail passes on in a sentence of its own, besides its writer's clear one, and the
    mail without that sentence."""
    sentences = _SENTENCES.split(text)
    is_own = SPEAKS_FOR_SELF.search(vote.line) is not None
    said = next((s for s in sentences if passes_on(" ".join(s.split())) and (is_own or _TOO.search(s))), None)
    if said is None or vote.standing is not Standing.CLEAR or not find_values(vote.line) or vote.line in said:
        return None, text
    choice, value = parse_value(find_values(said)[0]["value"])
    why, line = "cast for somebody else: whose vote is it?", " ".join(said.split())
    asked = replace(vote, choice=choice, value=value, line=line, claimed_binding=None).as_question("for-another", why)
    return asked, text.replace(said, " ", 1)


def passes_on(line: str) -> bool:
    """Whether a line with a value gives the vote of somebody who asked its writer to: "she asked me to send her +1"."""
    return has("proxies", fold(line)) and bool(find_values(line))
