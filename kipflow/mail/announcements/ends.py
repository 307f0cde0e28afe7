"""Whether a time that a caller's sentence names is the vote's end, by the words around it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from kipflow.mail.announcements.moments import Clock, Moment, find_moments
from kipflow.mail.announcements.tokens import compile_class, join_words, load_classes

WORD = re.compile(r"[a-z]+-\d+|[^\W\d_]+(?:'[a-z]+)?|\d+")
#: where a clause ends; a colon right before a time belongs to it
MARK = re.compile(r"[,，、;()\[\]{}=–—。]|[.!?](?!\w)|:(?!\s*$)|(?:^|\s)-+\s")
#: what stands before the last subject or object: "because of the holidays I keep it open" → "it open"
_SUBJECT = re.compile(r"^.*\b(?<!for )(?<!of )(?<!on )(?=(?:it|this|i|we|vot(?:es?|ing)|poll)\b)")
_RELEASE_VOTE = re.compile(r"\b(?:vot\w+|poll) (?:on|for) (?:this|the) release(?: candidate)?\b")
#: the vote, those who vote, or nothing at all before "until"
_OF_VOTE = re.compile(
    r"\b(?:it|this|vot(?:es?|ing|ers?)|polls?|ballots?|thread|giv(?:e|ing)|you|please|say|extend(?:ing|ed)?"
    r"|every(?:body|one)|people|time)\b|^\W*(?:(?:so|and|thus) )?open\b"
    r"|^\W*(?:[ie]\W*)*(?:that is |at least )?(?:until|untill|till?|through|thru)\b"
)
_WAITS, _VOTING = re.compile(r"\b(?:wait(?:ing)?|hold(?:ing)? off)\b"), re.compile(r"\b(?:clos|vot|result|tally)")
_OPEN = re.compile(r"\b(?:open|vot(?:e|es|ing)|polls?)\b")
#: "new end is", "deadline extended:", "extended to"
_MOVED = re.compile(
    r"(?:\bextend(?:ed|ing)?\b|\bnew (?:end|deadline|clos)|\b(?:mov|push|postpon)\w+ the (?:deadline|end)"
    r"|\bdeadline (?:is )?(?:extended|moved)|\b(?:vote|end|deadline) is postponed\b)[^.;]{0,30}?(?:\bto|\bis|:|=)\s*$"
    r"|\b(?:end date|extended)\s*[:=]\s*$|\bdeadline is now\s*$"
)
_DEADLINE = re.compile(
    r"^\W*(?:(?:the |our )?(?:vot(?:e|ing) )?(?:deadline|closing (?:date|time)|end(?: date)?)"
    r"|end of (?:the )?vot(?:e|ing))\s*[:=–-]\s*$"
)
#: "I won't close this before", "not closing until", "I'll close it not before"
_NOT_BEFORE = re.compile(
    r"(?:\bnot\b|n't\b)(?:(?!extend).){0,30}\b(?:clos(?:e|ing)|end|count|tally)\b(?! time)(?:(?! your| my).){0,20}"
    r"\b(?:before|until|till)\s*$|\b(?:clos|end)\w+\b.{0,20}\b(?:not before|n(?:o|ot) (?:earlier|sooner) than"
    r"|at the earliest(?: on)?)\s*$"
)
#: "the usual 72 hours rule is too short, let's", "normally 72 hours, but this time"
_REPLACES_USUAL = re.compile(
    r"\b(?:usual|normal|standard|regular|customary|typical)(?:ly)?\W+\w+\b.*"
    r"\b(?:but|this time|instead|let['’]?s|make (?:it|that))\b"
)
#: "on KIP-7" in another language, where it is the vote's name: "le vote sur le KIP-7"
_OF_NUMBER = re.compile(r"\b[^\W\d_]+ (?:[^\W\d_]{2,3} )?[a-z]+-\d+")
#: most words between "until" and its time: "until at least the end of"
_UNTIL = r"(?<![^\W_])(?:{})\W*(?:\w+\W+){{0,3}}$"


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A time in a sentence: all words before it, and those of its own clause.

    `heard`: an earlier sentence was about the vote.
    """

    moment: Moment
    lead: str
    clause: str
    sentence: str
    clock: Clock
    heard: bool

    @property
    def behind(self) -> str:
        """The words after it."""
        return self.sentence[self.moment.at.end() :]

    def has(self, name: str) -> bool:
        """Whether the sentence holds a word of this class."""
        return compile_class(name).search(self.sentence) is not None

    @property
    def is_denied(self) -> bool:
        return holds(self.clause, "period_denied")

    @property
    def speaks_of_other(self) -> bool:
        """Whether somebody is away until then, or something else than the vote ends."""
        said = _SUBJECT.sub("", _RELEASE_VOTE.sub("vote", self.clause))
        return compile_class("period_other").search(said) is not None or self.has("away")


