"""How long a vote's caller lets it run: "open for two weeks", "closes on Friday, March 6th", "extended by a week".

A call's "until" a time is the vote's end unless its clause speaks of something else, as passing too late does less harm
than passing too early; in a later mail the clause must say that something is open. Any other time belongs to the vote
only if every word of the clause before it is known, and one of them means to run or to end. So a freeze, holiday,
retention time, negation or question is never read as a period.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cache

from kipflow.mail.announcements.moments import Clock, find_moments, names_time
from kipflow.mail.announcements.tokens import load_classes

#: An end later than this after the vote's opening is not understood.
LONGEST = timedelta(days=92)
_MAX_TEXT, _MAX_LINE, _MAX_SENTENCES = 8_000, 300, 100
_LAST_YEAR = 9_000  # later years overflow date arithmetic
_SENTENCES = re.compile(
    r"(?<=\D[.!?])\s+(?=[^\s\d])|(?<=\d[.!?])\s+(?=[A-Z])(?!(?:Jan|Feb|M[aä]r|A[pu]|Ma[iy]|Ju|[ADNOS][a-z]+(?:ust|ber)))|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*•]|(?:The|This|Our|Please|Voting|Votes?|Deadline|Discussion)\b))"
)
#: Where a clause ends; a colon right before a time is handled separately.
_CLAUSE = re.compile(r"[,;()\[\]{}=–—]|:(?!\s*$)|(?:^|\s)-+\s")
_WORD = re.compile(r"[a-z]+-\d+|[^\W\d_]+(?:['’][a-z]+)?|\d+")
#: "This vote is on keeping it for", "a vote in the last"; not "the vote on KIP-7"
_ABOUT = re.compile(
    r"\bvot(?:es?|ing)(?: (?:is|are))? (?:on|about|for|in)\b(?! (?:this|it|by|before|until|[a-z]+-\d)|\s*$)"
    r"|\bvotes? to\b(?!\s*$)"
)
_IT = re.compile(r"(?:it|that|this)\b(?! vote)")
_OTHER_VOTE = re.compile(r"\b(?:next|last|previous|other|earlier) vot")
#: After a time: "… is unnecessary", "… was a typo", "…?"
_TAKES_BACK = re.compile(r"\W*(?:is|was|would|isn't|wasn't)\b|[^.!]*\?")
_ASKED_FOR = re.compile(r"\basked for\b")
_GRANTS = re.compile(
    r"(?:(?:hi|hello|hey|dear)\b[^,.;:]{0,20},\s*)?(?:sure|ok(?:ay)?|yes|yep|of course|no problem|fine|will do|done"
    r"|certainly|gladly|agreed|makes sense|good (?:idea|point)|alright|absolutely)\b"
    r"(?!.{0,80}\b(?:but|unfortunately)\b)"
)
_ZONE = re.compile(r"\([a-z]{2,4}t\)")
_GREETING = re.compile(r"^\W*(?:hi|hello|hey|dear|ok|okay)\b[^,.;:]{0,20},")
#: Words that are about the vote itself, whatever stands before: "so I keep this one open", "test and vote by"
_ANCHOR = re.compile(
    r"\b(?:(?:keep|leav|hold)(?:e|ing)? (?:this(?: one| vote| thread)? open|(?:the|our) (?:vote|voting|thread) open)"
    r"|(?:extend|prolong)(?:ing|ed)? (?:this|the|our) (?:vot(?:e|ing)|thread|poll|deadline)"
    r"|(?:the|this|our) (?:vote|voting|poll)(?: will| shall| is| to| be){0,3} (?:(?:is|be|stays?|remains?) open|runs?"
    r"|lasts?|closes?|ends?|goes on)|vote (?=by)"
    r"|giv(?:e|ing) (?:it|this|people|folks|every(?:one|body)|you|us)(?: all)?)\b"
)
_IN_CALLS = ("vote", "giv")
#: what stands before the last subject or object: "because of the holidays I keep it open" → "it open"
_SUBJECT = re.compile(r"^.*\b(?=(?:it|this|i|we|vot(?:es?|ing)|poll)\b)")
#: "I'll be at a conference until Friday", not "I'm leaving it open until Friday"
_IS_AWAY = re.compile(r"i(?:['’]m|['’]ll be| am| will be) (?!\w+ing\b)")
#: most words between "until" and its time: "until at least the end of"
_UNTIL = r"(?<![^\W_])(?:{})\W*(?:\w+\W+){{0,3}}$"


def find_period(text: str, clock: Clock, is_of_other: Callable[[str], bool]) -> tuple[datetime, str] | None:
    """The latest end that a caller's mail sets for the vote, with the sentence that sets it.

    `is_of_other` says whether a sentence is about another proposal.
    """
    text = text[:_MAX_TEXT]
    if clock.said_at.year > _LAST_YEAR or not names_time(text.lower()):
        return None
    found: list[tuple[datetime, str]] = []
    heard, of_other = False, False  # an earlier sentence is about the vote, so "it" is the vote; or about another
    for said in _SENTENCES.split(text, _MAX_SENTENCES)[:_MAX_SENTENCES]:
        sentence = " ".join(said.split())[:_MAX_LINE]
        folded = sentence.lower()
        still = of_other and _IT.match(folded) is not None
        of_other = still or is_of_other(sentence) or _OTHER_VOTE.search(folded) is not None
        if not of_other:
            found.extend((until, sentence) for until in _find_ends(folded, clock, heard=heard))
        heard = not of_other and not _get("period_vote").isdisjoint(_WORD.findall(folded))
    within = [end for end in found if clock.said_at < end[0] <= clock.opened_at + LONGEST]
    return max(within, default=None)


def find_request(text: str, clock: Clock) -> datetime | None:
    """The end that somebody asks the caller for: "Could you leave it open till Monday?"."""
    asked = (" ".join(said.split()).lower() for said in _SENTENCES.split(text[:_MAX_TEXT], _MAX_SENTENCES))
    for sentence in (said for said in asked if said.endswith("?") and len(said) <= _MAX_LINE):
        for moment in find_moments(sentence):
            clause = sentence[: moment.at.start()]
            is_end = not moment.is_length and _compile_until().search(clause) is not None
            if is_end and _is_open(clause, is_call=False):
                return moment.find_until((), clock, extends=True)
    return None


def grants(text: str) -> bool:
    """Whether a caller's answer begins by agreeing, and does not qualify it: "Sure, Monday it is."."""
    said = " ".join(text[:_MAX_LINE].lower().split())
    return _GRANTS.match(said) is not None and _get("period_denied").isdisjoint(_WORD.findall(said))


