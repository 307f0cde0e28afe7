"""Votes as they are written: "+1", "-0.9", "＋１", "plus one", "my vote is 0"."""

from __future__ import annotations

import re
from functools import lru_cache

from kipflow.domain.votes import Choice
from kipflow.mail.votes.zeros import find_zero

# full-width forms and the many dashes that mail programs put where a minus was typed
_PLAIN = str.maketrans(
    "＋﹢➕－（）：；，．！？０１２３４５６７８９［］【】〔〕＜＞−﹣‐‑⁺⁻", "+++-():;,.!?0123456789[][]()<>----+-"
)
_DASH_BEFORE_DIGIT = re.compile(r"[–—](?=\s?[01](?:\D|$))")
_EMPHASIS = re.compile(r"(?<![\w*])[*_`~]{1,3}(?=[+\-\w(\[])|(?<=[\w.)!\]])[*_`~]{1,3}(?![\w*])")


def plain(line: str) -> str:
    """A line with full-width signs, typographic minus and emphasis marks made plain."""
    if line.isascii():
        if not ("*" in line or "_" in line or "`" in line or "~" in line):
            return line
    else:
        line = _DASH_BEFORE_DIGIT.sub("-", line.translate(_PLAIN))
    return _EMPHASIS.sub("", line)


#: A written vote. Not part of a word, number, time, range, path or patch; "+1000" and "+1,5" are none.
VALUE = (
    r"(?:(?<![A-Za-z0-9_\u00c0-\u04ff.+\-/:=#$%€@&^~\\])|(?<=[^\W\d_]:))"
    r"(?P<value>[+\-±][ ]{0,2}(?:[01](?:\.\d{1,2})?|\.\d{1,2}))"
    r"(?![A-Za-z0-9_\u00c0-\u04ff%°²³]|[.,]\d|[-/:]\d|-[A-Za-z]|\s?/\s?[+\-±]?\d|['’](?:s|d|ed|ing|er)\b)"
)
VALUE_PATTERN = re.compile(VALUE)
_SPELLED = re.compile(r"(?<![\w-])(?P<sign>plus|minus)[ -](?:one|1)\b", re.IGNORECASE)
_LGTM_JOINED = re.compile(r"\b(lgtm|good|thanks)(?=\+1(?![\w.]))", re.IGNORECASE)
# "+1thanks Jun"
_JOINED_BEHIND = re.compile(
    r"(?<![\w+.-])([+-]1)(?=(?:thanks?|thx|great|nice|good|lgtm|looks|from|for)\b)", re.IGNORECASE
)
_PLUS_MINUS_ZERO = re.compile(r"(?<![\w.+\-/])(?:\+\s?/?\s?-|-\s?/\s?\+)\s?0(?![\w.%]|\s?/)")
_PLURAL_OF_MINE = re.compile(r"([+\-]1)['’]?s(?= from (?:me|my|us|our)\b)", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*•·–]\s{1,3})?(?=[+\-±]\s?[01.])")


# "+1, 0 or -1": all choices in one breath are what may be voted, no vote
_BETWEEN = r"\s*(?:[,;/|]|\bor\b|\band\b)[\s,;/|]*(?:(?:or|and)\s+)?"
_OPTIONS = re.compile(
    rf"(?<![\w.])(?:\+\s?1{_BETWEEN}[+\-±]?\s?0{_BETWEEN}-\s?1|-\s?1{_BETWEEN}[+\-±]?\s?0{_BETWEEN}\+\s?1)(?![\w]|"
    rf"\.\d)"
)


def find_values(text: str) -> list[re.Match[str]]:
    """The written votes in a plain line, left to right. A zero counts only as a line of its own."""
    if "0" not in text and "1" not in text and "." not in text:
        return []
    return list(_find_values(text))


@lru_cache(maxsize=1024)
def _find_values(text: str) -> tuple[re.Match[str], ...]:
    # a line is asked about several times over while its mail is read
    has_plus, has_minus = "+" in text, "-" in text
    if has_plus and has_minus:
        text = _OPTIONS.sub(lambda m: " " * len(m.group()), text)
    zero = find_zero(text)
    values = VALUE_PATTERN.finditer(text) if has_plus or has_minus or "±" in text else ()
    return (*([zero] if zero is not None else []), *values)


def spell_out(text: str) -> str:
    """ "plus one" and "+1s from me" to "+1", "+/-0" to "±0"."""
    text = _LGTM_JOINED.sub(r"\1 ", text) if "+1" in text else text
    text = _JOINED_BEHIND.sub(r"\1 ", text) if "1" in text else text
    text = _PLUS_MINUS_ZERO.sub("±0", text) if "0" in text else text
    text = _PLURAL_OF_MINE.sub(r"\1", text) if "from" in text else text
    if "us" not in text and "US" not in text:
        return text
    return _SPELLED.sub(lambda m: "+1" if m.group("sign").lower() == "plus" else "-1", text)


def skip_bullet(text: str) -> int:
    """Where a line's content starts: behind blanks, and behind a bullet that stands before a vote."""
    match = _BULLET.match(text)
    return match.end() if match is not None else len(text) - len(text.lstrip())


def parse_value(written: str) -> tuple[Choice, str]:
    """A written vote as its choice by sign, and as text without blanks.

    >>> parse_value("- 0.9")
    (<Choice.AGAINST: '-1'>, '-0.9')
    """
    text = "".join(written.split()).replace("±", "")
    number = float(text)
    if number > 0:
        return Choice.FOR, text
    return (Choice.AGAINST, text) if number < 0 else (Choice.ABSTAIN, text)


def is_fraction(value: str) -> bool:
    """Whether a written value is neither a full vote nor a zero: "+0.5", "-0.9"."""
    return value.strip("+-").lstrip("0").startswith(".") and float(value) != 0