@cache
def get_words(*names: str) -> frozenset[str]:
    """The words of these classes."""
    return frozenset(word for name in names for word in load_classes("patterns.toml")[name])


def holds(text: str, *names: str) -> bool:
    """Whether a text holds a word of these classes."""
    return not get_words(*names).isdisjoint(WORD.findall(text))


@cache
def compile_until() -> re.Pattern[str]:
    return re.compile(_UNTIL.format(join_words("until")))


def is_end(named: NamedTime) -> bool:
    """Whether it is the vote's end by the words right before it: "until", or "extended to" in a later mail."""
    clause, is_call = named.clause, named.clock.is_call
    # "open over the weekend", not "I ran it over the weekend"
    over = clause.rstrip().endswith("over") and _OPEN.search(clause)
    until = over or named.moment.is_until or compile_until().search(clause)
    put_off = _NOT_BEFORE.search(clause) is not None
    moved = _DEADLINE.search(named.lead) if is_call else _MOVED.search(clause)
    if named.moment.is_length or not (until or moved or put_off) or named.speaks_of_other:
        return False
    if put_off or named.is_denied or moved:
        return put_off or not named.is_denied
    if named.moment.is_until or compile_class("until_other_language").search(clause):
        return is_call or named.has("extends_other_language")
    is_of_vote = _OF_VOTE.search(clause) or (_WAITS.search(clause) and (named.heard or _VOTING.search(named.sentence)))
    return bool(is_of_vote and (is_call or named.has("period_open")))


def is_added(named: NamedTime) -> bool:
    """Whether it is a length on top of a vote that runs, "I'll keep it open for 48 more hours", or is waited for."""
    if named.clock.is_call:
        return (
            named.moment.is_length and _WAITS.search(named.clause) is not None and bool(_VOTING.search(named.sentence))
        )
    is_open = named.moment.adds and compile_class("period_open").search(named.clause) is not None
    return is_open and _OF_VOTE.search(named.clause) is not None and not (named.is_denied or named.speaks_of_other)


def replaces_usual(named: NamedTime) -> bool:
    """Whether a call has named the usual period before: "normally 72 hours, this time a week"."""
    is_length = named.clock.is_call and named.moment.is_length and not named.speaks_of_other
    return is_length and _REPLACES_USUAL.search(named.lead) is not None


def lasts_in_other_language(named: NamedTime) -> bool:
    """Whether another language says that the vote runs for a length: "La votación estará abierta durante 7 días"."""
    earlier = find_moments(named.clause)[1]
    before = _OF_NUMBER.sub(" ", named.clause[earlier[-1].at.end() if earlier else 0 :])
    said = f"{before} {MARK.split(named.behind)[0]}"
    if not named.moment.is_length or compile_class("length_of_other").search(before) or named.speaks_of_other:
        return False
    if compile_class("not_fact_other_language").search(said):
        return False
    runs, prolongs = compile_class("runs_other_language"), compile_class("prolongs_other_language")
    opens = named.heard and runs.match(before.strip()) is not None  # "期間は1週間です"
    is_long = prolongs.search(said) is not None or (named.clock.is_call and runs.search(said) is not None)
    return is_long and (opens or compile_class("vote_other_language").search(said) is not None)
