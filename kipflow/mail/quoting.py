"""An author's own words: a mail's text without quotes, attributions, signatures, footers and PGP armour.

A line is kept only if it is clearly its author's. If a quote has no marks of its own (Outlook, Yahoo),
everything below its header is quoted. If no own word is left then, the lines below are kept apart
as `doubtful`, for a person to read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kipflow.mail import limits
from kipflow.mail.content.html import BAR_MARK, OUTLOOK_MARK
from kipflow.mail.content.text import clean_lines
from kipflow.mail.quotes.attributions import (
    VOTE_LINE,
    begins_attribution,
    is_attribution,
    leads_in_vote,
    split_glued,
)
from kipflow.mail.quotes.footers import drop_added, drop_own_disclaimers, find_automated, is_sent_from
from kipflow.mail.quotes.headblocks import HEADER_LINE, ORIGINAL
from kipflow.mail.quotes.marked import (
    mark_attributions,
    mark_barred_quotes,
    mark_leftovers,
    mark_quotes,
    mark_tagged_quotes,
)
from kipflow.mail.quotes.unmarked import DROPPED, OWN, QUOTED, mark_unmarked_quotes

MAX_OWN_TEXT = 32 * 1024  # most text that is kept; more than `limits.OWN_TEXT` becomes a question


_GAP = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class OwnLine:
    """A line of the author's. `answers` is the quoted text right above its paragraph (empty: none);
    `quote_follows`: more quotes follow below it, so the line is part of a discussion."""

    text: str
    answers: str = ""
    quote_follows: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """The parts of a mail's text."""

    own: tuple[OwnLine, ...]
    doubtful: tuple[str, ...] = ()
    #: lines of a ballot that are quoted once, without the quote mark: some people check a box inside the quote
    quoted_boxes: tuple[str, ...] = ()
    #: a line of the mail's own says that a program wrote it
    is_automated: bool = False

    @property
    def text(self) -> str:
        """The own words as text, blank lines evened out."""
        if not self.own:
            return ""
        joined = "\n".join([line.text.rstrip() for line in self.own])
        evened = _GAP.sub("\n\n", joined) if "\n\n\n" in joined else joined
        return evened.strip()[:MAX_OWN_TEXT]


_QUOTED_BOX = re.compile(r"^>[ \t]{0,8}(\[[^\[\]\n]{0,5}\][^\n]{1,120})$", re.MULTILINE)
#: a vote that stands alone below a signature's mark
_SIGNED_VOTE = re.compile(r"\s*(?:p\.? ?s\.?:?\s*)?[+\u2212-]\s?[01]\W{0,3}(?:(?:non\W?)?binding\W*)?$", re.IGNORECASE)
_SIGNATURE = re.compile(r"^--\s?$|^—\s?$|^-- \u200b?$")


def find_own_words(text: str, note: limits.Note = limits.ignore, *, address: str = "") -> Words:
    """The author's own lines of a mail text, in order, each with the quote above it; `address` is the author's."""
    lines = clean_lines(text, note)
    automated = find_automated(lines)
    lines = split_glued(drop_added(lines))
    barred = _read_bars(lines) if BAR_MARK in text else ()
    marks = mark_quotes(lines)
    mark_attributions(lines, marks)
    doubtful = mark_unmarked_quotes(lines, marks, address)
    broken = mark_leftovers(lines, marks)
    is_automated = any(marks[index] == OWN for index in automated if index < len(marks))
    # most of a mail is quoted: what follows looks at the other lines only
    own = [index for index, mark in enumerate(marks) if mark == OWN]
    drop_own_disclaimers(lines, own)
    behind_bars = mark_barred_quotes(lines, marks, own)
    mark_tagged_quotes(lines, marks, own)
    led_in = (*behind_bars, *_mark_fenced(lines, marks, own), *_mark_led_in(lines, marks, own))
    signature = _mark_signature(lines, marks, own)
    gathered = tuple(_gather(lines, marks, own))
    said = [line.text for line in gathered if line.text]
    is_alone = not any(text.strip() for text in said)
    below = signature if is_alone or any(map(_SIGNED_VOTE.match, signature)) else ()
    boxes = tuple(_QUOTED_BOX.findall(text)) if ">" in text and "[" in text else ()
    words = Words(
        own=gathered,
        doubtful=(*doubtful, *barred, *broken, *led_in, *below),
        quoted_boxes=boxes,
        is_automated=is_automated,
    )
    if len(said) > limits.OWN_LINES.size:
        note(limits.OWN_LINES)
    if sum(map(len, said)) + len(said) > limits.OWN_TEXT.size:
        note(limits.OWN_TEXT)
    return words


def _mark_fenced(lines: list[str], marks: list[str], own: list[int]) -> tuple[str, ...]:
    """Mark the lines between two fences ("```") as a citation. Returns these lines."""
    fences = [i for i in own if lines[i].lstrip().startswith(("```", "~~~"))]
    if len(fences) < 2:
        return ()
    fenced: list[str] = []
    for start, end in zip(fences[::2], fences[1::2], strict=False):
        fenced.extend(lines[i] for i in range(start + 1, end) if marks[i] == OWN)
        marks[start : end + 1] = [DROPPED] * (end + 1 - start)
    return tuple(fenced)


