"""How long a vote's caller lets it run: "open for two weeks", "closes on Friday, March 6th", "extended by a week".

Closed world: a time belongs to the vote only if every word of the clause before it is known, and one of them means to
run or to end. So a freeze, holiday, retention time, negation or question is never read as a period.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache

from kipflow.mail.announcements.tokens import join_words, load_classes

#: An end later than this after the vote's opening is not understood.
LONGEST = timedelta(days=92)
_MAX_TEXT, _MAX_LINE, _MAX_SENTENCES, _MAX_TIMES = 8_000, 300, 100, 6
_LAST_YEAR = 9_000  # later years overflow date arithmetic
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEK = timedelta(days=7)
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 31 * 24}
#: A day without an hour ends when it is over in every time zone.
_LAST_ON_EARTH = timedelta(days=1, hours=12)
_SENTENCES = re.compile(
    r"(?<=[.!?])\s+(?=[^\s\d])|\n\s*\n|\n(?=\s*(?:[-*•]|(?:The|This|Our|Please|Voting|Votes?|Deadline|Discussion)\b))"
)
#: Where a clause ends; a colon right before a time is handled separately.
_CLAUSE = re.compile(r"[,;()\[\]{}=–—]|:(?!\s*$)|(?:^|\s)-+\s")
_WORD = re.compile(r"[a-z]+-\d+|[^\W\d_]+(?:['’][a-z]+)?|\d+")
_CLOCK = re.compile(
    r"(?<!\d)(?P<hour>[01]?\d|2[0-4])(?:[:.](?P<minute>[0-5]\d)(?::\d\d)?(?:\s?(?P<half>[ap]m))?|\s?(?P<half2>[ap]m))"
    r"\s?(?:utc|gmt|z)\b(?!\s?[+-]\d)"
)
#: "This vote is on keeping it for", "a vote in the last"; not "the vote on KIP-7"
_ABOUT = re.compile(
    r"\bvot(?:es?|ing)(?: (?:is|are))? (?:on|about|for|in)\b(?! (?:this|it|by|before|until|[a-z]+-\d)|\s*$)"
    r"|\bvotes? to\b(?!\s*$)"
)
_OTHER_VOTE = re.compile(r"\b(?:next|last|previous|other|earlier) vot")
#: After a time: "… is unnecessary", "… was a typo", "…?"
_TAKES_BACK = re.compile(r"\W*(?:is|was|would|isn't|wasn't)\b|[^.!]*\?")
_ASKED_FOR = re.compile(r"\basked for\b")
#: Most characters between a day and its hour.
_REACH = 25
_ZONE = re.compile(r"\([a-z]{2,4}t\)")
_GREETING = re.compile(r"^\W*(?:hi|hello|hey|dear|ok|okay)\b[^,.;:]{0,20},")
#: Words that are about the vote itself, whatever stands before: "so I keep this one open", "test and vote by"
_ANCHOR = re.compile(
    r"\b(?:(?:keep|leav|hold)(?:e|ing)? (?:this(?: one| vote| thread)? open|(?:the|our) (?:vote|voting|thread) open"
    r"|it open (?=until|till))|(?:extend|prolong)(?:ing|ed)? "
    r"(?:this (?=until|till)|(?:this|the|our) (?:vot(?:e|ing)|thread|poll|deadline))"
    r"|(?:the|this|our) (?:vote|voting|poll)(?: will| shall| is| to| be){0,3} (?:(?:is|be|stays?|remains?) open|runs?"
    r"|lasts?|closes?|ends?|goes on)|this will run (?=until|till|through)|vote (?=by|until|till)"
    r"|you(?:['’]ve| have)(?: got)?(?: time)? (?=until|till))\b"
)


@dataclass(frozen=True, slots=True)
class Clock:
    """When a mail was written, when its vote was opened, and the vote's end as known so far."""

    said_at: datetime
    opened_at: datetime
    close: datetime

    @property
    def is_call(self) -> bool:
        return self.said_at == self.opened_at


