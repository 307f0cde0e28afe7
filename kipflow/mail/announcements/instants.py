"""Times as people write them in a sentence: "for 5 days", "until Friday, March 6th, 18:00 UTC", "till the end of May".

What is said without an hour or without a zone means a span: from its earliest beginning on Earth to its latest end.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from kipflow.mail.announcements.tokens import load_classes

_NUMBERS = load_classes("patterns.toml")["number"]
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_TH = r"(?: ?(?:st|nd|rd|th))?"
_ATOM = re.compile(
    r"\b(?:"
    r"(?P<iso>20\d\d) ?[-/.] ?(?P<iso_month>\d\d?) ?[-/.] ?(?P<iso_day>\d\d?)(?: ?t(?= ?\d))?"
    rf"|(?P<month>{_MONTH}) (?P<day>\d\d?){_TH}(?: (?:, )?(?P<year>20\d\d))?(?! ?:)"
    rf"|(?P<day2>\d\d?){_TH}(?: of)? (?P<month2>{_MONTH})\b(?: (?:, )?(?P<year2>20\d\d))?(?! ?:)"
    rf"|(?P<next>next )?(?P<weekday>{_DAY})"
    r"|(?P<near>today|tonight|tomorrow|(?:the |next )?weekend|(?:this|the|next) week|(?<=end of )week)"
    rf"|(?:(?<=end of )|(?<=until )|(?<=till ))(?P<whole>{_MONTH})"
    r"|(?P<noon>noon|midnight)(?: ?\(?(?P<zone2>[a-z]{1,4})\b)?"
    r"|(?P<hour>\d\d?)(?: : (?P<minute>\d\d)(?: : \d\d)?(?: (?P<half>[ap] ?\.? ?m))?| (?P<half2>[ap] ?\.? ?m))"
    r"(?: ?\(? ?(?P<zone>utc|gmt|z|[a-z]{2,4}t)\b(?: ?(?P<offset>[+-] ?\d\d?)(?: : \d\d)?)?)?"
    r")(?![a-z\d])"
)
_LENGTH = re.compile(
    rf"(?<![\w.:])(?:(?P<low>\d{{1,4}}|{'|'.join(_NUMBERS)}) ?(?:-|–|to|or) ?)?"
    rf"(?P<number>\d{{1,4}}|an?|one|another|{'|'.join(_NUMBERS)}) ?-? ?"
    r"(?P<kind>(?:(?:more|full|further|additional|extra|whole|calendar|working|business|week) ?-? ?)*)"
    r"(?P<unit>hours?|hrs?|h|days?|d|weeks?|w|wks?|months?|fortnights?)(?![a-z\d])"
)
_BETWEEN = re.compile(r"(?: ?(?:,|at|on|the|\(|\)|by|of|end|eod|day))* ")
#: Zones that mean one thing; any other is a place that may be anywhere.
_ZONES = {"utc": 0, "gmt": 0, "z": 0, "cet": 1, "cest": 2, "est": -5, "edt": -4, "cdt": -5, "mdt": -6, "mst": -7}
_ZONES |= {"pst": -8, "pdt": -7, "jst": 9, "kst": 9}
_ENDS = ("end of ", "end of the ", "end of this ")
_EAST, _WEST = timedelta(hours=14), timedelta(hours=12)
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 31 * 24, "f": 14 * 24}


@dataclass(frozen=True, slots=True)
class Instant:
    """A time in a text, from `start` to `end` in it; `since` None: it is none that is understood.

    `length`: it counts from some moment that its sentence leaves out; `more` says that it comes on top.
    """

    start: int
    end: int
    since: datetime | None
    until: datetime | None
    length: timedelta | None = None
    more: bool = False


def find_instants(text: str, said_at: datetime) -> Iterator[Instant]:
    """The times in a sentence's tokens, joined by blanks, that was written at `said_at`."""
    at = 0
    while at < len(text):
        length, atom = _LENGTH.search(text, at), _ATOM.search(text, at)
        if length is not None and (atom is None or length.start() <= atom.start()):
            yield _measure(length, said_at)
            at = length.end()
        elif atom is not None:
            yield (found := _join(text, atom, said_at))
            at = found.end
        else:
            return


def _measure(match: re.Match[str], said_at: datetime) -> Instant:
    """ "72 hours", "another week", "five business days"."""
    word, kind = match["number"], match["kind"]
    number = 1 if word in {"a", "an", "another"} else _NUMBERS.index(word) if word in _NUMBERS else int(word)
    length = timedelta(hours=number * _HOURS[match["unit"][0]])
    if "business" in kind or "working" in kind or "week " in kind:
        length = _skip_weekends(said_at, min(length, timedelta(days=366)))
    more = word == "another" or any(word in kind for word in ("more", "further", "additional", "extra"))
    return Instant(match.start(), match.end(), said_at + length, said_at + length, length, more)


