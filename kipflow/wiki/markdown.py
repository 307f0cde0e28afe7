"""A proposal that is a Markdown file: its sections as a reader sees them, and the comments he does not see."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kipflow.wiki.sections import Line, Section, cut_at_headings
from kipflow.wiki.storage import collapse

_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)")
_OPEN, _CLOSE = "<!--", "-->"
_LINK = re.compile(r"\[([^\[\]]{0,500})\]\(\s*(?:<([^<>\s]{1,500})>|([^()\s]{1,500}))[^()]{0,200}\)")
_ADDRESS = re.compile(r"https?://[^\s<>\])|]{1,500}")
#: What a rule and the row between a table's head and its body are made of.
_RULING = frozenset("|-: \t")
_EMPHASIS = re.compile(r"\*\*|__|`")
_ITALICS = re.compile(r"(?<![\w*])[_*]([^_*]{1,500})[_*](?![\w*])")
#: Comments that are reported; a licence's header stands before the first heading.
_MOST_COMMENTS = 50


def find_headings(text: str) -> list[str]:
    """What stands in the lines that are headings in Markdown ("## Motivation"); in other text they may be anything."""
    return [line for level, line in _lines(text) if level]


def sections_of_markdown(text: str) -> tuple[Section, ...]:
    """The file from top to bottom, cut at its headings; comments are no content."""
    return cut_at_headings(_read_lines(text))


def _read_lines(text: str) -> Iterator[tuple[Line, int]]:
    for level, raw in _lines(text):
        line = _read_line(raw)
        if level:
            yield Line(text=line.text.rstrip("# ")), level
        elif not _RULING.issuperset(raw):
            yield line, 0


def find_comments(text: str) -> list[tuple[str, str]]:
    """The comments below a heading: the heading, and the comment in one line."""
    found: list[tuple[str, str]] = []
    title = ""
    for part, is_comment in _split(text):
        if is_comment and title and collapse(part):
            found.append((title, collapse(part)))
        elif not is_comment:
            for level, line in _headings(part):
                title = collapse(line).rstrip("# ") if level else title
    return found[:_MOST_COMMENTS]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    yield from _headings("".join(part for part, is_comment in _split(text) if not is_comment))


def _headings(text: str) -> Iterator[tuple[int, str]]:
    """Each line with the level of the heading that it is, or 0; a "#" within code is none."""
    in_code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            in_code = not in_code
            continue
        heading = None if in_code else _HEADING.match(line)
        yield (len(heading.group(1)), heading.group(2)) if heading else (0, line)


def _split(text: str) -> Iterator[tuple[str, bool]]:
    """Text and comments in turn; one that is never closed is text, as browsers and GitHub show it."""
    position = 0
    while (start := text.find(_OPEN, position)) >= 0 and (end := text.find(_CLOSE, start)) >= 0:
        yield text[position:start], False
        yield text[start + len(_OPEN) : end], True
        position = end + len(_CLOSE)
    yield text[position:], False


def _read_line(raw: str) -> Line:
    raw = raw[:20_000]
    targets = [match.group(2) or match.group(3) for match in _LINK.finditer(raw)]
    bare = _EMPHASIS.sub("", _LINK.sub(r"\1", raw)).strip().strip("|").lstrip("-*+> \t")
    links = dict.fromkeys(
        [*(t for t in targets if t.lower().startswith(("http://", "https://"))), *_ADDRESS.findall(bare)]
    )
    return Line(text=collapse(_ITALICS.sub(r"\1", bare)), links=tuple(links))
