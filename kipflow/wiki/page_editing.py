"""Sets fields of a proposal's page in place: only the words that must change, every other byte stays.

People write this page. An edit is made only if the edited field then reads as intended and every other line as
before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape

from kipflow.domain.pages import StatusWord
from kipflow.wiki.pages import Field, find_kind, read_fields
from kipflow.wiki.sections import BREAKS, Section, read_sections
from kipflow.wiki.status import parse_status
from kipflow.wiki.storage import ATTRIBUTES, UNREAD, collapse, parse_storage
from kipflow.wiki.template import has_hint

_PIECE = re.compile(
    rf"{UNREAD}|<(?P<close>/?)(?P<name>[A-Za-z][\w.:-]*+){ATTRIBUTES}>"
    r"|(?P<text>[^<]++)|<",
    re.DOTALL,
)
#: Elements that a reader does not see, except for a status macro's title.
_UNSEEN = frozenset({"s", "del", "strike", "ac:placeholder", "ac:parameter", "script", "style"})
_TITLE = re.compile(r"ac:name\s*=\s*[\"']title[\"']")
_SEPARATOR = re.compile(r"(?:\s|&nbsp;|[:：|=\u00a0]|[-–—](?=\s|&nbsp;))*+")
_END_TAG = re.compile(r"\s*</[^<>]*>")
_END_TAGS = re.compile(rf"(?:{_END_TAG.pattern})+\s*")
_BLANK = re.compile(r"(?:\s|&nbsp;|&#160;|\u00a0)*")
_BLANK_END = re.compile(rf"{_BLANK.pattern}\Z")
_EDGES = " :：|=-–—\u00a0"
#: Values of a field that nobody has filled in yet.
_EMPTY = frozenset({"", "tbd", "todo", "tba", "here", "link", "n/a", "none", "-", "…", "..."})
#: The most blocks that begin like the field and are tried; the characters of a block that are searched for its name.
_TRIES, _NAME = 3, 400
_NAME_END = re.compile(r"[:：|=]|[-–—](?=\s)|\Z")


@dataclass(frozen=True, slots=True)
class _Block:
    """The pieces between two line breaks; `texts` are the offsets of the visible ones."""

    start: int
    end: int
    texts: tuple[tuple[int, int], ...]


def edit_page(body: str, wanted: Mapping[str, str], *, source: str) -> tuple[str, dict[str, str]]:
    """`body` with the fields of `wanted` set, and those that could be set.

    A state is replaced; any other field is filled in only if it is still empty. A field that is missing, or cannot
    be changed without touching more of the page, is left alone. Raises `UnreadableInput`.

    Args:
        wanted: kind of field → storage format of its value; of "state", plain words.
    """
    done: dict[str, str] = {}
    for kind, value in wanted.items():
        sections = read_sections(parse_storage(body, source=source))
        field = read_fields(sections).get(kind)
        if field is None or not _is_open(kind, field, value):
            continue
        for start, end in _find_places(body, kind):
            new = body[:start] + (escape(value, quote=False) if kind == "state" else value) + body[end:]
            if _reads_as_meant(sections, field.name, new, kind, value, source):
                body, done[kind] = new, value
                break
    return body, done


def _is_open(kind: str, field: Field, value: str) -> bool:
    if kind == "state":
        return field.value != value
    return has_hint(field.value) or (not field.links and not field.tickets and field.value.lower().strip() in _EMPTY)


def _reads_as_meant(before: Sequence[Section], name: str, body: str, kind: str, value: str, source: str) -> bool:
    """Whether the field has the intended value, and every other line is unchanged."""
    sections = read_sections(parse_storage(body, source=source))
    field = read_fields(sections).get(kind)
    if field is None or field.name != name:
        return False
    old, new = _list_lines(before), _list_lines(sections)
    if len(old) != len(new) or sum(a != b for a, b in zip(old, new, strict=True)) != 1:
        return False
    if kind == "state":
        word = parse_status(field.value)
        return word is parse_status(value) and word is not StatusWord.UNKNOWN
    return not _is_open(kind, field, value)


def _list_lines(sections: Sequence[Section]) -> list[object]:
    return [x for section in sections for x in (section.title, *section.lines)]


def _find_places(body: str, kind: str) -> Iterator[tuple[int, int]]:
    """Candidate places of a field's value: for a state its words only, for other fields all that follows the name."""
    blocks = list(_split(body))
    tries = 0
    for position, block in enumerate(blocks):
        name_end = _find_name_end(body, block, kind)
        if name_end is None:
            continue
        tries += 1
        if tries > _TRIES:
            return
        rest = _leave_closed_tags(body, name_end, block.end)
        own = _Block(rest, block.end, tuple((max(a, rest), b) for a, b in block.texts if b > rest))
        below = blocks[position + 1 : position + 4]
        if not _read(body, own.texts).strip(_EDGES) and _is_cell(body, block):
            own = next((b for b in below if _is_cell(body, b)), own)
        elif not _read(body, own.texts).strip(_EDGES) and kind == "state":
            own = next((b for b in below if b.texts), own)  # it has a line of its own
        place = _find_state(body, own) if kind == "state" else _find_rest(body, own)
        if place is not None:
            yield place


