"""Quotes that have marks, and the attributions above them: "On 2 Mar 2026, Mara Lind wrote:" / "> …"."""

from __future__ import annotations

import re

from kipflow.mail.quotes.attributions import (
    MAX_ATTRIBUTION,
    OPENS,
    VOTE_IN_LINE,
    VOTE_LINE,
    begins_attribution,
    ends_attribution,
    is_attribution,
)
from kipflow.mail.quotes.headblocks import HAS_DATE, has_time
from kipflow.mail.quotes.unmarked import DROPPED, LONGEST_ATTRIBUTION, OWN, QUOTED

# "> x", ">> x", "> > x", "JR> x", "| x", "＞ x"; not "->" or "=>"
_QUOTE = re.compile(r"^\s{0,8}(?:[A-Za-z]{0,6}[>＞»]|[A-Za-z]{7,16}>\s|&gt;|:(?=\s+\S)|\|(?!\|)(?:\s|$|[^\s|]))")
# "| Mara Lind | +1 |": bars on both sides and within draw a table
_TABLE_ROW = re.compile(r"^\s{0,8}\|[^|\n]{0,120}\|[^\n]{0,400}\|\s*$")
_ARROW = re.compile(r"^\s{0,8}[A-Za-z]{2,6}>\S")
_ESCAPED_FROM = re.compile(r"^>From\s")

# several lines in a row after another sign, some with words: "# I was in", "# camp A", "#"
_OTHER_MARKS = re.compile(r"#{3,}|%{3,}|!{3,}")
_QUOTED_WORDS = re.compile(r"\s{0,8}[#%!]\s+[^\W\d]")

# what forums and their gateways put around a quote: "[quote=Jun]…[/quote]", "<quote author="Jun">…</quote>"
_TAG = re.compile(
    r"^\s*[\[<](?P<begins>quote)(?=[\s=\]>])[^\[\]<>\n]{0,200}[\]>](?=\S|\s*$)|[\[<]/quote[\]>]", re.IGNORECASE
)
# "│ x" with no other bar after it: those draw a box
_BARRED = re.compile(r"\s{0,8}[│┃](?!.*[│┃])")

_QUOTE_RUN = re.compile(r"q+")
_BETWEEN_QUOTES = re.compile(r"q(?=oq)")
#: "> I have read it and I am"
_BREAKS_OFF = re.compile(r"\b(?:am|is|i'm|it's|my|an?|clear)\s*$", re.IGNORECASE)


def is_table_row(line: str) -> bool:
    """Whether a line is a row of a table drawn with bars: no quote, and nobody's own vote."""
    return "|" in line and _TABLE_ROW.match(line) is not None


def mark_barred_quotes(lines: list[str], marks: list[str], own: list[int]) -> tuple[str, ...]:
    """Mark own lines after drawn bars as quoted. Returns those that no words introduce: they may be the author's."""
    barred = [index for index in own if not lines[index].isascii() and _BARRED.match(lines[index])]
    if not barred:
        return ()
    for index in barred:
        marks[index] = QUOTED
    above = next((lines[i] for i in reversed(own) if i < barred[0] and re.search(r"\w", lines[i])), "")
    is_led_in = above.rstrip().endswith((":", "："))
    return () if is_led_in else tuple(lines[index].strip(" │┃") for index in barred)


def mark_tagged_quotes(lines: list[str], marks: list[str], own: list[int]) -> None:
    """Mark own lines between a forum's tags as quoted.

    A tag that does not begin its line, or is never closed, is ignored: a sentence may be about it.
    """
    tagged = [index for index in own if "quote" in lines[index].lower() and _TAG.search(lines[index])]
    begun = [bool(tag["begins"]) for index in tagged for tag in _TAG.finditer(lines[index])]
    if not tagged or sum(begun) * 2 != len(begun) or not begun[0]:
        return
    depth = 0
    for index in (i for i in own if tagged[0] <= i <= tagged[-1]):
        outside, at = "", 0
        for tag in _TAG.finditer(lines[index]):
            outside += lines[index][at : tag.start()] if depth == 0 else ""
            depth, at = max(0, depth + (1 if tag["begins"] else -1)), tag.end()
        outside += lines[index][at:] if depth == 0 else ""
        marks[index] = OWN if outside.strip() else QUOTED
        lines[index] = outside if outside.strip() else lines[index]