@cache
def _get(*names: str) -> frozenset[str]:
    return frozenset(word for name in names for word in load_classes("patterns.toml")[name])


def _find_ends(sentence: str, clock: Clock, *, heard: bool) -> Iterator[datetime]:
    """The ends that a sentence gives the vote: the first time that belongs to it, and other forms of it."""
    sentence = _ZONE.sub(" ", sentence)
    end, belongs = 0, False
    for moment in find_moments(sentence):
        lead = sentence[: moment.at.start()]
        *earlier, clause = _CLAUSE.split(lead)
        if _TAKES_BACK.match(sentence[moment.at.end() :]) or _is_unsure(clause if clock.is_call else lead):
            if lead.strip():
                return
            continue  # "Friday is a holiday, so it runs until Tuesday"
        joined = belongs and _get("period_joins").issuperset(_WORD.findall(lead[end:]))
        if earlier and "til" in clause and _get("period_joins").issuperset(_WORD.findall(clause)):
            clause = f"{earlier[-1]} {clause}"  # "This vote is open longer, that is until Friday"
        own = _find_own(clause, is_call=clock.is_call)
        opens, before = _GREETING.sub("", lead).strip(" -*•[") == clause.strip(), own or clause
        heard_of = heard or not _get("period_vote").isdisjoint(_WORD.findall(lead))
        about = bool(own) or _speaks_of_vote(before, clock, heard=heard_of, opens=opens)
        is_end = not moment.is_length and (moment.is_until or _compile_until().search(clause) is not None)
        belongs = joined or (about and _is_known(before)) or (is_end and _is_open(clause, is_call=clock.is_call))
        end = moment.at.end()
        words = _WORD.findall(before)
        extends = not _get("period_extends").isdisjoint(words)
        until = moment.find_until(words, clock, extends=extends) if belongs else None
        if until is not None:
            yield until