def _mark_led_in(lines: list[str], marks: list[str], own: list[int]) -> tuple[str, ...]:
    """Mark a vote without quote marks that "In reply to Jun:" introduces as quoted. Returns its paragraph."""
    led_in: list[str] = []
    for index in own:
        line = lines[index]
        if line.rstrip()[-1:] not in _ENDS_LEAD_IN and line.lstrip()[:1] != "[":
            continue
        if marks[index] != OWN or index + 1 >= len(lines):
            continue
        start = index + 1 if lines[index + 1].strip() else min(index + 2, len(lines) - 1)
        if marks[start] != OWN or not leads_in_vote(line, lines[start]):
            continue
        end = next((i for i in range(start, len(lines)) if marks[i] != OWN or not lines[i].strip()), len(lines))
        led_in.extend(line.strip().strip('"“”„«»') for line in lines[start:end])
        marks[index] = DROPPED
        marks[start:end] = [QUOTED] * (end - start)
    return tuple(led_in)


def _read_bars(lines: list[str]) -> tuple[str, ...]:
    """Turn lines beside a bar into quoted ones. Returns those that nothing else shows to be a quote."""
    doubtful: list[str] = []
    start = 0
    while start < len(lines):
        if not lines[start].startswith(BAR_MARK):
            start += 1
            continue
        end = next((i for i in range(start, len(lines)) if not lines[i].startswith(BAR_MARK)), len(lines))
        inner = [line.replace(BAR_MARK, "") for line in lines[start:end]]
        lines[start:end] = [f"> {line}".rstrip() for line in inner]
        above = [line.strip() for line in lines[max(0, start - 8) : start] if line.strip()][-3:]
        below = [line.strip() for line in inner if line.strip()][:3]
        below = below if below and begins_attribution(below[0]) else below[:1]
        if not _introduces_quote(above) and not _introduces_quote(below):
            doubtful.extend(line.text for line in find_own_words("\n".join(inner)).own)
        start = end
    return tuple(doubtful)


def _introduces_quote(lines: list[str]) -> bool:
    """Whether one of these lines belongs to an attribution or a header block."""
    joined = " ".join(lines)
    return any(
        line == OUTLOOK_MARK
        or HEADER_LINE.match(line)
        or ORIGINAL.match(line)
        or is_attribution(line, above_quote=True)
        for line in [*lines, joined]
    )


#: This many votes below a signature's mark are a list of voters, as in an announcement.
_LISTED = 2
_DASHES = frozenset("-—")  # what opens a signature
_ENDS_LEAD_IN = frozenset(":：=_*~#-")


def _mark_signature(lines: list[str], marks: list[str], own: list[int]) -> tuple[str, ...]:
    """Drop the signature. Returns its lines: with nothing above them they may be own words."""
    in_signature, last = False, -1
    signature: list[str] = []
    for index in own:
        if marks[index] != OWN:
            continue
        # a signature goes on to the next line that is not the author's
        in_signature = in_signature and index == last + 1
        last, line = index, lines[index]
        if line[:1] in _DASHES and _SIGNATURE.match(line) and _is_signature_start(lines, marks, index):
            in_signature = True
        elif is_sent_from(line):
            marks[index] = DROPPED
        if in_signature:
            marks[index] = DROPPED
            signature.append(line)
    return tuple(signature)


def _is_signature_start(lines: list[str], marks: list[str], index: int) -> bool:
    """ "-- " begins a signature unless votes are listed below; a bare "--" does if little follows (or it is a rule)."""
    following = [i for i in range(index + 1, len(lines)) if lines[i].strip() and marks[i] == OWN]
    if lines[index] == "-- ":
        return sum(VOTE_LINE.match(lines[i]) is not None for i in following) < _LISTED
    return len(following) <= 12 and not any(VOTE_LINE.match(lines[i]) for i in following)


def _gather(lines: list[str], marks: list[str], own: list[int]) -> list[OwnLine]:
    kinds = "".join(marks)
    last_quote = kinds.rfind(QUOTED)
    while last_quote >= 0 and len(lines[last_quote].strip("> |│┃")) <= 2:
        last_quote = kinds.rfind(QUOTED, 0, last_quote)
    out: list[OwnLine] = []
    answers = ""
    size = said = 0  # `said`: the line after the last own one that is not empty
    for index in own:
        if kinds[index] != OWN:
            continue
        line = lines[index]
        is_empty = not line or line.isspace()
        is_fresh = kinds.find(QUOTED, said, index) >= 0  # a quote is between
        if is_fresh and not is_empty:
            quote = [lines[i].lstrip("> |│┃") for i in range(said, index) if kinds[i] == QUOTED]
            answers = " ".join(quote[-40:])[-1500:].strip()
        elif is_empty and out and not is_fresh and out[-1].text.strip():
            answers = ""
        said = said if is_empty else index + 1
        out.append(OwnLine(line, answers, index < last_quote))
        size += len(line) + 1
        if size > MAX_OWN_TEXT:
            break
    return out
