"""What sentences say about a vote: applies the tables of rules to every word that could say something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kipflow.mail.announcements.calls import CALLED, CALLS, call
from kipflow.mail.announcements.clauses import Subject
from kipflow.mail.announcements.predicates import Predicate
from kipflow.mail.announcements.rules import ENDS, OUTCOMES, end, outcome
from kipflow.mail.announcements.tokens import has_word, lands, tokenize
from kipflow.mail.announcements.verdicts import Rule, Says, Table

#: the vote runs on after a result: "I re-open the vote until Friday", "So the vote is NOT passed yet, it remains open"
REOPENED = re.compile(
    r"\W*(?:(?:so|sorry|hence|thus|then|therefore)\W+)*"
    r"(?:i(?:['’]m| am|['’]ll| will| hereby)? re-?open(?:ing)? (?:the|this) vote|re-?opening (?:the|this) vote"
    r"|(?:the|this) vote (?:is (?:hereby |therefore )?(?:re-?opened|open again)|(?:stays|remains|is still) open)"
    r"|(?:the|this) vote is (?:(?:still not|not yet) (?:passed|over|accepted)|not (?:passed|over|accepted) yet))"
    r"\s*(?:$|[,.;!–—]|(?:until|for|as|because|since)\b)(?!.*\b(?:if|unless|once|when|only)\b)",
    re.IGNORECASE,
)
#: A sentence up to this length may call off without an object.
_SHORT = 60


@dataclass(frozen=True, slots=True)
class Said:
    """What a word says: the rule, the outcome if it is meant, the subject, and whether it leads its sentence."""

    says: Says
    rule: Rule
    outcome: str
    subject: Subject
    sentence: str
    leads: bool


def read_outcomes(sentence: str) -> list[Said]:
    """Every outcome that a sentence states, or may state, of a vote or of its proposal."""
    if not (has_word(sentence, *OUTCOMES[:-1]) or lands(sentence)):
        return []
    return [
        Said(rule.says, rule, head.outcome or "", head.subject or Subject.NOBODY, sentence, head.leads)
        for head, rule in _judge(sentence, outcome, OUTCOMES)
    ]


def read_ends(sentence: str) -> set[Says]:
    """Whether a sentence closes the vote or lets it run on, presents, thanks, corrects, or takes a result back."""
    found = {rule.says for _, rule in _judge(sentence, end, ENDS)} if has_word(sentence, *ENDS) else set()
    return found | {Says.EXTENDED} if REOPENED.match(sentence) else found


def read_call(sentence: str) -> Says:
    """How a sentence calls the vote off: outright, as its caller's wish, perhaps, as a thought, or not."""
    can = can_call(sentence) and (len(sentence) < _SHORT or has_word(sentence, *CALLED))
    found = {rule.says for _, rule in _judge(sentence, call, CALLS)} if can else set()
    found |= {Says.CONSIDERED} if may_be_of_vote(sentence) else set()
    by_weight = (Says.WITHDRAWN, Says.REQUESTED, Says.ASK, Says.CONSIDERED)
    return next((says for says in by_weight if says in found), Says.NOTHING)


def may_be_of_vote(sentence: str) -> bool:
    """Whether a sentence speaks of the vote in another language than English, and does not just ask for votes."""
    if not has_word(sentence, "other_language"):
        return False
    tokens = tokenize(sentence)
    said = any(token.can_be("other_language") for token in tokens)
    return said and not any(token.can_be("invites", "sign", "thanks") or token.text in {"?", "？"} for token in tokens)


def says_end(sentence: str) -> bool:
    """Whether a sentence states an outcome or an end of some vote, or calls it off."""
    ends = read_ends(sentence) - {Says.EXTENDED}
    return bool(ends) or read_call(sentence) is not Says.NOTHING or any(s.subject for s in read_outcomes(sentence))


def can_call(text: str) -> bool:
    """Whether a text, its blanks evened out, can call anything off; false positives, no false negatives."""
    return " off" in text or " back" in text or has_word(text, "cancel", "disregard", "without", "reopens", "outdated")


def _judge(sentence: str, table: Table, kinds: Sequence[str]) -> list[tuple[Predicate, Rule]]:
    tokens = tokenize(sentence)
    heads = (Predicate(tokens, at) for at, token in enumerate(tokens) if token.can_be(*kinds))
    judged = ((head, table.find(head)[0]) for head in heads)
    return [(head, rule) for head, rule in judged if rule.says is not Says.NOTHING]
