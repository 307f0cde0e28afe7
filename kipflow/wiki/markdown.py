"""Proposals written as Markdown files: visible sections, and hidden comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kipflow.domain.texts import is_web_address
from kipflow.wiki.sections import Line, Section, cut_at_headings
from kipflow.wiki.storage import collapse

_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)")
_OPEN, _CLOSE = "<!--", "-->"
_LINK = re.compile(r"\[([^\[\]]{0,500})\]\(\s*(?:<([^<>\s]{1,500})>|([^()\s]{1,500}))[^()]{0,200}\)")
_ADDRESS = re.compile(r"https?://[^\s<>\])|]{1,500}")
#: The characters of horizontal rules, and of the row below a table's header.
_RULING = frozenset("|-: \t")
_EMPHASIS = re.compile(r"\*\*|__|`")
_ITALICS = re.compile(r"(?<![\w*])[_*]([^_*]{1,500})[_*](?![\w*])")
#: The most comments that are reported. A licence header is before the first heading and not among them.
_MOST_COMMENTS = 50


def find_headings(text: str) -> list[str]:
    """The texts of the Markdown headings ("## Motivation"). In other formats such lines may mean anything."""
    return [line for level, line in _lines(text) if level]


def sections_of_markdown(text: str) -> tuple[Section, ...]:
    """The file's sections, in order and without comments."""
    return cut_at_headings(_read_lines(text))


def _read_lines(text: str) -> Iterator[tuple[Line, int]]:
    for level, raw in _lines(text):
        line = _read_line(raw)
        if level:
            yield Line(text=line.text.rstrip("# ")), level
        elif not _RULING.issuperset(raw):
            yield line, 0


def find_comments(text: str) -> list[tuple[str, str]]:
    """Each comment below a heading, as the heading and the comment on one line."""
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
    """Each line with its heading level, or 0. A "#" within code is no heading."""
    in_code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            in_code = not in_code
            continue
        heading = None if in_code else _HEADING.match(line)
        yield (len(heading.group(1)), heading.group(2)) if heading else (0, line)


def _split(text: str) -> Iterator[tuple[str, bool]]:
    """Text and comments in turn. A comment that is never closed is text, as browsers and GitHub show it."""
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
    links = dict.fromkeys([*(t for t in targets if is_web_address(t)), *_ADDRESS.findall(bare)])
    return Line(text=collapse(_ITALICS.sub(r"\1", bare)), links=tuple(links))
