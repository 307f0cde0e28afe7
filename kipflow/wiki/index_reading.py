"""Round-up indexes read: the wiki's own page, its plain text, and JSON exports."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.facts import IndexEntry, StatusWord
from kipflow.domain.proposals import MAX_NUMBER, format_key
from kipflow.wiki.status import parse_status
from kipflow.wiki.storage import Line, collapse, name_of, parse_storage, read_sections
from kipflow.wiki.titles import parse_title

if TYPE_CHECKING:
    from lxml.etree import _Element

#: Section → what its heading begins with, in the order in which an index shows them.
SECTIONS: dict[str, re.Pattern[str]] = {
    "accepted": re.compile(r"^(?:adopted|accepted|approved)\b", re.IGNORECASE),
    "discussion": re.compile(r"^(?:\w+ )?(?:under|in|being) discuss(?:ion|ed)\b", re.IGNORECASE),
    "dormant": re.compile(r"^(?:dormant|inactive)\b", re.IGNORECASE),
    "discarded": re.compile(r"^(?:discarded|withdrawn|abandoned)\b", re.IGNORECASE),
    "rejected": re.compile(r"^(?:rejected|not accepted|declined)\b", re.IGNORECASE),
}
_NEXT_NUMBER = re.compile(r"^\W*next\s+\w+\s+number\W{1,10}(\d{1,5})\b", re.IGNORECASE)
_RELEASE_AT_END = re.compile(r"(?:\t|\s{2,}|\s\|\s)v?(\d+\.\d+(?:\.[\dx]+)*(?:\s*\(WIP\))?)\s*$", re.IGNORECASE)
_DISCARD_MARK = re.compile(r"[\[(]\s*(?:discard|withdraw|reject|supersed)\w*\s*[\])]", re.IGNORECASE)
_TICKET = re.compile(r"([A-Z][A-Z0-9]{1,15}-[1-9]\d{0,6})$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedIndex:
    """An index as read: its rows in order, what is odd about them, and the next free number it names."""

    entries: tuple[IndexEntry, ...]
    warnings: tuple[str, ...] = ()
    next_number: int | None = None


def find_section_name(heading: str) -> str | None:
    """The section that a heading opens ("Dormant/inactive KIPs" → "dormant"), or None."""
    text = collapse(heading)
    return next((name for name, pattern in SECTIONS.items() if pattern.search(text)), None)


def parse_index_page(body: str, prefix: str, seen_at: datetime) -> ParsedIndex:
    """The round-up on a wiki page (storage format): one entry per row that begins with a proposal.

    Raises `UnreadableInput` if the page can't be read at all.
    """
    root = parse_storage(body, source="index page")
    next_number = None
    for part in read_sections(root):
        for line in part.lines:
            match = _NEXT_NUMBER.match(line.text)
            next_number = next_number or (int(match.group(1)) if match else None)
    entries = [
        entry
        for section, columns, row in _walk_rows(root, prefix)
        if (entry := parse_row(row, columns, section, prefix, seen_at)) is not None
    ]
    return ParsedIndex(
        entries=tuple(entries), warnings=find_oddities(entries, prefix, next_number), next_number=next_number
    )


def _walk_rows(root: _Element, prefix: str) -> Iterator[tuple[str, list[str], _Element]]:
    """Each table row of the round-up with its section and the names of its table's columns."""
    section: str | None = None
    columns: list[str] = []
    for element in root.iter():
        name = name_of(element)
        if re.fullmatch(r"h[1-6]", name):
            section = find_section_name(read_text(element).text)
        elif name == "table":
            columns = []
        elif name == "tr" and section is not None:
            if not columns and is_header(element, prefix):
                columns = [cell.text.lower() for cell in read_cells(element)]
            yield section, columns, element


def read_text(element: _Element) -> Line:
    """An element's text on one line, with its links."""
    lines = [line for part in read_sections(element) for line in (*_heading_of(part.title), *part.lines)]
    return Line(
        text=collapse(" ".join(line.text for line in lines)),
        plain=collapse(" ".join(line.plain for line in lines)),
        links=tuple(link for line in lines for link in line.links),
    )


