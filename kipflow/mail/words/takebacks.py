"""Votes that the same mail takes back ("wrong thread, please ignore") or casts for somebody else: a person says."""

from __future__ import annotations

import re
from dataclasses import replace

from kipflow.domain.votes import Expression, Standing
from kipflow.mail.relevance import has_any
from kipflow.mail.words.values import find_values, parse_value

#: Speaks of the mail that it stands in, wherever it stands there.
_THIS_MAIL = re.compile(
    r"\bwrong (?:vote )?(?:thread|vote|kip)\b"
    r"|\b(?:was|were|is|this) (?:meant|intended) for (?:the other|another|[A-Z]{2,8}-\d)"
    r"|\bmeant (?:this |that )?for (?:another|the other|[A-Z]{2,8}-\d)"
    r"|\b(?:ignore|disregard) (?:this(?: (?:e-?mail|mail|vote|one|message))?|my vote)\s*(?:[.,;!)]|$)"
    r"|\bplease,? (?:ignore|disregard)\s*(?:[.!)]|$)|\b(?:hold|keep back|postpone) my vote\b",
    re.IGNORECASE | re.MULTILINE,
)
#: Speaks of what was said before it: of the vote, if that stands before it, else of an earlier mail.
_SAID_BEFORE = re.compile(
    r"\bscratch that\b|\b(?:ignore|disregard) (?:that|it|the above)\s*(?:[.,;!)]|$)"
    r"|\b(?:sent|posted|was) (?:here )?(?:by|in) (?:mistake|error|accident)\b|\bsent accidentally\b",
    re.IGNORECASE | re.MULTILINE,
)
_FOR_ANOTHER = re.compile(
    r"\bon behalf of (?!the\b|my\b|our\b|all\b|everyone\b)[^\W\d_]"
    r"|\b(?:asked|asks|told) me to (?:forward|pass on|relay|send|cast|post|vote)\b"
    r"|\b(?:do not|don['’]t) count (?:this|mine|my vote|it|me)\b",
    re.IGNORECASE,
)
_SIGNS = (
    *("wrong", "meant", "intended", "ignore", "disregard", "my vote", "scratch", "mistake", "error", "accident"),
    *("behalf", "me to", "count"),
)


def doubt_taken_back(vote: Expression, text: str) -> Expression:
    """A clear vote of a mail, unclear where the mail's own words `text` take it back or cast it for another."""
    if not has_any(_SIGNS, text.lower()):
        return vote
    if _THIS_MAIL.search(text) is not None or _is_taken_back_below(vote, text):
        why = "the same mail takes something back: does the vote stand?"
        return replace(vote, standing=Standing.UNCLEAR, rule="taken-back", why=why)
    if _FOR_ANOTHER.search(text) is not None:
        why = "cast for somebody else, or not to be counted: whose vote is it?"
        return replace(vote, standing=Standing.UNCLEAR, rule="for-another", why=why)
    return vote


def _is_taken_back_below(vote: Expression, text: str) -> bool:
    """Whether words that take back stand behind a written vote, and the vote is not written again behind them."""
    said = list(_SAID_BEFORE.finditer(text))
    if not said or (vote.value and not find_values(text[: said[0].start()])):
        return False
    later = {parse_value(m.group("value"))[0] for m in find_values(text[said[-1].end() :])}
    return vote.choice not in later
