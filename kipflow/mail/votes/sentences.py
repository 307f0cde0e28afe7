"""Splits own lines into sentences, wrapped lines joined, so that a condition on the next line is seen with its vote."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kipflow.mail.content.text import plain
from kipflow.mail.quoting import OwnLine
from kipflow.mail.votes.claims import skip_claim
from kipflow.mail.votes.lexicon import begins, ends, fold
from kipflow.mail.votes.technical import is_technical
from kipflow.mail.votes.values import PICTURES, find_values, skip_bullet, spell_out

MAX_SENTENCE = 600
MAX_SENTENCES = 2_000


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the own words. `starts_line`: it begins at the start of a line; `preceding` and
    `following` are the text next to it, up to 200 characters."""

    text: str
    line: OwnLine
    following: str
    starts_line: bool
    preceding: str = ""


# a sentence ends at . ! ? before a blank and something that can begin another
_SENTENCE_END = re.compile(
    r"(?<=[。！？])\s*|(?<=[.!?;])[\"')]{0,2}\s+(?!\(\s*(?:non\W?)?b)(?=[A-Z0-9\"'(\[+\-@*À-ÿ一-鿿Ѐ-ӿ]|i\b|checked|"
    r"thanks|i['’])"
)
_NEW_ITEM = re.compile(r"^\s*(?:[-*•·]\s|\(?(?:\d{1,2}|[a-h])[.)]\s|\[)")

#: "Please take my +1" above "out of the count"
_ENDS_IN_VALUE = re.compile(r"[^\W\d] [+\-\u2212]\s?[01]$")
# "2. +1, will change": the dot is the number's
_ITEM_NUMBER = re.compile(r"^\s*\d{1,2}\.$")


def split_sentences(lines: Sequence[OwnLine]) -> Iterator[Sentence]:
    """Sentences over wrapped lines, each with the line of its first vote."""
    count = 0
    blocks = list(_join_wrapped(lines))
    above = ""
    for position, block in enumerate(blocks):
        text = " ".join(line.text.strip() for line in block)[: 4 * MAX_SENTENCE]
        after_block = blocks[position + 1][0].text.strip() if position + 1 < len(blocks) else ""
        ends_at = [m.end() for m in _SENTENCE_END.finditer(text) if not _ITEM_NUMBER.match(text, 0, m.start())]
        for number, (start, end) in enumerate(itertools.pairwise([0, *ends_at, len(text)])):
            count += 1
            if count > MAX_SENTENCES:
                return
            sentence = text[start:end][:MAX_SENTENCE]
            if not sentence.strip():
                continue
            following = text[end : end + 200] or after_block[:200]
            values = find_values(sentence)
            line = _find_line(block, start + (values[0].start("value") if values else 0))
            preceding = text[max(0, start - 200) : start] or above
            yield Sentence(sentence, line, following, starts_line=number == 0, preceding=preceding)
        above = text[-200:]


def _join_wrapped(lines: Iterable[OwnLine]) -> Iterator[list[OwnLine]]:
    block: list[OwnLine] = []
    for line in lines:
        is_blank = not line.text.strip()
        if block and (is_blank or not _continues(block[-1].text, line.text)):
            yield block
            block = []
        if not is_blank:
            block.append(line)
    if block:
        yield block


def _continues(above: str, line: str) -> bool:
    """Whether `line` is the rest of a sentence that `above` began."""
    if _NEW_ITEM.match(line):
        return False
    above = above.rstrip()
    is_closed = above.endswith((".", "!", "?", ":"))
    is_open = not is_closed and (ends("leaves_open", fold(above[-12:])) or above.endswith(","))
    rest = _find_rest_of_vote(line)
    if rest is not None:
        if not _is_whole(rest):
            return (len(above) >= 55 or is_open) and not is_closed and not above.endswith((",", ";", ")"))
        return (is_open and not above.endswith(",")) or (len(above) >= 40 and is_technical(f"{above[-50:]} ", ""))
    # a capital begins another sentence
    connects = begins("connects", line) or (_ENDS_IN_VALUE.search(above) is not None and line.lstrip()[:1].islower())
    whole_above = _find_rest_of_vote(above)
    if whole_above is not None and _is_whole(whole_above):
        return connects
    return len(above) >= 64 if is_closed else len(above) >= 56 or connects or is_open


def _find_rest_of_vote(line: str) -> str | None:
    """The text after the vote that a line begins with; None: it begins with none."""
    start = skip_bullet(line)
    values = find_values(line) if start < len(line) else ()
    return skip_claim(line[values[0].end() :]).strip(" .!,)") if values and values[0].start() <= start else None


def _is_whole(rest: str) -> bool:
    """Whether a line is a vote and all of it: "+1 on" runs over into the next."""
    return not rest or (
        len(rest.split()) <= 3 and begins("from_me", fold(rest)) and not ends("leaves_open", fold(rest))
    )


def _find_line(block: Sequence[OwnLine], offset: int) -> OwnLine:
    for line in block:
        offset -= len(line.text.strip()) + 1
        if offset < 0:
            return line
    return block[-1]


def spell_out_lines(written: Sequence[OwnLine]) -> list[OwnLine]:
    """The lines made plain, their values as figures; a mail that is only ":+1:" is the vote that its picture shows."""
    lines = [replace(x, text=spell_out(plain(x.text))) for x in written]
    said = [x for x in lines if x.text.strip()]
    pictures = PICTURES.fullmatch(said[0].text) if len(said) == 1 and not said[0].answers else None
    if pictures is None:
        return lines
    vote = f"{pictures['value']}{pictures['claim'] or ''}"
    return [replace(x, text=vote if x is said[0] else "") for x in lines]
