"""Round-up indexes read from JSON: other tools' exports, and kipflow's own."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.pages import IndexEntry, StatusWord
from kipflow.domain.proposals import MAX_NUMBER, format_key
from kipflow.domain.texts import is_web_address
from kipflow.domain.times import as_utc
from kipflow.wiki.index_reading import ParsedIndex, make_index
from kipflow.wiki.status import parse_status
from kipflow.wiki.titles import parse_title

_DISCARD_MARK = re.compile(r"[\[(]\s*(?:discard|withdraw|reject|supersed)\w*\s*[\])]", re.IGNORECASE)
_TICKET = re.compile(r"([A-Z][A-Z0-9]{1,15}-[1-9]\d{0,6})$")


def parse_index_json(text: str, prefix: str, seen_at: datetime) -> ParsedIndex:
    """A JSON export: an object or list of rows with `kip_id`, `title` and `state`, or kipflow's own index.

    Every row with a number of its own is one proposal. If the title's number differs from `kip_id`, the
    title's counts unless another row has it; either way a warning is added. Raises `UnreadableInput` for
    any other file.
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
    return make_index(entries, prefix, next_number, warnings)


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
    section = _SECTION_OF_WORD.get(parse_status(str(row.get("state", ""))), "unknown")
    if title.before or _DISCARD_MARK.search(written):
        warnings.append(f"{format_key(prefix, number)} is titled {written[:100]!r} but listed as {section!r}: check it")
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


def _as_number(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_NUMBER else None


def _as_time(value: Any) -> datetime | None:
    try:
        return as_utc(datetime.fromisoformat(str(value)))
    except ValueError:
        return None
