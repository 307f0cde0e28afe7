"""Rewrites tables in announcements, row by row, as the lines that people write without a table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kipflow.mail.announcements.tallywords import Kind
from kipflow.mail.announcements.tokens import join_words
from kipflow.mail.announcements.unsurewords import split_words

_CHOICE = re.compile(
    r"[\"'*(]*(?P<choice>[+\-±−–]\s?[01]|0)[\"'*)]*(?:\s*\(?(?P<tail>non[- ]?binding|binding)\)?)?", re.IGNORECASE
)
_YES = re.compile(rf"(?:{join_words('marked_yes')})", re.IGNORECASE)
_NO = re.compile(rf"(?:{join_words('marked_no')}|)", re.IGNORECASE)
_TITLE = re.compile(rf"(?:{join_words('title')})\W*", re.IGNORECASE)
_RULE = re.compile(r"^[\s|:+=\-–—_]+$")
_NAME = re.compile(r"[^\W\d_][^|]{0,58}")
#: a title beside which a number with names is a count
_KNOWN = re.compile(r"\W*(?:(?:(?:non[- ]?)?binding|[+\-±−–]?\s?[01])(?: votes?)?\W*){1,2}", re.IGNORECASE)
#: "3", "3 (Jun, Mara, Ravi)", "-"
_NUMBER = re.compile(r"(?P<n>\d{1,3})(?:\s*\((?P<names>[^()\d]{1,200})\))?|–|-|")
#: Rows without bars, as an HTML table leaves them: "Mara Lind +1 binding", "Binding 3 0 1".
_WORDS_VOTER = re.compile(r"([^\W\d_][^|:+\d]{1,58}?)\s+([+\-][01]|0)(?:\s+\(?([a-zA-Z-]{1,12})\)?)?")
_WORDS_COUNT = re.compile(r"((?:non[- ]?)?binding|[+\-]1|[+\-]?0)((?:\s+\d{1,3}){1,6})", re.IGNORECASE)
_MAX_CELLS = 12


def flatten_tables(lines: Sequence[str]) -> list[str]:
    """The lines with each row of a table written out: "+1 Mara Lind (binding)", "binding +1: 3".

    Two kinds of table are known: one voter per row (name, choice, binding or not), and counts (choices
    across, groups down, or the other way round). Rows of anything else stay as they are.
    """
    out: list[str] = []
    header: list[str] = []
    for index, line in enumerate(lines):
        cells = _split_row(line, len(header)) or _split_words(
            line.strip(), header, following=lines[index + 1 : index + 3]
        )
        if cells:
            counted = _read_count_row(cells, header) or _read_voter_row(cells, header)
            out.extend(counted or ["" if _is_header(cells) else line])
            header = cells if _is_header(cells) and not counted else header
        elif _RULE.match(line):
            out.append("" if "|" in line else line)
        else:
            out.append(line)
            header = header if not line.strip() else []
    return out


def _write_vote(choice: str, name: str, group: str | None) -> str:
    if group and "," in name:
        return f"{choice} ({_parse_group(group)}): {name}"
    return f"- {choice} {name} ({_parse_group(group)})" if group else f"- {choice} {name}"


def _split_row(line: str, columns: int) -> list[str]:
    """The cells of a row drawn with bars, tabs or blanks, if possible so many; empty if the line is no row."""
    text = line.strip()
    if _RULE.match(line):
        return []
    if text.count("|") >= 2 or (text.count("|") == 1 and not text.startswith("|") and not text.endswith("|")):
        is_blank = line.startswith("   ") and text[0] == "|" != text[-1]  # the first cell, without bars around the rows
        cells = (text if is_blank else text.strip("|")).split("|")
    else:
        cells = re.split(r"\t+", text) if "\t" in text else re.split(r" {3,}", text) if len(text) < 160 else []
        narrow = re.split(r"\t+| {2,}", text) if len(text) < 160 else []
        if len(narrow) == columns or (len(narrow) > 1 and all(map(_TITLE.fullmatch, narrow))):
            cells = narrow
    return [" ".join(cell.split()).strip("*") for cell in cells] if 2 <= len(cells) <= _MAX_CELLS else []


def _split_words(text: str, header: Sequence[str], *, following: Sequence[str]) -> list[str]:
    """The cells of a row without bars: only column titles above such a row, or a row right below one of these."""
    words = text.split()
    if 2 <= len(words) <= 6 and all(_TITLE.fullmatch(word) or _parse_choice(word)[0] for word in words):
        under = next((line.strip() for line in following if line.strip()), "")
        if _WORDS_COUNT.fullmatch(under) and len(under.split()) == len(words) + 1:
            return ["", *words]
        return words if _WORDS_VOTER.fullmatch(under) else []
    counted, voter = _WORDS_COUNT.fullmatch(text), _WORDS_VOTER.fullmatch(text)
    if header and counted is not None:
        return [counted[1], *counted[2].split()]
    return [cell for cell in voter.groups() if cell] if header and voter is not None else []


def _is_header(cells: Sequence[str]) -> bool:
    """A row of column titles: choices across, or words like voter, vote, binding."""
    if len(cells) == 2 and cells[1].isdigit():
        return False  # "-1   0"
    choices = sum(_parse_choice(cell)[0] is not None for cell in cells)
    titles = sum(_TITLE.fullmatch(cell) is not None for cell in cells)
    return choices >= 2 or titles >= 2 or (titles == 1 and choices >= 1 and len(cells) <= 5)


def _parse_choice(cell: str) -> tuple[str | None, str | None]:
    """The choice if the cell holds nothing else, and the group written after it."""
    match = _CHOICE.fullmatch(cell)
    if match is None:
        return None, None
    choice = match["choice"]
    return "0" if choice.endswith("0") else "+1" if choice.startswith("+") else "-1", match["tail"]


def _read_count_row(cells: Sequence[str], header: Sequence[str]) -> list[str]:
    """One row of a table of counts: only numbers, perhaps with names, after its first cell, under choices or groups."""
    if len(cells) == len(header) + 1 and all(_KNOWN.fullmatch(title) for title in header):
        header = ("", *header)  # a table drawn with blanks, without a title for its groups
    numbers = [_NUMBER.fullmatch(cell) for cell in cells[1:]]
    if any(found is not None and not _agrees(found) for found in numbers):
        return []
    if len(cells) != len(header) or not numbers or not all(numbers):
        return []
    row_choice, row_group = _parse_choice(cells[0])
    is_named = any(cell.endswith(")") for cell in cells[1:])
    if is_named and not all(_KNOWN.fullmatch(title) for title in (cells[0], *header[1:])):
        return []
    counts: list[str] = []
    for title, cell in zip(header[1:], (found["n"] for found in numbers if found is not None), strict=True):
        choice, group = _parse_choice(title)
        group = group or _find_group(title) or row_group or _find_group(cells[0])
        choice = choice or row_choice
        if choice is not None and cell:
            written = choice.replace("0", "+0")
            counts.append(f"{written} ({_parse_group(group)}): {cell}" if group else f"{written}: {cell}")
    return counts


def _find_group(text: str) -> str | None:
    """The first group that a text names; None if it names none."""
    return next((word.value for word in split_words(text) if word.kind is Kind.GROUP), None)


def _parse_group(text: str | None) -> str:
    """The group that a word names, however misspelt: "binding", "non-binding"; "in all" if it names none."""
    return "in all" if not text else "non-binding" if text.lower().lstrip().startswith("non") else "binding"


def _agrees(found: re.Match[str]) -> bool:
    """Whether a number counts the names in brackets behind it, if commas part them."""
    names = [name for name in (found["names"] or "").split(",") if name.strip()]
    return len(names) < 2 or len(names) == int(found["n"])


def _read_voter_row(cells: Sequence[str], header: Sequence[str]) -> list[str]:
    """One row of a table of voters: a name, a choice, and perhaps whether it binds."""
    titled = [title.lower() == "vote" for title in header] if len(header) == len(cells) else []
    at = [index for index, cell in enumerate(cells) if _parse_choice(cell)[0] is not None]
    if not at and True in titled:  # "Lars Kjeldsen | yes | yes"
        word = split_words(f"{cells[titled.index(True)]}:")[0]
        if word.kind is Kind.CHOICE:
            at = [titled.index(True)]
            cells = [word.value if index == at[0] else cell for index, cell in enumerate(cells)]
    if len(at) != 1:
        return []
    choice, group = _parse_choice(cells[at[0]])
    others = {index: cell for index, cell in enumerate(cells) if index != at[0]}
    marks = [cell for cell in others.values() if _find_group(cell) or _YES.fullmatch(cell) or _NO.fullmatch(cell)]
    name = next((cell for cell in others.values() if _NAME.fullmatch(cell) and cell not in marks), "")
    for index, cell in others.items():
        title = header[index].lower() if len(header) == len(cells) else ""
        if _find_group(cell):
            group = group or _find_group(cell)
        elif re.search(r"\bbind|\bpmc\b", title) and "non" not in title:
            group = group or ("binding" if _YES.fullmatch(cell) else "non-binding" if _NO.fullmatch(cell) else None)
    return [_write_vote(str(choice), name, group)] if name else []
