"""Quotes that have no marks of their own: everything below their header is quoted."""

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
    has_time,
    is_dated_sender,
    is_groupwise,
    is_single_line,
    skip_header_lines,
)

#: What a line of a mail is: the author's, quoted, or neither (an attribution, a signature).
OWN, QUOTED, DROPPED = "o", "q", "x"
#: The lines that an attribution may be wrapped over, blank ones among them.
LONGEST_ATTRIBUTION = 7
#: A line that begins a quote by dashes alone has at least as many characters: "-- " does not.
_SHORTEST_TITLE = 7
_NEAR = 200
_FORWARDS = re.compile(r"forward|weitergeleitet|transf[ée]r|reenvia|inoltrat|doorgestuurd|转发|轉寄|転送")
_WROTE = re.compile(
    r"(?:[A-ZÀ-Þ][\w.'’-]*\s+){1,4}(?:wrote|writes|schrieb|a écrit|escribió|escreveu|ha scritto|schreef|skrev)"
)
#: words above a quote that point to answers written into it: "See below.", "siehe unten", "Hi Ann,"
_LEADS_BELOW = re.compile(
    r"(?:\b(?:below|in-?lined?|unten|nachfolgend|ci-dessous|más abajo|abaixo|di seguito|hieronder|nedan|nedenfor|ниже)"
    r"|见下|見下|以下|下面|下記|아래)\W*$"
    r"|\b(?:see|answers?|repl(?:y|ies)|comments?|responses?)\b[^.!?]{0,30}"
    r"\b(?:below|in-?lined?|in (?:red|blue|green|colou?r))(?: in (?:red|blue|green|colou?r))?\b(?:\W+[^\W\d]+){0,3}\W*$"
    r"|^\W*(?:hi|hello|hey|dear|hallo|bonjour|salut|hola|olá|ciao|moin|привет)\b(?:\W+[^\W\d]+){0,3}\W*$",
    re.IGNORECASE,
)
_NAMES_SENDER = re.compile(
    rf"\s*(?:{OPENING})\b|\s*\d|.{{0,80}}(?:於|于|在|<[^<>\s]{{1,200}}@)",
    re.IGNORECASE,
)


def mark_unmarked_quotes(lines: list[str], marks: list[str], address: str) -> tuple[str, ...]:
    """Cut at a quoted mail that has no marks of its own.

    Returns the lines below if those above point there, or if the author (with this address) forwards an own mail.
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
        return rest if not above or _leads_below(above, lines[index:end], address) else ()
    return ()


def _leads_below(above: str, header: list[str], address: str) -> bool:
    """Whether own words point to the text below a header: to an answer within it, or to an own mail forwarded."""
    text = "\n".join(header).lower()
    if _FORWARDS.search(text) is None:
        return _LEADS_BELOW.search(above[-_NEAR:]) is not None
    return bool(address) and f"<{address}>" in text.partition("\nto:")[0]


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
    # only an attribution over several lines is left: all marked as own, and one of them ends in a colon
    last = min(index + LONGEST_ATTRIBUTION, len(lines))
    return any(marks[i] == OWN and lines[i].rstrip().endswith((":", "：")) for i in range(index + 1, last))


def _find_unmarked_quote(lines: list[str], marks: list[str], index: int) -> int | None:
    """Where the header of an unmarked quote that begins at `index` ends; None if none begins there."""
    ends = (find(lines, index) for find in _HEADERS)
    end = next((end for end in ends if end is not None), None)
    return end if end is not None else _find_wrapped_attribution(lines, marks, index)


def _find_single_line(lines: list[str], index: int) -> int | None:
    line = lines[index]
    if is_groupwise(line) or is_single_line(line) or _frames_attribution(line):
        return index + 1
    is_wrapped = line.startswith("---- ") and _frames_attribution(" ".join(lines[index : index + 2]))
    return index + 2 if is_wrapped else None


def _frames_attribution(line: str) -> bool:
    """Zoho: "---- On Tue, 03 Mar 2026 09:14:00 +0100 Jun <jun@x.example> wrote ----", phones: "---- Jun wrote ----"."""
    title = line.strip("-_—=* ") if TITLE.match(line) else ""
    return bool(title) and ((has_time(line) and ends_attribution(title)) or _WROTE.fullmatch(title) is not None)


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
    # a vote right above an attribution does not belong to it, nor does a name above one that begins below:
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
            return None  # as likely the author's own paragraphs
        if is_dated_sender(joined) and VOTE_IN_LINE.search(joined) is None:
            return last + 1
        if is_attribution(joined):
            return last + 1 if HAS_DATE.search(joined) and _NAMES_SENDER.match(joined) else None
    return None