@cache
def _compile_times() -> re.Pattern[str]:
    day = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
    months = r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    month = rf"(?:{months}|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
    th, year = r"(?:st|nd|rd|th)?", r"(?:,?\s+(?P<year{}>20\d\d)\b)?(?!:)"
    return re.compile(
        rf"(?<![\w.])(?:(?:{day},?\s+(?:the\s+)?)?"
        r"(?:(?P<iso>20\d\d(?P<mark>[-/])\d\d(?P=mark)\d\d)(?:t(?=\d))?"
        rf"|(?P<month1>{month})\.?\s+(?P<day1>\d\d?){th}\b{year.format(1)}"
        rf"|(?P<day2>\d\d?){th}\s+(?:of\s+)?(?P<month2>{month})\b{year.format(2)})"
        rf"|(?P<soon>tomorrow)\b|(?P<next>next\s+)?(?P<weekday>{day})(?:,?\s+the\s+(?P<day3>\d\d?){th})?\b"
        r"(?P<after>\s+next\s+week\b)?|end\s+of\s+(?P<which>next|this|the)\s+(?P<span>week|month)\b"
        rf"|(?:\d{{1,2}}\s?(?:-|–|to|or)\s?)?(?P<number>\d{{1,3}}|an?|one|another|{join_words('number')})"
        r"(?:\s?\(\w{1,8}\))?(?:(?<=\d)|\s|-)\s?-?"
        r"(?P<kind>(?:(?:more|full|further|additional|extra|whole|calendar|working|business)\s)*)"
        r"(?P<unit>hours?|hrs?|h|days?|d|weeks?|wks?|months?)\b(?!\s(?:ago|old|after|before|from (?!now|today))))"
    )


def find_period(text: str, clock: Clock, is_of_other: Callable[[str], bool]) -> tuple[datetime, str] | None:
    """The latest end that a caller's mail sets for the vote, with the sentence that sets it.

    `is_of_other` says whether a sentence is about another proposal.
    """
    text = text[:_MAX_TEXT]
    if clock.said_at.year > _LAST_YEAR or _compile_times().search(text.lower()) is None:
        return None
    found: list[tuple[datetime, str]] = []
    heard = False  # an earlier sentence is about the vote, so "it" is the vote
    for said in _SENTENCES.split(text, _MAX_SENTENCES)[:_MAX_SENTENCES]:
        sentence = " ".join(said.split())[:_MAX_LINE]
        folded = sentence.lower()
        of_other = is_of_other(sentence) or _OTHER_VOTE.search(folded) is not None
        if not of_other:
            found.extend((until, sentence) for until in _find_ends(folded, clock, heard=heard))
        heard = not of_other and not _get("period_vote").isdisjoint(_WORD.findall(folded))
    within = [end for end in found if clock.said_at < end[0] <= clock.opened_at + LONGEST]
    return max(within, default=None)


@cache
def _get(*names: str) -> frozenset[str]:
    return frozenset(word for name in names for word in load_classes("patterns.toml")[name])


def _find_ends(sentence: str, clock: Clock, *, heard: bool) -> Iterator[datetime]:
    """The ends that a sentence gives the vote: the first time that belongs to it, and other forms of it."""
    sentence = _ZONE.sub(" ", sentence)
    hours = list(_CLOCK.finditer(sentence))
    timeless = _CLOCK.sub(lambda m: " " * len(m.group()), sentence) if hours else sentence
    end, belongs = 0, False
    for at in list(_compile_times().finditer(timeless))[:_MAX_TIMES]:
        lead = timeless[: at.start()]
        if _TAKES_BACK.match(timeless[at.end() :]) or _is_unsure(lead):
            return
        joined = belongs and _get("period_joins").issuperset(_WORD.findall(lead[end:]))
        *earlier, clause = _CLAUSE.split(lead)
        if earlier and "til" in clause and _get("period_joins").issuperset(_WORD.findall(clause)):
            clause = f"{earlier[-1]} {clause}"  # "This vote is open longer, that is until Friday"
        own = _find_own(clause, is_call=clock.is_call)
        opens, before = _GREETING.sub("", lead).strip(" -*•[") == clause.strip(), own or clause
        heard_of = heard or not _get("period_vote").isdisjoint(_WORD.findall(lead))
        about = bool(own) or _speaks_of_vote(before, clock, heard=heard_of, opens=opens)
        belongs = joined or (about and _is_known(before))
        end = at.end()
        near = [hour for hour in hours if at.start() - _REACH < hour.start() < at.end() + _REACH]
        until = _find_until(at, _WORD.findall(before), clock, near) if belongs else None
        if until is not None:
            yield until


