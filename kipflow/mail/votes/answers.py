"""Mails of a word or two: a yes, a no, or words that are not understood. Always questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kipflow.domain.votes import Choice, Expression, Standing
from kipflow.mail.announcements.names import is_same_person
from kipflow.mail.quoting import OwnLine
from kipflow.mail.votes.claims import find_claim, translate_claims
from kipflow.mail.votes.conditions import SENTENCES
from kipflow.mail.votes.findings import Finding, find
from kipflow.mail.votes.lexicon import begins, fold, has, leaves_only, skip
from kipflow.mail.votes.values import find_values

BRIEF = 60  # characters of a mail that only says yes or no
_FEW_BEHIND = 5
#: Most characters and words of a mail that may be a vote in any words.
_SHORTEST, _FEWEST = 90, 12
#: Most characters of an answer with a short sentence that may be a vote, and that sentence's most words.
_LONGEST, _FEW_WORDS = 300, 8
_WHY = "answers the call in a few words that are not understood: is it a vote?"
NEARLY = "written nearly as a vote is: is it one?"
_IN_WORDS = "a word or two, without a value: is it a vote?"
#: "Vote: yes"
_LABEL = re.compile(r"(?:my |the )?(?:vote|ballot|answer|verdict)\s*[:=]\s*")
#: "Acme Trust votes 'yes' on it", as a mail's first words
_OF_GROUP = re.compile(
    r"\W*(?:[A-Z][\w.&'’-]*\s+){1,4}(?:hereby )?"
    r"(?:votes?\s+[\"'“‘]?(?P<side>(?i:yes|no|for|against|in favou?r|abstain))\b|abstains\b)[\"'”’]?"
)
_OF_WHOM = "says how somebody, or an organization, votes: is it the vote?"
#: words that take a side, and those that do so in a short sentence of a longer answer
_SIDES = ("assent", "consent", "approval", "rejection", "refusal", "abstention", "zero_word", "echoes", "no")
_STRONG = ("consent", "approval", "rejection", "abstention", "echoes", "own_vote")
_YES = re.compile(r"\b(?:yes|aye|oui|sí|sim|ja|да|nope|nay)\b")
#: "No. Mail works offline.", not "No. 3 in the list"
_BEGINS_WITH_NO = re.compile(r"\W*no\.\s+(?!\d)", re.IGNORECASE)
_LONE_ZERO = re.compile(r"(?<![\w.,:/-])0(?![\w:/-]|[.,]\w)")
#: says or asks something in English
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|can|could|will|would|should|see|start|expect|please|out of office"
    r"|unsubscribe)\b|\w['’](?:s|re|ve|ll|t)\b|^\+ ?[a-z]"
)
#: "I consent.": what its writer does, in one word
_OF_SELF = re.compile(r"\W*i (?!(?:see|do|did|am|read|know|hope|guess)\b)[a-z]+\s*(?:[.!]|$)", re.IGNORECASE)
#: agrees with a person, who may have said anything
_AGREES_WITH = re.compile(r"[^.,;:!]*\bagree(?:d|ment)? with (?:you|him|her|them)\s*[.!]", re.IGNORECASE)
#: "Acme votes 'yes'"
_IN_QUOTES = re.compile(r"(?<!\w)['\"‘“](\w+)['\"’”](?!\w)")
#: questions, links, reminders; a written value is read elsewhere
_NO_VOTE = re.compile(r"[?？]|https?:|\b(?:ping|bump)\b|(?<![\w.])[+\-\u2212]\s?[01](?![\w.])", re.IGNORECASE)
_ANSWERS = {
    Choice.FOR: ("yes", "assent", "approval", "consent"),
    Choice.AGAINST: ("no", "rejection", "refusal"),
    Choice.ABSTAIN: ("abstention", "zero_word"),
}


def ask_about_near_value(why: str, line: str, choice: Choice | None = None, claimed: bool | None = None) -> Finding:
    """The question about a line that is nearly a vote."""
    return find("near-value", Standing.UNCLEAR, why, choice=choice, claimed=claimed, line=line.strip())


def read_labelled(text: str) -> Iterator[Finding]:
    """The votes behind a label, or an organization's name: "Vote: yes", "Acme votes yes"."""
    if (of_group := _OF_GROUP.match(text)) is not None:
        side = fold(of_group["side"] or "abstain")
        yield find("stated-without-number", Standing.HINT, _OF_WHOM, choice=_find_answer(side), line=of_group.group())
    for line in text.split("\n"):
        if _LABEL.match(fold(line).strip(" *_")) and (choice := _find_answer(fold(line))) is not None:
            yield find("stated-without-number", Standing.HINT, _IN_WORDS, choice=choice, line=line.strip())


