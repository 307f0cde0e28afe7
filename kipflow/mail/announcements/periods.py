"""How long a vote's caller lets it run: "open for two weeks", "closes on Friday, March 6th", "extended by a week".

What is "until" a time is the vote in a call, as passing too late does less harm than passing too early, unless its
clause speaks of something else; in a later mail the clause must say that it goes on. Any other time belongs to the vote
only if every word of the clause before it is known, and one of them means to run or to end. So a freeze, holiday,
retention time, negation or question is never read as a period.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cache

from kipflow.mail.announcements.moments import Clock, Moment, find_moments, names_time
from kipflow.mail.announcements.tokens import load_classes

#: An end later than this after the vote's opening is not understood.
LONGEST = timedelta(days=92)
_MAX_TEXT, _MAX_LINE, _MAX_SENTENCES = 8_000, 300, 100
_LAST_YEAR = 9_000  # later years overflow date arithmetic
_SENTENCES = re.compile(
    r"(?<=\D[.!?])\s+(?=[^\s\d])|(?<=\d[.!?])\s+(?=[A-Z])(?!Jan|Feb|M[aä]r|A[pu]|Ma[iy]|Ju|[ADNOS][a-z]+(?:ust|ber))"
    r"|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*•]|(?:The|This|Our|Please|Voting|Votes?|Deadline|Discussion)\b))"
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
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_OTHER_VOTE = re.compile(r"\b(?:next|last|previous|other|earlier) vot")
#: After a time: "… is unnecessary", "… was a typo", "…?"
_TAKES_BACK = re.compile(r"\W*(?:is|was|would|isn't|wasn't)\b|[^.!]*\?")
_ASKED_FOR = re.compile(r"\basked for\b")
_GRANTS = re.compile(
    r"(?:thanks?\b[^,.;:!]{0,20}[,.!]\s*|(?:(?:hi|hello|hey|dear)\s+)?(?!ok|yes|sure)[^\W\d]{2,20},\s*)?(?:yeah,? )?"
    r"(?:sure|ok(?:ay)?|yes|yep|of course|no (?:problem|worries)|not a problem|fine|will do|done|certainly|gladly"
    r"|agreed|makes sense|good idea|alright|absolutely|happy to|let['’]s do)\b"
)
#: what qualifies an agreement: "Okay, noted. Still, I'd like to close on Thursday"
_QUALIFIED = re.compile(
    r"\b(?:but|unfortunately|however|still|yet|rather|prefer|clos(?:e|ing)|noted|sorry|instead|[a-z]+n['’]t|cannot)\b"
)
#: "Could you leave it open till Monday?", "Can you give us until Monday?"
_REQUEST = re.compile(
    r"\b(?:could|can|would|may|please|any chance|possible|shall we|how about|what about|let['’]s)\b.*"
    r"(?:\b(?:leav|keep|hold|extend|prolong)\w*\b.{0,30}\b(?:it|this|vot(?:e|ing)|thread|poll|deadline)\b"
    r"|\bgiv\w+ (?:us|me|people|everybody|everyone|it)\b|\bhave until\b)"
)
_ZONE = re.compile(r"\([a-z]{2,4}t\)")
_GREETING = re.compile(r"^\W*(?:hi|hello|hey|dear|ok|okay)\b[^,.;:]{0,20},")
#: Words that are about the vote itself, whatever stands before: "so I keep this one open", "test and vote by"
_ANCHOR = re.compile(
    r"\b(?:(?:keep|leav|hold)(?:e|ing)? (?:this(?: one| vote| thread)? open|(?:the|our) (?:vote|voting|thread) open)"
    r"|(?:extend|prolong)(?:ing|ed)? (?:this|the|our) (?:vot(?:e|ing)|thread|poll|deadline)"
    r"|(?:the|this|our) (?:vote|voting|poll)(?: will| shall| is| to| be){0,3} (?:(?:is|be|stays?|remains?) open|runs?"
    r"|lasts?|closes?|ends?|goes on)|vote (?=by)|vot(?:e|es|ing) will be (?:closed|counted|tallied)"
    r"|i(?:['’]ll| will) (?:tally|count)(?: the votes)?|we(?:['’]ll| will) tally"
    r"|giv(?:e|ing) (?:it|this|people|folks|every(?:one|body)|you|us)(?: all)?)\b"
)
#: what stands before the last subject or object: "because of the holidays I keep it open" → "it open"
_SUBJECT = re.compile(r"^.*\b(?=(?:it|this|i|we|vot(?:es?|ing)|poll)\b)")
#: "I'll be at a conference until Friday", not "I'm leaving it open until Friday"
_IS_AWAY = re.compile(
    r"i(?:['’]m|['’]ll be| am| will be) (?!(?:leav|keep|extend|giv|hold|go|lett|open|prolong|mov)\w*ing\b)"
)
#: the vote, those who vote, or nothing at all before "until"
_OF_VOTE = re.compile(
    r"\b(?:it|this|vot(?:es?|ing|ers?)|polls?|ballots?|thread|giv(?:e|ing)|you|please|say|extend(?:ing|ed)?"
    r"|every(?:body|one)|people|time)\b|^\W*(?:(?:so|and|thus) )?open\b"
    r"|^\W*(?:[ie]\W*)*(?:that is |at least )?(?:until|untill|till?|through|thru)\b"
)
_WAITS, _VOTING = re.compile(r"\b(?:wait(?:ing)?|hold(?:ing)? off)\b"), re.compile(r"\b(?:clos|vot|result|tally)")
#: "new end is", "deadline extended:", "extended to", "deadline - "
_MOVED = re.compile(
    r"(?:\bextend(?:ed|ing)?\b|\bnew (?:end|deadline|clos)|\bmov\w+ the (?:deadline|end)|\bdeadline (?:extended|moved))"
    r"[^.;]{0,30}?(?:\bto|\bis|:|=)\s*$|\b(?:end date|extended)\s*[:=]\s*$"
)
_DEADLINE = re.compile(r"^\W*(?:the |our )?(?:vot(?:e|ing) )?deadline\s*[:=–-]\s*$")
#: "I won't close this before", "not closing until", "I'll close it not before"
_NOT_BEFORE = re.compile(
    r"(?:\bnot\b|n['’]t\b)(?:(?!extend).){0,30}\b(?:clos(?:e|ing)|end|count|tally)\b(?! time)(?:(?! your| my).){0,20}"
    r"\b(?:before|until|till)\s*$|\bclos\w+\b.{0,15}\bnot before\s*$"
)
#: "Ben wants it open until Monday", "I could leave it open"
_WISHED = re.compile(r"(?<!\bi )\bwants?\b|\bno (?:point|need|reason)\b|\btoo long\b|\b(?:could|might|would like)\b")
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
    for sentence in (said for said in asked if len(said) <= _MAX_LINE):
        timeless, moments = find_moments(sentence)
        for moment in moments:
            lead = timeless[: moment.at.start()]
            is_end = moment.is_length or _compile_until().search(lead) is not None
            if is_end and _REQUEST.search(lead) and _get("period_denied").isdisjoint(_WORD.findall(lead)):
                return moment.find_until((), clock, extends=True)
    return None


def grants(text: str) -> bool:
    """Whether a caller's answer begins by agreeing, and does not qualify it: "Sure, Monday it is."."""
    said = " ".join(text[:_MAX_LINE].lower().split())
    return _GRANTS.match(said) is not None and _QUALIFIED.search(said) is None