def mark_quotes(lines: list[str]) -> list[str]:
    # nearly every quoted line begins so: no need to look closer
    marks = [QUOTED if line[:1] == ">" else OWN for line in lines]
    for index in [index for index, mark in enumerate(marks) if mark == OWN]:
        line = lines[index]
        if (
            (">" in line or "|" in line or ":" in line or "&" in line or not line.isascii())
            and _QUOTE.match(line)
            and not _ARROW.match(line)
            and not is_table_row(line)
        ):
            marks[index] = QUOTED
    for run in _OTHER_MARKS.finditer(
        "".join((line.lstrip()[:1] or " ") if m == OWN else " " for line, m in zip(lines, marks, strict=True))
    ):
        if sum(_QUOTED_WORDS.match(line) is not None for line in lines[run.start() : run.end()]) > 1:
            marks[run.start() : run.end()] = [QUOTED] * (run.end() - run.start())
    escaped = [index for index, line in enumerate(lines) if line[:5] == ">From"]
    for index in escaped:
        line = lines[index]
        # ">From" is an archive's escape of the author's own "From", unless it stands among quotes
        # or below a line such as "Jun wrote:"
        if marks[index] == QUOTED and _ESCAPED_FROM.match(line):
            around = marks[max(0, index - 1) : index] + marks[index + 1 : index + 2]
            above = next((x for x in reversed(lines[max(0, index - 3) : index]) if x.strip()), "")
            if QUOTED not in around and not above.rstrip().endswith((":", "：")):
                marks[index], lines[index] = OWN, line[1:]
    return marks


def mark_attributions(lines: list[str], marks: list[str]) -> None:
    """Drop "On …, X wrote:" above a quote, in many languages, wrapped over up to four lines."""
    for quote in _QUOTE_RUN.finditer("".join(marks)):
        last = (index := quote.start()) - 1
        while last >= 0 and not lines[last].strip() and index - last <= 3:
            last -= 1
        if last >= 0 and marks[last] == OWN:
            first = _find_attribution_start(lines, marks, last)
            if first is not None:
                for i in range(first, last + 1):
                    marks[i] = DROPPED


def _find_attribution_start(lines: list[str], marks: list[str], last: int) -> int | None:
    """The first line of an attribution that ends at line `last`; None if there is none."""
    tail = lines[last].strip()
    if len(tail) > 400 or not (tail.endswith((":", "：", "...", "…")) or ends_attribution(tail)):
        return None
    for first in range(last, max(-1, last - 5), -1):
        if marks[first] != OWN or not lines[first].strip():
            return None
        joined = " ".join(line.strip() for line in lines[first : last + 1])
        if len(joined) > MAX_ATTRIBUTION:
            return None
        if is_attribution(joined, above_quote=True):
            return _find_earlier_part(lines, marks, first)
    return None


def _find_earlier_part(lines: list[str], marks: list[str], first: int) -> int:
    """The first line of an attribution that ends with line `first`: "On Mon, 2 Mar 2026 at 10:00,\nMara Lind\nwrote:".

    In HTML its pieces may be paragraphs, with a blank line between them.
    """
    may_gap, gapped = not begins_attribution(lines[first]), False
    for earlier in range(first - 1, max(-1, first - LONGEST_ATTRIBUTION), -1):
        text = lines[earlier].strip()
        if not text and may_gap and lines[earlier + 1].strip():
            gapped = True
        elif marks[earlier] != OWN or not text or text.endswith((".", "!", "?")):
            break
        elif OPENS.match(text) and HAS_DATE.search(text) and VOTE_IN_LINE.search(text) is None:
            return earlier if not gapped or (has_time(text) and not text.endswith((":", "："))) else first
    return first


def mark_leftovers(lines: list[str], marks: list[str]) -> tuple[str, ...]:
    """Mark a lone line between two quoted ones as quoted: it is the rest of a wrapped line.

    Returns the votes among these, and the only other vote of a mail if the quoted line above it breaks off, or is empty
    and the next one is quoted, too: it may be a quoted line that lost its mark, or a reply.
    """
    rests = []
    for alone in _BETWEEN_QUOTES.finditer("".join(marks)):
        index = alone.start() + 1
        if lines[index].strip() and len(lines[index - 1]) >= 62 and lines[index + 1].strip("> |"):
            marks[index] = QUOTED
            if VOTE_LINE.match(lines[index]):
                rests.append(lines[index])
    kinds = "".join(marks)
    below = (
        run.end()
        for run in _QUOTE_RUN.finditer(kinds)
        if _BREAKS_OFF.search(above := lines[run.end() - 1])
        or (not above.strip("> |") and kinds[run.end() + 1 : run.end() + 2] == QUOTED)
    )
    broken = [i for i in below if marks[i : i + 1] == [OWN] and VOTE_LINE.match(lines[i])]
    if (
        not broken
        or sum(m == OWN and VOTE_LINE.match(line) is not None for line, m in zip(lines, marks, strict=True)) > 1
    ):
        return tuple(rests)
    marks[broken[0]] = DROPPED
    return (*rests, lines[broken[0]])