def _signs(line: str, author: str) -> bool:
    """Whether a line is its author's name or initial, and perhaps what they are: "Mara Lind, from the cheap seats"."""
    name = line.partition(",")[0].strip(" ,~–—-/")
    return is_same_person(name, author) or (name.strip(".") == author[:1] != "")


def read_answer(own: Sequence[OwnLine], author: str) -> Iterator[Finding]:
    """A mail of a word or two, its author's name aside, that answers nothing quoted above it: "Against.", "Nope"; and
    a line that says the same as a vote quoted above it: "Same here."."""
    written = [x for x in own if x.text.strip() and not _signs(x.text, author)]
    said = [x for x in written if len(x.text) <= BRIEF and not x.text.rstrip().endswith("?")]
    alone = [x for x in said if not x.answers] if len(written) == 1 else []
    for line in alone or (x for x in said if find_values(x.answers)):
        folded = fold(line.text)
        if begins("echoes", folded) and len(skip("echoes", folded).split()) <= _FEW_BEHIND:
            yield find("as-another", Standing.HINT, "says the same as somebody: which vote?", line=line.text.strip())
    for line in alone:
        shown, folded = line.text.strip(), fold(line.text)
        if folded.strip(" .!") == "1":
            yield ask_about_near_value(NEARLY, folded, Choice.FOR)
        elif (choice := _find_answer(folded)) is not None:
            yield find("stated-without-number", Standing.HINT, _IN_WORDS, choice=choice, line=shown)


def _find_answer(folded: str) -> Choice | None:
    """The choice of words that are only a yes, a no or an abstention, perhaps behind "Vote:"."""
    said = _LABEL.sub("", folded)
    choices = [c for c, names in _ANSWERS.items() if not leaves_only((*names, "greeting", "from_me"), said)]
    return choices[0] if len(choices) == 1 else None


def read_short_answer(text: str, author: str) -> Expression | None:
    """The question about a short answer to a call for votes, whatever its words: "a yes from the cheap seats".

    For mails in which nothing else was found. A yes, a no or a claim to bind among the words may be a vote, as may a
    single word, or a text in another language, that is not understood; plans, links and questions are none.
    """
    lines = [line.strip() for line in text.splitlines()]
    said = " ".join(line for line in lines if line and not _signs(line, author))
    folded = fold(_IN_QUOTES.sub(r"\1", _AGREES_WITH.sub(" ", said)))
    if len(said) > _SHORTEST or len(said.split()) > _FEWEST:
        return _find_short_sentence(said, folded)
    if not said or _NO_VOTE.search(said):
        return None
    takes_side = any(has(name, folded) for name in _SIDES) or _LONE_ZERO.search(said) is not None
    claims = find_claim("", translate_claims(said)) is not None
    if has("puts_off", folded) or not (takes_side or claims or _is_unknown(said, folded)):
        return None
    return find("short-answer", Standing.HINT, _WHY, line=said).expression


def _find_short_sentence(said: str, folded: str) -> Expression | None:
    """The same for a longer answer with a short sentence that is a yes or a no: "So: yes again, please count me."."""
    if len(said) > _LONGEST or has("puts_off", folded):
        return None
    if _BEGINS_WITH_NO.match(said):
        return find("short-answer", Standing.HINT, _WHY, line=said).expression
    sentences = (x for x in SENTENCES.split(said) if len(x.split()) <= _FEW_WORDS and not _NO_VOTE.search(x))
    found = next((x for x in sentences if _YES.search(fold(x)) or any(has(name, fold(x)) for name in _STRONG)), None)
    return None if found is None else find("short-answer", Standing.HINT, _WHY, line=found).expression


def _is_unknown(said: str, folded: str) -> bool:
    """Whether it is one word, one about its writer, or not in English, and not all of it is known around votes."""
    known = said[:1].isalnum() and not leaves_only(("greeting", "filler", "praise"), folded)
    is_strange = len(said.split()) == 1 or not said.isascii() or _OF_SELF.match(said) is not None
    return not known and is_strange and _STATES.search(folded) is None
