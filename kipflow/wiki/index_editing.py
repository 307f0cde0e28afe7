"""Updates the round-up inside an existing wiki page.

People write this page too. Only rows that must change and the next number are touched: comments in
further columns, links and prose are kept byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from html import escape

from kipflow.domain.errors import KipflowError
from kipflow.domain.pages import IndexEntry
from kipflow.wiki.index_outline import Row, Table, scan
from kipflow.wiki.index_reading import is_header, parse_index_page, parse_row, read_cells
from kipflow.wiki.index_writing import HEADINGS, render_label, render_row, render_section
from kipflow.wiki.next_number import find_next_number
from kipflow.wiki.storage import name_of, parse_storage
from kipflow.wiki.titles import WIP_MARK

_WIP = re.compile(rf"[\s,;]*{WIP_MARK}", re.IGNORECASE)
_SOME_TIME = datetime(1970, 1, 1, tzinfo=UTC)  # rows are compared by content, not by time

Edit = tuple[int, int, str]


def replace_index(body: str, rendered: str, *, prefix: str = "KIP") -> str:
    """`body` with its round-up updated to that of `rendered` (format "confluence").

    Rows that differ are corrected, moved to another section or added. Cells of columns that kipflow doesn't
    know stay, as do rows of proposals that `rendered` does not name. An empty release never replaces a
    written one, and the next number is only raised. Idempotent.

    Raises:
        KipflowError: no round-up was recognised on the page.
        UnreadableInput: the page can't be read at all.
    """
    outline = scan(body)
    tables, headings = outline.tables, outline.headings
    if not headings:
        raise KipflowError(
            "the index page has no round-up: no heading such as "
            f'"{HEADINGS["accepted"].format(prefix=prefix)}" was found, so nothing was changed'
        )
    for table in tables:
        _read_rows(body, table, prefix)
    target = parse_index_page(rendered, prefix, _SOME_TIME)
    wanted: dict[str, list[IndexEntry]] = {}
    sections_of: dict[int, set[str]] = {}
    for entry in target.entries:
        wanted.setdefault(entry.section, []).append(entry)
        sections_of.setdefault(entry.number, set()).add(entry.section)
    kept = _keep(body, tables)
    edits = _renumber(body, target.next_number, prefix)
    last_end = max((t.end for t in tables), default=max(headings.values()))
    for section in dict.fromkeys([*headings, *wanted]):
        own = [t for t in tables if t.section == section]
        edits_here, missing = _fix_rows(body, own, wanted.get(section, []), sections_of, prefix)
        edits += edits_here
        if own:
            edits += _add_rows(own[0], missing, prefix, kept)
        elif missing and section in headings:
            table_only = render_section(section, missing, prefix).partition("\n")[2]
            edits.append((headings[section], headings[section], f"\n{table_only}"))
        elif missing:
            edits.append((last_end, last_end, "\n" + render_section(section, missing, prefix)))
    return _apply(body, edits)


def _read_rows(body: str, table: Table, prefix: str) -> None:
    """Fill in the table's column names and the entries of its rows."""
    rows = [row for row in table.rows if row.end > row.start]
    for row in rows:
        root = parse_storage(body[row.start : row.end], source="a row of the index page")
        element = next((e for e in root.iter() if name_of(e) == "tr"), None)
        if element is None:
            continue
        if not table.columns and is_header(element, prefix):
            table.columns = [cell.text.lower() for cell in read_cells(element)]
            continue
        entry = parse_row(element, table.columns, table.section, prefix, _SOME_TIME)
        if entry is not None:
            table.held.append((row, entry))
    if not table.columns:
        table.columns = [""] * max((len(row.cells) for row in rows), default=1)


@dataclass(slots=True)
class _Kept:
    """What people wrote in the rows of one number. It moves along with the row.

    `labels`: first cells by title (they hold links to pages). `cells`: cells of columns that are not ours.
    """

    labels: dict[str, str] = field(default_factory=dict)
    cells: dict[str, str] = field(default_factory=dict)


def _keep(body: str, tables: Sequence[Table]) -> dict[int, _Kept]:
    found: dict[int, _Kept] = {}
    for table in tables:
        for row, entry in table.held:
            kept = found.setdefault(entry.number, _Kept())
            start, end = row.cells[0]
            kept.labels[entry.title] = _with_wip(body[start:end], entry.in_progress, False)
            for column, (start, end) in list(zip(table.columns, row.cells, strict=False))[1:]:
                if column and not column.startswith("release"):
                    kept.cells[column] = f"<td>{body[start:end]}</td>"
    return found


