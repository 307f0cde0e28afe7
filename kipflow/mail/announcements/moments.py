"""The times that a sentence names, in the languages of `[month]`: "in 3 days", "Friday, March 6th", "el 6 de marzo"."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from kipflow.mail.announcements.sentences import split_sentences
from kipflow.mail.announcements.timewords import compile_times, find_hours, find_name, find_number

_WEEK = timedelta(days=7)
#: A day without an hour ends when it is over in every time zone.
_LAST_ON_EARTH = timedelta(days=1, hours=12)
#: Most characters between a day and its hour.
_REACH = 25
MAX_LINE, _MAX_TIMES, _MAX_TEXT = 300, 6, 8_000
_FIRST_WORDS = re.compile(r"\n(?=\s*(?:The|This|Our|Please|Voting|Votes?|Deadline|Discussion)\b)")
#: An end later than this after the vote's opening is not understood.
LONGEST = timedelta(days=92)
LAST_YEAR = 9_000  # later years overflow date arithmetic
_MONTHS, _MOST_DAYS = 12, 31
_FROM_NOW = re.compile(r"\s+(?:from|as of) (?:now|today)\b")
_ADDED = re.compile(r"more|further|additional|extra")
_WORKING = re.compile(r"business|working")
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
        return self.unit != ""

    @property
    def unit(self) -> str:
        return self.at["unit"] or self.at["wide_unit"] or ""

    @property
    def length(self) -> timedelta:
        """How long a length is, in days of 24 hours."""
        return timedelta(hours=find_number(self.at["number"] or self.at["wide_number"]) * find_hours(self.unit))

    @property
    def adds(self) -> bool:
        """Whether it is a length on top of another: "two more days"."""
        near = self.at.string[: self.at.start()].rstrip()
        is_more = self.at["number"] == "another" or near.endswith(("another", "additional", "further"))
        return self.is_length and (is_more or _ADDED.search(self.at["kind"] or "") is not None)

    @property
    def is_until(self) -> bool:
        """Whether the words beside it, in a script without blanks, say that something ends then."""
        return bool(self.at["wide"] or self.at["wide2"])

    def find_until(self, before: Sequence[str], clock: Clock, *, extends: bool) -> datetime | None:
        """The latest moment that it can mean behind the words `before`; `extends`: they make a vote run longer."""
        if self.is_length:
            return _add_length(self, before, clock, extends=extends)
        day = _find_day(self.at, clock.said_at.date(), is_call=clock.is_call)
        if day is None:
            return None
        begin = datetime.combine(day, time(), UTC)
        if len(self.hours) != 1:
            return begin + _LAST_ON_EARTH
        hour, half = int(self.hours[0]["hour"]), self.hours[0]["half"] or self.hours[0]["half2"]
        hour = hour if half is None else hour % 12 + (12 if half == "pm" else 0)
        return begin + timedelta(hours=hour, minutes=int(self.hours[0]["minute"] or 0))


def split_text(text: str) -> list[str]:
    """The first sentences of a mail; lines that begin like one are sentences of their own."""
    return split_sentences([_FIRST_WORDS.sub("\n\n", text[:_MAX_TEXT])])


def fold_sentence(said: str) -> str:
    """A sentence in lower case, on one line, with one kind of apostrophe."""
    return " ".join(said.split())[:MAX_LINE].lower().replace("’", "'")


def find_moments(sentence: str) -> tuple[str, list[Moment]]:
    """A sentence in lower case with its hours blanked out, and its times, the first few."""
    hours = list(_CLOCK.finditer(sentence))
    timeless = _CLOCK.sub(lambda m: " " * len(m.group()), sentence)
    found = itertools.islice(compile_times().finditer(timeless), _MAX_TIMES)
    near = ((at, tuple(h for h in hours if at.start() - _REACH < h.start() < at.end() + _REACH)) for at in found)
    return timeless, [Moment(at, beside) for at, beside in near]


def _add_length(moment: Moment, before: Sequence[str], clock: Clock, *, extends: bool) -> datetime:
    """ "72 hours" from the call on, "in 24 hours" from now; an extension is added to the time that was left."""
    at = moment.at
    begin = clock.said_at if before[-1:] in (["in"], ["within"]) else clock.opened_at
    if _FROM_NOW.match(at.string, at.end()) is not None:
        begin = clock.said_at
    elif extends and before[-1:] != ["to"] and not clock.is_call:
        begin = max(clock.said_at, clock.close)
    if _WORKING.search(at["kind"] or "") is None:
        return begin + moment.length
    days = moment.length.days
    while days > 0:
        begin += timedelta(days=1)
        days -= begin.weekday() < 5
    return begin


def _find_last(today: date, span: str, which: str | None) -> date:
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
    first, second, year = (int(part or 0) for part in [*re.split(r"[./]", written), ""][:3])
    orders = ((first, second), (second, first)) if "/" in written else ((first, second),)
    near_year = {month: year or _find_year(month, today) for _, month in orders}
    days = [date(near_year[month], month, day) for day, month in orders if month <= _MONTHS and day <= _MOST_DAYS]
    return max((day for day in days if day <= today + LONGEST), default=None)


def _find_day(at: re.Match[str], today: date, *, is_call: bool) -> date | None:
    if at["soon"] or at["day5"]:
        return _find_next(int(at["day5"]), today) if at["day5"] else today + timedelta(days=1)
    if at["weekday"]:
        first = today + timedelta(days=(find_name("weekday", at["weekday"]) % 7 - today.weekday()) % 7)
        if at["day3"]:  # "Monday, the 16th"
            return _find_next(int(at["day3"]), today)
        # the latest day it can mean; "Thursday", said on a Thursday, is today, unless the vote opens then
        if at["after"] or at["next"]:
            return first + _WEEK if first.isocalendar().week == today.isocalendar().week else first
        return first + _WEEK if first == today and is_call else first
    if at["span"] or at["weekend"]:
        return _find_last(today, at["span"] or "week", at["which"])
    try:
        if at["iso"]:
            return date.fromisoformat(at["iso"].replace("/", "-"))
        if figures := at["dotted"] or at["slashed"] or at["short"]:
            return _find_written(figures, today)
        if at["month4"]:
            month, day, year = int(at["month4"]), int(at["day4"]), (at["year3"] or "")[:4]
        else:
            month = find_name("month", at["month1"] or at["month2"]) % 12 + 1
            day, year = int(at["day1"] or at["day2"]), at["year1"] or at["year2"]
        return date(int(year) if year else _find_year(month, today), month, day)
    except ValueError:
        return None