def _split(body: str) -> Iterator[_Block]:
    start, texts, unseen = 0, list[tuple[int, int]](), 0
    for piece in _PIECE.finditer(body):
        name = (piece.group("name") or "").lower()
        if piece.group("text") is not None and not unseen:
            texts.append(piece.span())
        elif name in _UNSEEN and not piece.group(0).endswith("/>") and not _TITLE.search(piece.group(0)):
            # a closing title tag was not counted when it opened
            unseen = max(0, unseen - 1) if piece.group("close") else unseen + 1
        elif name in BREAKS:
            yield _Block(start, piece.start(), tuple(texts))
            start, texts = piece.end(), []
    yield _Block(start, len(body), tuple(texts))


def _read(body: str, places: Sequence[tuple[int, int]]) -> str:
    return collapse(unescape("".join(body[a:b] for a, b in places)))


def _find_name_end(body: str, block: _Block, kind: str) -> int | None:
    """Where the field's name at the start of a block ends, separator included; None for another kind of block."""
    for count in range(1, min(len(block.texts), 4) + 1):
        start, end = block.texts[count - 1]
        # each candidate end reads all text before it: without a bound a hostile page takes hours
        left = _NAME - sum(b - a for a, b in block.texts[: count - 1])
        if left <= 0:
            return None
        for match in _NAME_END.finditer(body[start : min(end, start + left)]):
            named = _read(body, [*block.texts[: count - 1], (start, start + match.start())])
            if find_kind(f"{named}:") == kind:
                separator = _SEPARATOR.match(body, start + match.start(), end)
                return separator.end() if separator is not None else start + match.start()
    return None


def _leave_closed_tags(body: str, start: int, end: int) -> int:
    """The offset after the end tags around a name ("<strong>Current state</strong>: …"), and after a separator."""
    while (match := _END_TAG.match(body, start, end)) is not None:
        start = match.end()
        separator = _SEPARATOR.match(body, start, end)
        start = separator.end() if separator is not None else start
    return start


def _is_cell(body: str, block: _Block) -> bool:
    return re.search(r"<t[dh]\b[^<>]*>\Z", body[max(0, block.start - 300) : block.start]) is not None


def _find_state(body: str, block: _Block) -> tuple[int, int] | None:
    """The place of a state's words, if they are in one piece; the template's hint does not count."""
    said = [(a, b) for a, b in block.texts if _read(body, [(a, b)]).strip(_EDGES)]
    own = [place for place in said if not has_hint(_read(body, [place]))] or said
    if len(own) != 1:
        return None
    start, end = own[0]
    text = body[start:end]
    head = _BLANK.match(text)
    tail = _BLANK_END.search(text)
    first = _SEPARATOR.match(text)
    skip = max(head.end() if head else 0, first.end() if first else 0)
    return start + skip, start + (tail.start() if tail else len(text))


def _find_rest(body: str, block: _Block) -> tuple[int, int] | None:
    """A block without trailing end tags of earlier elements; None if its other tags are not balanced."""
    open_names: list[str] = []
    for piece in _PIECE.finditer(body, block.start, block.end):
        name = piece.group("name")
        if not name or piece.group(0).endswith("/>"):
            continue
        if not piece.group("close"):
            open_names.append(name)
        elif not open_names and _END_TAGS.fullmatch(body, piece.start(), block.end):
            return block.start, piece.start()
        elif not open_names or open_names.pop() != name:
            return None
    return None if open_names else (block.start, block.end)
