"""The clause around a word: its subject, whether it states a fact, and what takes it back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import pairwise

from kipflow.mail.announcements.tokens import (
    CLAUSE_ENDS,
    QUOTATION,
    Token,
    ends_clause,
    find_clause,
    find_clause_end,
    is_conditional,
)

GROUP = ("auxiliary", "adverb", "negator", "no", "not_fact", "hedge")
STOPS = ("joint", "auxiliary", "condition", "not_fact", "speaker")
_UNDONE = frozenset({"accident", "accidentally", "sorry", "back"})
#: what gives a proposal a status: "moved to Accepted"
_SETS = frozenset({"moved", "moves", "set", "changed", "updated", "switched", "put"})
_STATUS = frozenset({"status", "state", "is"})
#: also words of a title, where they are no verb: "the vote on adding a flag as an option"
_NO_VERBS = frozenset({"a", "as", "whether"})
#: classes of words by which what is counted is still to come
_OPEN = ("not_fact", "wanted", "condition", "lack", "hedge", "later")
#: A longer clause with a word such as "wrong" is about something else.
_SHORT_CLAUSE = 6
#: Most words of an aside.
_LONGEST_ASIDE = 14
#: How many words after "did not receive" its object may follow.
REACH = 6


class Subject(IntEnum):
    """What an outcome is said about, from the vaguest to the most explicit."""

    NOBODY, PRONOUN, THING, VOTE = range(4)


SUBJECTS = {"vote": Subject.VOTE, "thing": Subject.THING, "result": Subject.THING}


def read_group(tokens: Sequence[Token], at: int, *kinds: str) -> tuple[int, int]:
    """The index before the words of these classes that lead up to a word, and how many of them negate it."""
    start, denials = at - 1, 0
    while start >= 0 and tokens[start].can_be(*kinds):
        denials += tokens[start].can_be("negator", "no")
        start -= 1
    return start, denials


def find_shared(tokens: Sequence[Token], start: int) -> Subject:
    """The subject before "and", or before a colon: "the vote is over and has passed", "Result: passed"."""
    if start <= 0 or tokens[start].text not in {"and", ":", "-", "–", "—", "und", "et"}:
        return Subject.NOBODY
    clause = tokens[find_clause(tokens, start - 1) : start]
    named = max((SUBJECTS[k] for t in clause for k in t.words & {*SUBJECTS}), default=Subject.NOBODY)
    return named or Subject(any(t.can_be("pronoun") for t in clause))


def find_strongest(tokens: Sequence[Token], start: int) -> Subject:
    """The most explicit subject: in "the vote on KIP-7" the vote, not KIP-7."""
    found = Subject.NOBODY
    for token in reversed(tokens[: start + 1]):
        if token.can_be(*STOPS) or token.text in {",", ";"}:
            break
        found = max([found, *(SUBJECTS[k] for k in token.words & {*SUBJECTS})])
    return found


def find_described(tokens: Sequence[Token], start: int) -> Subject | None:
    """The subject before a title or description: "the vote for the release of Foo 1.2"."""
    for index in range(start, -1, -1):
        token = tokens[index]
        if token.can_be(*SUBJECTS):
            behind = tokens[index + 1]
            if behind.can_be("preposition") or behind.text in {":", "(", '"', QUOTATION}:
                return find_strongest(tokens, index)
        elif token.text in _NO_VERBS:
            continue
        elif token.can_be(*STOPS) or token.text in {",", ";"}:
            return None
    return None


def skip_vote(behind: Sequence[Token]) -> Sequence[Token]:
    """The tokens behind an outcome without the vote as its object: "KIP-7 has passed the vote with 3 binding +1"."""
    at = 1 if behind and behind[0].text in {"the", "its", "this"} else 0
    rest = behind[at + 1 :]
    is_all = not rest or rest[0].text in {*CLAUSE_ENDS, "with"}
    return rest if behind[at:] and behind[at].can_be("vote") and is_all else behind


def follows_aside(tokens: Sequence[Token], start: int) -> bool:
    """Whether an aside parts a word from its subject: "KIP-7 (Shorter names) passed", "the vote, I think, passed"."""
    opening = {")": "(", ",": ","}.get(tokens[start].text) if start > 0 else None
    ahead = range(start - 1, max(0, start - _LONGEST_ASIDE), -1)
    opened = next((at for at in ahead if tokens[at].text == opening), 0)
    return opened > 0 and tokens[opened - 1].can_be(*SUBJECTS)


def is_real(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word is stated as a fact: not asked, wished, guessed or still to come."""
    if tokens[-1].text == "?" or is_conditional(tokens, at) or is_later(tokens):
        return False
    clause = tokens[find_clause(tokens, at) : find_clause_end(tokens, at)]
    return not any(t.can_be("condition", "not_fact", "hedge", "previous") for t in clause)


