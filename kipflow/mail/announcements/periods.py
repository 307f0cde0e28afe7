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

from kipflow.mail.announcements.ends import (
    MARK,
    WORD,
    NamedTime,
    compile_until,
    get_words,
    holds,
    is_added,
    is_end,
    lasts_in_other_language,
    replaces_usual,
)
from kipflow.mail.announcements.moments import (
    LAST_YEAR,
    MAX_LINE,
    Clock,
    Moment,
    find_moments,
    fold_sentence,
    split_text,
)
from kipflow.mail.announcements.tokens import compile_class
from kipflow.mail.votes.values import find_values

_IT = re.compile(r"(?:it|that|this)\b(?! vote)")
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
#: "This vote is on keeping it for", "a vote in the last"; not "the vote on KIP-7"
_ABOUT = re.compile(
    r"\bvot(?:es?|ing)(?: (?:is|are))? (?:on|about|for|in)\b(?! (?:this|it|by|before|until|at least|[a-z]+-\d)|\s*$)"
    r"|\bvotes? to\b(?!\s*$)"
)
#: "I'd like to call a vote on KIP-7,", before "open for one week"
_ENDS_IN_VOTE = re.compile(r"\bvot(?:e|ing)(?: (?:on|for) [a-z]+-\d+)?[,;:–—-]\s*$")
#: Words that are about the vote itself, whatever stands before: "so I keep this one open", "test and vote by"
_ANCHOR = re.compile(
    r"\b(?:(?:keep|leav|hold)(?:e|ing)? (?:this(?: one| vote| thread)? open|(?:the|our) (?:vote|voting|thread) open)"
    r"|(?:extend|prolong)(?:ing|ed)? (?:this|the|our) (?:vot(?:e|ing)|thread|poll|deadline)"
    r"|(?:the|this|our) (?:vote|voting|poll)(?: will| shall| is| to| be){0,3} (?:(?:is|be|stays?|remains?) open|runs?"
    r"|lasts?|closes?|ends?|goes on)"
    r"|voting (?:(?:on|for|[a-z]+-\d+|it|this|opens?|starts?|begins?|here(?:with|by)?|now|today|and|as|usual) ){1,7}"
    r"(?:stays?|remains?) open"
    r"|(?:open|start|call|begin(?:n(?=i))?)(?:ing)? (?:the|a|this) (?:vote|voting)(?: on [a-z]+-\d+)?(?= for )"
    r"|vote (?=by)|vot(?:e|es|ing) will be (?:closed|counted|tallied)"
    r"|i(?:'ll| will) (?:tally|count)(?: the votes)?|we(?:'ll| will) tally"
    r"|clos(?:e|ing) (?:this|it)(?: vote| thread| one)?(?= (?:on|next)\b)"
    r"|giv(?:e|ing) (?:it|this|people|folks|every(?:one|body)|you|us)(?: all)?)\b"
)
#: "Ben wants it open until Monday", "I could leave it open"
_WISHED = re.compile(
    r"(?<!\bi )(?<!\bi don't )\b(?:wants?|would like)\b|\bno (?:point|need|reason)\b|\btoo long\b|\b(?:could|might)\b"
)
#: a reason or an aside before what is decided: "Since Jun asked, I'm keeping it open", "If you haven't voted yet: …"
_REASON = re.compile(
    r"^\W*(?:(?:since|as|because) [^,]*,|if you haven't[^,:]*[,:])|\binstead of (?:the )?(?:usual )?\d+ hours\b"
)

_DENIED = re.compile(r"\b(?:not|never|cannot|[a-z]+n't)\b")
_GRANTS = re.compile(
    r"(?:thanks?\b[^,.;:!]{0,20}[,.!]\s*|(?:(?:hi|hello|hey|dear)\s+)?(?!ok|yes|sure)[^\W\d]{2,20},\s*)?(?:yeah,? )?"
    r"(?:sure|ok(?:ay)?|yes|yep|of course|no (?:problem|worries)|not a problem|fine|will do|certainly|gladly"
    r"|agreed|makes sense|good idea|alright|absolutely|happy to|let's do)(?=\s*(?:$|[,.!;:)-])|(?: \w+){1,4}\W*$)"
)
#: what qualifies an agreement: "Okay, noted. Still, I'd like to close on Thursday"
_QUALIFIED = re.compile(
    r"\b(?:but|unfortunately|however|still|yet|rather|prefer|clos(?:e|ing)|noted|sorry|instead|[a-z]+n't|cannot)\b"
)
#: "Could you leave it open till Monday?", "Can you give us until Monday?"
_REQUEST = re.compile(
    r"\b(?:could|can|would|may|please|any chance|possible|shall we|how about|what about|let's)\b.*"
    r"(?:\b(?:leav|keep|hold)\w*\b.{0,30}\b(?:it|this|vot(?:e|ing)|thread|poll)\b.{0,20}\bopen\b"
    r"|\b(?:extend|prolong)\w*\b.{0,30}\b(?:it|this|vot(?:e|ing)|poll|deadline)\b"
    r"|\bgiv\w+ (?:us|people|everybody|everyone|it)\b|\bhave until\b)"
)


def find_period(text: str, clock: Clock, is_of_other: Callable[[str], bool]) -> tuple[datetime, str] | None:
    """The latest end that a caller's mail sets for the vote, with the sentence that sets it.

    `is_of_other` says whether a sentence is about another proposal.
    """
    if clock.said_at.year > LAST_YEAR:
        return None
    found: list[tuple[datetime, str]] = []
    heard, of_other = False, False  # an earlier sentence is about the vote, so "it" is the vote; or about another
    for said in split_text(text):
        sentence = said[:MAX_LINE]
        folded = fold_sentence(said)
        still = of_other and _IT.match(folded) is not None
        of_other = still or is_of_other(sentence) or _OTHER_VOTE.search(folded) is not None
        if not of_other:
            found.extend((until, sentence) for until in _find_ends(folded, clock, heard=heard))
        heard = not of_other and compile_class("vote_other_language").search(folded) is not None
    return max((end for end in found if clock.allows(end[0])), default=None)


