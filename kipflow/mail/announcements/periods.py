"""Until when a vote's caller lets it run: "open for two weeks", "closes on Friday, March 6th", "extended by a week".

Closed world: a time belongs to the vote only where every word from the vote, or from the start of the sentence, to the
time is known, a word for running or ending among them. So no freeze, holiday or retention time is taken for a period.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache

from kipflow.mail.announcements.tokens import join_words, load_classes

#: A vote that is said to run longer than this is none that is understood.
LONGEST = timedelta(days=92)
_MAX_TEXT, _MAX_LINE, _MAX_SENTENCES = 8_000, 300, 100
_LAST_YEAR = 9_000  # beyond it reckoning with days breaks
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24}
#: Without an hour a day lasts until it is over everywhere.
_LAST_ON_EARTH = timedelta(days=1, hours=12)
_SENTENCES = re.compile(r"[.!?]+(?=\s|$)|\n\s*\n|\n(?=\s*[-*•])")
_WORD = re.compile(r"[a-z]+-\d+|[^\W\d_]+(?:['’][a-z]+)?|\d+")
_CLOCK = re.compile(
    r"\b(?P<hour>[01]?\d|2[0-4])(?::(?P<minute>[0-5]\d)(?::\d\d)?)?\s?(?P<half>[ap]m)?\s?(?:utc|gmt|z)\b"
)


@dataclass(frozen=True, slots=True)
class Clock:
    """When a mail was written, when its vote was opened, and until when that runs as far as is known before."""

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
        rf"\b(?:(?:{day},?\s+(?:the\s+)?)?"
        r"(?:(?P<iso>20\d\d-\d\d-\d\d)"
        rf"|(?P<month1>{month})\.?\s+(?P<day1>\d\d?){th}\b{year.format(1)}"
        rf"|(?P<day2>\d\d?){th}\s+(?:of\s+)?(?P<month2>{month})\b{year.format(2)})"
        rf"|(?P<weekday>{day})\b"
        rf"|(?P<number>\d{{1,3}}|an?|one|another|{join_words('number')})(?:\s?\(\w{{1,8}}\))?\s?-?"
        r"(?P<kind>(?:(?:more|full|further|additional|extra|whole|calendar|working|business)\s)*)"
        r"(?P<unit>hours?|hrs?|h|days?|d|weeks?|wks?)\b(?!\s(?:ago|old|after|since|from|before)))"
    )


def find_period(text: str, clock: Clock) -> tuple[datetime, str] | None:
    """The latest moment until which a caller's mail lets the vote run, with the sentence that says so."""
    text = text[:_MAX_TEXT]
    if clock.said_at.year > _LAST_YEAR or _compile_times().search(text.lower()) is None:
        return None
    found: list[tuple[datetime, str]] = []
    heard = False  # the sentence before speaks of the vote, so "it" is the vote
    for said in _SENTENCES.split(text, _MAX_SENTENCES)[:_MAX_SENTENCES]:
        sentence = " ".join(said.split())
        folded = sentence.lower()
        found.extend((until, sentence[:_MAX_LINE]) for until in _find_ends(folded, clock, heard=heard))
        heard = not _get("period_vote").isdisjoint(_WORD.findall(folded))
    within = [end for end in found if clock.said_at < end[0] <= clock.said_at + LONGEST]
    return max(within, default=None)


@cache
def _get(name: str) -> frozenset[str]:
    return frozenset(load_classes("patterns.toml")[name])


def _find_ends(sentence: str, clock: Clock, *, heard: bool) -> Iterator[datetime]:
    """The ends that a sentence gives the vote: the first time that belongs to it, and those that say it otherwise."""
    before: list[str] = []
    end, belongs = 0, False
    for at in _compile_times().finditer(sentence):
        between = _WORD.findall(sentence[end : at.start()])
        before, end = [*before, *between], at.end()
        if belongs and not _take_known(between)[1]:
            return
        belongs = belongs or (not _is_unsure(before) and _speaks_of_period(before, heard=heard, is_call=clock.is_call))
        until = _find_until(at, sentence, before, clock) if belongs else None
        if until is not None:
            yield until


def _is_unsure(before: Sequence[str]) -> bool:
    """Whether what is said before a time is denied or only possible: "not … before Friday" says until when, too."""
    denied = "before" not in before and not _get("period_denied").isdisjoint(before)
    return denied or not _get("period_unsure").isdisjoint(before)


def _take_known(words: Sequence[str]) -> tuple[set[str], bool]:
    """The last words that are all known, and whether these are all."""
    known: set[str] = set()
    for word in reversed(words):
        is_number = word.isdigit() or "-" in word
        if not (is_number or word in _get("period_runs") | _get("period_vote") | _get("period_between")):
            return known, False
        known.add(word)
    return known, True


def _speaks_of_period(before: Sequence[str], *, heard: bool, is_call: bool) -> bool:
    known, is_whole = _take_known(before)
    extends = not _get("period_extends").isdisjoint(known)
    if _get("period_runs").isdisjoint(known) or ("been" in known and not extends):
        return False
    if not _get("period_vote").isdisjoint(known):
        return True
    alone = not _get("period_alone").isdisjoint(known)
    return alone and ((heard and "it" in known) or (is_whole and (is_call or extends)))


def _find_until(at: re.Match[str], sentence: str, before: list[str], clock: Clock) -> datetime | None:
    if at["unit"]:
        return _add_length(at, before, clock)
    day = _find_day(at, clock.said_at.date())
    if day is None:
        return None
    hours = list(_CLOCK.finditer(sentence))
    begin = datetime.combine(day, time(), UTC)
    if len(hours) != 1:
        return begin + _LAST_ON_EARTH
    hour, half = int(hours[0]["hour"]), hours[0]["half"]
    hour = hour if half is None else hour % 12 + (12 if half == "pm" else 0)
    return begin + timedelta(hours=hour, minutes=int(hours[0]["minute"] or 0))


def _add_length(at: re.Match[str], before: list[str], clock: Clock) -> datetime:
    """ "72 hours" from the call on, "in 24 hours" from now; an extension comes on top of what was left."""
    word, numbers = at["number"], load_classes("patterns.toml")["number"]
    number = int(word) if word.isdigit() else numbers.index(word) if word in numbers else 1
    begin = clock.said_at if before[-1:] in (["in"], ["within"]) else clock.opened_at
    if not (clock.is_call or _get("period_extends").isdisjoint(before)):
        begin = max(clock.said_at, clock.close)
    if "business" not in at["kind"] and "working" not in at["kind"]:
        return begin + timedelta(hours=number * _HOURS[at["unit"][0]])
    while number > 0:
        begin += timedelta(days=1)
        number -= begin.weekday() < 5
    return begin


def _find_day(at: re.Match[str], today: date) -> date | None:
    if at["weekday"]:
        return today + timedelta(days=(_DAYS.index(at["weekday"][:3]) - today.weekday()) % 7 or 7)
    try:
        if at["iso"]:
            return date.fromisoformat(at["iso"])
        month, day = _MONTHS.index((at["month1"] or at["month2"])[:3]) + 1, int(at["day1"] or at["day2"])
        year = at["year1"] or at["year2"]
        # "January 4th", said in December
        return date(int(year) if year else today.year + (today.month - month > 6), month, day)
    except ValueError:
        return None
