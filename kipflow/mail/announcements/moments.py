"""The times that a sentence names, in the languages of `[month]`: "in 3 days", "Friday, March 6th", "el 6 de marzo"."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache

from kipflow.mail.announcements.tokens import join_words, load_classes

_WEEK = timedelta(days=7)
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 31 * 24}
#: A day without an hour ends when it is over in every time zone.
_LAST_ON_EARTH = timedelta(days=1, hours=12)
#: Most characters between a day and its hour.
_REACH = 25
MAX_LINE, _MAX_TIMES, _MAX_TEXT, _MAX_SENTENCES = 300, 6, 8_000, 100
_SENTENCES = re.compile(
    r"(?<=\D[.!?])\s+(?=[^\s\d])|(?<=\d[.!?])\s+(?=[A-Z])(?!Jan|Feb|M[aä]r|A[pu]|Ma[iy]|Ju|[ADNOS][a-z]+(?:ust|ber))"
    r"|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*•]|(?:The|This|Our|Please|Voting|Votes?|Deadline|Discussion)\b))"
)
#: An end later than this after the vote's opening is not understood.
LONGEST = timedelta(days=92)
LAST_YEAR = 9_000  # later years overflow date arithmetic
_MONTHS, _MOST_DAYS = 12, 31
_FROM_NOW = re.compile(r"\s+(?:from|as of) (?:now|today)\b")
_ADDED = re.compile(r"more|further|additional|extra")
_CLOCK = re.compile(
    r"(?<!\d)(?P<hour>[01]?\d|2[0-4])(?:[:.](?P<minute>[0-5]\d)(?::\d\d)?(?:\s?(?P<half>[ap]m))?|\s?(?P<half2>[ap]m))"
    r"\s?(?:utc|gmt|z)\b(?!\s?[+-]\d)"
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

    def allows(self, until: datetime) -> bool:
        """Whether an end is still to come, and not so late that it is misunderstood."""
        return self.said_at < until <= self.opened_at + LONGEST


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as written: where it stands in its sentence, and the hours (in UTC) that stand near it."""

    at: re.Match[str]
    hours: tuple[re.Match[str], ...]

    @property
    def is_length(self) -> bool:
        return bool(self.at["unit"])

    @property
    def adds(self) -> bool:
        """Whether it is a length on top of another: "two more days"."""
        near = self.at.string[: self.at.start()].rstrip()
        is_more = self.at["number"] == "another" or near.endswith(("another", "additional", "further"))
        return self.is_length and (is_more or _ADDED.search(self.at["kind"]) is not None)

    @property
    def is_until(self) -> bool:
        """Whether the words beside it, in a script without blanks, say that something ends then."""
        return bool(self.at["wide"] or self.at["wide2"])

    def find_until(self, before: Sequence[str], clock: Clock, *, extends: bool) -> datetime | None:
        """The latest moment that it can mean behind the words `before`; `extends`: they make a vote run longer."""
        if self.is_length:
            return _add_length(self.at, before, clock, extends=extends)
        day = _find_day(self.at, clock.said_at.date(), is_call=clock.is_call)
        if day is None:
            return None
        begin = datetime.combine(day, time(), UTC)
        if len(self.hours) != 1:
            return begin + _LAST_ON_EARTH
        hour, half = int(self.hours[0]["hour"]), self.hours[0]["half"] or self.hours[0]["half2"]
        hour = hour if half is None else hour % 12 + (12 if half == "pm" else 0)
        return begin + timedelta(hours=hour, minutes=int(self.hours[0]["minute"] or 0))


def split_sentences(text: str) -> list[str]:
    """The first sentences of a mail."""
    return _SENTENCES.split(text[:_MAX_TEXT], _MAX_SENTENCES)[:_MAX_SENTENCES]


def fold_sentence(said: str) -> str:
    """A sentence in lower case, on one line, with one kind of apostrophe."""
    return " ".join(said.split())[:MAX_LINE].lower().replace("’", "'")


def names_time(text: str) -> bool:
    """Whether a mail's text may name a time."""
    return _compile_times().search(text[:_MAX_TEXT].lower()) is not None


def find_moments(sentence: str) -> tuple[str, list[Moment]]:
    """A sentence in lower case with its hours blanked out, and its times, the first few."""
    hours = list(_CLOCK.finditer(sentence))
    timeless = _CLOCK.sub(lambda m: " " * len(m.group()), sentence) if hours else sentence
    found = itertools.islice(_compile_times().finditer(timeless), _MAX_TIMES)
    near = ((at, tuple(h for h in hours if at.start() - _REACH < h.start() < at.end() + _REACH)) for at in found)
    return timeless, [Moment(at, beside) for at, beside in near]


def _shorten(name: str) -> str:
    """A pattern for a name and its short forms: "march", "mar"."""
    return name[:3] + "".join(f"(?:{letter}" for letter in name[3:]) + ")?" * len(name[3:])


def _join_names(name: str, count: int) -> str:
    """The names of the days or months: English ones may be short, as "out" and "ago" mean more than a month."""
    names = load_classes("patterns.toml")[name]
    return "|".join([*map(_shorten, names[:count]), *sorted(names[count:], key=len, reverse=True)])


def _find_name(name: str, written: str) -> int:
    """Where a written name stands in the lists of the languages, one after the other."""
    return next(at for at, full in enumerate(load_classes("patterns.toml")[name]) if full.startswith(written))