@cache
def _get(*names: str) -> frozenset[str]:
    return frozenset(word for name in names for word in load_classes("patterns.toml")[name])


def _find_ends(sentence: str, clock: Clock, *, heard: bool) -> Iterator[datetime]:
    """The ends that a sentence gives the vote: the first time that belongs to it, and other forms of it."""
    timeless, moments = find_moments(_ZONE.sub(" ", sentence))
    end, belongs = 0, False
    for moment in moments:
        lead = timeless[: moment.at.start()]
        *earlier, clause = _CLAUSE.split(lead)
        if _TAKES_BACK.match(timeless[moment.at.end() :]) or _is_unsure(lead, clause):
            if lead.strip():
                return
            continue  # "Friday is a holiday, so it runs until Tuesday"
        joined = belongs and _get("period_joins").issuperset(_WORD.findall(lead[end:]))
        if earlier and "til" in clause and _get("period_joins").issuperset(_WORD.findall(clause)):
            clause = f"{earlier[-1]} {clause}"  # "This vote is open longer, that is until Friday"
        own = _find_own(clause, moment, is_call=clock.is_call)
        opens, before = _GREETING.sub("", lead).strip(" -*•[") == clause.strip(), own or clause
        heard_of = heard or not _get("period_vote").isdisjoint(_WORD.findall(lead))
        about = bool(own) or _speaks_of_vote(before, clock, heard=heard_of, opens=opens)
        belongs = joined or (about and _is_known(before)) or _is_end(moment, lead, clause, timeless, clock)
        end = moment.at.end()
        words = _WORD.findall(before)
        extends = not _get("period_extends").isdisjoint(words)
        until = moment.find_until(words, clock, extends=extends) if belongs else None
        if until is not None:
            yield until


