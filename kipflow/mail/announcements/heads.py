"""A word of a sentence that may tell an outcome or an end, with what stands around it: what the rules look at.

    subject   verb group            head            what follows
    the vote  was | not             successful      with 2 binding +1

The outcome is the head's own, turned by each negation in the verb group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import pairwise

from kipflow.mail.announcements.tokens import (
    CLAUSE_ENDS,
    Token,
    ends_clause,
    find_clause,
    find_clause_end,
    is_conditional,
)

_GROUP = ("auxiliary", "adverb", "negator", "no", "unreal", "hedge")
_STOPS = ("joint", "auxiliary", "condition", "unreal", "speaker")
_TURNED = {"passed": "failed", "failed": "passed"}
#: A clause with more words that has one of "wrong" is about something else.
_SHORT_CLAUSE = 6
#: How far behind "did not receive" its object may stand.
_REACH = 6


class Subject(IntEnum):
    """Of what an outcome is told, in order of how much the words themselves say."""

    NOBODY, PRONOUN, THING, VOTE = range(4)


_SUBJECTS = {"vote": Subject.VOTE, "thing": Subject.THING, "result": Subject.THING}


@dataclass(frozen=True)
class Head:
    """The word at a place of a sentence."""

    tokens: Sequence[Token]
    at: int

    def can_be(self, *kinds: str) -> bool:
        return self.tokens[self.at].can_be(*kinds)

    def around(self, reach: int) -> Sequence[Token]:
        return self.tokens[max(0, self.at - reach) : self.at + reach + 1]

    @cached_property
    def word(self) -> Token:
        return self.tokens[self.at]

    @cached_property
    def behind(self) -> Token | None:
        return self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else None

    @cached_property
    def group(self) -> tuple[int, int]:
        """The place before the verb group, and how often the group denies the word."""
        return read_group(self.tokens, self.at, *_GROUP)

    @cached_property
    def leader(self) -> Token | None:
        """What stands before the verb group."""
        return self.tokens[self.group[0]] if self.group[0] >= 0 else None

    @cached_property
    def is_denied(self) -> bool:
        if self.can_be("wide"):  # in scripts without blanks the denial may stand behind
            return sum(token.can_be("negator") for token in self.tokens) % 2 == 1
        return self.group[1] % 2 == 1

    @cached_property
    def is_conditional(self) -> bool:
        return self.tokens[-1].text in {"?", "？"} or is_conditional(self.tokens, self.at)

    @cached_property
    def hangs_on(self) -> bool:
        """Whether it is told, and a condition stands behind it: "passed, subject to approval"."""
        before, behind = self.tokens[: self.at], self.tokens[self.at :]
        is_open = any(t.text in {"yet", "?", "？"} for t in behind) or any(t.can_be("condition") for t in before)
        return self.is_conditional and not is_open

    @cached_property
    def is_for_a_time(self) -> bool:
        """Whether it is told with its end: "extended until Friday", "paused until the numbers are in"."""
        return self.hangs_on and any(token.text == "until" for token in self.tokens[self.at :])

    @cached_property
    def is_unreal(self) -> bool:
        """Whether it is wished, still to come, or of another vote."""
        clause = find_clause(self.tokens, max(self.group[0], 0))
        is_lack = self.can_be("needed", "gain")
        words = pairwise(self.tokens[clause : self.at + 1])
        if any(
            t.can_be("previous") and not behind.can_be("period", "weekday") for t, behind in words
        ):  # not "last week"
            return True
        return any(
            t.can_be("unreal", "later") and not (is_lack and t.can_be("wanted")) for t in self.tokens[clause : self.at]
        )

    @cached_property
    def is_guessed(self) -> bool:
        hedged = any(token.can_be("hedge") for token in self.tokens)
        return hedged or any(token.can_be("previous") for token in self.tokens[self.at :])

    @cached_property
    def outcome(self) -> str | None:
        """What the word says with its negations; None where it says nothing."""
        if self.can_be("needed", "gain"):
            return "failed" if self._falls_short() else None
        if self.can_be("landed") and not self.can_be("success", "failure"):
            return "passed" if self._lands() else None
        outcome = "failed" if self.can_be("failure") else "passed"
        return _TURNED[outcome] if self.is_denied else outcome

    def _falls_short(self) -> bool:
        if self.can_be("needed"):
            if any(t.can_be("wanted") for t in self.tokens[self.at + 1 : self.at + 4]):  # "no quorum is needed"
                return False
            return self.is_denied or any(t.can_be("lack") for t in self.tokens[max(0, self.at - 3) : self.at])
        before = self.tokens[max(0, self.group[0]) : self.at]
        object_ = (*before, *self.tokens[self.at + 1 : self.at + 1 + _REACH])
        wanted = any(t.can_be("needed", "ballots", "wanted") for t in object_) and not any(
            t.text == "-1" for t in object_
        )
        return self.is_denied and wanted

    def _lands(self) -> bool:
        behind = next((t for t in self.tokens[self.at + 1 :] if t.text not in {"now", "then", "here"}), None)
        start = self.group[0]
        led = start < self.at - 1 or (start > 0 and self.tokens[start - 1].can_be("auxiliary"))
        return led and not self.is_denied and (behind is None or behind.text in CLAUSE_ENDS)

    @cached_property
    def subject(self) -> Subject | None:
        """Of what the word is told; None where it is told of something else ("two tests failed")."""
        start, leader = self.group[0], self.leader
        if leader is not None and start and leader.can_be("number") and self.tokens[start - 1].can_be("thing", "vote"):
            start, leader = start - 1, self.tokens[start - 1]  # "RC 2 has passed"
        if leader is None or self.leads or ends_clause(leader):  # "=> PASSED"
            return _find_shared(self.tokens, start)
        if leader.can_be("other") or leader.text == "to":  # "not enough to pass"
            return None
        if self.is_active:
            return self._find_object()
        if leader.can_be(*_SUBJECTS):
            return _find_strongest(self.tokens, start)
        if leader.can_be("pronoun"):
            return Subject.PRONOUN
        return Subject.NOBODY if self.can_be("needed", "gain") else _find_described(self.tokens, start)

    @cached_property
    def leads(self) -> bool:
        """Whether it opens its sentence, as in "Passed!" or "Not accepted": of what is left out."""
        return all(token.can_be("mark") for token in self.tokens[: self.group[0] + 1])

    @cached_property
    def is_active(self) -> bool:
        """Whether people decide, as in "we have approved KIP-7": what they decided on stands behind."""
        return self.leader is not None and self.leader.can_be("speaker", "body")

    def _find_object(self) -> Subject | None:
        """What "we have approved the proposal" is told of; a ballot ("I approve") tells nothing."""
        start = self.group[0]
        if self.tokens[start].text == "i" or not any(t.text in {"have", "has"} for t in self.tokens[start : self.at]):
            return None
        behind = next((t for t in self.tokens[self.at + 1 :] if not t.can_be("adverb")), None)
        return Subject.THING if behind is not None and behind.can_be("vote", "thing", "pronoun") else None

    @cached_property
    def is_direct(self) -> bool:
        """Whether the vote itself is the subject, right before the verb group."""
        return self.leader is not None and self.leader.can_be(*_SUBJECTS) and self.subject is Subject.VOTE

    @cached_property
    def ends_well(self) -> bool:
        """Whether what stands behind can end or explain an outcome: no object, nothing unknown."""
        behind = self.behind
        if behind is None or self.is_active:
            return True
        if behind.can_be("address"):
            return self.at + 2 == len(self.tokens) or self.tokens[self.at + 2].text in CLAUSE_ENDS
        explains = behind.can_be("follows", "number", "sign", "success", "failure", "wide")
        return self.can_be("needed", "gain") or explains or behind.text in CLAUSE_ENDS

    @cached_property
    def is_shared_by_vote(self) -> bool:
        """Whether the vote is the subject of a clause before: "the vote was extended and is still open"."""
        return _find_shared(self.tokens, self.group[0]) is Subject.VOTE

    @cached_property
    def is_of_vote(self) -> bool:
        """ "closing this vote", "the vote thread is closed", "the voting period is over"."""
        if any(t.can_be("vote", "thread") for t in self.tokens[self.at + 1 : self.at + 5]):
            return True
        start, _ = read_group(self.tokens, self.at, "auxiliary", "adverb")
        if start < 0:  # "Closing this now."
            return all(t.can_be("adverb", "pronoun", "mark") for t in self.tokens[self.at + 1 :])
        return self.tokens[start].text == "period" or _find_strongest(self.tokens, start) is Subject.VOTE


def read_group(tokens: Sequence[Token], at: int, *kinds: str) -> tuple[int, int]:
    """The place before the words of these classes that lead up to one, and how many of them deny it."""
    start, denials = at - 1, 0
    while start >= 0 and tokens[start].can_be(*kinds):
        denials += tokens[start].can_be("negator", "no")
        start -= 1
    return start, denials


def _find_shared(tokens: Sequence[Token], start: int) -> Subject:
    """The subject before "and", or before a colon: "the vote is over and has passed", "Result: passed"."""
    if start <= 0 or tokens[start].text not in {"and", ":", "-", "–", "—", "und", "et"}:
        return Subject.NOBODY
    clause = tokens[find_clause(tokens, start - 1) : start]
    named = max((_SUBJECTS[k] for t in clause for k in t.words & {*_SUBJECTS}), default=Subject.NOBODY)
    return named or Subject(any(t.can_be("pronoun") for t in clause))


def _find_strongest(tokens: Sequence[Token], start: int) -> Subject:
    """The vote itself, where "the vote on KIP-7" is the subject, not only KIP-7."""
    found = Subject.NOBODY
    for token in reversed(tokens[: start + 1]):
        if token.can_be(*_STOPS) or token.text in {",", ";"}:
            break
        found = max([found, *(_SUBJECTS[k] for k in token.words & {*_SUBJECTS})])
    return found


def _find_described(tokens: Sequence[Token], start: int) -> Subject | None:
    """The subject before a title or description: "the vote for the release of Foo 1.2"."""
    for index in range(start, -1, -1):
        token = tokens[index]
        if token.can_be(*_SUBJECTS):
            behind = tokens[index + 1]
            if behind.can_be("preposition") or behind.text in {":", "(", '"'}:
                return _find_strongest(tokens, index)
        elif token.can_be(*_STOPS) or token.text in {",", ";"}:
            return None
    return None


def is_real(tokens: Sequence[Token], at: int) -> bool:
    """Whether what stands around a word is neither asked, wished, guessed nor still to come."""
    if tokens[-1].text == "?" or is_conditional(tokens, at) or _is_later(tokens):
        return False
    clause = tokens[find_clause(tokens, at) : find_clause_end(tokens, at)]
    return not any(t.can_be("condition", "unreal", "hedge", "previous") for t in clause)


def _is_later(tokens: Sequence[Token]) -> bool:
    """ "closing this vote in 24 hours", "the vote closes on Friday"."""
    for at, token in enumerate(tokens):
        in_time = token.text in {"in", "within"} and any(t.can_be("period") for t in tokens[at + 1 : at + 6])
        on_day = token.text in {"on", "by", "until"} and any(t.can_be("weekday") for t in tokens[at + 1 : at + 2])
        if in_time or on_day or token.can_be("later"):
            return True
    return False


def takes_back(tokens: Sequence[Token]) -> bool:
    """Whether a clause takes back what stands before it: "that was wrong", "it did not", "not here"."""
    ends = [at for at, token in enumerate(tokens) if ends_clause(token)]
    for before, end in pairwise([-1, *ends, len(tokens)]):
        clause = tokens[before + 1 : end]
        if any(t.can_be("retracts", "disregard") for t in clause) and len(clause) <= _SHORT_CLAUSE:
            return True
        if _only_denies(clause) and not _is_part_of_count(tokens, before, end):
            return True
    return False


def _is_part_of_count(tokens: Sequence[Token], before: int, end: int) -> bool:
    """Whether a clause is the label of a number, or what stands for one: "No: 0", "-1: no"."""
    behind = tokens[end : end + 2]
    if len(behind) == 2 and behind[0].text == ":" and behind[1].can_be("number", "sign"):
        return True
    follows = before >= 0 and tokens[before].text == ":"
    return follows and any(t.can_be("sign", "number", "ballots") for t in tokens[:before])


def _only_denies(clause: Sequence[Token]) -> bool:
    denies = any(t.can_be("negator") or t.text == "no" for t in clause)
    rest = [t for t in clause if t.text not in {"no", "here"}]
    return denies and all(t.can_be("negator", "auxiliary", "pronoun", "adverb") and t.text != "non" for t in rest)


def thanks_all(tokens: Sequence[Token]) -> bool:
    """Whether everybody is thanked, as at an end."""
    thanks = next((at for at, token in enumerate(tokens) if token.can_be("thanks")), None)
    return thanks is not None and any(token.can_be("address") for token in tokens[thanks : thanks + 4])
