"""A word of a sentence that may state an outcome or an end, with its context: the input of the rules.

    subject   verb group            head            what follows
    the vote  was | not             successful      with 2 binding +1

The outcome is that of the head, inverted by each negation in the verb group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from kipflow.mail.announcements.clauses import (
    GROUP,
    REACH,
    SUBJECTS,
    Subject,
    find_described,
    find_shared,
    find_strongest,
    follows_aside,
    is_denied_nearby,
    is_hedge,
    is_later,
    read_group,
    sets_status,
    skip_vote,
)
from kipflow.mail.announcements.tokens import CLAUSE_ENDS, Token, ends_clause, find_clause, is_conditional

_ANY = frozenset({"a", "an", "any", "every", "each"})
#: nouns after "a" that mean any proposal; not "a proposta", which means a particular one
_GENERIC = frozenset({"kip", "proposal", "motion", "resolution", "rfc", "cep", "aip", "pip", "flip", "vote"})
_PROCLAIMS = frozenset({"declare", "call", "consider", "deem"})
#: the outcome of an end that states none: it contradicts no other
OVER = "over"
_TURNED = {"passed": "failed", "failed": "passed"}


@dataclass(frozen=True)
class Predicate:
    """One word of a sentence, with its context."""

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
        """The index before the verb group, and how often the group negates the word."""
        return read_group(self.tokens, self.at, *GROUP)

    @cached_property
    def clause_start(self) -> int:
        """The index where the clause begins that the verb group is in."""
        return find_clause(self.tokens, max(self.group[0], 0))

    @cached_property
    def before(self) -> Sequence[Token]:
        """The tokens of the clause before the word."""
        return self.tokens[self.clause_start : self.at]

    @cached_property
    def leader(self) -> Token | None:
        """The token before the verb group."""
        return self.tokens[self.group[0]] if self.group[0] >= 0 else None

    @cached_property
    def is_denied(self) -> bool:
        if self.can_be("wide"):  # in scripts without blanks the negation may follow
            return is_denied_nearby(self.tokens, self.at)
        return self.group[1] % 2 == 1

    @cached_property
    def is_conditional(self) -> bool:
        return self.tokens[-1].text in {"?", "？"} or is_conditional(self.tokens, self.at)

    @cached_property
    def is_subject_to(self) -> bool:
        """Whether it is stated, with a condition after it: "passed, subject to approval"."""
        before, behind = self.tokens[: self.at], self.tokens[self.at :]
        is_open = any(t.text in {"yet", "?", "？"} for t in behind) or any(t.can_be("condition") for t in before)
        return self.is_conditional and not is_open

    @cached_property
    def is_for_a_time(self) -> bool:
        """Whether it is stated only up to some time: "extended until Friday", "paused until the numbers are in"."""
        return self.is_subject_to and any(token.text == "until" for token in self.tokens[self.at :])

    @cached_property
    def is_not_fact(self) -> bool:
        """Whether it is wished, still to come, or of another vote."""
        is_lack, gained = self.can_be("needed", "gain"), any(t.can_be("gain") for t in self.before)
        for word, behind in pairwise(self.tokens[self.clause_start : self.at + 1]):
            if word.can_be("previous") and not behind.can_be("period", "weekday"):  # not "last week"
                return True
            # "has received the required votes and is approved"
            has_been = word.can_be("wanted") and (is_lack or gained)
            if word.can_be("not_fact", "later") and not (has_been or self.is_proclaimed):
                return True
        return False

    @cached_property
    def is_proclaimed(self) -> bool:
        """Whether a failure is declared by being said: "I'll just call this rejected"; a success is still to come."""
        if not self.can_be("failure") or is_later(self.tokens):
            return False
        clause = [token for token in self.before if not token.can_be("adverb") and token.text != "am"]
        return any(
            who.can_be("speaker") and will.text in {"will", "going to"} and verb.text in _PROCLAIMS
            for who, will, verb in zip(clause, clause[1:], clause[2:], strict=False)
        )

    @cached_property
    def is_guessed(self) -> bool:
        hedged = any(is_hedge(self.tokens, at) for at in range(len(self.tokens)))
        of_another = any(token.can_be("previous") for token in self.tokens[self.at :])
        told = any(token.can_be("open") for token in self.before)  # "why the vote failed"
        of_any = any(one.text in _ANY and two.can_be("vote") for one, two in pairwise(self.before))
        return hedged or of_another or told or of_any or self.is_proclaimed or self.is_relative

    @cached_property
    def is_relative(self) -> bool:
        """Whether it is said of one of many votes: "we had a vote that was rejected", not "the vote which passed"."""
        start = self.group[0]
        leads_in = start > 1 and self.tokens[start].text in {"that", "which"} and self.tokens[start - 2].text in _ANY
        return leads_in and self.tokens[start - 1].can_be(*SUBJECTS)

    @cached_property
    def outcome(self) -> str | None:
        """The outcome that the word states, negations applied; None if it states none."""
        if self.can_be("needed", "gain"):
            return "failed" if self._falls_short() else None
        if self.can_be("landed") and not self.can_be("success", "failure"):
            return OVER if self._lands() else None
        outcome = "failed" if self.can_be("failure") else "passed"
        return _TURNED[outcome] if self.is_denied else outcome

    def _falls_short(self) -> bool:
        if self.can_be("needed"):
            if any(t.can_be("wanted") for t in self.tokens[self.at + 1 : self.at + 4]):  # "no quorum is needed"
                return False
            return self.is_denied or any(t.can_be("lack") for t in self.tokens[max(0, self.at - 3) : self.at])
        before = self.tokens[max(0, self.group[0]) : self.at]
        object_ = (*before, *self.tokens[self.at + 1 : self.at + 1 + REACH])
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
        """What the word is said about; None if that is not the vote ("two tests failed")."""
        start, leader = self.group[0], self.leader
        if leader is not None and start and leader.can_be("number") and self.tokens[start - 1].can_be("thing", "vote"):
            start, leader = start - 1, self.tokens[start - 1]  # "RC 2 has passed"
        if leader is not None and leader.text == "that" and (not start or ends_clause(self.tokens[start - 1])):
            return Subject.PRONOUN  # "And that's a wrap", not "the change that is in"
        if leader is None or self.leads or ends_clause(leader):  # "=> PASSED"
            return find_shared(self.tokens, start) or Subject(follows_aside(self.tokens, start))
        if leader.can_be("other") or leader.text == "to":  # "not enough to pass"
            return Subject.THING if sets_status(self.tokens, self.at) else None
        if leader.text in _GENERIC and start and self.tokens[start - 1].text in _ANY:
            return None  # "a KIP is accepted with three +1"
        if self.is_active:
            is_few = self.word.text.startswith("voted") and leader.text not in {"pmc", "community", "committee"}
            return None if is_few else self._find_object()
        if any(t.can_be("of_it", "period") and on.can_be("preposition") for t, on in pairwise(self.before)):
            return None  # "the tests for KIP-7 have passed"
        if leader.can_be(*SUBJECTS):
            return find_strongest(self.tokens, start)
        if leader.can_be("pronoun"):
            return Subject.PRONOUN
        return Subject.NOBODY if self.can_be("needed", "gain") else find_described(self.tokens, start)

    @cached_property
    def leads(self) -> bool:
        """Whether it opens its sentence, as in "Passed!" or "Not accepted": its subject is left out."""
        return all(token.can_be("mark") for token in self.tokens[: self.group[0] + 1])

    @cached_property
    def is_active(self) -> bool:
        """Whether people decide, as in "we have approved KIP-7": the object follows."""
        return self.leader is not None and self.leader.can_be("speaker", "body")

    def _find_object(self) -> Subject | None:
        """The object of "we have approved the proposal"; a ballot ("I approve") gives none."""
        start = self.group[0]
        following = [t for t in self.tokens[self.at + 1 :] if not t.can_be("adverb")]
        if not following or self.tokens[start].text == "i":
            return None
        object_, *behind = following
        if not any(t.text in {"have", "has"} for t in self.tokens[start : self.at]):
            decides = self.tokens[start].can_be("body") and self.word.text.endswith("ed")
            ends = not behind or behind[0].can_be("mark", "follows")
            return Subject.THING if decides and ends and object_.can_be("vote", "thing") else None
        return Subject.THING if object_.can_be("vote", "thing", "pronoun") else None

    @cached_property
    def is_direct(self) -> bool:
        """Whether the vote itself is the subject, right before the verb group."""
        return self.leader is not None and self.leader.can_be(*SUBJECTS) and self.subject is Subject.VOTE

    @cached_property
    def ends_well(self) -> bool:
        """Whether the words after it can end or explain an outcome: no object, nothing unknown."""
        behind = next(iter(skip_vote(self.tokens[self.at + 1 :])), None)
        if behind is None or self.is_active:
            return True
        if behind.can_be("address"):
            return self.at + 2 == len(self.tokens) or self.tokens[self.at + 2].text in CLAUSE_ENDS
        explains = behind.can_be("follows", "number", "sign", "success", "failure", "negator")
        return self.can_be("needed", "gain") or explains or behind.text in CLAUSE_ENDS

    @cached_property
    def is_of_vote(self) -> bool:
        """ "closing this vote", "the vote thread is closed", "the voting period is over"."""
        if any(t.can_be("vote", "thread") for t in self.tokens[self.at + 1 : self.at + 5]):
            return True
        start, _ = read_group(self.tokens, self.at, "auxiliary", "adverb")
        if start < 0:  # "Closing this now."
            return all(t.can_be("adverb", "pronoun", "mark") for t in self.tokens[self.at + 1 :])
        return self.tokens[start].text == "period" or find_strongest(self.tokens, start) is Subject.VOTE
