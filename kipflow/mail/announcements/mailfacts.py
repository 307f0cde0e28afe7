"""The facts that the rules for a whole mail use: its lines, its counts, and what its sentences say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from kipflow.domain.facts import MailKind, SubjectReading
from kipflow.mail.announcements.clauses import Subject, retracts, takes_back, thanks_all
from kipflow.mail.announcements.counts import CountReading, read_counts
from kipflow.mail.announcements.names import find_names
from kipflow.mail.announcements.others import begins_with_another, names_another
from kipflow.mail.announcements.predicates import OVER
from kipflow.mail.announcements.sentences import blank_sentences, split_sentences
from kipflow.mail.announcements.statements import Said, read_call, read_ends, read_outcomes, says_end
from kipflow.mail.announcements.tokens import tokenize
from kipflow.mail.announcements.verdicts import Says

_LEADING_VOTE = re.compile(
    r"^\W{0,3}(?:(?:agreed|yes|sure|ok(?:ay)?|great|nice|thanks|cool)[.!,]\s)?"
    r"[+\-]\s?[01](?![\w.]\d|\d)\s*(?:$|[^\d\s:=(]|\(\D)",
    re.IGNORECASE,
)
#: most words of a subject that are compared with a sentence, and fewest of a title
_MOST_WORDS, _SHORTEST_TITLE = 40, 2
_LONGEST_NUMBER = 10
_KEY, _QUOTED = r"([A-Z]{2,12}-\d{1,6})", r"(?:[\"“][^\"“”]{3,160}[\"”]|(?<!\w)['‘][^'‘’]{3,160}['’](?!\w))"
_TITLES = (
    re.compile(rf"[\"“]{_KEY}\b[^\"“”]{{0,160}}[\"”]"),
    re.compile(rf"{_QUOTED}\s*\({_KEY}\)"),
    re.compile(rf"\b{_KEY},?\s*{_QUOTED},?"),
)
#: what takes back another mail, not this one: "Please disregard my earlier mail"
_EARLIER_MAIL = re.compile(
    r"\b(?:my|the) (?:earlier|previous|former|first|last|other|old|initial) "
    r"(?:e?-?mails?|messages?|posts?|announcements?)\b",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"[.,;!?]")
_CANDIDATE = re.compile(r"\brc\W?(\d{1,3})\b", re.IGNORECASE)
_COUNTS = frozenset({"count", "tally", "result", "results", "score"})


@dataclass(frozen=True)
class Mail:
    """A mail that may announce a result."""

    lines: Sequence[str]
    reading: SubjectReading
    subject: str
    #: the same lines for counts: with stars that mark binding votes written out
    counted: Sequence[str] | None = None

    @cached_property
    def counts(self) -> CountReading:
        lines = self.lines if self.counted is None else self.counted
        if len(self.own) < len(self.sentences):  # "KIP-3, the first attempt, failed with 2 binding +1. KIP-7 received"
            own = read_counts(blank_sentences(lines, lambda s: begins_with_another(s, self.reading) and says_end(s)))
            if own.any:
                return own
        return read_counts(lines)

    @cached_property
    def is_tagged(self) -> bool:
        return self.reading.kind is MailKind.RESULT

    @cached_property
    def opens_result(self) -> bool:
        """Whether it is the announcement under the tag, not an answer to it."""
        return self.is_tagged and not self.reading.is_reply

    @cached_property
    def sentences(self) -> list[str]:
        return split_sentences(self.lines)

    @cached_property
    def own(self) -> list[str]:
        return [s for s in self.sentences if not (names_another(s, self.reading) or self._is_of_other_candidate(s))]

    @cached_property
    def ends(self) -> dict[Says, str]:
        """For each statement about this vote, the first sentence that makes it."""
        found: dict[Says, str] = {}
        for sentence in self.own:
            for says in read_ends(sentence):
                found.setdefault(says, sentence)
        return found

    def drop_title(self, sentence: str) -> str:
        """The sentence without the proposal's title, which may say anything: "KIP-7: Let brokers fail is accepted"."""
        bare = sentence
        for title in _TITLES if any(mark in sentence for mark in "(\"“‘'") else ():
            bare = title.sub(r"\1", bare)
        return bare if self._title is None else self._title.sub(r"\1 ", bare)

    @cached_property
    def _title(self) -> re.Pattern[str] | None:
        """What finds the title where it follows the proposal's key."""
        words = re.findall(r"\w+", self.reading.topic)[:_MOST_WORDS]
        numbers = [at for at, word in enumerate(words, 1) if _is_number(word) and int(word) in self.reading.numbers]
        title = words[numbers[0] :] if numbers else []
        if len(title) < _SHORTEST_TITLE:
            return None
        written = r"\W+".join(map(re.escape, title))
        return re.compile(rf"(\b{words[numbers[0] - 1]}\b)\W{{1,4}}{written}\b[\"”’)]*,?", re.IGNORECASE)

    def calls_off(self, sentence: str) -> Says:
        """How a sentence calls the vote off (see `read_call`)."""
        said = read_call(self.drop_title(sentence))
        return Says.NOTHING if said is not Says.NOTHING and self._is_of_other_candidate(sentence) else said

    def _is_of_other_candidate(self, sentence: str) -> bool:
        named, own = (set(_CANDIDATE.findall(text)) for text in (sentence, self.reading.topic))
        return bool(named and own) and named.isdisjoint(own)

    @cached_property
    def outcomes(self) -> list[Said]:
        read = ((s, read_outcomes(self.drop_title(s)) or read_outcomes(s)) for s in self.own)
        found = (replace(said, sentence=s) for s, outcomes in read for said in outcomes)
        return [said for said in found if self.is_tagged or not said.rule.tagged_only]

    @cached_property
    def of_another(self) -> str:
        """The first sentence with an end or outcome of another proposal's vote, before an outcome of this one."""
        for sentence in self.sentences:
            if self.sure is not None and sentence == self.sure.sentence:
                return ""
            if sentence not in self.own and says_end(sentence) and not self.is_ballot:
                return sentence
        return ""

    @cached_property
    def relevant(self) -> list[Said]:
        """The outcomes that count. In a ballot only outcomes of the vote itself do."""
        if not self.outcomes:
            return []
        free = self.is_tagged or self.counts.any or Says.CLOSED in self.ends
        floor = Subject.VOTE if self.is_ballot else Subject.NOBODY if free else Subject.THING
        return [s for s in self.outcomes if s.subject >= floor or (not self.is_ballot and _is_headline(s))]

    @cached_property
    def sure(self) -> Said | None:
        """The first outcome that is stated outright."""
        return next((said for said in self.relevant if said.says is not Says.ASK), None)

    @cached_property
    def against(self) -> str:
        """The sentence that contradicts the sure outcome; outside a ballot it need not be `relevant`."""
        found = self.relevant if self.is_ballot else self.outcomes
        outcome = self.sure.outcome if self.sure is not None else ""
        return next((s.sentence for s in found if s.outcome not in (outcome, OVER) and s.subject > Subject.NOBODY), "")

    @cached_property
    def retraction(self) -> str:
        """The first sentence that may take back the sure outcome, from the outcome's own sentence on."""
        if self.sure is None:
            return ""
        behind = self.own[self.own.index(self.sure.sentence) :]
        return next((s for s in behind if takes_back(tokenize(_drop_clauses_on_earlier_mail(s)))), "")

    @cached_property
    def denial(self) -> str:
        """The first sentence that may take back an earlier mail."""
        found = (sentence for sentence in self.own if retracts(tokenize(sentence)))
        return next((sentence for sentence in found if read_call(sentence) is Says.NOTHING), "")

    @cached_property
    def tally(self) -> str:
        """The line with the votes for and against in a reply; "" if there is none, or only an interim count.

        One side is enough in a final count, and beside an outcome in scripts without blanks, where the subject is
        usually left out.
        """
        sides = {choice for _, choice in self.counts.stated}
        if not sides or self.is_ballot or not self.reading.is_reply:
            return ""
        tokens = [token for sentence in self.sentences for token in tokenize(sentence)]
        decided = any(t.can_be("wide") and t.can_be("success", "failure") for t in tokens)
        decided = decided or any(a.text == "final" and b.text in _COUNTS for a, b in pairwise(tokens))
        if not (decided or sides >= {"+1", "-1"}) or any(token.can_be("later") for token in tokens):
            return ""
        return self.counts.line if self.counts.line in self.lines else self.first_line

    @cached_property
    def about_vote(self) -> str:
        """The first sentence with an outcome, sure or not, of the vote or of its proposal."""
        return next((said.sentence for said in self.relevant if said.subject >= Subject.THING), "")

    @cached_property
    def is_ballot(self) -> bool:
        """Whether it casts a vote. The lines below a ballot may be its reasons, not a list of voters."""
        leading = [line for line in self.lines if _LEADING_VOTE.match(line)]
        if self.is_tagged or not leading or self.counts.stated:
            return False
        listed = [name for names in self.counts.names.values() for name in names if name != "myself"]
        is_one = len(leading) == 1 and not leading[0].rstrip().endswith((":", "："))
        return len(listed) <= 1 or (
            is_one and (leading[0].strip() == self.first_line or not all(map(find_names, listed)))
        )

    @cached_property
    def first_line(self) -> str:
        return next((line.strip() for line in self.lines if line.strip()), "")


def _drop_clauses_on_earlier_mail(sentence: str) -> str:
    """A sentence without the clauses that take back another mail: "Please disregard my earlier mail"."""
    if _EARLIER_MAIL.search(sentence) is None:
        return sentence
    return ", ".join(clause for clause in _CLAUSES.split(sentence) if _EARLIER_MAIL.search(clause) is None)


def _is_number(word: str) -> bool:
    return word.isdecimal() and len(word) < _LONGEST_NUMBER  # not "7²", nor thousands of digits


def _is_headline(said: Said) -> bool:
    """Whether an outcome without a subject is the vote's: "Passed: Jun, Ola, Kim"; not a voter's "Approved, thanks"."""
    tokens = tokenize(said.sentence) if said.leads else ()
    if not any(token.can_be("of_all") for token in tokens):
        return False
    if any(token.text == "binding" for token in tokens):
        return len(find_names(said.sentence)) > 1
    says_no_more = all(t.can_be("of_all", "thanks", "address", "mark", "adverb", "vote", "preposition") for t in tokens)
    return says_no_more and thanks_all(tokens)
