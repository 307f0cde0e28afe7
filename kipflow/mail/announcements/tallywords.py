"""The words of a line that counts votes: choices, groups, numbers, and what joins them to names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache, lru_cache

from kipflow.mail.announcements.tokens import load_classes
from kipflow.mail.relevance import fold_case
from kipflow.mail.votes.lexicon import load_words

#: Most characters and words of a line that are looked at: more is no announcement and only costs time.
MAX_LINE, _MAX_WORDS = 2_000, 500


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


WIDE = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_GROUP = r"(?:non[-–\s]{0,2}|not[-\s])?\bb[iy]n?d{1,2}i?n?g"
_SHAPES = re.compile(
    rf"(?P<group>(?<![\w-]){_GROUP}(?:s(?=\))|(?![\w-]))"
    r"|(?<=[(\[])\s?(?:n\s?[-./]?\s?b|b)\.?\s?(?=[)\]])|(?:(?<=[+\-][01]\s)|(?<=[+\-][01]\s\())(?:non[-\s])?pmc\b)"
    r"|(?P<signed>(?<![\w.])(?:[+\-−]\s?1|[+\-−±]\s?0)(?:['’]?s\b)?(?![\d\w]|[.,]\d))"
    rf"|(?P<number>(?:(?<![a-zA-Z0-9_.+-])(?<!\d[:/,])|(?<=\b[x×]))\+?\d{{1,3}}(?:(?=\s?[x×][\s\"'(]?[+\-]|[{WIDE}])|(?![\w%]|[.,:/]\d|[-–]\d)))"
    r"|(?P<times>[x×](?=[\s\"'(]?[+\-]?\d|\s))"
    rf"|(?P<wide>[{WIDE}]+)"
    rf"|(?P<word>(?-i:(?<![\w.])[^\W\da-z_]\.(?!\w))|[<@]?[^\W_{WIDE}](?:[\w.+@'’-]*[^\W{WIDE}]>?)?)"
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
#: numbers in each language of `number_abroad`, from two on
_NUMBERS_ABROAD = 9
#: a side, or that there are none: "no: 3", "no votes"
_DENIES = frozenset({"no", "non"})
#: within a name
_PARTICLES = frozenset({"de", "da", "von"})
#: what stands between a number and its side: "3 binding votes in favour"
_BETWEEN = {Kind.GROUP, Kind.VOTES, Kind.GLUE}


@cache
def _load() -> dict[str, Word]:
    classes = load_classes("patterns.toml")
    unsure = set(classes["may_be_side"])
    found = {word: Word(kind, word, 0, 0) for name, kind in _KINDS.items() for word in classes[name]}
    found |= {word: Word(Kind.NUMBER, word, 0, 0, str(n)) for n, word in enumerate(classes["number"])}
    binding, denied = load_words()["binds"], load_words()["no_bond"]
    found |= {word: Word(Kind.GROUP, word, 0, 0, "binding") for word in binding}
    denials = (f"{no}{gap}{word}" for no in denied for word in binding for gap in ("", " "))
    found |= {word: Word(Kind.GROUP, word, 0, 0, "non-binding") for word in denials}
    found |= {word: Word(Kind.NUMBER, word, 0, 0, "0") for word in classes["without_any"]}
    for at, word in enumerate(classes["number_abroad"]):
        found[word] = Word(Kind.NUMBER, word, 0, 0, str(2 + at % _NUMBERS_ABROAD), unsure=True)
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
    wide = sorted((word for word in _load() if re.match(rf"[{WIDE}]", word)), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, wide)))


@lru_cache(maxsize=64)
def split_words(line: str) -> tuple[Word, ...]:
    """The words of a line, left to right, each with what it does there."""
    return tuple(_settle(list(_join_phrases(_scan(line[:MAX_LINE])))[:_MAX_WORDS]))


def _scan(line: str) -> Iterator[Word]:
    for found in _SHAPES.finditer(line):
        shape, text, at = found.lastgroup or "", found.group(), found.span()
        if shape == "group":
            is_non = fold_case(text).strip()[:1] == "n"
            yield Word(Kind.GROUP, text, *at, "non-binding" if is_non else "binding")
        elif shape == "signed":
            bare = re.sub(r"[^+\-−01]", "", text)
            yield Word(Kind.CHOICE, text, *at, "0" if "0" in text else "+1" if bare[0] == "+" else "-1")
        elif shape == "number":
            yield Word(Kind.NUMBER, text, *at, text.lstrip("+"), unsure=text in {"0", "+1"})
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
    """A text without blanks, parted into the words that are known and the rest."""
    last = 0
    for found in _find_wide().finditer(text):
        if found.start() > last:
            yield Word(Kind.WORD, text[last : found.start()], start + last, start + found.start())
        yield replace(_load()[found.group()], start=start + found.start(), end=start + found.end())
        last = found.end()
    if last < len(text):
        yield Word(Kind.WORD, text[last:], start + last, start + len(text))


def _join_phrases(words: Iterator[Word]) -> Iterator[Word]:
    """Words that stand for a class, alone or as a phrase, with that class."""
    queue = list(words)
    at = 0
    while at < len(queue):
        longest = _find_lengths().get(fold_case(queue[at].text), 0) if queue[at].kind is Kind.WORD else 0
        for length in range(min(longest, len(queue) - at), 0, -1):
            part = queue[at : at + length]
            known = _find_known(part)
            if known is not None:
                yield replace(known, text=part[0].text, start=part[0].start, end=part[-1].end)
                break
        else:
            length = 1
            yield queue[at]
        at += length


def _find_known(part: Sequence[Word]) -> Word | None:
    if any(word.kind is not Kind.WORD for word in part):
        return None
    known = _load().get(" ".join(fold_case(word.text) for word in part))
    is_abroad = known is not None and known.kind is Kind.NUMBER and known.unsure
    return None if is_abroad and part[0].text.istitle() else known  # "Bruno Sette"


def _settle(words: list[Word]) -> list[Word]:
    """Decide what the unsure words are, by their neighbours."""
    settled: list[Word] = []
    for at, word in enumerate(words):
        settled.append(word if not word.unsure else _settle_one(word, settled, words[at + 1 : at + 7]))
    return settled


def _settle_one(word: Word, before: list[Word], after: list[Word]) -> Word:
    as_word = replace(word, kind=Kind.WORD, unsure=False)
    behind = next((w for w in reversed(before) if w.kind not in _BETWEEN), None)
    counted = behind is not None and behind.kind in {Kind.NUMBER, Kind.NONE}
    begins = not before or before[-1].kind in {Kind.ENDS, Kind.JOINS, Kind.GROUP, Kind.OPENS}
    ahead = _skip_claim(after)
    if word.kind is Kind.NUMBER:
        if word.value != "0":
            return word
        is_choice = counted or (begins and (ahead is None or ahead.kind in {Kind.LEADS, Kind.FROM, Kind.WORD}))
        is_choice = is_choice or (not before and ahead is not None and ahead.kind in {Kind.NUMBER, Kind.JOINS})
        return replace(word, kind=Kind.CHOICE, value="0", unsure=False) if is_choice else word
    if ahead is not None and after[0].kind is Kind.VOTES and word.text.lower() not in _DENIES:
        return word
    if counted and after and after[0].kind is Kind.VOTES:  # "1 no vote"
        return word
    if word.value == "0" and behind is not None and behind.kind is Kind.WORD and ahead is None:  # "Kim abstained"
        return word
    ends = ahead is None or ahead.kind not in {Kind.WORD, Kind.NUMBER, Kind.CHOICE, Kind.FROM}
    heads = [w.kind for w in after[:2]] == [Kind.OPENS, Kind.CHOICE]  # "Yes (+1)"
    heads = heads or (ahead is not None and (ahead.kind is Kind.LEADS or (not before and ahead.kind is Kind.NUMBER)))
    if (counted and ends) or (begins and heads):
        return word
    return replace(as_word, kind=Kind.NUMBER, value="0") if word.text.lower() in _DENIES else as_word


def _skip_claim(after: list[Word]) -> Word | None:
    """The first word behind a side and what belongs to it: "(binding)", "votes", quotes."""
    skipped = {Kind.GROUP, Kind.VOTES, Kind.GLUE, Kind.OPENS, Kind.CLOSES}
    while after and after[0].kind is Kind.GLUE:
        after = after[1:]
    if after and after[0].kind is Kind.OPENS and len(after) > 1 and after[1].kind not in {Kind.GROUP, Kind.CHOICE}:
        return after[0]
    found = (word for word in after if word.kind not in skipped and not (word.kind is Kind.CHOICE and not word.unsure))
    return next(found, None)


def find_end_of_run(words: Sequence[Word], at: int) -> int:
    """The place behind the words from `at` on that nothing parts: "Ole de la Cruz"."""
    while kinds := [word.kind for word in words[at : at + 2]]:
        is_particle = kinds == [Kind.FROM, Kind.WORD] and words[at].text in _PARTICLES
        if kinds[0] is not Kind.WORD and not is_particle:
            break
        at += 1
    return at
