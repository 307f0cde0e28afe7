"""How times are written, in the languages of `patterns.toml`: one pattern, and what its words mean."""

from __future__ import annotations

import re
from functools import cache

from kipflow.mail.announcements.tokens import join_words, load_classes

#: The hours of each class of units: those with blanks around them, and those without.
_HOURS = {"hours": 1, "days": 24, "weeks": 7 * 24, "months": 31 * 24}
_WIDE_HOURS = {"hours_wide": 1, "days_wide": 24, "weeks_wide": 7 * 24, "months_wide": 31 * 24}
_OTHER_LANGUAGE = ("number_other_language", "one_other_language")
#: Of each language `[number_other_language]` lists the numbers from two to ten.
_NUMBERS_OTHER_LANGUAGE = 9


@cache
def compile_times() -> re.Pattern[str]:
    """A pattern for a time in lower case; its groups say how it is written."""
    day, month = rf"(?:{_join_names('weekday', 7)})", rf"(?:{_join_names('month', 12)})"
    number, the = rf"\d{{1,3}}|{join_words(*_OTHER_LANGUAGE)}", rf"(?:{join_words('the_day')})"
    th, year = r"(?:st|nd|rd|th|er|º|\.)?", r"(?:(?:,?\s+|\s+de\s+)(?P<year{}>20\d\d)\b)?(?!:)"
    dates = (
        r"(?P<iso>20\d\d(?P<mark>[-/])\d\d(?P=mark)\d\d)(?:t(?=\d))?",
        rf"(?P<month1>{month})\.?\s+(?P<day1>\d\d?)(?:st|nd|rd|th)?\b{year.format(1)}",
        rf"(?P<day2>\d\d?){th}\s+(?:of\s+|de\s+)?(?P<month2>{month})(?!\w){year.format(2)}",
        r"(?P<dotted>\d\d?\.\d\d?\.20\d\d|\d\d\.\d\d\.(?!\d))",
        r"(?P<slashed>\d\d?/\d\d?/20\d\d)\b",
        # not "4/5 members"
        rf"(?P<short>\d\d?/\d\d?)(?=\s*(?:$|[.,;!)(]|(?:at|{join_words('zone')})\b|\d\d?(?:[:.h]|\s?[ap]m)))",
    )
    spaced = (
        rf"(?:(?:(?:next|this|coming)\s+)?{day}\.?,?\s+(?:{the}\s+)?)?(?:{'|'.join(dates)})",
        r"the\s+(?P<day5>\d\d?)(?:st|nd|rd|th)\b(?!\s+of)",
        rf"(?P<soon>{join_words('tomorrow')})\b",
        rf"(?P<next>next\s+)?(?P<weekday>{day})(?:,?\s+{the}\s+(?P<day3>\d\d?){th})?(?!\w)(?P<after>\s+next\s+week\b)?",
        r"end\s+of\s+(?P<which>next|this|the)\s+(?P<span>week|month)\b",
        r"(?P<weekend>the\s+(?:long\s+)?weekend)\b",
        # not the end of a longer number: "dix-sept jours", "treinta y cinco días"
        r"(?<!-)(?<! y )(?<! e )(?<! et )(?:\d{1,2}\s?(?:-|–|to|or)\s?)?"
        rf"(?P<number>{number}|an?|one|another|{join_words('number')})"
        r"(?:\s?\(\w{1,8}\))?(?:(?<=\d)|\s|-)\s?-?"
        r"(?P<kind>(?:(?:more|full|further|additional|extra|whole|calendar|working|business)\s)*)"
        rf"(?P<unit>{join_words(*_HOURS)})\b(?!\s(?:ago|old|after|before|from (?!now|today)))",
    )
    unspaced = (
        rf"(?<![\d一二三四五六七八九十百两兩])(?P<wide_number>{number})\s?[个個]?(?P<wide_unit>{join_words(*_WIDE_HOURS)})",
        rf"(?P<wide>(?:{join_words('wide_until')})\s?)?(?P<year3>20\d\d\s?年\s?)?(?P<month4>\d\d?)\s?月\s?(?P<day4>\d\d?)\s?日"
        rf"(?P<wide2>[^。\n]{{0,20}}?(?:{join_words('wide_until_behind')}))?",
    )
    return re.compile(rf"(?<![\w.])(?:{'|'.join(spaced)})|{'|'.join(unspaced)}")


def find_hours(unit: str) -> int:
    """How many hours a written unit has: "day", "semaines"."""
    classes = load_classes("patterns.toml")
    return next(hours for name, hours in (_HOURS | _WIDE_HOURS).items() if unit in classes[name])


def find_number(written: str) -> int:
    """The number that figures or a word mean: "a", "another" and what is not listed mean one."""
    classes = load_classes("patterns.toml")
    if written.isdigit():
        return int(written)
    if written in classes["number"]:
        return classes["number"].index(written)
    numbers = classes["number_other_language"]
    return 2 + numbers.index(written) % _NUMBERS_OTHER_LANGUAGE if written in numbers else 1


def find_name(name: str, written: str) -> int:
    """Where a written weekday or month stands in the lists of the languages, one after the other."""
    return next(at for at, full in enumerate(load_classes("patterns.toml")[name]) if full.startswith(written))


def _shorten(name: str) -> str:
    """A pattern for a name and its short forms: "march", "mar"."""
    return name[:3] + "".join(f"(?:{letter}" for letter in name[3:]) + ")?" * len(name[3:])


def _join_names(name: str, count: int) -> str:
    """The names of the days or months: English ones may be short, as "out" and "ago" mean more than a month."""
    names = load_classes("patterns.toml")[name]
    return "|".join([*map(_shorten, names[:count]), *sorted(names[count:], key=len, reverse=True)])
