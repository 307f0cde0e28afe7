"""Writes rows of tables as the lines that people write without a table: "+1 binding: 3", "+1 Mara Lind (binding)"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kipflow.mail.announcements.entries import find_scope
from kipflow.mail.announcements.tallywords import BINDING, NON_BINDING, Kind
from kipflow.mail.announcements.tokens import join_words
from kipflow.mail.announcements.unsurewords import split_words

_YES = re.compile(rf"(?:{join_words('marked_yes')})", re.IGNORECASE)
_NO = re.compile(rf"(?:{join_words('marked_no')}|)", re.IGNORECASE)
_TITLE = re.compile(rf"(?:{join_words('title')})\W*", re.IGNORECASE)
_RULE = re.compile(r"[\s|:+=\-–—_]*")
#: "3", "3 (Jun, Mara, Ravi)", "-"
_NUMBER = re.compile(r"\d{1,3}(?:\s*\([^()\d]{1,200}\))?|–|-|")
#: titles above "yes" and "no"
_MARKS = re.compile(r"^(?!.*non).*\b(?:bind|pmc\b)", re.IGNORECASE)
_NAME = re.compile(r"@?[^\W\d_].{0,58}")
#: the words of a cell that holds a choice, a group or both, and nothing else
_OF_VOTES = frozenset({Kind.CHOICE, Kind.GROUP, Kind.VOTES, Kind.GLUE, Kind.OPENS, Kind.CLOSES, Kind.LEADS})
_MAX_CELLS, _LOOKED_AT = 12, 4


def write_out_tables(lines: Sequence[str]) -> list[str]:
    """The lines, with each row of a table written out, and its titles and rules as blank lines.

    Two kinds of table are known: one voter per row (name, choice, binding or not), and counts (choices
    across, groups down, or the other way round). Rows of anything else stay as they are.
    """
    written: list[str] = []
    titles: list[str] = []
    for at, line in enumerate(lines):
        rows = _read_row(line, titles)
        found = [] if rows else _find_titles(line, lines[at + 1 : at + 1 + _LOOKED_AT])
        is_rule = _RULE.fullmatch(line) is not None
        written.extend(rows or ["" if found or (is_rule and "|" in line) else line])
        titles = found or (titles if rows or is_rule or _is_drawn(line) else [])
    return written


def _is_drawn(line: str) -> bool:
    return "|" in line or "   " in line.strip()


def _find_titles(line: str, below: Sequence[str]) -> list[str]:
    """The titles in a line above rows that can be read with them; the first is blank if only counts have titles."""
    cells = _split_row(line, gap=2) or _split_row(line, gap=1)
    if not cells or not (sum(map(_is_title, cells)) > 1 if _is_drawn(line) else all(map(_is_title, cells))):
        return []
    if any(_write_counts(_split_row(row, len(cells) + 1), ["", *cells]) for row in below):
        return ["", *cells]
    is_heading = not _is_drawn(line) and _find_values(cells[0])  # "Binding votes" above "Mara +1"
    return cells if not is_heading and any(_read_row(row, cells) for row in below) else []


def _is_title(cell: str) -> bool:
    return bool(_TITLE.fullmatch(cell) or _find_values(f"{cell}:"))


def _read_row(line: str, titles: Sequence[str]) -> list[str]:
    """A row as lines without a table; [] if it is none, or not understood."""
    cells = _split_row(line, len(titles))
    return _write_counts(cells, titles) or _write_vote(cells, titles)


def _split_row(line: str, columns: int = 0, *, gap: int = 3) -> list[str]:
    """The cells of a row, if possible so many; [] if the line is no row. `gap`: blanks between cells, at least."""
    text = line.strip()
    if _RULE.fullmatch(text):
        return []
    if "|" in text:
        cells = (text.removeprefix("|").removesuffix("|") if text[-1] == "|" else text).split("|")
    elif len(cells := re.split(r"\s{2,}", text)) != columns:
        cells = text.rsplit(None, columns - 1) if columns else re.split(rf"\s{{{gap},}}", text)
    cells = [" ".join(cell.split()).strip("*") for cell in cells]
    is_label = any(cell.endswith(":") for cell in cells)  # "Yes:    12", "PMC members (binding):"
    return cells if 2 <= len(cells) <= _MAX_CELLS and not is_label else []


def _find_values(cell: str) -> dict[Kind, str]:
    """The choice and the group in a cell; {} if it holds anything else."""
    words = split_words(cell)
    return {w.kind: w.value for w in reversed(words) if w.value} if all(w.kind in _OF_VOTES for w in words) else {}


def _write_counts(cells: Sequence[str], titles: Sequence[str]) -> list[str]:
    """A row of numbers below choices or groups: "+1 binding: 3"."""
    if not cells or len(cells) != len(titles) or not all(map(_NUMBER.fullmatch, cells[1:])):
        return []
    said = [_find_values(f"{title}:") for title in (cells[0], *titles[1:])]  # the colon makes a choice of "yes"
    counts = [(said[0] | of, cell.split()[0]) for of, cell in zip(said[1:], cells[1:], strict=True) if cell]
    counts = [(of, number) for of, number in counts if Kind.CHOICE in of]
    return [f"{of[Kind.CHOICE].replace('0', '+0')} {of.get(Kind.GROUP, '')}: {number}" for of, number in counts]


def _write_vote(cells: Sequence[str], titles: Sequence[str]) -> list[str]:
    """A row with a name, a choice, and perhaps whether it binds: "- +1 Mara Lind (binding)"."""
    titles = titles if len(titles) == len(cells) else [""] * len(cells)
    row = list(zip(titles, cells, strict=True))
    sides = [_find_values(f"{title}:") for title, cell in row if _YES.fullmatch(cell)]  # marked below "yes" or "no"
    has_sides = sum(Kind.CHOICE in _find_values(f"{title}:") for title in titles) > 1
    said = ([of for of in sides if Kind.CHOICE in of] if has_sides else []) or [
        _find_values(f"{cell}:") for title, cell in row if title.lower() == "vote" or not cell[:1].isalpha()
    ]
    choices = [of[Kind.CHOICE] for of in said if Kind.CHOICE in of]
    groups = [group for title, cell in row if (group := _find_group(title, cell))]
    name = next((cell for title, cell in row if _NAME.fullmatch(cell) and not _find_group(BINDING, cell)), "")
    if len(choices) != 1 or not name:
        return []
    group = f" ({groups[0]})" if groups else ""
    return [f"{choices[0]}{group}: {name}" if "," in name else f"- {choices[0]} {name}{group}"]


def _find_group(title: str, cell: str) -> str:
    """The group that a cell names, or marks under a title such as "binding"."""
    named = find_scope(split_words(cell)).group or ""
    if named or not _MARKS.search(title):
        return named
    return BINDING if _YES.fullmatch(cell) else NON_BINDING if _NO.fullmatch(cell) else ""
