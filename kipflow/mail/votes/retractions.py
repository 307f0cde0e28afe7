"""Whether a sentence takes a vote back: "I take that -1 back", "I withdraw my vote"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kipflow.domain.votes import Standing
from kipflow.mail.votes.claims import skip_claim
from kipflow.mail.votes.conditions import MARK, has_condition
from kipflow.mail.votes.doubts import says_it_stands
from kipflow.mail.votes.findings import Finding, Role, find
from kipflow.mail.votes.lexicon import drop, find_words, has, leaves_only
from kipflow.mail.votes.mentions import Mention

_OWN_IN_BRACKETS = re.compile(r"\bmy (?:\w+ )?vote (?:\(|of )$")
#: after a value: it is no vote, but a value found elsewhere, or part of a name
_ELSEWHERE = re.compile(
    r"\s*(?:(?:from|in|on|of|out of) (?:the|my|our|section|table|appendix)\b"
    r"(?! (?:list|votes?|tally|thread|first|last|earlier))"
    r"|(?:workaround|default|option|setting|value|limit|row|column|key|as you)\b)",
    re.IGNORECASE,
)
#: where another clause begins
_NEXT = re.compile(rf"{MARK.pattern}|\b(?:and|but|so|und(?= stimme))\b")
#: "I'm flipping my"
_MOVES_MY = re.compile(
    r"(?:^|[,;:] )\W*(?:so )?(?:(?:i|we)(?:'\w+| am| have| will)? (?:hereby |now |going to )?)?"
    r"(?:chang|flipp?|switch|revers|turn)(?:e|ed|ing)? my (?:\w+ )?$"
)
_FEW = 4  # words between a verb and what it takes back


def read_retraction(folded: str, mentions: Sequence[Mention]) -> Finding | None:
    """The withdrawal that a sentence (in lower case) states of its writer's vote; None: it states none."""
    found = find_words("retraction", folded)
    if not found or says_it_stands(folded) or has_condition(drop("so_long", folded[found[0].start() :])):
        return None  # not "until that is answered"
    # "I take back my +1, the part on transactions is not clear to me", "I take it back and don't vote"
    until = _NEXT.search(folded, found[0].end())
    clause = folded[: until.start()] if until is not None else folded
    near = " ".join(MARK.split(folded[: found[0].start()])[-1].split()[-_FEW:])
    kept = has("kept_from", near) or has("hypothetical", drop("polite", clause))
    if kept or has("negation", drop("not_negation", clause)):
        return None
    taken = next((m for m in mentions if is_retracted(folded, m)), None)
    is_own = has("my_vote", folded) or (taken is not None and has("first_person", folded))
    if not is_own or (taken is not None and _ELSEWHERE.match(taken.rest)):  # "I removed the -1 from the docs"
        return None
    return find("withdrawn", Standing.WITHDRAWAL, value=taken.value if taken else "", role=Role.TAKES_BACK)


def is_retracted(folded: str, m: Mention) -> bool:
    """Whether a verb takes this value back: "I take that -1 back", "I withdraw my vote (+1)"."""
    before = folded[: m.start]
    behind = skip_claim(folded[m.end :])
    if _OWN_IN_BRACKETS.search(before) or (_MOVES_MY.search(before) and not behind.lstrip().startswith("to ")):
        return True
    end = len(folded) - len(behind)
    for v in find_words("retraction", folded):
        within = v.start() <= m.start < v.end()  # "I take the -1 back"
        between = folded[end : v.start()]
        is_said = m.end <= v.start() and not (_NEXT.search(between) or has_condition(between))  # "my -1 is gone"
        if within or is_said or (v.end() <= m.start and _leads_to(folded[v.end() : m.start])):
            return True
    return False


def _leads_to(between: str) -> bool:
    """Whether words lead from a verb to the value that it takes back: "removing the flag: -1" begins a clause."""
    is_one_clause = _NEXT.search(between) is None and re.search(r"\b(?:i|we)\b", between) is None
    unknown = leaves_only(("own", "filler", "my_vote", "ballot", "earlier", "vote_words", "voted_on"), between)
    is_any = between.strip() in {"a", "an"}  # to drop "a +1" somewhere is to cast it
    return bool(between) and is_one_clause and len(between.split()) <= _FEW and not unknown and not is_any
