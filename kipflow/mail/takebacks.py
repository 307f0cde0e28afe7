"""Votes that the same mail takes back ("+1 … wrong thread, please ignore"): whether they stand, a person says."""

from __future__ import annotations

import re
from dataclasses import replace

from kipflow.domain.votes import Expression, Standing

_LONGEST_TEXT = 8_000
_TAKES_BACK = re.compile(
    r"\b(?:wrong (?:vote )?thread\b|(?:was|were|is) (?:meant|intended) for (?:the other|another|[A-Z]{2,8}-\d)"
    r"|(?:ignore|disregard) (?:this(?: (?:mail|vote|one|message))?|that|it|the above|my vote)\s*(?:[.,;!]|$)"
    r"|please,? (?:ignore|disregard)\s*(?:[.!]|$)|sent (?:by|in) (?:mistake|error|accident)\b|sent accidentally\b"
    r"|scratch that\b|(?:hold|keep back|postpone) my vote\b)",
    re.IGNORECASE | re.MULTILINE,
)


def doubt_taken_back(expressions: tuple[Expression, ...], text: str) -> tuple[Expression, ...]:
    """The expressions of a mail, clear ones unclear where its own words `text` take something back."""
    if not expressions or _TAKES_BACK.search(text[:_LONGEST_TEXT]) is None:
        return expressions
    why = "the same mail takes something back: does the vote stand?"
    return tuple(
        replace(e, standing=Standing.UNCLEAR, rule="taken-back", why=why) if e.standing is Standing.CLEAR else e
        for e in expressions
    )
