"""A vote in the subject of a mail."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from kipflow.domain.votes import Expression, Standing
from kipflow.mail.content.text import plain
from kipflow.mail.votes.claims import find_claim, skip_claim
from kipflow.mail.votes.findings import find
from kipflow.mail.votes.lexicon import fold, has, leaves_only
from kipflow.mail.votes.reading import MAX_LINE_SHOWN
from kipflow.mail.votes.values import find_values, parse_value, spell_out

#: "… -- +1 (binding) EOM": what is added behind a subject by who writes no more than that
_ADDED = re.compile(r"(?:[:;,.!)\]>–—-]|\s-)\s*[\[(\"'*]*$|[\[(]$")


@lru_cache(maxsize=2048)  # answers repeat it
def read_subject(subject: str, *, is_all: bool = False) -> tuple[Expression, ...]:
    """The vote that a subject begins with ("+1 Re: [VOTE] KIP-7"): asked about, for what it is meant on.

    `is_all` says that what stands below it is nothing, or points to it. One at its end is looked at, too, which two
    signs show to be a vote: a claim to bind, a mark before it, and that there is no other, or that it is "my vote".
    """
    text = spell_out(plain(subject))
    for m in find_values(text):
        before, behind = text[: m.start("value")], text[m.end("value") :]
        claimed = find_claim("", behind[:20])
        is_last = not leaves_only(("closes_subject",), fold(skip_claim(behind)))
        signs = (claimed is not None, _ADDED.search(before) is not None, is_all or has("my_vote", fold(before)))
        if not before.strip(" [(") or (is_last and signs.count(True) > 1):
            choice, value = parse_value(m.group("value"))
            why = "stands in the subject alone: is it a vote?"
            found = find("in-the-subject", Standing.UNCLEAR, why, choice=choice, value=value, claimed=claimed)
            return (replace(found.expression, line=subject[:MAX_LINE_SHOWN]),)
    return ()
