"""Numbers that look like votes and are none: phone numbers, offsets, formulas, measurements, code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from kipflow.mail.votes.lexicon import begins, find_words, fold, has

_PHONE = re.compile(r"^[\s.\-)]{0,3}(?:\(\d{1,4}\)|\d{2,4}[\s.\-]{1,3}\(?\d|\d{7,})")
_SIGNS_BEFORE = re.compile(
    r"(?:[=</^%]|(?<![=-])>|[\w)]\s*\*)\s*[\"'(]?$|"
    r"\d\s?[)\]]\s*$|(?<![A-Za-z.\d-])\d\s*$|(?<![.\w+-])(?<!my )\d\s*(?:or|and|,|to|through)\s*$|"
    r"[a-z]+[._][a-z._]+\s*(?:is|to|=|:)?\s*$|(?<![\w.])[+-](?:[2-9]\d*|1\d+)\b(?!\s*(?:days|weeks)).{0,25}$|"
    r" = .{0,9}$|(?:\b[xnk]|[*/+-]\s*\([a-z])\s*$",
    re.IGNORECASE,
)
_SIGNS_BEHIND = re.compile(
    r"^\s*[\"'`)]?\s*(?:=(?!>)|[<>](?:\s|=|-?\d)|\^|\|\||&&|[*/]\s*(?:[\da-z(]|[A-Z]\b)|"
    r"[+\-]\s*(?:[2-9]|\d\d)|(?!100 ?%)\d|,(?!\s*100 ?%)\s*[+\-]?\d+(?:\.\d+)?\s*(?:[%,)\]}]|$)|"
    r",\s*[+\-]?\d[\w^.+\-]*\s*[)\]]|[+\-]\s?\d\s*=(?!>))"
)
_REMOVED = re.compile(r"^ [+-]\d{1,6}(?= )")  # "+1 -1 lines changed"
_RANGE = re.compile(r"^\s*(?:to|or|\.\.+|–)\s*[+-]?\d+(?:\.\d+)?(?=\s*[a-z%])")  # "-1 to +1 ms"
#: "-1 still means unbounded", not "+1 still means yes"
_STILL = re.compile(r"(?:still|now|also|always|then|just|usually|simply) (?=means? (?!yes\b|no\b|(?:that )?i\b))")
_MEANING = re.compile(r"^\s*(?:[:=(]|is\b|means?\b)\s*(?:the |an? |no )?")
_MARK = re.compile(r"[,.;:!?()]")
_LEADS_UP = re.compile(r"[\s\"'`]*(?:is|of|to|as|was|by|an?|the)?\s*[:.=]?\s*[\"'(`]?")
_DEFINES = re.compile(r"\s*(?:\(|(?:means?|is|as|was|stands|turns|disables?)\b)", re.IGNORECASE)
# a patch, a program's output, code
_CODE_LINE = re.compile(
    r"^\s*(?:diff --git|index [0-9a-f]{7}|@@ |\+\+\+ |--- |[+-](?:import|def|class|public)\b|\$ |>>> |"
    r"(?:assert|return)\b[ (])"
)
#: a sentence compares as a program does
COMPARES = re.compile(r"[\w)\]]\s?(?:[<>!=]=|&&|\|\|)\s?[\w-]")
#: "foo(x, +1)": an argument, and "-1  // see foo()": a remark in a program
_ARGUMENT = re.compile(r"\w\((?:[^()]|\([^()]*\))*$")
#: "[-0.2, +0.2]"
_PAIR = re.compile(r"[\[(]\s*[+-]?\d[\d.]*\s*[,;]\s*$")
_REMARK = re.compile(r"\s*[,;)]*\s*(?://|/\*)\s+[a-z]")
#: where a patch begins, and its lines
_PATCH_HEAD = re.compile(r"^\s*(?:diff --git |@@ -\d)")
_CLAIMED_VOTE = re.compile(r"^\W{0,3}[01]\W{1,3}(?:non\W?)?binding\b", re.IGNORECASE)
#: a comment in a program that goes on below: "/** @return the end"
_COMMENT = re.compile(r"\s*/\*(?!.*\*/)")
_IN_COMMENT = re.compile(r"\s*\*")
_PATCH_LINE = re.compile(r"^\s*(?:[-+@\\]|index |diff )|^\s{2,}\S")


def find_code_lines(lines: Sequence[str]) -> Iterator[int]:
    """The lines of patches: after a head, all removed, added or indented lines, up to any other line or a vote; and
    those of comments in a program that begin with a star."""
    within = False
    for index, line in enumerate(lines):
        within = _PATCH_HEAD.match(line) is not None or (
            within and _PATCH_LINE.match(line) is not None and _CLAIMED_VOTE.match(line) is None
        )
        if within:
            yield index
    for start in (i for i, line in enumerate(lines) if _COMMENT.match(line)):
        yield from takewhile(lambda i: _IN_COMMENT.match(lines[i]), range(start + 1, len(lines)))


def is_technical(before: str, after: str) -> bool:
    """Whether the text around a value shows that it is just a number."""
    near = before[-50:]
    if _PHONE.match(after) or counts_something(after) or _SIGNS_BEFORE.search(near) or _REMARK.match(after):
        return True
    if _ARGUMENT.search(near) is not None and after.lstrip()[:1] in {",", ")"}:
        return True
    if _PAIR.search(near) is not None and after[:1] in {"]", ")"}:
        return True
    folded = fold(near)
    words = find_words("measure", folded)
    return bool(words) and _LEADS_UP.fullmatch(folded, words[-1].end()) is not None


#: "Read sections 1 and 2,": a number, and then the vote; not "The result is 0 or 1,"
_SAID_BEFORE = re.compile(
    r"(?:^|[,.;:!?]\s)(?![^,;:]*\b(?:or|from|to|between|can|is|are|gives?|returns?)\b)\W*(?:[^\W\d]+\W+){2,}[^,;:]*[2-9]\d*\s*,\s*$",
    re.IGNORECASE,
)
#: "RC 3"
_NAMED_BY_NUMBER = re.compile(r"\b(?:rc|version|revision|release|draft|kip)[ -]?\d[\d.]*,?\s*$", re.IGNORECASE)


def is_number_before(before: str, after: str) -> bool:
    """Whether the number right before a value is not part of a formula or list, but about something else."""
    near, is_last = before[-120:], not after.strip(" .!\n")
    return _NAMED_BY_NUMBER.search(near) is not None or (is_last and _SAID_BEFORE.search(near) is not None)


def is_only_named(before: str) -> bool:
    """Whether no sign of a formula or of code is before a value, at most a word like "version"."""
    return _SIGNS_BEFORE.search(before[-50:]) is None


def counts_something(after: str) -> bool:
    """Whether what follows a value is a unit, what it means, or more of a formula."""
    behind = _STILL.sub("", fold(_RANGE.sub("", _REMOVED.sub("", after[:60]))).lstrip(" \"'`)"))
    if _SIGNS_BEHIND.match(after) is not None or (begins("unit", behind) and not begins("meaning", behind)):
        return True
    return len(find_meaning(after).split()) == 1  # "-1: unlimited", not "-1: unknown side effects"


def means(after: str) -> bool:
    """Whether what follows a value says what it means as a setting: "-1 (the default) is unlimited"."""
    return _DEFINES.match(after) is not None or begins("meaning", fold(after))


def find_meaning(after: str) -> str:
    """What follows a value, if it begins with a word for what a setting means: "unknown side effects"; else ""."""
    behind = fold(after[:60])
    said = _MEANING.sub("", behind)
    means = begins("meaning", said) and (said != behind or begins("unit", behind))
    return _MARK.split(said.lstrip())[0] if means else ""


def is_code(line: str) -> bool:
    """Whether a line belongs to a patch or a program."""
    if _CODE_LINE.match(line) is not None:
        return True
    return line.rstrip().endswith((";", "{", "}")) and "=" in line


def measures(lead: str) -> bool:
    """Whether the words right before a value speak of a measurement."""
    near = fold(lead[-40:])
    return has("measure", near) or has("rating", near)
