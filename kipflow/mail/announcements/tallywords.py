"""The words of a line that counts votes: choices, groups, numbers, and what joins them to names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache

from kipflow.mail.announcements.timewords import find_number
from kipflow.mail.announcements.tokens import WIDE, compile_wide, load_classes
from kipflow.mail.relevance import fold_case
from kipflow.mail.votes.lexicon import load_words

#: Most characters and words of a line that are looked at: more is no announcement and only costs time.
MAX_LINE, _MAX_WORDS = 2_000, 500
#: the groups of votes; in all: whether they bind or not
BINDING, NON_BINDING, IN_ALL = "binding", "non-binding", "in all"
#: the value of "of them": what it counts is part of a whole before it
SHARE = "share"


class Kind(Enum):
    """What a word does in a line that counts votes."""

    CHOICE = auto()  # "+1", "in favour"
    GROUP = auto()  # "binding", "(nb)"
    NUMBER = auto()
    NONE = auto()  # "none", "nobody"
    ALL = auto()  # "all", "both"
    VOTES = auto()  # "votes", "voted"
    FROM = auto()  # "from", "by": names follow
    GLUE = auto()  # changes nothing: "x", "are", "of them"
    PART = auto()  # "out of": a whole follows
    LEADS = auto()  # ":"
    OPENS = auto()
    CLOSES = auto()
    JOINS = auto()  # ",", "and"
    ENDS = auto()  # ".", ";"
    WORD = auto()  # anything else: a name, perhaps


@dataclass(frozen=True, slots=True)
class Word:
    """A word at its place in the line; `value` is a choice ("+1", "0", "-1"), group or number in digits."""

    kind: Kind
    text: str
    start: int
    end: int
    value: str = ""
    unsure: bool = False  # "for", "no", a bare "0": a choice only beside numbers, colons or names


#: a group as people write it, slips of the pen included
GROUP = r"(?:non[-–\s]{0,2}|not[-\s])?\bb[iy]n?d{1,2}i?n?g"
_SHAPES = re.compile(
    rf"(?P<group>(?<![\w-]){GROUP}(?:s(?=\))|(?![\w-]))"
    r"|(?<=\d\s)nb(?=\s[+\-]1)"
    r"|(?<=[(\[])\s?(?:n\s?[-./]?\s?b|b)\.?\s?(?=[)\]])|(?:(?<=[+\-][01]\s)|(?<=[+\-][01]\s\())(?:non[-\s])?pmc\b)"
    r"|(?P<signed>(?:(?<![\w.])|(?<=\d[x×]))(?:[+\-−]\s?1|[+\-−±]\s?0)(?:['’]?s\b)?(?![\d\w]|[.,]\d))"
    rf"|(?P<number>(?:(?<![a-zA-Z0-9_.+-])(?<!\d[:/,])|(?<=\b[x×])|(?<=\.\.))\+?\d{{1,3}}(?:(?=\s?[x×][\s\"'(]?[+\-]|[{WIDE}])|(?![\w%]|[.,:/]\d|[-–]\d)))"
    r"|(?P<times>[x×](?=[\s\"'(]?[+\-]?\d|\s))"
    rf"|(?P<wide>[{WIDE}]+)"
    rf"|(?P<word>n/a(?!\w)|(?-i:(?<![\w.])[^\W\da-z_]\.(?!\w))|[<@]?[^\W_{WIDE}](?:[\w.+@'’-]*[^\W{WIDE}]>?)?)"
    r"|(?P<dots>\.{2,}|…+|(?<=\s)\.(?=\s?:))|(?P<space>\s+)|(?P<mark>.)",
    re.IGNORECASE,
)
_MARKS = {
    **dict.fromkeys(":：=", Kind.LEADS),
    **dict.fromkeys("([（{", Kind.OPENS),
    **dict.fromkeys(")]）}", Kind.CLOSES),
    **dict.fromkeys(",、，/&|+·•", Kind.JOINS),
    **dict.fromkeys(".;!?。；！？", Kind.ENDS),
    **dict.fromkeys("*_\"'“”„«»‘’`#~…-–—<>→", Kind.GLUE),
    **dict.fromkeys("✔✓✅☑", Kind.CHOICE),
}
_SIDES = {"in_favour": "+1", "opposed": "-1", "abstained": "0"}
_KINDS = {
    "nobody": Kind.NONE,
    "tally_all": Kind.ALL,
    "tally_votes": Kind.VOTES,
    "tally_from": Kind.FROM,
    "tally_joins": Kind.JOINS,
    "tally_glue": Kind.GLUE,
    "tally_part": Kind.PART,
}
#: fewest characters of a name in a script without blanks
_LEAST_OF_NAME, _LONGEST_RUN = 2, 100
#: classes of words that are also names: "Na Li", "Bruno Sette"
_MAY_NAME = frozenset({Kind.NONE, Kind.NUMBER, Kind.CHOICE, Kind.FROM, Kind.JOINS, Kind.GLUE})


@cache
def _load() -> dict[str, Word]:
    classes = load_classes("patterns.toml")
    unsure = set(classes["may_be_side"])
    found = {word: Word(kind, word, 0, 0) for name, kind in _KINDS.items() for word in classes[name]}
    binding, denied = load_words()["binds"], load_words()["no_bond"]
    found |= {word: Word(Kind.GROUP, word, 0, 0, BINDING) for word in binding}
    denials = (f"{no}{gap}{word}" for no in denied for word in binding for gap in ("", " "))
    found |= {word: Word(Kind.GROUP, word, 0, 0, NON_BINDING) for word in denials}
    found |= {word: Word(Kind.GLUE, word, 0, 0, SHARE) for word in classes["tally_share"]}
    found |= {word: Word(Kind.NUMBER, word, 0, 0, "0") for word in classes["without_any"]}
    for word in classes["number_other_language"]:
        found[word] = Word(Kind.NUMBER, word, 0, 0, str(find_number(word)), unsure=True)
    found |= {word: Word(Kind.NUMBER, word, 0, 0, str(n)) for n, word in enumerate(classes["number"])}
    for name, choice in _SIDES.items():
        found |= {word: Word(Kind.CHOICE, word, 0, 0, choice, word in unsure) for word in classes[name]}
    return found


@cache
def _find_lengths() -> dict[str, int]:
    """The most words of a phrase that begins with each word."""
    found: dict[str, int] = {}
    for first, *others in map(str.split, _load()):
        found[first] = max(found.get(first, 0), 1 + len(others))
    return found


@cache
def _find_wide() -> re.Pattern[str]:
    return compile_wide(_load())


def scan(line: str) -> list[Word]:
    """The words of a line, left to right, the unsure ones still undecided."""
    return list(_join_phrases(_scan(line[:MAX_LINE])))[:_MAX_WORDS]


def _scan(line: str) -> Iterator[Word]:
    for found in _SHAPES.finditer(line):
        shape, text, at = found.lastgroup or "", found.group(), found.span()
        if shape == "group":
            is_non = fold_case(text).strip()[:1] == "n"
            yield Word(Kind.GROUP, text, *at, NON_BINDING if is_non else BINDING)
        elif shape == "signed":
            bare = re.sub(r"[^+\-−01]", "", text)
            yield Word(Kind.CHOICE, text, *at, "0" if "0" in text else "+1" if bare[0] == "+" else "-1")
        elif shape == "number":
            yield Word(Kind.NUMBER, text, *at, text.lstrip("+"), unsure=text == "0")
        elif shape == "wide":
            yield from _part_wide(text, at[0])
        elif shape in {"times", "dots"}:
            yield Word(Kind.GLUE, text, *at)
        elif shape == "mark":
            kind = _MARKS.get(text, Kind.WORD)
            yield Word(kind, text, *at, "+1" if kind is Kind.CHOICE else "")
        elif shape == "word":
            yield Word(Kind.WORD, text, *at)


def _part_wide(text: str, start: int) -> Iterator[Word]:
    """A text without blanks, parted into the words that are known and the rest. A single character beside unknown ones
    may belong to a name, so it is none of those."""
    found = list(_find_wide().finditer(text)) if len(text) <= _LONGEST_RUN else []
    while lone := [m for m in found if len(m.group()) == 1 and not _stands_apart(m, found, text)]:
        found = [m for m in found if m not in lone]
    last = 0
    for m in found:
        if m.start() > last:
            yield Word(Kind.WORD, text[last : m.start()], start + last, start + m.start())
        yield replace(_load()[m.group()], start=start + m.start(), end=start + m.end())
        last = m.end()
    if last < len(text):
        yield Word(Kind.WORD, text[last:], start + last, start + len(text))


def _stands_apart(found: re.Match[str], others: Sequence[re.Match[str]], text: str) -> bool:
    """Whether no unknown text touches a character; "和" may have two characters or more on either side."""
    before = max((m.end() for m in others if m.end() <= found.start()), default=0)
    after = min((m.start() for m in others if m.start() >= found.end()), default=len(text))
    sides = (found.start() - before, after - found.end())
    kind = _load()[found.group()].kind
    if kind is Kind.NUMBER and any(m.end() == found.start() and _load()[m.group()].kind is Kind.GLUE for m in others):
        return False  # "张三"
    return sides == (0, 0) or (kind is Kind.JOINS and min(sides) >= _LEAST_OF_NAME)


def _join_phrases(words: Iterator[Word]) -> Iterator[Word]:
    """Words that stand for a class, alone or as a phrase, with that class."""
    queue = list(words)
    at = 0
    while at < len(queue):
        longest = _find_lengths().get(fold_case(queue[at].text), 0) if queue[at].kind is Kind.WORD else 0
        for length in range(min(longest, len(queue) - at), 0, -1):
            known = _find_known(queue, at, length)
            if known is not None:
                yield replace(known, text=queue[at].text, start=queue[at].start, end=queue[at + length - 1].end)
                break
        else:
            length = 1
            yield queue[at]
        at += length


def _find_known(queue: Sequence[Word], at: int, length: int) -> Word | None:
    part = queue[at : at + length]
    if any(word.kind is not Kind.WORD for word in part):
        return None
    known = _load().get(" ".join(fold_case(word.text) for word in part))
    if known is None or length > 1 or known.kind not in _MAY_NAME or not part[0].text[:1].isupper():
        return known
    is_translated = known.kind is Kind.NUMBER and known.unsure
    beside = (queue[i] for i in (at - 1, at + 1) if 0 <= i < len(queue))
    if (is_translated and part[0].text.istitle()) or any(_is_name_beside(x, part[0]) for x in beside):
        return None
    return known


def _is_name_beside(word: Word, other: Word) -> bool:
    """Whether a word with a capital, and no class, stands right beside another: "Nay Lin"."""
    is_near = word.end + 1 == other.start or other.end + 1 == word.start
    is_name = word.kind is Kind.WORD and word.text[:1].isupper() and not word.text.isupper()
    return is_near and is_name and fold_case(word.text) not in _load()
