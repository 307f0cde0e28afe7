"""The outcome that a sentence tells, by polarity: what kind of word, denied how often, of whom, and how sure.

    subject   verb group            outcome word    what follows
    the vote  was | not             successful      with 2 binding +1

The outcome is the word's own, turned by each negation in the verb group. Only what is understood as a whole
is told outright: an object ("passes all tests"), a condition, a wish or a question before the word make it
no outcome; a guess ("looks like it passed") or an unknown word behind it make it one to ask about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from kipflow.mail.announcements.tokens import (
    CLAUSE_ENDS,
    Token,
    Word,
    find_clause,
    has_word,
    is_conditional,
    lands,
    tokenize,
)


class Subject(IntEnum):
    """Of what an outcome is told, in order of how much the words themselves say."""

    NOBODY, PRONOUN, THING, VOTE = range(4)


@dataclass(frozen=True, slots=True)
class Said:
    """What one word of an outcome says: "passed" or "failed", of what, and whether a person must say if it is meant."""

    outcome: str
    subject: Subject
    sure: bool


_GROUP = (Word.AUXILIARY, Word.ADVERB, Word.NEGATOR, Word.NO, Word.UNREAL, Word.HEDGE)
_SUBJECTS = {Word.VOTE: Subject.VOTE, Word.THING: Subject.THING, Word.RESULT: Subject.THING}
_HEADS = (Word.SUCCESS, Word.FAILURE, Word.GAIN, Word.NEEDED)
_STOPS = (Word.JOINT, Word.AUXILIARY, Word.CONDITION, Word.UNREAL, Word.SPEAKER)
_TURNED = {"passed": "failed", "failed": "passed"}
#: How far behind "did not receive" its object may stand.
_REACH = 6


def read_outcomes(sentence: str) -> list[Said]:
    """Every outcome that a sentence tells of a vote or of what was voted on; a question tells none."""
    if not (has_word(sentence, *_HEADS) or lands(sentence)):
        return []
    tokens = tokenize(sentence)
    if not tokens or tokens[-1].text in {"?", "？"}:
        return []
    heads = (index for index, token in enumerate(tokens) if token.can_be(*_HEADS, Word.LANDED))
    return [said for index in heads if (said := _read_head(tokens, index)) is not None]


def _read_head(tokens: Sequence[Token], at: int) -> Said | None:
    start, negations = _read_group(tokens, at)
    outcome = _find_polarity(tokens, at, start, odd=negations % 2 == 1)
    if outcome is None or _is_unreal(tokens, at, start):
        return None
    subject = _find_subject(tokens, at, start)
    if subject is None:
        return None
    follows = _is_active(tokens, start) or _follows_well(tokens, at)
    direct = start >= 0 and tokens[start].can_be(*_SUBJECTS)
    if not follows and not (direct and subject is Subject.VOTE):
        return None
    sure = follows and not tokens[at].can_be(Word.LANDED)
    guessed = any(token.can_be(Word.HEDGE) for token in tokens) or any(t.can_be(Word.PREVIOUS) for t in tokens[at:])
    return Said(outcome, subject, sure and not guessed)


def _read_group(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """The place before the verb group of a word, and how often the group denies it."""
    start, negations = at - 1, 0
    while start >= 0 and tokens[start].can_be(*_GROUP):
        negations += tokens[start].can_be(Word.NEGATOR, Word.NO)
        start -= 1
    if tokens[at].can_be(Word.WIDE):  # in scripts without blanks the denial may stand behind
        negations = sum(token.can_be(Word.NEGATOR) for token in tokens)
    return start, negations


def _find_polarity(tokens: Sequence[Token], at: int, start: int, *, odd: bool) -> str | None:
    """What the word says with its negations; None where it says nothing."""
    head = tokens[at]
    if head.can_be(Word.NEEDED):
        lacks = any(t.can_be(Word.LACK) for t in tokens[max(0, at - 3) : at])
        return "failed" if odd or lacks else None
    if head.can_be(Word.GAIN):
        object_ = (*tokens[max(0, start) : at], *tokens[at + 1 : at + 1 + _REACH])
        wanted = any(t.can_be(Word.NEEDED, Word.BALLOTS) for t in object_) and not any(t.text == "-1" for t in object_)
        return "failed" if odd and wanted else None
    if head.can_be(Word.LANDED) and not head.can_be(Word.SUCCESS, Word.FAILURE):
        behind = next((t for t in tokens[at + 1 :] if t.text not in {"now", "then", "here"}), None)
        ends = behind is None or behind.text in CLAUSE_ENDS
        led = not odd and (start < at - 1 or (start > 0 and tokens[start - 1].can_be(Word.AUXILIARY)))
        return "passed" if ends and led else None
    outcome = "failed" if head.can_be(Word.FAILURE) else "passed"
    return _TURNED[outcome] if odd else outcome


def _is_unreal(tokens: Sequence[Token], at: int, start: int) -> bool:
    """Whether a word is told as a condition, a wish, of another vote or of what is still to come."""
    clause = find_clause(tokens, max(start, 0))
    return is_conditional(tokens, at) or any(t.can_be(Word.UNREAL, Word.PREVIOUS) for t in tokens[clause:at])


def _find_subject(tokens: Sequence[Token], at: int, start: int) -> Subject | None:
    """Of what the word is told; None where it is told of something else ("two tests failed")."""
    if start < 0 or tokens[start].can_be(Word.JOINT) or tokens[start].text in CLAUSE_ENDS:
        return _find_shared(tokens, start)
    head = tokens[start]
    if head.can_be(Word.OTHER) or head.text == "to":  # "not enough to pass"
        return None
    if _is_active(tokens, start):
        return _find_object(tokens, at, start)
    if head.can_be(*_SUBJECTS):
        return _find_strongest(tokens, start)
    if head.can_be(Word.PRONOUN):
        return Subject.PRONOUN
    if tokens[at].can_be(Word.NEEDED, Word.GAIN):
        return Subject.NOBODY
    return _find_described(tokens, start)


def _is_active(tokens: Sequence[Token], start: int) -> bool:
    """Whether people decide, as in "we have approved KIP-7": what they decided on stands behind."""
    return start >= 0 and tokens[start].can_be(Word.SPEAKER, Word.BODY)


def _find_shared(tokens: Sequence[Token], start: int) -> Subject:
    """The subject before "and", or before a colon: "the vote is over and has passed", "Result: passed"."""
    if start <= 0 or tokens[start].text not in {"and", ":", "-", "–", "—", "und", "et"}:
        return Subject.NOBODY
    clause = find_clause(tokens, start - 1)
    found = (_SUBJECTS[k] for t in tokens[clause:start] for k in t.words if k in _SUBJECTS)
    return max(found, default=Subject.NOBODY)


def _find_object(tokens: Sequence[Token], at: int, start: int) -> Subject | None:
    """What "we have approved the proposal" is told of; a ballot ("I approve") tells nothing."""
    if tokens[start].text == "i" or not any(t.text in {"have", "has"} for t in tokens[start:at]):
        return None
    behind = next((t for t in tokens[at + 1 :] if not t.can_be(Word.ADVERB)), None)
    found = behind is not None and behind.can_be(Word.VOTE, Word.THING, Word.PRONOUN)
    return Subject.THING if found else None


def _find_strongest(tokens: Sequence[Token], start: int) -> Subject:
    """The vote itself, where "the vote on KIP-7" is the subject, not only KIP-7."""
    found = Subject.NOBODY
    for token in reversed(tokens[: start + 1]):
        if token.can_be(*_STOPS) or token.text in {",", ";"}:
            break
        found = max([found, *(_SUBJECTS[k] for k in token.words if k in _SUBJECTS)])
    return found


def _find_described(tokens: Sequence[Token], start: int) -> Subject | None:
    """The subject before a title or description: "the vote for the release of Foo 1.2"."""
    for index in range(start, -1, -1):
        token = tokens[index]
        if token.can_be(*_SUBJECTS):
            behind = tokens[index + 1]
            described = behind.can_be(Word.PREPOSITION) or behind.text in {":", "(", '"'}
            if described:
                return _find_strongest(tokens, index)
        elif token.can_be(*_STOPS) or token.text in {",", ";"}:
            return None
    return None


def _follows_well(tokens: Sequence[Token], at: int) -> bool:
    """Whether what stands behind the word can end or explain an outcome: no object, nothing unknown."""
    if at + 1 == len(tokens):
        return True
    behind = tokens[at + 1]
    if behind.can_be(Word.ADDRESS):
        return at + 2 == len(tokens) or tokens[at + 2].text in CLAUSE_ENDS
    if tokens[at].can_be(Word.NEEDED, Word.GAIN) or behind.can_be(Word.WIDE):
        return True
    return behind.text in CLAUSE_ENDS or behind.can_be(Word.FOLLOWS, Word.NUMBER, Word.SIGN, Word.SUCCESS, Word.FAILURE)