def _find_ends(sentence: str, clock: Clock, *, heard: bool) -> Iterator[datetime]:
    """The ends that a sentence gives the vote: the first time that belongs to it, and other forms of it."""
    timeless, moments = find_moments(_ZONE.sub(" ", sentence))
    end, belongs = 0, False
    for moment in moments:
        lead = timeless[: moment.at.start()]
        *earlier, clause = MARK.split(lead)
        behind = timeless[moment.at.end() :]
        if _TAKES_BACK.match(behind) or _OTHER_AIM.match(behind) or _is_unsure(lead, clause):
            belongs = False
            continue  # "Friday is a holiday, so it runs until Tuesday"
        joined = belongs and get_words("period_joins").issuperset(WORD.findall(lead[end:]))
        if earlier and "til" in clause and get_words("period_joins").issuperset(WORD.findall(clause)):
            clause = f"{earlier[-1]} {clause}"  # "This vote is open longer, that is until Friday"
        own = _find_own(clause, moment, is_call=clock.is_call)
        opens, before = _GREETING.sub("", lead).strip(" -*•[") == clause.strip(), own or clause
        opens = opens or _ENDS_IN_VOTE.search(lead.removesuffix(clause)) is not None
        heard_of = heard or holds(lead, "period_vote")
        about = bool(own) or _speaks_of_vote(before, clock, heard=heard_of, opens=opens)
        named = NamedTime(moment, lead, clause, timeless, clock, heard)
        lasts = lasts_in_other_language(named)
        belongs = joined or lasts or (about and _is_known(before))
        belongs = belongs or is_end(named) or is_added(named) or replaces_usual(named)
        end = moment.at.end()
        words = WORD.findall(before)
        extends = moment.adds or lasts or holds(before, "period_extends")
        until = moment.find_until(words, clock, extends=extends) if belongs else None
        if until is not None:
            yield until


def _is_unsure(lead: str, clause: str) -> bool:
    """Whether the words before a time make it a wish, a report or a condition; not "some asked for more"."""
    said = _REASON.sub(" ", _ASKED_FOR.sub(" ", lead))
    return holds(said, "period_reported") or holds(clause, "period_unsure") or _WISHED.search(said) is not None


def _find_own(clause: str, moment: Moment, *, is_call: bool) -> str:
    """A clause from where it is about the vote itself: "because of the holidays this vote runs for" → "this vote …"."""
    anchor = next(reversed(list(_ANCHOR.finditer(clause))), None)
    if anchor is None or holds(clause[: anchor.start()], "period_denied"):
        return ""
    is_of_call = (anchor.group() == "vote " or anchor.group().startswith("giv")) and not moment.adds
    return "" if is_of_call and not is_call else clause[anchor.start() :]


def _is_known(before: str) -> bool:
    """Whether every word before a time is known."""
    known = get_words("period_runs", "period_vote", "period_between", "period_denied")
    words = WORD.findall(_ANCHOR.sub(" ", before))
    return all(word in known or "-" in word for word in words) and _ABOUT.search(before) is None


def _speaks_of_vote(before: str, clock: Clock, *, heard: bool, opens: bool) -> bool:
    """Whether the words before a time are about the vote's period.

    `heard`: the vote was named before, so "it" is the vote; `opens`: they begin their sentence.
    """
    words = WORD.findall(before)
    said, runs = set(words), get_words("period_runs")
    if runs.isdisjoint(said) or "been" in said or not get_words("period_denied").isdisjoint(said):
        return False
    if before.rstrip().endswith(":") and words[-1] not in runs - {"please"}:
        return False  # "please vote on KIP-7: 30 days of retention"
    extends = not get_words("period_extends").isdisjoint(said)
    if not get_words("period_vote").isdisjoint(said):
        return not (extends and "can" in said)
    # "Extended to 30 days in the KIP" is about the KIP; not "I'll leave it open for two weeks"
    if clock.is_call and extends and not said.isdisjoint({"i", "i'll", "i'd", "let", "let's", "we"}):
        return True
    alone = {"until", "till", "by", "another"} if extends else get_words("period_alone")
    return not alone.isdisjoint(said) and (heard if "it" in said else opens and (clock.is_call or extends))


def find_request(text: str, clock: Clock, is_of_other: Callable[[str], bool]) -> datetime | None:
    """The end that somebody asks the caller for: "Could you leave it open till Monday?"."""
    if clock.said_at.year > LAST_YEAR:
        return None
    for said in split_text(text):
        sentence = fold_sentence(said)
        if is_of_other(said):
            continue
        timeless, moments = find_moments(sentence)
        for moment in moments:
            lead = timeless[: moment.at.start()]
            is_end = moment.is_length or compile_until().search(lead) is not None
            if is_end and _REQUEST.search(lead) and _DENIED.search(lead) is None:
                until = moment.find_until(lead.split(), clock, extends=True)
                return until if until is not None and clock.allows(until) else None
    return None


def grants(text: str) -> bool:
    """Whether a caller's answer begins by agreeing, and does not qualify it: "Sure, Monday it is."."""
    said = fold_sentence(text)
    return _GRANTS.match(said) is not None and _QUALIFIED.search(said) is None and not find_values(said)