def _with_wip(label: str, now: bool, wanted: bool) -> str:
    """A first cell with "(WIP)" added or removed."""
    if wanted and not now:
        return f"{label} (WIP)"
    return _WIP.sub("", label) if now and not wanted else label


def _fix_rows(
    body: str,
    tables: Sequence[Table],
    entries: Sequence[IndexEntry],
    sections_of: Mapping[int, set[str]],
    prefix: str,
) -> tuple[list[Edit], list[IndexEntry]]:
    """The edits of a section's existing rows, and the entries that have no row yet."""
    missing: dict[int, list[IndexEntry]] = {}
    for wanted in entries:
        missing.setdefault(wanted.number, []).append(wanted)
    edits: list[Edit] = []
    for table, row, old, entry in _match(tables, missing):
        if entry is not None:
            edits += _fix_row(body, table, row, old, entry, prefix)
        elif table.section not in sections_of.get(old.number, {table.section}):
            edits.append((row.start, _end_with_space(body, row.end), ""))
    return edits, [e for rest in missing.values() for e in rest]


def _match(
    tables: Sequence[Table], missing: dict[int, list[IndexEntry]]
) -> Iterator[tuple[Table, Row, IndexEntry, IndexEntry | None]]:
    """Pair rows with entries and remove these from `missing`. Equal titles first: a number may have two rows."""
    left: list[tuple[Table, Row, IndexEntry]] = []
    for table in tables:
        for row, old in table.held:
            rest = missing.get(old.number, [])
            same = next((e for e in rest if e.title == old.title), None)
            if same is not None:
                rest.remove(same)
                yield table, row, old, same
            else:
                left.append((table, row, old))
    for table, row, old in left:
        rest = missing.get(old.number, [])
        yield table, row, old, rest.pop(0) if rest else None


def _fix_row(body: str, table: Table, row: Row, old: IndexEntry, new: IndexEntry, prefix: str) -> list[Edit]:
    """The smallest edits that make the row say what `new` says; an unchanged title keeps its link."""
    new = replace(new, release=new.release or old.release, url=new.url or old.url)
    start, end = row.cells[0]
    edits: list[Edit] = []
    if new.title != old.title:
        edits.append((start, end, render_label(new, prefix)))
    elif new.in_progress != old.in_progress:
        edits.append((start, end, _with_wip(body[start:end], old.in_progress, new.in_progress)))
    position = next((i for i, name in enumerate(table.columns) if i and name.startswith("release")), None)
    if position is not None and position < len(row.cells):
        place = row.cells[position]
        is_marked = re.search(r"\bwip\b", body[slice(*place)], re.IGNORECASE) is not None
        if new.release != old.release or (is_marked and not new.in_progress):
            mark = " (WIP)" if is_marked and new.in_progress else ""
            edits.append((*place, escape(new.release or "") + mark))
    elif position is not None and new.release != old.release:
        at = row.cells[-1][1]
        edits.append((at, at, f"</td><td>{escape(new.release or '')}"))
    return edits


def _add_rows(table: Table, entries: Sequence[IndexEntry], prefix: str, kept: Mapping[int, _Kept]) -> list[Edit]:
    """New rows, each after the last row with a smaller number, else before the first."""
    places: dict[int, list[IndexEntry]] = {}
    for entry in sorted(entries, key=lambda e: e.number):
        smaller = [row.end for row, held in table.held if held.number < entry.number]
        place = smaller[-1] if smaller else (table.held[0][0].start if table.held else table.inside_end)
        places.setdefault(place, []).append(entry)
    return [
        (at, at, "".join(_render_kept(e, prefix, table.columns, kept.get(e.number, _Kept())) for e in some))
        for at, some in places.items()
    ]


def _render_kept(entry: IndexEntry, prefix: str, columns: Sequence[str], kept: _Kept) -> str:
    label = kept.labels.get(entry.title)
    return render_row(entry, prefix, columns, kept.cells, label=label and _with_wip(label, False, entry.in_progress))


def _renumber(body: str, next_number: int | None, prefix: str) -> list[Edit]:
    place = find_next_number(body, prefix)
    # never lowered: somebody may have reserved a number without creating the page yet
    if next_number is None or place is None or int(body[slice(*place)]) >= next_number:
        return []
    return [(*place, str(next_number))]


def _end_with_space(body: str, end: int) -> int:
    while end < len(body) and body[end] in " \t\r\n":
        end += 1
    return end


def _apply(body: str, edits: Sequence[Edit]) -> str:
    for start, end, text in sorted(edits, key=lambda e: (e[0], e[1]), reverse=True):
        body = body[:start] + text + body[end:]
    return body