def _heading_of(title: str) -> tuple[Line, ...]:
    return (Line(text=title, plain=title),) if title else ()


def read_cells(row: _Element) -> list[Line]:
    """The cells of a table row."""
    return [read_text(cell) for cell in row if name_of(cell) in {"td", "th"}]


def is_header(row: _Element, prefix: str) -> bool:
    """Whether a row names its table's columns: it names no proposal and has short words in every cell."""
    texts = [cell.text for cell in read_cells(row)]
    return bool(texts and texts[0]) and all(len(t) < 40 and parse_title(t, prefix).number is None for t in texts)


def parse_row(row: _Element, columns: list[str], section: str, prefix: str, seen_at: datetime) -> IndexEntry | None:
    """A table row as an entry; None for a row that names no proposal in its first cell."""
    cells = read_cells(row)
    if not cells:
        return None
    title = parse_title(cells[0].text, prefix)
    if title.number is None:
        return None
    release, wip = None, title.in_progress
    for name, cell in zip(columns[1:], cells[1:], strict=False):
        if name.startswith("release"):
            release, marked = _parse_release(cell.text)
            wip = wip or marked
    return IndexEntry(
        number=title.number,
        title=title.text,
        section=section,
        seen_at=seen_at,
        origin="page",
        release=release,
        in_progress=wip,
        url=next((link for link in cells[0].links if is_web_address(link)), None),
    )


def _parse_release(text: str) -> tuple[str | None, bool]:
    clean = re.sub(r"[(\[]?\bwip\b[)\]]?", " ", text, flags=re.IGNORECASE)
    return collapse(clean).strip(" ,;") or None, clean != text


def is_web_address(link: str) -> bool:
    """Whether a link may be shown as one: javascript: and data: may not."""
    return link.lower().startswith(("http://", "https://"))


def parse_index_text(text: str, prefix: str, seen_at: datetime) -> ParsedIndex:
    """The process page as plain text: the sections' headings stand on lines of their own, one row per line."""
    section: str | None = None
    next_number: int | None = None
    entries: list[IndexEntry] = []
    for raw in text.splitlines():
        line = collapse(raw)
        match = _NEXT_NUMBER.match(line)
        if match is not None and next_number is None:
            next_number = int(match.group(1))
        title = parse_title(line, prefix)
        if title.number is None:
            # a short line without a number that opens a section, or ends the round-up
            if find_section_name(line) is not None and len(line) < 60:
                section = find_section_name(line)
            elif re.search(r"\brecordings\b", line, re.IGNORECASE) and len(line) < 60:
                section = None
            continue
        if section is None or line.startswith("•"):
            continue
        release = _RELEASE_AT_END.search(raw)
        title = parse_title(raw[: release.start()] if release else line, prefix)
        version, marked = _parse_release(release.group(1)) if release else (None, False)
        entries.append(
            IndexEntry(
                number=title.number or 0,
                title=title.text,
                section=section,
                seen_at=seen_at,
                origin="import",
                release=version,
                in_progress=title.in_progress or marked,
            )
        )
    return ParsedIndex(
        entries=tuple(entries), warnings=find_oddities(entries, prefix, next_number), next_number=next_number
    )


def parse_index_json(text: str, prefix: str, seen_at: datetime) -> ParsedIndex:
    """A JSON export: an object or list of rows with `kip_id`, `title` and `state`, or kipflow's own index.

    Every row with a number of its own stays one proposal. Where the title's number differs from
    `kip_id`, the title's counts if no other row has it; either way a warning says so.
    Raises `UnreadableInput` if it is not such a file.
    """
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableInput(source="index file", why=f"not JSON: {error}"[:300]) from None
    rows = _find_rows(raw)
    if not rows:
        raise UnreadableInput(source="index file", why="no rows with a number (kip_id) and a title in it")
    taken = Counter(_as_number(row.get("kip_id", row.get("number"))) for row in rows)
    entries: list[IndexEntry] = []
    warnings: list[str] = []
    for row in rows:
        entry = _parse_json_row(row, prefix, seen_at, taken, warnings)
        if entry is not None:
            entries.append(entry)
    next_number = _as_number(raw.get("next_number")) if isinstance(raw, dict) else None
    return ParsedIndex(
        entries=tuple(entries),
        warnings=(*warnings, *find_oddities(entries, prefix, next_number)),
        next_number=next_number,
    )