def _skip_weekends(begin: datetime, length: timedelta) -> timedelta:
    at, left = begin, length
    while left > timedelta():
        step = min(left, timedelta(days=1))
        at += step
        if at.weekday() < 5:
            left -= step
    return at - begin


def _join(text: str, first: re.Match[str], said_at: datetime) -> Instant:
    """A day with the hour beside it: "10:00 UTC on Saturday, March 7"."""
    atoms = [first]
    while (between := _BETWEEN.match(text, atoms[-1].end())) is not None:
        atom = _ATOM.match(text, between.end())
        if atom is None or atom["near"] or atom["whole"] or len(atoms) > 3:
            break
        atoms.append(atom)
    span = _read_span(atoms, said_at)
    since, until = span if span is not None else (None, None)
    if until is not None and text[: first.start()].endswith(_ENDS):
        since = until - timedelta(days=1) - _EAST - _WEST
    return Instant(first.start(), atoms[-1].end(), since, until)


def _read_span(atoms: list[re.Match[str]], said_at: datetime) -> tuple[datetime, datetime] | None:
    """The earliest and the latest moment that one hour, or one day, can mean; None: it means none."""
    named = [a for a in atoms if a["hour"] is None and a["noon"] is None]
    days = [_find_days(a, said_at.date()) for a in named if not a["weekday"] or all(b["weekday"] for b in named)]
    hours = [_find_hour(a) for a in atoms if a["hour"] is not None or a["noon"] is not None]
    if None in days or None in hours or len(hours) > 1:
        return None
    known = [d for d in days if d is not None]
    if not known:
        known = [(said_at.date(), said_at.date() + timedelta(days=1))]
    first, last = max(d[0] for d in known), min(d[1] for d in known)
    weekdays = {_DAYS.index(a["weekday"][:3]) for a in named if a["weekday"]}
    if first > last or (len(days) < len(named) and weekdays != {first.weekday()}):
        return None  # "Friday, March 7th", which is a Saturday
    if not hours or hours[0] is None:
        begin, end = datetime.combine(first, time(), UTC), datetime.combine(last, time(), UTC) + timedelta(days=1)
        return begin - _EAST, end + _WEST
    hour, zone = hours[0]
    begin, end = (datetime.combine(day, time(), UTC) + hour for day in (first, last))
    return (begin - _EAST, end + _WEST) if zone is None else (begin - zone, end - zone)


def _find_hour(atom: re.Match[str]) -> tuple[timedelta, timedelta | None] | None:
    """The hour of a day, and how far its zone is ahead of UTC, where that is known."""
    if atom["noon"]:
        return timedelta(hours=12 if atom["noon"] == "noon" else 24), _find_zone(atom["zone2"], None)
    hour, minute, half = int(atom["hour"]), int(atom["minute"] or 0), (atom["half"] or atom["half2"] or "")[:1]
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    if hour > 24 or minute > 59:
        return None
    return timedelta(hours=hour, minutes=minute), _find_zone(atom["zone"], atom["offset"])


def _find_zone(name: str | None, offset: str | None) -> timedelta | None:
    hours = _ZONES.get(name or "")
    return None if hours is None else timedelta(hours=hours + int((offset or "0").replace(" ", "")))


def _find_days(atom: re.Match[str], today: date) -> tuple[date, date] | None:
    """The first and the last day that is meant; None: no such day."""
    if atom["weekday"]:
        ahead = (_DAYS.index(atom["weekday"][:3]) - today.weekday()) % 7
        first = today + timedelta(days=ahead)
        # "until Thursday", written on a Thursday; "next Friday"
        return first, first + timedelta(days=7 if not ahead or atom["next"] else 0)
    if atom["near"]:
        return _find_near(atom["near"], today)
    if atom["whole"]:
        month = _MONTHS.index(atom["whole"][:3]) + 1
        year = today.year + (month < today.month)
        return date(year, month, 1), date(year, month, monthrange(year, month)[1])
    month = int(atom["iso_month"]) if atom["iso"] else _MONTHS.index((atom["month"] or atom["month2"])[:3]) + 1
    day = int(atom["iso_day"] or atom["day"] or atom["day2"])
    year = int(atom["iso"] or atom["year"] or atom["year2"] or 0)
    found = [_make_date(y, month, day) for y in ((year,) if year else range(today.year - 1, today.year + 2))]
    nearest = min((d for d in found if d is not None), key=lambda d: abs(d - today), default=None)
    return None if nearest is None else (nearest, nearest)


def _find_near(word: str, today: date) -> tuple[date, date]:
    sunday = today + timedelta(days=6 - today.weekday())
    if word == "tomorrow":
        return today + timedelta(days=1), today + timedelta(days=1)
    if word.startswith("to"):
        return today, today
    later = timedelta(days=7 if word.startswith("next") else 0)
    if word.endswith("weekend"):
        return sunday + later, sunday + later
    return (today, sunday) if not later else (sunday + timedelta(days=1), sunday + later)


def _make_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