def is_hedge(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word makes a guess of its sentence; not "will think about it", "three +1, one more from Jun"."""
    behind = tokens[at + 1 :]
    if not tokens[at].can_be("hedge") or (behind and behind[0].text == "about"):
        return False
    adds = tokens[at].text == "one more" and at > 0 and tokens[at - 1].text == "," and len(behind) > 1
    by_name = adds and behind[0].text == "from" and not behind[1].can_be("adverb", "body", "negator")
    ends = all(t.can_be("mark") for t in behind[2:3])
    is_cast = any(t.can_be("sign") for t in tokens[:at]) and not any(t.can_be(*_OPEN) for t in behind)
    return not (by_name and ends and is_cast)


def is_later(tokens: Sequence[Token]) -> bool:
    """ "closing this vote in 24 hours", "the vote closes on Friday"."""
    for at, token in enumerate(tokens):
        in_time = token.text in {"in", "within"} and any(t.can_be("period") for t in tokens[at + 1 : at + 6])
        on_day = token.text in {"on", "by", "until"} and any(t.can_be("weekday") for t in tokens[at + 1 : at + 2])
        if in_time or on_day or token.can_be("later"):
            return True
    return False


def is_denied_nearby(tokens: Sequence[Token], at: int) -> bool:
    """Whether negations in the word's clause turn it round; "non" is that of "non-binding"."""
    clause = tokens[find_clause(tokens, at) : find_clause_end(tokens, at)]
    return sum(token.can_be("negator") and token.text != "non" for token in clause) % 2 == 1


def sets_status(tokens: Sequence[Token], at: int) -> bool:
    """Whether the proposal is given the status at `at`: "I have moved the KIP to", not "Ben has", nor "by accident"."""
    before = tokens[find_clause(tokens, at) : at]
    verb = next((n for n, token in enumerate(before) if token.text in _SETS), None)
    if verb is None or any(token.can_be("not_fact", "negator") for token in before):
        return False
    if any(token.can_be("retracts") or token.text in _UNDONE for token in tokens):
        return False
    known = all(t.can_be("speaker", "thing", "auxiliary", "adverb") or t.text in _STATUS for t in before[:verb])
    return known and any(t.can_be("thing") or t.text in _STATUS for t in before)


def takes_back(tokens: Sequence[Token]) -> bool:
    """Whether a clause takes back an earlier statement: "that was wrong", "it did not", "not here"."""
    return retracts(tokens) or any(
        only_denies(tokens[start:end]) and not is_part_of_count(tokens, start - 1, end)
        for start, end in _find_clauses(tokens)
    )


def retracts(tokens: Sequence[Token]) -> bool:
    """Whether a short clause has a word of retraction: "that was wrong", "ignore that"; not "I fixed the typo"."""
    return any(
        end - start <= _SHORT_CLAUSE
        and any(t.can_be("retracts", "disregard") for t in tokens[start:end])
        and not any(t.can_be("repaired") for t in tokens[start:end])
        for start, end in _find_clauses(tokens)
    )


def _find_clauses(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The start and end of each clause."""
    ends = [at for at, token in enumerate(tokens) if ends_clause(token)]
    return ((before + 1, end) for before, end in pairwise([-1, *ends, len(tokens)]))


def is_part_of_count(tokens: Sequence[Token], before: int, end: int) -> bool:
    """Whether a clause is the label of a number, or its meaning: "No: 0", "-1: no"."""
    behind = tokens[end : end + 2]
    if len(behind) == 2 and behind[0].text == ":" and behind[1].can_be("number", "sign"):
        return True
    follows = before >= 0 and tokens[before].text == ":"
    return follows and any(t.can_be("sign", "number", "ballots") for t in tokens[:before])


def only_denies(clause: Sequence[Token]) -> bool:
    denies = any(t.can_be("negator") or t.text == "no" for t in clause)
    rest = [t for t in clause if t.text not in {"no", "here"}]
    return denies and all(t.can_be("negator", "auxiliary", "pronoun", "adverb") and t.text != "non" for t in rest)


def thanks_all(tokens: Sequence[Token]) -> bool:
    """Whether everybody is thanked, as at the end of a vote."""
    thanks = next((at for at, token in enumerate(tokens) if token.can_be("thanks")), None)
    return thanks is not None and any(token.can_be("address") for token in tokens[thanks : thanks + 4])