def _find_rows(raw: Any) -> list[Mapping[str, Any]]:
    if isinstance(raw, dict) and isinstance(raw.get("sections"), dict):
        groups = raw["sections"]
        return [{**row, "state": name} for name in groups for row in groups[name] if isinstance(row, dict)]
    values = list(raw.values()) if isinstance(raw, dict) else raw
    if not isinstance(values, list):
        return []
    return [row for row in values if isinstance(row, dict) and "title" in row]


def _parse_json_row(
    row: Mapping[str, Any], prefix: str, seen_at: datetime, taken: Counter[int | None], warnings: list[str]
) -> IndexEntry | None:
    written = str(row.get("title", ""))
    title = parse_title(written, prefix)
    own = _as_number(row.get("kip_id", row.get("number")))
    number = own or title.number
    if number is None:
        warnings.append(f"a row without a number was left out: {written[:100]!r}")
        return None
    if own is not None and title.number is not None and own != title.number:
        number = title.number if taken[title.number] == 0 else own
        taken[number] += 1
        titled = format_key(prefix, title.number)
        warnings.append(f"{format_key(prefix, own)} is titled {titled}: kept as {format_key(prefix, number)}")
    section = _section_of_state(str(row.get("state", "")))
    if title.before or _DISCARD_MARK.search(written):
        warnings.append(f"{format_key(prefix, number)} is titled {written[:100]!r} and stands as {section!r}: check it")
    ticket = _TICKET.search(str(row.get("jira") or ""))
    url = str(row.get("web_url") or row.get("url") or "")
    return IndexEntry(
        number=number,
        title=title.text,
        section=section,
        seen_at=seen_at,
        origin="import",
        release=str(row["release"]) if row.get("release") else None,
        in_progress=title.in_progress or row.get("in_progress") is True,
        author=str(row.get("created_by") or row.get("author") or "") or None,
        created_at=_as_time(row.get("created_on") or row.get("created_at")),
        changed_at=_as_time(row.get("last_modified_on") or row.get("changed_at")),
        url=url if is_web_address(url) else None,
        # …-1 is where the template's link points
        jira=ticket.group(1) if ticket and not ticket.group(1).endswith("-1") else None,
    )


_SECTION_OF_WORD = {
    StatusWord.ACCEPTED: "accepted",
    StatusWord.REJECTED: "rejected",
    StatusWord.DORMANT: "dormant",
    StatusWord.DISCARDED: "discarded",
    StatusWord.DISCUSSION: "discussion",
    StatusWord.VOTE: "discussion",
    StatusWord.DRAFT: "discussion",
}


def _section_of_state(state: str) -> str:
    return _SECTION_OF_WORD.get(parse_status(state), "unknown")


def _as_number(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_NUMBER else None


def _as_time(value: Any) -> datetime | None:
    try:
        time = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def find_oddities(entries: list[IndexEntry], prefix: str, next_number: int | None) -> tuple[str, ...]:
    """What a person should look at: numbers taken twice, one title under two numbers, a next number that is taken."""
    found: list[str] = []
    by_number: dict[int, list[IndexEntry]] = {}
    by_title: dict[str, dict[int, str]] = {}
    for entry in entries:
        by_number.setdefault(entry.number, []).append(entry)
        by_title.setdefault(entry.title.casefold(), {})[entry.number] = entry.title
    for number, same in by_number.items():
        if len(same) > 1:
            rows = "; ".join(f"{e.section}: {e.title[:80]!r}" for e in same)
            found.append(f"{format_key(prefix, number)} stands {len(same)} times: {rows}")
    for titles in by_title.values():
        title = next(iter(titles.values()))
        if len(titles) > 1 and title:
            keys = " and ".join(format_key(prefix, n) for n in sorted(titles))
            found.append(f"{keys} have the same title {title[:80]!r}: one may be misnumbered")
    highest = max(by_number, default=0)
    if next_number is not None and next_number <= highest:
        found.append(f"the next number is said to be {next_number}, but {format_key(prefix, highest)} is taken")
    return tuple(found)
