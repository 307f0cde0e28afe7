"""Quotes that have no marks of their own: where their header stands, all below it is quoted."""

from __future__ import annotations

import re

from kipflow.mail.content.html import OUTLOOK_MARK
from kipflow.mail.quotes.attributions import (
    OPENING,
    VOTE_IN_LINE,
    VOTE_LINE,
    begins_attribution,
    ends_attribution,
    is_attribution,
)
from kipflow.mail.quotes.footers import RULE
from kipflow.mail.quotes.headblocks import (
    BARE_TITLE,
    HAS_DATE,
    HEADER_FIRST,
    HEADER_LINE,
    LOTUS_DATE,
    LOTUS_FIRST,
    ORIGINAL,
    TITLE,
    find_header_block,
    is_dated_sender,
    is_groupwise,
    is_single_line,
    skip_header_lines,
)

#: What a line of a mail is: the author's, quoted, or neither (an attribution, a signature).
OWN, QUOTED, DROPPED = "o", "q", "x"
#: The lines that an attribution may be wrapped over, blank ones among them.
LONGEST_ATTRIBUTION = 7
#: What begins a quote by dashes alone has more characters: "-- " does not.
_SHORTEST_TITLE = 7
_NEAR = 200
_SPEAKS = re.compile(r"\b(?:i|we)\b", re.IGNORECASE)
#: what stands above a quote and leads to what its author wrote into it: "See below.", "siehe unten", "Hi Ann,"
_LEADS_BELOW = re.compile(
    r"\b(?:below|in-?line[d]?|unten|nachfolgend|ci-dessous|más abajo|abaixo|di seguito|hieronder|nedan|nedenfor|ниже)\b"
    r"|见下|見下|以下|下面|下記|아래|^\W*(?:[^\W\d]+\W+){0,2}[^\W\d]+\s*[,:!，：]\s*$",
    re.IGNORECASE,
)
_NAMES_SENDER = re.compile(
    rf"\s*(?:{OPENING})\b|\s*\d|.{{0,80}}(?:於|于|在|<[^<>\s]{{1,200}}@)",
    re.IGNORECASE,
)


def mark_unmarked_quotes(lines: list[str], marks: list[str], address: str) -> tuple[str, ...]:
    """Cut at a quoted mail that has no marks of its own.

    Answers what stood below, if what stands above leads there or the author (of this address) forwards an own mail.
    """
    bare = (
        i for i, line in enumerate(lines) if marks[i] == OWN or (line[:4] == ">>> " and line.rstrip()[-3:] == ">>>")
    )
    for index in bare:
        if marks[index] != OWN and not is_groupwise(lines[index]):
            continue
        end = _find_unmarked_quote(lines, marks, index) if _may_introduce(lines, marks, index) else None
        if end is None:
            continue
        below = next((i for i in range(end, len(lines)) if lines[i].strip()), None)
        if below is not None and marks[below] == QUOTED:
            for i in range(index, end):
                marks[i] = DROPPED
            continue  # the quote has marks after all: what follows it is the author's again
        above = " ".join(lines[i] for i in range(index) if marks[i] == OWN).strip()
        rest = tuple(lines[i] for i in range(end, len(lines)) if marks[i] == OWN)
        for i in range(index, len(lines)):
            marks[i] = DROPPED
        leads = not above or _LEADS_BELOW.search(above[-_NEAR:]) is not None
        return rest if leads or _forwards_own(lines[index:end], address) else ()
    return ()


def _forwards_own(header: list[str], address: str) -> bool:
    text = "\n".join(header).lower()
    return bool(address) and "forward" in text and f"<{address}>" in text.partition("\nto:")[0]


def _may_introduce(lines: list[str], marks: list[str], index: int) -> bool:
    """Whether a closer look could find the header of a quote at `index`; False is certain, and cheap to find."""
    line = lines[index]
    start = line.lstrip()[:1]
    if not start or (start in "-_—=*>" and len(line) >= _SHORTEST_TITLE):
        return bool(start)
    near = "".join(lines[index : index + 4])
    if ":" not in near and "：" not in near:
        return False  # neither a rule, nor within reach of a colon
    if ":" in line or "：" in line or "@" in line or BARE_TITLE.match(line) is not None:
        return True
    # what is left is an attribution over several lines: the author's own, and one of them ends in a colon
    last = min(index + LONGEST_ATTRIBUTION, len(lines))
    return any(marks[i] == OWN and lines[i].rstrip().endswith((":", "：")) for i in range(index + 1, last))