@cache
def _compile(name: str) -> re.Pattern[str]:
    """A pattern for words that begin with those of a class."""
    return re.compile(rf"(?<![a-zà-ÿ])(?:{'|'.join(map(re.escape, load_classes('patterns.toml')[name]))})")


@cache
def _compile_until() -> re.Pattern[str]:
    return re.compile(_UNTIL.format("|".join(load_classes("patterns.toml")["until"])))


def _is_open(clause: str, *, is_call: bool) -> bool:
    """Whether what ends at the time after a clause is the vote: in its call, unless the clause says otherwise."""
    said = _SUBJECT.sub("", clause)
    of_other = _compile("period_other").search(said) or _IS_AWAY.match(said)
    if of_other or not _get("period_denied").isdisjoint(_WORD.findall(clause)):
        return False
    return _ABOUT.search(clause) is None if is_call else _compile("period_open").search(clause) is not None


def _is_unsure(lead: str) -> bool:
    """Whether a sentence's words before a time make it a wish, a report or a condition; not "some asked for more"."""
    return not _get("period_unsure").isdisjoint(_WORD.findall(_ASKED_FOR.sub(" ", lead)))


def _find_own(clause: str, *, is_call: bool) -> str:
    """A clause from where it is about the vote itself: "because of the holidays this vote runs for" → "this vote …"."""
    anchor = next(reversed(list(_ANCHOR.finditer(clause))), None)
    if anchor is None or not _get("period_denied").isdisjoint(_WORD.findall(clause[: anchor.start()])):
        return ""
    return "" if anchor.group().startswith(_IN_CALLS) and not is_call else clause[anchor.start() :]


def _is_known(before: str) -> bool:
    """Whether every word before a time is known."""
    known = _get("period_runs", "period_vote", "period_between", "period_denied")
    rest = _ANCHOR.sub(" ", before)
    return all(word in known or "-" in word for word in _WORD.findall(rest)) and _ABOUT.search(before) is None


def _speaks_of_vote(before: str, clock: Clock, *, heard: bool, opens: bool) -> bool:
    """Whether the words before a time are about the vote's period."""
    words = _WORD.findall(before)
    said, runs = set(words), _get("period_runs")
    if runs.isdisjoint(said):
        return False
    is_moved = ("deadline" in said or {"closing", "time"} <= said) and not said.isdisjoint({"new", "moves", "moved"})
    if before.rstrip().endswith(":") and not (is_moved or words[-1] in runs - {"please"}):
        return False  # "please vote on KIP-7: 30 days of retention"
    ends_it = not _get("period_ends").isdisjoint(said) and not said.isdisjoint({"before", "until", "till"})
    extends = not _get("period_extends").isdisjoint(said)
    if not (_get("period_denied").isdisjoint(said) or (ends_it and not extends)) or ("been" in said and not extends):
        return False
    if not _get("period_vote").isdisjoint(said):
        return not (extends and "can" in said)
    alone = not _get("period_alone").isdisjoint(said)
    if extends:  # "Extended to 30 days in the KIP" is about the KIP
        alone = not said.isdisjoint({"until", "till", "by", "another"})
    return alone and (heard if "it" in said else opens and (clock.is_call or extends or is_moved))
