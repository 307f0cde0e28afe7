"""Sentences that call a vote off, by who does what to what: "I | am hereby | cancelling | this vote".

A denial, a condition, a wish or another object ("the Jenkins job", "my -1") make it nothing; a guess or a
missing object ("I may have to cancel this") make it one to ask about.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from enum import IntEnum

from kipflow.mail.announcements.tokens import Token, Word, find_clause, has_word, is_conditional, tokenize

#: Between a word for calling off and what is called off: "the whole release".
_ADJECTIVES = 2

_CALLED = (Word.VOTE, Word.THING, Word.THREAD)
#: A sentence this short may leave out what it calls off.
_SHORT = 60


class Call(IntEnum):
    """How a sentence calls a vote off: perhaps, in the mouth of its caller only ("please ignore it"), or outright."""

    NOT, PERHAPS, WISHED, OUTRIGHT = range(4)


def read_call(sentence: str) -> Call:
    """How a sentence calls the vote off."""
    if not can_call(sentence) or not (len(sentence) < _SHORT or has_word(sentence, *_CALLED)):
        return Call.NOT
    tokens = tokenize(sentence)
    if not tokens or tokens[-1].text == "?":
        return Call.NOT
    return max((_read_head(tokens, at) for at in range(len(tokens))), default=Call.NOT)


def can_call(text: str) -> bool:
    """Whether a text, its blanks evened out, can call anything off: says yes in vain, never no."""
    return has_word(text, Word.CANCEL, Word.DISREGARD, Word.WITHOUT)


def takes_back_result(sentence: str) -> bool:
    """Whether a sentence takes back an announcement: "please disregard the result", "the result is void"."""
    if not has_word(sentence, Word.RESULT) or not has_word(sentence, Word.CANCEL, Word.DISREGARD):
        return False
    tokens = tokenize(sentence)
    for at, head in enumerate(tokens):
        if not head.can_be(Word.CANCEL, Word.DISREGARD) or is_conditional(tokens, at):
            continue
        start, denied = _read_group(tokens, at)
        behind = list(itertools.takewhile(lambda t: not t.can_be(Word.MARK), tokens[at + 1 : at + 6]))
        if not denied and any(t.can_be(Word.RESULT) for t in (*tokens[max(start, 0) : start + 1], *behind)):
            return True
    return False


def _read_head(tokens: Sequence[Token], at: int) -> Call:
    head = tokens[at]
    if not head.can_be(Word.CANCEL, Word.DISREGARD, Word.CLOSE) or is_conditional(tokens, at):
        return Call.NOT
    start, denied = _read_group(tokens, at)
    if denied:
        return Call.NOT
    if head.can_be(Word.CLOSE):
        return Call.OUTRIGHT if _is_undecided(tokens, at) else Call.NOT
    led = _find_leader(tokens, at, start)
    if start >= 0 and tokens[start].can_be(*_CALLED, Word.PRONOUN):
        return led  # "this vote is cancelled": nothing is to follow
    if head.can_be(Word.DISREGARD):
        return Call.WISHED if led is not Call.NOT and _find_object(tokens, at) is Call.OUTRIGHT else Call.NOT
    return min(led, _find_object(tokens, at))


def _read_group(tokens: Sequence[Token], at: int) -> tuple[int, bool]:
    """The place before what leads up to a word ("am going to"), and whether that denies it."""
    start, denials = at - 1, 0
    while start >= 0 and tokens[start].can_be(Word.RESOLVES, Word.NEGATOR, Word.NO):
        denials += tokens[start].can_be(Word.NEGATOR, Word.NO)
        start -= 1
    return start, denials % 2 == 1


def _find_leader(tokens: Sequence[Token], at: int, start: int) -> Call:
    """What who acts makes of it: "I", the vote itself in the passive, or nobody ("Cancelling this vote")."""
    guessed = any(token.can_be(Word.HEDGE) for token in tokens[find_clause(tokens, max(start, 0)) : at])
    leader = tokens[start] if start >= 0 else None
    done = tokens[at].text.endswith(("ing", "ed", "n", "void")) or " " in tokens[at].text
    if leader is None or leader.can_be(Word.MARK, Word.JOINT):
        call = Call.OUTRIGHT if done else Call.WISHED  # an order: "please cancel this vote"
    elif leader.can_be(Word.SPEAKER):
        led_in = tokens[find_clause(tokens, start) : start]
        call = Call.NOT if any(t.can_be(Word.UNREAL) for t in led_in) else Call.OUTRIGHT
    elif leader.can_be(*_CALLED, Word.PRONOUN):
        call = _find_passive(tokens, at, start) if done else Call.NOT
    else:
        call = Call.PERHAPS if guessed else Call.NOT
    return min(call, Call.PERHAPS) if guessed else call


def _find_passive(tokens: Sequence[Token], at: int, start: int) -> Call:
    clause = tokens[find_clause(tokens, start) : start + 1]
    if _is_somebodys(tokens, start):
        return Call.NOT
    if any(token.text in {"consider", "treat", "regard"} for token in clause):
        return Call.WISHED
    if any(token.can_be(Word.PREVIOUS, Word.UNREAL) for token in clause):
        return Call.NOT
    if start == at - 1 and len(clause) > 1 and " " not in tokens[at].text:
        return Call.NOT  # "the task cancelled", but "Vote cancelled"
    about = tokens[start]
    return Call.OUTRIGHT if about.can_be(Word.VOTE) or about.text.startswith(("rc", "candidate")) else Call.PERHAPS


def _find_object(tokens: Sequence[Token], at: int) -> Call:
    """Whether the vote is what is called off: "the vote", "RC1", "this release"; not "my vote", "the vote counter"."""
    index, passed = at + 1, 0
    while index < len(tokens) and passed <= _ADJECTIVES + 2:
        token = tokens[index]
        behind = tokens[index + 1] if index + 1 < len(tokens) else None
        if token.can_be(Word.PREVIOUS) or _is_somebodys(tokens, index):
            return Call.NOT
        if token.can_be(*_CALLED):
            ends = behind is None or behind.can_be(Word.MARK, Word.CLOSES_NOUN, Word.NUMBER, Word.THING, Word.WIDE)
            return Call.OUTRIGHT if ends else Call.NOT
        if token.can_be(Word.PRONOUN) and (behind is None or behind.can_be(Word.MARK)):
            return Call.PERHAPS
        if token.can_be(Word.MARK, Word.JOINT, Word.PREPOSITION) or not token.text[0].isalpha():
            break
        index, passed = index + 1, passed + 1
    alone = index == at + 1 and find_clause(tokens, at) == at
    return (Call.OUTRIGHT if tokens[at].text.startswith("cancel") else Call.PERHAPS) if alone else Call.NOT


def _is_somebodys(tokens: Sequence[Token], at: int) -> bool:
    """Whether a vote is a voter's own, not the vote that all cast theirs in: "my vote", "Tom's vote"."""
    return at > 0 and tokens[at].can_be(Word.VOTE) and tokens[at - 1].can_be(Word.OWNER)


def _is_undecided(tokens: Sequence[Token], at: int) -> bool:
    """ "closing this vote without a decision"."""
    behind = tokens[at + 1 :]
    without = next((n for n, token in enumerate(behind) if token.text == "without"), None)
    return (
        without is not None
        and any(token.can_be(Word.VOTE) for token in behind[:without])
        and any(token.can_be(Word.UNDECIDED) for token in behind[without : without + 4])
    )
