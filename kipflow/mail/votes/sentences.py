"""Own lines to sentences: wrapped lines joined, so that a condition on the next line is seen with its vote."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kipflow.mail.quoting import OwnLine
from kipflow.mail.relevance import fold_case
from kipflow.mail.votes.technical import is_technical
from kipflow.mail.votes.values import find_values, skip_bullet

MAX_SENTENCE = 600
MAX_SENTENCES = 2_000


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the own words. `starts_line` says that it begins where a line does; `preceding` and
    `following` are what stands next to it, up to 200 characters."""

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
_CONNECTS = re.compile(
    r"^\s{0,3}(?:if|once|provided|assuming|unless|until|on|to|with|for|pending|but only|modulo|as long as|that|what|"
    r"from)\b(?! again| more| a side)",
)
_ENDS_OPEN = re.compile(
    r"(?:\b(?:on|to|for|if|with|that|the|and|or|of|in|is|my|a|once|until|as|from)|,)\s*$", re.IGNORECASE
)
_WRAPS = re.compile(r"\w[^.!?:]*\s(?:a|an|the|utc|gmt|acks|than|least)\s*$", re.IGNORECASE)
_WRAPPING = frozenset({"a", "an", "the", "utc", "gmt", "acks", "than", "least"})
_NEW_ITEM = re.compile(r"^\s*(?:[-*•·]\s|\d{1,2}[.)]\s|\[)")
_WHOLE_VOTE = re.compile(
    r"^\s*[-*•]?\s*[+\-±]\s?[01](?:\.\d{1,2})?\W{0,4}(?:(?:(?:non?e?|not)?[\s-]{0,2}b[a-z]{2,8}|n?b|pmc)\)?)?\W{0,4}"
    r"(?:(?:from|for) (?:me|my \w+|us))?\W{0,4}$"
)

# "2. +1, will change": the dot is the number's
_ITEM_NUMBER = re.compile(r"^\s*\d{1,2}\.$")


def split_sentences(lines: Sequence[OwnLine]) -> Iterator[Sentence]:
    """Sentences over wrapped lines, each with the line that its first vote stands in."""
    count = 0
    blocks = list(_join_wrapped(lines))
    for position, block in enumerate(blocks):
        text = " ".join(line.text.strip() for line in block)[: 4 * MAX_SENTENCE]
        after_block = blocks[position + 1][0].text.strip() if position + 1 < len(blocks) else ""
        starts = [
            0,
            *(m.end() for m in _SENTENCE_END.finditer(text) if not _ITEM_NUMBER.match(text, 0, m.start())),
            len(text),
        ]
        for number, (start, end) in enumerate(itertools.pairwise(starts)):
            count += 1
            if count > MAX_SENTENCES:
                return
            sentence = text[start:end][:MAX_SENTENCE]
            if not sentence.strip():
                continue
            following = text[end : end + 200] or after_block[:200]
            line = _find_line(block, text, start, sentence)
            preceding = text[max(0, start - 200) : start] or (
                blocks[position - 1][-1].text.strip()[-200:] if position else ""
            )
            yield Sentence(sentence, line, following, starts_line=number == 0, preceding=preceding)


def _join_wrapped(lines: Iterable[OwnLine]) -> Iterator[list[OwnLine]]:
    block: list[OwnLine] = []
    for line in lines:
        text = line.text
        if not text.strip():
            if block:
                yield block
            block = []
            continue
        if block and not _continues(block[-1].text, text):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _continues(above: str, line: str) -> bool:
    """Whether `line` is the rest of a sentence that `above` began."""
    closed = above.rstrip().endswith((".", "!", "?", ":"))
    if _NEW_ITEM.match(line):
        return False
    # the last word tells cheaply what the pattern takes long to deny
    if fold_case(above.rsplit(None, 1)[-1]) in _WRAPPING and _WRAPS.search(above):
        return True  # "… it would be a / +1": no line of its own
    if _is_whole_vote(line) and (
        closed or len(above) < 40 or not is_technical(f"{above[-50:]} ", "")  # else a number, wrapped
    ):
        return False
    if _is_whole_vote(above) and not _CONNECTS.match(line):
        return False
    start = skip_bullet(line)
    values = find_values(line) if start < len(line) else []
    if values and values[0].start() <= start:
        return (len(above) >= 55 or _ends_open(above)) and not closed and not above.rstrip().endswith((",", ";", ")"))
    return (not closed and (len(above) >= 56 or _CONNECTS.match(line) is not None or _ends_open(above))) or (
        closed and len(above) >= 64
    )


def _is_whole_vote(line: str) -> bool:
    """Whether a line is a vote and all of it: "+1 on" runs over into the next."""
    return _WHOLE_VOTE.match(line) is not None and not _ends_open(line)


def _ends_open(line: str) -> bool:
    # its end is enough: the longest word that leaves a sentence open has five letters
    return _ENDS_OPEN.search(line.rstrip()[-8:]) is not None


def _find_line(block: Sequence[OwnLine], text: str, start: int, sentence: str) -> OwnLine:
    values = find_values(sentence)
    offset = start + (values[0].start("value") if values else 0)
    passed = 0
    for line in block:
        passed += len(line.text.strip()) + 1
        if offset < passed:
            return line
    del text
    return block[-1]
