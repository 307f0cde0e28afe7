"""Sentences that close a vote, announce counts or correct them, whatever outcome they tell or do not tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kipflow.mail.announcements.tokens import Token, Word, find_clause, has_word, is_conditional, tokenize

# an end that is announced for later: "closing this vote in 24 hours"
_LATER = re.compile(
    r"\b(?:with)?in (?:[\w-]+ ){0,4}(?:hours?|hrs?|h|days?|weeks?)\b"
    r"|\b(?:tomorrow|tonight|currently|so far|next week)\b"
    r"|\b(?:on|by|until) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    re.IGNORECASE,
)
#: "closing" and "the vote" stand as near as this; a result and what it is of stand as near as that.
_NEAR, _OF = 4, 6
_LEADS = frozenset({"here", "final", "official", "following", "is", "are", "was", "were"})


def closes_vote(sentence: str) -> bool:
    """Whether a sentence closes the vote or presents its result, now and for sure."""
    if not has_word(sentence, Word.CLOSE, Word.RESULT):
        return False
    tokens = tokenize(sentence)
    return any(
        (
            (token.can_be(Word.CLOSE) and _is_of_vote(tokens, at))
            or (token.can_be(Word.RESULT) and any(t.can_be(Word.VOTE) for t in _around(tokens, at, _OF)))
        )
        and _is_real(sentence, tokens, at)
        for at, token in enumerate(tokens)
    )


def presents_counts(sentence: str) -> bool:
    """Whether a sentence leads in counts: "here are the results"."""
    tokens = tokenize(sentence) if has_word(sentence, Word.RESULT) else ()
    return any(
        token.can_be(Word.RESULT)
        and any(t.text in _LEADS for t in _around(tokens, at, 2))
        and _is_real(sentence, tokens, 0)
        for at, token in enumerate(tokens)
    )


def thanks_voters(sentence: str) -> bool:
    """Whether everybody is thanked for voting."""
    tokens = tokenize(sentence) if has_word(sentence, Word.THANKS) else ()
    return thanks_all(tokens) and any(t.can_be(Word.VOTE, Word.VOTED) for t in tokens) and _is_real(sentence, tokens, 0)


def thanks_all(tokens: Sequence[Token]) -> bool:
    """Whether everybody is thanked, as at an end."""
    thanks = next((at for at, token in enumerate(tokens) if token.can_be(Word.THANKS)), None)
    return thanks is not None and any(token.can_be(Word.ADDRESS) for token in tokens[thanks : thanks + _NEAR])


def corrects(sentence: str) -> bool:
    """Whether a sentence says of itself that it corrects something."""
    return has_word(sentence, Word.CORRECT) and any(token.can_be(Word.CORRECT) for token in tokenize(sentence))


def _is_real(sentence: str, tokens: Sequence[Token], at: int) -> bool:
    """Whether what stands around a word, to the end, is neither asked, wished, guessed nor still to come."""
    unreal = (Word.CONDITION, Word.UNREAL, Word.HEDGE, Word.PREVIOUS)
    if tokens[-1].text == "?" or is_conditional(tokens, at) or _LATER.search(sentence) is not None:
        return False
    return not any(token.can_be(*unreal) for token in tokens[find_clause(tokens, at) :])


def _around(tokens: Sequence[Token], at: int, reach: int) -> Sequence[Token]:
    return tokens[max(0, at - reach) : at + reach + 1]


def _is_of_vote(tokens: Sequence[Token], at: int) -> bool:
    """ "closing this vote", "the vote thread is closed", "the voting period is over"."""
    if any(t.can_be(Word.VOTE, Word.THREAD) for t in tokens[at + 1 : at + 1 + _NEAR]):
        return True
    start = at - 1
    while start >= 0 and tokens[start].can_be(Word.AUXILIARY, Word.ADVERB):
        start -= 1
    return any(t.can_be(Word.VOTE) for t in tokens[max(0, start - 1) : start + 1])
