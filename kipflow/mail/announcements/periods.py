"""How long a vote's caller lets it run: "open for two weeks", "closes on Friday, March 6th", "extended by a week".

What is "until" a time is the vote in a call, as passing too late does less harm than passing too early, unless its
clause speaks of something else; in a later mail the clause must say that it goes on. Any other time belongs to the vote
only if every word of the clause before it is known, and one of them means to run or to end. So a freeze, holiday,
retention time, negation or question is never read as a period.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache

from kipflow.mail.announcements.moments import (
    LAST_YEAR,
    MAX_LINE,
    Clock,
    Moment,
    find_moments,
    fold_sentence,
    names_time,
    split_sentences,
)
from kipflow.mail.announcements.tokens import join_words, load_classes

#: Where a clause ends; a colon right before a time is handled separately.
_CLAUSE = re.compile(r"[,，、;()\[\]{}=–—]|:(?!\s*$)|(?:^|\s)-+\s")
_WORD = re.compile(r"[a-z]+-\d+|[^\W\d_]+(?:'[a-z]+)?|\d+")
#: "This vote is on keeping it for", "a vote in the last"; not "the vote on KIP-7"
_ABOUT = re.compile(
    r"\bvot(?:es?|ing)(?: (?:is|are))? (?:on|about|for|in)\b(?! (?:this|it|by|before|until|[a-z]+-\d)|\s*$)"
    r"|\bvotes? to\b(?!\s*$)"
)
_IT = re.compile(r"(?:it|that|this)\b(?! vote)")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_OTHER_VOTE = re.compile(r"\b(?:next|last|previous|other|earlier) vot")
#: After a time: "… is unnecessary", "… was a typo", "…?"
_TAKES_BACK = re.compile(r"\W*(?:is|was|would|isn't|wasn't)\b|\s+if (?:needed|necessary|required|wanted)\b|[^.!]*\?")
#: "People have until April 30 to migrate", "We wait until April 30 before closing the old endpoint"
_OTHER_AIM = re.compile(
    r"\s+(?:to (?!(?:vote|cast|have|give|allow|let|respond|review|reply|get|make|be|read|test|verify|accommodate|wrap"
    r"|close|end|finish|collect|reach)\b)[a-z]+\b|for (?:the )?old\b"
    r"|before (?:closing|removing|dropping) (?!the vote|this|it\b))"
)
_ASKED_FOR = re.compile(r"\basked for\b")
_ZONE = re.compile(r"\([a-z]{2,4}t\)|\((?=at least\))|(?<=at least)\)")
_GREETING = re.compile(r"^\W*(?:hi|hello|hey|dear|ok|okay)\b[^,.;:]{0,20},")
#: Words that are about the vote itself, whatever stands before: "so I keep this one open", "test and vote by"
_ANCHOR = re.compile(
    r"\b(?:(?:keep|leav|hold)(?:e|ing)? (?:this(?: one| vote| thread)? open|(?:the|our) (?:vote|voting|thread) open)"
    r"|(?:extend|prolong)(?:ing|ed)? (?:this|the|our) (?:vot(?:e|ing)|thread|poll|deadline)"
    r"|(?:the|this|our) (?:vote|voting|poll)(?: will| shall| is| to| be){0,3} (?:(?:is|be|stays?|remains?) open|runs?"
    r"|lasts?|closes?|ends?|goes on)|vote (?=by)|vot(?:e|es|ing) will be (?:closed|counted|tallied)"
    r"|i(?:'ll| will) (?:tally|count)(?: the votes)?|we(?:'ll| will) tally"
    r"|clos(?:e|ing) (?:this|it)(?: vote| thread| one)?(?= (?:on|next)\b)"
    r"|giv(?:e|ing) (?:it|this|people|folks|every(?:one|body)|you|us)(?: all)?)\b"
)
#: what stands before the last subject or object: "because of the holidays I keep it open" → "it open"
_SUBJECT = re.compile(r"^.*\b(?<!for )(?<!of )(?<!on )(?=(?:it|this|i|we|vot(?:es?|ing)|poll)\b)")
_RELEASE_VOTE = re.compile(r"\b(?:vot\w+|poll) (?:on|for) (?:this|the) release(?: candidate)?\b")
#: "I'll be at a conference until Friday", not "I'm leaving it open until Friday"
_IS_AWAY = re.compile(
    r"i(?:'m|'ll be| am| will be) "
    r"(?!(?:leav|keep|extend|giv|hold|go|lett|open|prolong|mov|push|clos|wait|postpon)\w*ing\b)"
)
#: the vote, those who vote, or nothing at all before "until"
_OF_VOTE = re.compile(
    r"\b(?:it|this|vot(?:es?|ing|ers?)|polls?|ballots?|thread|giv(?:e|ing)|you|please|say|extend(?:ing|ed)?"
    r"|every(?:body|one)|people|time)\b|^\W*(?:(?:so|and|thus) )?open\b"
    r"|^\W*(?:[ie]\W*)*(?:that is |at least )?(?:until|untill|till?|through|thru)\b"
)
_WAITS, _VOTING = re.compile(r"\b(?:wait(?:ing)?|hold(?:ing)? off)\b"), re.compile(r"\b(?:clos|vot|result|tally)")
#: "new end is", "deadline extended:", "extended to"
_MOVED = re.compile(
    r"(?:\bextend(?:ed|ing)?\b|\bnew (?:end|deadline|clos)|\b(?:mov|push|postpon)\w+ the (?:deadline|end)"
    r"|\bdeadline (?:extended|moved)|\b(?:vote|end|deadline) is postponed\b)[^.;]{0,30}?(?:\bto|\bis|:|=)\s*$"
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
#: "Ben wants it open until Monday", "I could leave it open"
_WISHED = re.compile(
    r"(?<!\bi )\b(?:wants?|would like)\b|\bno (?:point|need|reason)\b|\btoo long\b|\b(?:could|might)\b"
)
#: a reason or an aside before what is decided: "Since Jun asked, I'm keeping it open", "If you haven't voted yet: …"
_REASON = re.compile(
    r"^\W*(?:(?:since|as|because) [^,]*,|if you haven't[^,:]*[,:])|\binstead of (?:the )?(?:usual )?\d+ hours\b"
)
#: most words between "until" and its time: "until at least the end of"
_UNTIL = r"(?<![^\W_])(?:{})\W*(?:\w+\W+){{0,3}}$"


def find_period(text: str, clock: Clock, is_of_other: Callable[[str], bool]) -> tuple[datetime, str] | None:
    """The latest end that a caller's mail sets for the vote, with the sentence that sets it.

    `is_of_other` says whether a sentence is about another proposal.
    """
    if clock.said_at.year > LAST_YEAR or not names_time(text):
        return None
    found: list[tuple[datetime, str]] = []
    heard, of_other = False, False  # an earlier sentence is about the vote, so "it" is the vote; or about another
    for said in split_sentences(text):
        sentence = " ".join(said.split())[:MAX_LINE]
        folded = fold_sentence(said)
        still = of_other and _IT.match(folded) is not None
        of_other = still or is_of_other(sentence) or _OTHER_VOTE.search(folded) is not None
        if not of_other:
            found.extend((until, sentence) for until in _find_ends(folded, clock, heard=heard))
        heard = not of_other and not _get("period_vote").isdisjoint(_WORD.findall(folded))
    return max((end for end in found if clock.allows(end[0])), default=None)


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
        behind = timeless[moment.at.end() :]
        if _TAKES_BACK.match(behind) or _OTHER_AIM.match(behind) or _is_unsure(lead, clause):
            belongs = False
            continue  # "Friday is a holiday, so it runs until Tuesday"
        joined = belongs and _get("period_joins").issuperset(_WORD.findall(lead[end:]))
        if earlier and "til" in clause and _get("period_joins").issuperset(_WORD.findall(clause)):
            clause = f"{earlier[-1]} {clause}"  # "This vote is open longer, that is until Friday"
        own = _find_own(clause, moment, is_call=clock.is_call)
        opens, before = _GREETING.sub("", lead).strip(" -*•[") == clause.strip(), own or clause
        heard_of = heard or not _get("period_vote").isdisjoint(_WORD.findall(lead))
        about = bool(own) or _speaks_of_vote(before, clock, heard=heard_of, opens=opens)
        belongs = joined or (about and _is_known(before)) or _is_end(moment, lead, clause, timeless, clock, heard=heard)
        belongs = belongs or _is_added(moment, clause, timeless, clock)
        end = moment.at.end()
        words = _WORD.findall(before)
        extends = moment.adds or not _get("period_extends").isdisjoint(words)
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
def compile_until() -> re.Pattern[str]:
    return re.compile(_UNTIL.format(join_words("until")))


def _is_end(moment: Moment, lead: str, clause: str, sentence: str, clock: Clock, *, heard: bool) -> bool:
    """Whether a time is the vote's end by the words right before it: "until", or "extended to" in a later mail."""
    until = moment.is_until or compile_until().search(clause) is not None
    put_off = _NOT_BEFORE.search(clause) is not None
    moved = _DEADLINE.search(lead) if clock.is_call else _MOVED.search(clause)
    if moment.is_length or not (until or moved or put_off) or _speaks_of_other(clause, sentence):
        return False
    denied = not _get("period_denied").isdisjoint(_WORD.findall(clause))
    if put_off or denied or moved:
        return put_off or not denied
    if _ABOUT.search(clause) is not None:
        return False
    if moment.is_until or _compile("until_abroad").search(clause):
        return clock.is_call or _compile("extends_abroad").search(sentence) is not None
    is_of_vote = _OF_VOTE.search(clause) or (_WAITS.search(clause) and (heard or _VOTING.search(sentence)))
    goes_on = clock.is_call or _compile("period_open").search(sentence)
    return bool(is_of_vote and goes_on)