def _find_unmarked_quote(lines: list[str], marks: list[str], index: int) -> int | None:
    """Where the header of an unmarked quote that begins at `index` ends; None if none begins there."""
    ends = (find(lines, index) for find in _HEADERS)
    end = next((end for end in ends if end is not None), None)
    return end if end is not None else _find_wrapped_attribution(lines, marks, index)


def _find_single_line(lines: list[str], index: int) -> int | None:
    line = lines[index]
    # Zoho: "---- On Tue, 03 Mar 2026 09:14:00 +0100 Jun <jun@x.example> wrote ----", phones: "---- Jun wrote ----"
    is_framed = TITLE.match(line) and ends_attribution(line.strip("-_—=* ")) and not _SPEAKS.search(line)
    return index + 1 if is_groupwise(line) or is_framed or is_single_line(line) else None


def _find_lotus(lines: list[str], index: int) -> int | None:
    if "@" not in lines[index] or not LOTUS_FIRST.match(lines[index]):
        return None
    dated = next((i for i in range(index + 1, min(index + 3, len(lines))) if lines[i].strip()), None)
    return dated + 1 if dated is not None and LOTUS_DATE.match(lines[dated]) else None


def _find_original(lines: list[str], index: int) -> int | None:
    is_mark = lines[index].strip() == OUTLOOK_MARK or ORIGINAL.match(lines[index])
    return skip_header_lines(lines, index + 1) if is_mark else None


def _find_titled(lines: list[str], index: int) -> int | None:
    """A block of header lines below a rule or title, or one that begins without."""
    line = lines[index]
    if not any(pattern.match(line) for pattern in (RULE, TITLE, HEADER_FIRST, BARE_TITLE)):
        return None
    start = index if HEADER_FIRST.match(line) else index + 1
    while start < len(lines) and start - index < 3 and not lines[start].strip():
        start += 1
    if start > index and (end := find_header_block(lines, start)) is not None:
        return end
    if start == len(lines) or not HEADER_FIRST.match(lines[start]):
        return None
    end = skip_header_lines(lines, start)
    return end if sum(1 for i in range(start, end) if HEADER_LINE.match(lines[i])) >= 3 else None


#: Tried in this order.
_HEADERS = (_find_lotus, find_header_block, _find_single_line, _find_original, _find_titled)


def _find_wrapped_attribution(lines: list[str], marks: list[str], index: int) -> int | None:
    """ "On 2 Mar 2026, at 10:00, Mara Lind <mara@…> wrote:", over several lines, with the quote bare below it."""
    opens = begins_attribution(lines[index])
    # a vote right above an attribution is no part of it, nor is a name or a word above one that begins below:
    # "Ola" / "On Tue, 3 Mar 2026, X wrote:"
    if VOTE_LINE.match(lines[index]) or (not opens and any(map(begins_attribution, lines[index + 1 : index + 4]))):
        return None
    for last in range(index, min(index + (LONGEST_ATTRIBUTION if opens else 4), len(lines))):
        if opens and not lines[last].strip() and lines[last - 1].strip():
            continue  # its pieces are paragraphs
        if marks[last] != OWN or not lines[last].strip():
            return None
        if not lines[last].rstrip().endswith((":", "：")):
            continue
        pieces = [part.strip() for part in lines[index : last + 1] if part.strip()]
        joined = " ".join(pieces)
        if len(pieces) <= last - index and "@" not in joined:
            return None  # paragraphs of the author's own, as likely
        if is_dated_sender(joined) and VOTE_IN_LINE.search(joined) is None:
            return last + 1
        if is_attribution(joined):
            return last + 1 if HAS_DATE.search(joined) and _NAMES_SENDER.match(joined) else None
    return None
