"""A vote in the subject of a mail."""

from __future__ import annotations

import re
from functools import lru_cache

from kipflow.domain.votes import Choice, Expression, Standing
from kipflow.mail.content.text import plain
from kipflow.mail.subjects import drop_answer_marks
from kipflow.mail.votes.claims import find_claim, skip_claim
from kipflow.mail.votes.findings import find
from kipflow.mail.votes.lexicon import ends, fold, leaves_only
from kipflow.mail.votes.reading import MAX_LINE_SHOWN
from kipflow.mail.votes.values import find_values, parse_value, spell_out

#: "… -- +1 (binding) EOM", "… (+1)": a value added after a subject
_ADDED = re.compile(r"(?:[:;,.!)\]>–—-]|\s-)\s*[\[(\"'*]*$|[\[(]$")


@lru_cache(maxsize=2048)  # answers repeat it
def read_subject(subject: str) -> tuple[Expression, ...]:
    """The vote that a subject begins with ("+1 Re: [VOTE] KIP-7") or, if no mail had it before, ends with; a question.

    The title of a proposal may end with a value, too: "[VOTE] KIP-7: Let the limit be -1".
    """
    text = spell_out(plain(subject))
    for m in find_values(text):
        before, behind = text[: m.start("value")], text[m.end("value") :]
        choice, value = parse_value(m.group("value"))
        claimed = find_claim("", behind[:20])
        begins = not before.strip(" [(")
        is_last = not leaves_only(("closes_subject",), fold(skip_claim(behind)))
        # "Let the limit be -1", "needs one more +1" are what it is about
        is_title = choice is not Choice.FOR or any(ends(name, fold(before)) for name in ("quantity", "need"))
        if begins or (is_last and (_ADDED.search(before) or not is_title)):
            standing = Standing.UNCLEAR if begins else Standing.QUOTED
            why = "stands in the subject alone: is it a vote?"
            line = drop_answer_marks(subject)[:MAX_LINE_SHOWN]
            found = find("in-the-subject", standing, why, choice=choice, value=value, claimed=claimed, line=line)
            return (found.expression,)
    return ()
