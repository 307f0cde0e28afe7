"""Rows of a drawn table: a summary of what others voted, except the row of the mail's author or of the proposal."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from kipflow.mail.announcements.names import is_own
from kipflow.mail.quotes.marked import is_table_row
from kipflow.mail.quoting import OwnLine

_VALUE = re.compile(r"(?P<value>[+-]?\s?[01])(?!\w|\.\d)(?P<rest>.{0,200})", re.DOTALL)
_NUMBER = re.compile(r"(?:[A-Za-z]{2,12}[- ]?)?0{0,3}(?P<number>\d{1,6})")


def free_rows(lines: Sequence[OwnLine], author: str, numbers: Collection[int]) -> tuple[list[OwnLine], bool]:
    """The lines with each table row blanked out, or written out if it is the author's own vote ("| Mara | +1 |") or one
    on a proposal of the subject ("| 807 | +1 |"); and whether other rows hold values."""
    free, reports = [], False
    for line in lines:
        if not is_table_row(line.text):
            free.append(line)
            continue
        cells = [cell.strip() for cell in line.text.strip().strip("|").split("|")]
        said = _write_out(cells, author, numbers)
        reports = reports or (not said and any(_is_signed(cell) for cell in cells))
        free.append(replace(line, text=said))
    return free, reports


def _is_signed(cell: str) -> bool:
    return cell[:1] in {"+", "-"} and _VALUE.fullmatch(cell) is not None and len(cell) == len("+1")


def _write_out(cells: Sequence[str], author: str, numbers: Collection[int]) -> str:
    """A row as a vote in a line of its own; "": it is nobody's, or not on these proposals."""
    value = next((found for cell in cells[1:] if (found := _VALUE.fullmatch(cell)) is not None), None)
    if value is None:
        return ""
    signed = "".join(value["value"].split())
    signed = signed if signed[0] in "+-" else f"+{signed}"
    number = _NUMBER.fullmatch(cells[0])
    if number is not None and int(number["number"]) in numbers:
        return f"{cells[0]}: {signed}{value['rest']}"
    return f"{signed}{value['rest']}" if is_own(cells[0], author) else ""