def _is_unsure(lead: str) -> bool:
    """Whether a sentence's words before a time make it a wish, a report or a condition; not "some asked for more"."""
    return not _get("period_unsure").isdisjoint(_WORD.findall(_ASKED_FOR.sub(" ", lead)))


def _find_own(clause: str, *, is_call: bool) -> str:
    """A clause from where it is about the vote itself: "because of the holidays this vote runs for" → "this vote …"."""
    anchor = next(reversed(list(_ANCHOR.finditer(clause))), None)
    if anchor is None or not _get("period_denied").isdisjoint(_WORD.findall(clause[: anchor.start()])):
        return ""
    return "" if anchor.group().startswith(("you", "vote")) and not is_call else clause[anchor.start() :]


def _is_known(before: str) -> bool:
    """Whether every word before a time is known."""
    known = _get("period_runs", "period_vote", "period_between", "period_denied")
    return all(word in known or "-" in word for word in _WORD.findall(before)) and _ABOUT.search(before) is None


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


def _find_until(
    at: re.Match[str], before: Sequence[str], clock: Clock, hours: Sequence[re.Match[str]]
) -> datetime | None:
    if at["unit"]:
        return _add_length(at, before, clock)
    day = _find_day(at, clock.said_at.date(), is_call=clock.is_call)
    if day is None:
        return None
    begin = datetime.combine(day, time(), UTC)
    if len(hours) != 1:
        return begin + _LAST_ON_EARTH
    hour, half = int(hours[0]["hour"]), hours[0]["half"] or hours[0]["half2"]
    hour = hour if half is None else hour % 12 + (12 if half == "pm" else 0)
    return begin + timedelta(hours=hour, minutes=int(hours[0]["minute"] or 0))


def _add_length(at: re.Match[str], before: Sequence[str], clock: Clock) -> datetime:
    """ "72 hours" from the call on, "in 24 hours" from now; an extension is added to the time that was left."""
    word, numbers = at["number"], load_classes("patterns.toml")["number"]
    number = int(word) if word.isdigit() else numbers.index(word) if word in numbers else 1
    begin = clock.said_at if before[-1:] in (["in"], ["within"]) else clock.opened_at
    if before[-1:] != ["to"] and not (clock.is_call or _get("period_extends").isdisjoint(before)):
        begin = max(clock.said_at, clock.close)
    if "business" not in at["kind"] and "working" not in at["kind"]:
        return begin + timedelta(hours=number * _HOURS[at["unit"][0]])
    while number > 0:
        begin += timedelta(days=1)
        number -= begin.weekday() < 5
    return begin


def _find_last(today: date, span: str, which: str) -> date:
    """The last day of this or the next week or month."""
    if span == "week":
        return today + timedelta(days=6 - today.weekday()) + (_WEEK if which == "next" else timedelta())
    months = 2 if which == "next" else 1
    return date(today.year + (today.month + months - 1) // 12, (today.month + months - 1) % 12 + 1, 1) - timedelta(
        days=1
    )


def _find_day(at: re.Match[str], today: date, *, is_call: bool) -> date | None:
    if at["soon"]:
        return today + timedelta(days=1)
    if at["weekday"]:
        first = today + timedelta(days=(_DAYS.index(at["weekday"][:3]) - today.weekday()) % 7)
        if at["day3"]:  # "Monday, the 16th"
            days = (today + timedelta(days=n) for n in range(62))
            return next((day for day in days if day.day == int(at["day3"])), None)
        # the latest day it can mean; "Thursday", said on a Thursday, is today, unless the vote opens then
        if at["after"]:
            return first + _WEEK if first.isocalendar().week == today.isocalendar().week else first
        return first + _WEEK if at["next"] or (first == today and is_call) else first
    if at["span"]:
        return _find_last(today, at["span"], at["which"])
    try:
        if at["iso"]:
            return date.fromisoformat(at["iso"].replace("/", "-"))
        month, day = _MONTHS.index((at["month1"] or at["month2"])[:3]) + 1, int(at["day1"] or at["day2"])
        year = at["year1"] or at["year2"]
        # "January 4th", said in December
        return date(int(year) if year else today.year + (today.month - month > 6), month, day)
    except ValueError:
        return None
