"""What a mail comes to as an announcement, by one table: the first rule that applies decides.

Taking back, contradiction and extension are asked before an outcome, and whatever only seems to be one is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from kipflow.domain.facts import Kind, SubjectReading
from kipflow.mail.announcements.counts import CountReading
from kipflow.mail.announcements.heads import Subject, takes_back, thanks_all
from kipflow.mail.announcements.others import names_another
from kipflow.mail.announcements.sayings import Said, read_call, read_ends, read_outcomes, tells_end
from kipflow.mail.announcements.tokens import split_sentences, tokenize
from kipflow.mail.announcements.verdicts import Says, Table

_LEADING_VOTE = re.compile(r"^\W{0,3}[+\-]\s?[01](?![\w.]\d|\d)\s*(?:$|[^\d\s:=(]|\(\D)")
result = Table()
NOTHING, ASK, FAILED, PASSED, *_ = Says


@dataclass(frozen=True)
class Mail:
    """What the rules look at: a mail's lines, its counts, and what its sentences say."""

    lines: Sequence[str]
    counts: CountReading
    reading: SubjectReading
    subject: str

    @cached_property
    def is_tagged(self) -> bool:
        return self.reading.kind is Kind.RESULT

    @cached_property
    def sentences(self) -> list[str]:
        return split_sentences(self.lines)

    @cached_property
    def own(self) -> list[str]:
        return [sentence for sentence in self.sentences if not names_another(sentence, self.reading)]

    @cached_property
    def ends(self) -> dict[Says, str]:
        """The first sentence that says each of this vote."""
        found: dict[Says, str] = {}
        for sentence in self.own:
            for says in read_ends(sentence):
                found.setdefault(says, sentence)
        return found

    @cached_property
    def outcomes(self) -> list[Said]:
        told = (said for sentence in self.own for said in read_outcomes(sentence))
        return [said for said in told if self.is_tagged or said.rule != "hangs-on"]

    @cached_property
    def of_another(self) -> str:
        """The first sentence with an end or outcome of another proposal's vote, before an outcome of this one."""
        for sentence in self.sentences:
            if self.sure is not None and sentence == self.sure.sentence:
                return ""
            if sentence not in self.own and tells_end(sentence) and not self.is_ballot:
                return sentence
        return ""

    @cached_property
    def heard(self) -> list[Said]:
        """The outcomes that count. In a ballot only what is said of the vote itself does."""
        free = self.is_tagged or self.counts.any or Says.CLOSED in self.ends
        floor = Subject.VOTE if self.is_ballot else Subject.NOBODY if free else Subject.THING
        return [said for said in self.outcomes if said.subject >= floor]

    @cached_property
    def sure(self) -> Said | None:
        """The first outcome that is told outright."""
        return next((said for said in self.heard if said.says is not Says.ASK), None)

    @cached_property
    def against(self) -> str:
        """The sentence that denies it. What is told of nobody does not count, but may deny."""
        told = self.heard if self.is_ballot else self.outcomes
        outcome = self.sure.outcome if self.sure is not None else ""
        return next((s.sentence for s in told if s.outcome != outcome and s.subject > Subject.NOBODY), "")

    @cached_property
    def taken_back(self) -> str:
        """The first sentence behind an outcome, or the outcome's own, that may take it back."""
        if self.sure is None:
            return ""
        behind = self.own[self.own.index(self.sure.sentence) :]
        return next((sentence for sentence in behind if takes_back(tokenize(sentence))), "")

    @cached_property
    def about_vote(self) -> str:
        """The first sentence with an outcome, sure or not, of the vote or of what is voted on."""
        return next((said.sentence for said in self.heard if said.subject >= Subject.THING), "")

    @cached_property
    def is_ballot(self) -> bool:
        if self.is_tagged or self.counts.told or sum(self.counts.listed.values()) > 1:
            return False
        return any(_LEADING_VOTE.match(line) for line in self.lines)

    @cached_property
    def first_line(self) -> str:
        return next((line.strip() for line in self.lines if line.strip()), "")


@result(
    *(ASK, "takes its result back", "Please disregard the result above.", "Disregard the result, though KIP-7 passed."),
    leaves=("The result above is void, KIP-7 has not passed.",),
)
def taken_back(m: Mail) -> str:
    stands = m.sure is not None and not m.against and (m.counts.any or m.sure.outcome == "failed")
    return "" if stands else m.ends.get(Says.VOIDED, "")


@result(NOTHING, "a discussion, without an outcome and binding votes")
def discussed(m: Mail) -> bool:
    tells = m.sure is not None and not m.against and m.counts.binding
    return m.reading.kind is Kind.DISCUSS and not tells


@result(
    *(
        ASK,
        "of another proposal's vote",
        "FYI the vote on KIP-9 passed with 5 binding +1s.",
        "We cancelled the vote on KIP-9.",
    ),
    leaves=("The vote passed with 3 binding +1. KIP-9 was accepted, too.", "KIP-7 and KIP-9 are accepted."),
)
def of_another_vote(m: Mail) -> str:
    return m.of_another


@result(ASK, "two outcomes", "The vote passed. No, it failed.", leaves=("The vote did not fail: KIP-7 is adopted.",))
def contradicted(m: Mail) -> str:
    return f"{m.sure.sentence[:300]} / {m.against}" if m.sure is not None and m.against else ""