@cache
def _compile_times() -> re.Pattern[str]:
    day, month = rf"(?:{_join_names('weekday', 7)})", rf"(?:{_join_names('month', 12)})"
    th, year = r"(?:st|nd|rd|th|er|º|\.)?", r"(?:(?:,?\s+|\s+de\s+)(?P<year{}>20\d\d)\b)?(?!:)"
    the = rf"(?:{join_words('the_day')})"
    return re.compile(
        rf"(?<![\w.])(?:(?:(?:(?:next|this|coming)\s+)?{day}\.?,?\s+(?:{the}\s+)?)?"
        r"(?:(?P<iso>20\d\d(?P<mark>[-/])\d\d(?P=mark)\d\d)(?:t(?=\d))?"
        rf"|(?P<month1>{month})\.?\s+(?P<day1>\d\d?)(?:st|nd|rd|th)?\b{year.format(1)}"
        rf"|(?P<day2>\d\d?){th}\s+(?:of\s+|de\s+)?(?P<month2>{month})(?!\w){year.format(2)}"
        r"|(?P<dotted>\d\d?\.\d\d?\.20\d\d|\d\d\.\d\d\.(?!\d))|(?P<slashed>\d\d?/\d\d?/20\d\d)\b)"
        r"|the\s+(?P<day5>\d\d?)(?:st|nd|rd|th)\b(?!\s+of)"
        rf"|(?P<soon>{join_words('tomorrow')})\b"
        rf"|(?P<next>next\s+)?(?P<weekday>{day})(?:,?\s+{the}\s+(?P<day3>\d\d?){th})?(?!\w)(?P<after>\s+next\s+week\b)?"
        r"|end\s+of\s+(?P<which>next|this|the)\s+(?P<span>week|month)\b"
        rf"|(?:\d{{1,2}}\s?(?:-|–|to|or)\s?)?(?P<number>\d{{1,3}}|an?|one|another|{join_words('number')})"
        r"(?:\s?\(\w{1,8}\))?(?:(?<=\d)|\s|-)\s?-?"
        r"(?P<kind>(?:(?:more|full|further|additional|extra|whole|calendar|working|business)\s)*)"
        r"(?P<unit>hours?|hrs?|h|days?|d|weeks?|wks?|months?)\b(?!\s(?:ago|old|after|before|from (?!now|today))))"
        rf"|(?P<wide>(?:{join_words('wide_until')})\s?)?(?P<year3>20\d\d\s?年\s?)?(?P<month4>\d\d?)\s?月\s?(?P<day4>\d\d?)\s?日"
        rf"(?P<wide2>[^。\n]{{0,20}}?(?:{join_words('wide_until_behind')}))?"
    )


def _add_length(at: re.Match[str], before: Sequence[str], clock: Clock, *, extends: bool) -> datetime:
    """ "72 hours" from the call on, "in 24 hours" from now; an extension is added to the time that was left."""
    word, numbers = at["number"], load_classes("patterns.toml")["number"]
    number = int(word) if word.isdigit() else numbers.index(word) if word in numbers else 1
    begin = clock.said_at if before[-1:] in (["in"], ["within"]) else clock.opened_at
    if _FROM_NOW.match(at.string, at.end()) is not None:
        begin = clock.said_at
    elif extends and before[-1:] != ["to"] and not clock.is_call:
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


def _find_year(month: int, today: date) -> int:
    """The year of a month without one: "January 4th", said in December, is in the next."""
    return today.year + (today.month - month > _MONTHS // 2)


def _find_next(number: int, today: date) -> date | None:
    """The next day with this number of its month."""
    days = (today + timedelta(days=n) for n in range(62))
    return next((day for day in days if day.day == number), None)


def _find_written(written: str, today: date) -> date | None:
    """The latest day that figures can mean within a season: 09/03/2026 is in March or September."""
    first, second, year = (int(part or 0) for part in re.split(r"[./]", written))
    orders = ((first, second), (second, first)) if "/" in written else ((first, second),)
    near_year = {month: year or _find_year(month, today) for _, month in orders}
    days = [date(near_year[month], month, day) for day, month in orders if month <= _MONTHS and day <= _MOST_DAYS]
    near = [day for day in days if day <= today + LONGEST]
    return max(near or days, default=None)


def _find_day(at: re.Match[str], today: date, *, is_call: bool) -> date | None:
    if at["soon"] or at["day5"]:
        return _find_next(int(at["day5"]), today) if at["day5"] else today + timedelta(days=1)
    if at["weekday"]:
        first = today + timedelta(days=(_find_name("weekday", at["weekday"]) % 7 - today.weekday()) % 7)
        if at["day3"]:  # "Monday, the 16th"
            return _find_next(int(at["day3"]), today)
        # the latest day it can mean; "Thursday", said on a Thursday, is today, unless the vote opens then
        if at["after"] or at["next"]:
            return first + _WEEK if first.isocalendar().week == today.isocalendar().week else first
        return first + _WEEK if first == today and is_call else first
    if at["span"]:
        return _find_last(today, at["span"], at["which"])
    try:
        if at["iso"]:
            return date.fromisoformat(at["iso"].replace("/", "-"))
        if at["dotted"] or at["slashed"]:
            return _find_written(at["dotted"] or at["slashed"], today)
        if at["month4"]:
            month, day, year = int(at["month4"]), int(at["day4"]), (at["year3"] or "")[:4]
        else:
            month = _find_name("month", at["month1"] or at["month2"]) % 12 + 1
            day, year = int(at["day1"] or at["day2"]), at["year1"] or at["year2"]
        return date(int(year) if year else _find_year(month, today), month, day)
    except ValueError:
        return None
