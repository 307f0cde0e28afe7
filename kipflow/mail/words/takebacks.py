"""Votes that the same mail takes back ("wrong thread, please ignore") or casts for somebody else: a person says."""

from __future__ import annotations

import re
from dataclasses import replace

from kipflow.domain.votes import Expression, Standing
from kipflow.mail.words.values import find_values, parse_value

_LONGEST_TEXT = 8_000
_TAKES_BACK = re.compile(
    r"\b(?:wrong (?:vote )?thread\b|(?:was|were|is) (?:meant|intended) for (?:the other|another|[A-Z]{2,8}-\d)"
    r"|(?:ignore|disregard) (?:this(?: (?:mail|vote|one|message))?|that|it|the above|my vote)\s*(?:[.,;!]|$)"
    r"|please,? (?:ignore|disregard)\s*(?:[.!]|$)|sent (?:by|in) (?:mistake|error|accident)\b|sent accidentally\b"
    r"|(?:hold|keep back|postpone) my vote\b)",
    re.IGNORECASE | re.MULTILINE,
)
#: Takes back what was said before it; a vote that follows is the new one.
_TAKES_BACK_BEFORE = re.compile(r"\bscratch that\b", re.IGNORECASE)
_FOR_ANOTHER = re.compile(
    r"\bon behalf of (?!the\b|my\b|our\b|all\b|everyone\b)[^\W\d_]"
    r"|\b(?:asked|asks|told) me to (?:forward|pass on|relay|send|cast|post|vote)\b"
    r"|\b(?:do not|don['’]t) count (?:this|mine|my vote|it|me)\b",
    re.IGNORECASE,
)


def doubt_taken_back(expressions: tuple[Expression, ...], text: str) -> tuple[Expression, ...]:
    """The expressions of a mail, clear ones unclear where its own words `text` take something back."""
    if not expressions:
        return expressions
    text = text[:_LONGEST_TEXT]
    if _TAKES_BACK.search(text) is not None or any(_is_followed_by_taking_back(e, text) for e in expressions):
        rule, why = "taken-back", "the same mail takes something back: does the vote stand?"
    elif _FOR_ANOTHER.search(text) is not None:
        rule, why = "for-another", "cast for somebody else, or not to be counted: whose vote is it?"
    else:
        return expressions
    return tuple(
        replace(e, standing=Standing.UNCLEAR, rule=rule, why=why) if e.standing is Standing.CLEAR else e
        for e in expressions
    )


def _is_followed_by_taking_back(vote: Expression, text: str) -> bool:
    back = list(_TAKES_BACK_BEFORE.finditer(text))
    if not back:
        return False
    later = {parse_value(m.group("value"))[0] for m in find_values(text[back[-1].end() :])}
    return vote.choice not in later