@result(
    *(
        ASK,
        "an outcome, taken back behind it",
        "The vote passed. Sorry, that was wrong.",
        "The vote passed by lazy consensus, not here.",
    ),
    *("The vote passed. Scratch that, it did not.", "The vote passed by lazy consensus, not here."),
    leaves=("The vote passed, no -1. Sorry for the delay.",),
)
def taken_back_behind(m: Mail) -> str:
    return m.taken_back


@result(ASK, "an outcome, and the vote runs on", "The vote has failed. I'm extending the vote.")
def ended_and_extended(m: Mail) -> str:
    tells = any(said.rule != "short" for said in m.heard)
    return m.ends.get(Says.EXTENDED, "") if tells or m.is_tagged else ""


@result(NOTHING, "the vote runs on", "Quorum was not reached, so I'm extending the vote.", "The vote is extended.")
def extended(m: Mail) -> bool:
    return Says.EXTENDED in m.ends


@result(
    *(
        FAILED,
        "told outright",
        "I call the vote to be non successful.",
        "KIP-7 hasn't passed.",
        "The vote was voted down.",
    ),
    leaves=("The vote passed.", "-1, two tests failed.", "The vote failed, I think."),
)
def failed(m: Mail) -> str:
    return m.sure.sentence if m.sure is not None and m.sure.outcome == "failed" else ""


@result(
    *(PASSED, "told outright", "The vote passed with 3 binding +1.", "KIP-7 is accepted, thanks all!"),
    leaves=("+1, the release passes all tests.", "The vote was never successful.", "Was the vote successful?"),
)
def passed(m: Mail) -> str:
    return m.sure.sentence if m.sure is not None else ""


@result(NOTHING, "casts a vote, and tells nothing of the vote as a whole", "+1 (binding)\n\nThanks for the release!")
def cast(m: Mail) -> bool:
    return m.is_ballot and not m.about_vote


@result(ASK, "an outcome, perhaps", "I'd say the vote passed.", "The proposal is in.", leaves=("The vote passed.",))
def half_told(m: Mail) -> str:
    return m.about_vote or next((s.sentence for s in m.heard if m.counts.any and s.subject >= Subject.PRONOUN), "")


@result(FAILED, "its subject tells")
def failed_by_subject(m: Mail) -> bool:
    return m.is_tagged and find_outcome_of_subject(m.subject) == "failed"


@result(PASSED, "its subject tells")
def passed_by_subject(m: Mail) -> bool:
    return m.is_tagged and find_outcome_of_subject(m.subject) == "passed"


@result(Says.PRESENTED, "tagged, without an outcome", "[RESULT] 3 binding +1, 1 non-binding +1", "[RESULT] See above")
def tagged(m: Mail) -> bool:
    return m.is_tagged and (m.counts.any or not m.reading.is_reply)


@result(NOTHING, "answers an announcement")
def answers(m: Mail) -> bool:
    return m.is_tagged


@result(
    *(Says.CLOSED, "ends the vote with counts", "I'm closing the vote: 3 binding +1, no -1."),
    leaves=("Correction: 4 binding +1.", "We have 2 binding +1 so far."),
)
def closed_with_counts(m: Mail) -> str:
    if not m.counts.any or Says.CORRECTED in m.ends:
        return ""
    return next((m.ends[s] for s in (Says.CLOSED, Says.THANKED, Says.PRESENTED) if s in m.ends), "")


@result(ASK, "corrects counts", "Correction: 4 binding +1, not 3.")
def corrected(m: Mail) -> str:
    return m.ends.get(Says.CORRECTED, "") if m.counts.any else ""


@result(ASK, "closes the vote: with which result?", "I'm closing this vote.")
def closed(m: Mail) -> str:
    return m.ends.get(Says.CLOSED, "")


@result(ASK, "calls the vote off, perhaps", "I may have to cancel this vote.", leaves=("I withdraw my -1.",))
def perhaps_called_off(m: Mail) -> str:
    return next((s for s in m.sentences if read_call(s) is ASK), "")


@result(ASK, "something is over: the vote?", "So that one is in, thanks all!", leaves=("The fix is in.",))
def seems_over(m: Mail) -> str:
    ends = (s for s in m.outcomes if s.subject >= Subject.THING or thanks_all(tokenize(s.sentence)))
    return next((said.sentence for said in ends), "")


@result(ASK, "everybody is thanked for voting: is it over?", "Thanks all for voting.")
def thanked(m: Mail) -> str:
    return m.ends.get(Says.THANKED, "")


@result(NOTHING, "announces nothing", "I had a look and like it.", "Please vote, we need 3 binding +1.")
def no_result(_: Mail) -> bool:
    return True


def find_outcome_of_subject(subject: str) -> str | None:
    """The outcome that a subject tells in its tags or with its last words; a title's own words tell none."""
    words = subject[:300].split()
    title = next((at for at in range(len(words), 0, -1) if not _is_mark(words[at - 1])), 0)
    texts = [*re.findall(r"\[([^\[\]]{1,80})\]", subject[:300]), " ".join(words[title:])]
    return next((s.outcome for text in texts for s in read_outcomes(text) if s.says is not ASK), None)


def _is_mark(word: str) -> bool:
    return all(t.can_be("mark_end", "mark_beside", "mark", "auxiliary", "negator") for t in tokenize(word))