def _is_added(moment: Moment, clause: str, sentence: str, clock: Clock) -> bool:
    """Whether a length is added to a vote that runs: "I'll keep it open for 48 more hours"; or is waited for."""
    if clock.is_call:
        return moment.is_length and _WAITS.search(clause) is not None and _VOTING.search(sentence) is not None
    is_open = moment.adds and _compile("period_open").search(clause) is not None
    denied = not _get("period_denied").isdisjoint(_WORD.findall(clause))
    return is_open and _OF_VOTE.search(clause) is not None and not denied and not _speaks_of_other(clause, sentence)


def _speaks_of_other(clause: str, sentence: str) -> bool:
    """Whether somebody is away until then, or something else than the vote ends."""
    said = _SUBJECT.sub("", _RELEASE_VOTE.sub("vote", clause))
    found = _compile("period_other").search(said) or _IS_AWAY.match(said) or _compile("away").search(sentence)
    return found is not None


def _is_unsure(lead: str, clause: str) -> bool:
    """Whether the words before a time make it a wish, a report or a condition; not "some asked for more"."""
    said = _REASON.sub(" ", _ASKED_FOR.sub(" ", lead))
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
    if extends:  # "Extended to 30 days in the KIP" is about the KIP; not "I'll leave it open for two weeks"
        opens_it = clock.is_call and "open" in said and not said.isdisjoint({"i", "i'll", "i'd", "let", "let's", "we"})
        if opens_it:
            return True
        alone = not said.isdisjoint({"until", "till", "by", "another"})
    return alone and (heard if "it" in said else opens and (clock.is_call or extends or is_moved))
