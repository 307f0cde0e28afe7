"""Address fields without their quotes and comments (RFC 5322): only the rest can name the writer.

`"Dee <dee@x.example>": mallory@y.example;` or `mallory@y.example (<dee@x.example>)` shows Dee's address, which
anybody can write next to their own.
"""

from __future__ import annotations

import re
from functools import lru_cache

_ANGLE = re.compile(r"<[^<>]{0,320}>")
_BARE = re.compile(r"[^\s<>()\"',;:]{1,200}@[^\s<>()\"',;:]{1,200}")
_MARKS = re.compile(r'[\\"()<]')
#: A From with more characters names nobody for certain; after more unclosed marks the rest of a field is text.
MAX_LOOKED_AT, MAX_UNENDED = 2_000, 20


def mask_remarks(text: str) -> str:
    """The field with quoted strings and comments replaced by blanks, so that offsets stay the same.

    An unclosed quote or bracket is text: some mailers forget to close it.
    """
    if '"' not in text and "(" not in text:
        return text
    text = text[:MAX_LOOKED_AT]
    kept, position, unended = [], 0, 0
    while unended < MAX_UNENDED and (mark := _MARKS.search(text, position)) is not None:
        kept.append(text[position : mark.start()])
        end = _find_end(text, mark.start())
        run = text[mark.start() : end]
        kept.append(" " * len(run) if mark[0] in '"(' and len(run) > 1 else run)
        unended += len(run) == 1
        position = end
    kept.append(text[position:])
    return "".join(kept)


def _find_end(text: str, start: int) -> int:
    """The end of the run that a mark opens; right after the mark if nothing closes it."""
    match text[start]:
        case '"':
            end = find_quote_end(text, start)
        case "(":
            end = find_comment_end(text, start)
        case "<":
            end = _find_angle_end(text, start)
        case _:
            end = start + 2
    return end or start + 1


def find_quote_end(text: str, start: int) -> int:
    """The offset after the quoted string at `start`; 0 if nothing closes it."""
    for match in _QUOTE.finditer(text, start + 1):
        if match[0] == '"':
            return match.end()
    return 0


def find_comment_end(text: str, start: int) -> int:
    """The offset after the comment at `start`, including nested ones; 0 if nothing closes it."""
    depth = 0
    for match in _BRACKET.finditer(text, start):
        depth += (match[0] == "(") - (match[0] == ")")
        if depth == 0:
            return match.end()
    return 0


def _find_angle_end(text: str, start: int) -> int:
    position = start + 1
    while position < len(text) and text[position] not in "<>":
        position = (find_quote_end(text, position) if text[position] == '"' else 0) or position + 1
    return position + 1 if text[position : position + 1] == ">" else 0


_QUOTE = re.compile(r'\\.|"', re.DOTALL)
_BRACKET = re.compile(r"\\.|[()]", re.DOTALL)


@lru_cache(maxsize=2048)
def is_ambiguous(text: str) -> bool:
    """Whether a From may mean more than one mailbox: several of them, a group, or a stray address in brackets."""
    if len(text) > MAX_LOOKED_AT:
        return True
    if text.count("@") < 2 and ":" not in text:
        return False
    masked = mask_remarks(text)
    if "@" in text and ":" in _ANGLE.sub("", masked):
        return True
    return len({address.casefold() for part in masked.split(",") for address in _find_addresses(part)}) > 1


def _find_addresses(part: str) -> list[str]:
    angles = [angle.strip("<> ") for angle in _ANGLE.findall(part) if "@" in angle]
    return angles or _BARE.findall(part)


def find_shown(text: str) -> tuple[str, ...]:
    """Every address anywhere in a field, even in quotes or a comment: for a person who checks it."""
    seen = "".join(char for char in text if char.isprintable() or char.isspace())
    return tuple(dict.fromkeys(found.lower().strip(".") for found in _BARE.findall(seen)))