@cache
def _compile(name: str) -> re.Pattern[str]:
    """A pattern for the words of a class: "freez*" with any ending, those without blanks between them anywhere."""
    words = [re.escape(word).replace(r"\*", r"\w*") for word in load_classes("patterns.toml")[name]]
    spaced, wide = ([w for w in words if bool(_WIDE.match(w)) is is_wide] for is_wide in (False, True))
    return re.compile("|".join([*wide, *([rf"(?<![^\W_])(?:{'|'.join(spaced)})(?![^\W_])"] if spaced else [])]))


@cache
def _compile_until() -> re.Pattern[str]:
    return re.compile(_UNTIL.format("|".join(load_classes("patterns.toml")["until"])))


def _is_end(moment: Moment, lead: str, clause: str, sentence: str, clock: Clock) -> bool:
    """Whether a time is the vote's end by the words right before it: "until", or "extended to" in a later mail."""
    until = moment.is_until or _compile_until().search(clause) is not None
    moved = _NOT_BEFORE.search(clause) or (_DEADLINE.search(lead) if clock.is_call else _MOVED.search(clause))
    if moment.is_length or not (until or moved) or _speaks_of_other(clause, sentence):
        return False
    if moved:
        return True
    if not _get("period_denied").isdisjoint(_WORD.findall(clause)) or _ABOUT.search(clause) is not None:
        return False
    if moment.is_until or _compile("until_abroad").search(clause):
        return clock.is_call or _compile("extends_abroad").search(sentence) is not None
    is_of_vote = _OF_VOTE.search(clause) or (_WAITS.search(clause) and _VOTING.search(sentence))
    goes_on = clock.is_call or _compile("period_open").search(sentence)
    return bool(is_of_vote and goes_on)


def _speaks_of_other(clause: str, sentence: str) -> bool:
    """Whether somebody is away until then, or something else than the vote ends."""
    said = _SUBJECT.sub("", clause)
    found = _compile("period_other").search(said) or _IS_AWAY.match(said) or _compile("away").search(sentence)
    return found is not None


def _is_unsure(lead: str, clause: str) -> bool:
    """Whether the words before a time make it a wish, a report or a condition; not "some asked for more"."""
    said = _ASKED_FOR.sub(" ", lead)
    reported = not _get("period_reported").isdisjoint(_WORD.findall(said)) or _WISHED.search(said) is not None
    return reported or not _get("period_unsure").isdisjoint(_WORD.findall(clause))


def _find_own(clause: str, moment: Moment, *, is_call: bool) -> str:
    """A clause from where it is about the vote itself: "because of the holidays this vote runs for" → "this vote …"."""
    anchor = next(reversed(list(_ANCHOR.finditer(clause))), None)
    if anchor is None or not _get("period_denied").isdisjoint(_WORD.findall(clause[: anchor.start()])):
        return ""
    is_of_call = (anchor.group() == "vote " or anchor.group().startswith("giv")) and not moment.adds
    return "" if is_of_call and not is_call else clause[anchor.start() :]


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
