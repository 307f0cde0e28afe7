"""Rows of a drawn table: a summary of what others voted, or of parts, except the row of the mail's author or of the
proposal."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from kipflow.mail.announcements.names import is_own
from kipflow.mail.quotes.marked import is_table_row
from kipflow.mail.quoting import OwnLine
from kipflow.mail.votes.lexicon import fold, has, leaves_only

_VALUE = re.compile(r"[+-]\s?[01](?!\w|\.\d)|[+-]?0")
#: the value of a proposal's row, with a remark that names nobody
_REMARKED = re.compile(r"(?P<value>[+-]\s?[01])(?:\s*\([^()A-Z]{1,200}\))?")
#: the value of a row "overall"
_WHOLE_VOTE = re.compile(r"[+-]\s?[01](?P<claim>\s*\(?(?:non-?)?binding\)?)?", re.IGNORECASE)
_NUMBER = re.compile(r"(?:[A-Za-z]{2,12}[- ]?)?0{0,3}(?P<number>\d{1,6})")
_VOTE = re.compile(r"(?:my )?(?:vote|choice|ballot)", re.IGNORECASE)
_MARK = re.compile(r"[xX✓✔☑✅]")
_OWN_MARK = re.compile(r"(?:(?:your|my) )?(?:mark|choice|x|answer)?", re.IGNORECASE)
#: a row without bars at its ends, and the rule of such a table
_BARE_ROW = re.compile(r"\s*[^|]{1,120}(?:\|[^|]{0,120}){2,12}")
_DRAWN_RULE = re.compile(r"\s*-[-+|\s]{2,}-\s*")
_RULE = re.compile(r"[:=-]*")


@dataclass(frozen=True, slots=True)
class Rows:
    """A mail's lines without the rows of its tables; the rows that are its author's own votes, by what is written for
    them; and whether the other rows only report what others voted."""

    lines: tuple[OwnLine, ...]
    own: dict[str, str]
    reports: bool


def read_rows(lines: Sequence[OwnLine], author: str, numbers: Collection[int]) -> Rows:
    """The lines with each table row blanked out, or written out if it is the author's own vote ("| Mara | +1 |") or one
    on a proposal of the subject ("| 807 | +1 |"); as a question where that is not certain."""
    bare = {i for i, line in enumerate(lines) if "|" in line.text and _BARE_ROW.fullmatch(line.text)}
    if not (bare and any(_DRAWN_RULE.fullmatch(line.text) for line in lines)):
        bare = set()  # signatures and code have bars, too
    rows = {i: _split(line.text) for i, line in enumerate(lines) if i in bare or is_table_row(line.text)}
    if not rows:
        return Rows(tuple(lines), {}, reports=False)
    titles = next((cells for cells in rows.values() if not all(map(_RULE.fullmatch, cells))), [])
    titles = [] if any(map(_VALUE.fullmatch, titles)) else titles
    beside = " ".join(fold(line.text) for i, line in enumerate(lines) if i not in rows)
    speaks_of_own = has("first_person", beside)
    said = {
        i: _write_out(cells, titles, author, numbers, speaks_of_own=speaks_of_own)
        for i, cells in rows.items()
        if cells is not titles
    }
    said |= _read_ballot(rows, titles)
    values = any(len(cell) == 2 and _VALUE.fullmatch(cell) for cells in rows.values() for cell in cells)
    reports = values and not any(said.values())  # with a row of its writer's the table is a list to sign
    freed = tuple(replace(line, text=said.get(i, "")) if i in rows else line for i, line in enumerate(lines))
    return Rows(freed, {text: lines[i].text.strip() for i, text in said.items() if text}, reports)


def _split(row: str) -> list[str]:
    return [cell.strip(" *_") for cell in row.strip().strip("|").split("|")]


def _read_ballot(rows: Mapping[int, Sequence[str]], titles: Sequence[str]) -> dict[int, str]:
    """The row that is marked in a drawn ballot, as a question: "| +1 | yes | x |"."""
    values = {i: cells for i, cells in rows.items() if _VALUE.fullmatch(cells[0])}
    marked = [i for i, cells in values.items() if _MARK.fullmatch(cells[-1])]
    is_ballot = {"+1", "-1"} <= {cells[0] for cells in values.values()} and _OWN_MARK.fullmatch("".join(titles[-1:]))
    return {marked[0]: f"My vote: {values[marked[0]][0]}?"} if is_ballot and len(marked) == 1 else {}


def _write_out(
    cells: Sequence[str], titles: Sequence[str], author: str, numbers: Collection[int], *, speaks_of_own: bool
) -> str:
    """A row as a vote in a line of its own; "": it is nobody's, or not on these proposals."""
    titled = titles[-1:] and _VOTE.fullmatch(titles[-1]) is not None and len(titles) == len(cells) == 2
    number, remarked = _NUMBER.fullmatch(cells[0]), _REMARKED.fullmatch(cells[-1])
    if titled and number is not None and remarked is not None and int(number["number"]) in numbers:
        is_mine = titles[-1].lower().startswith("my ")
        return f"{cells[0]}: {cells[-1]}" if is_mine else f"My vote: {remarked['value']}?"
    whole = _WHOLE_VOTE.fullmatch(cells[-1]) if len(cells) == 2 and any(map(str.isalpha, cells[0])) else None
    if whole is not None and not leaves_only(("sums_up", "my_vote"), fold(cells[0])):
        is_sure = speaks_of_own and whole["claim"]
        return f"My vote: {whole.group()}{'' if is_sure else '?'}"
    values = [n for n, cell in enumerate(cells) if _VALUE.fullmatch(cell)]
    if len(values) != 1 or not is_own(cells[0], author):
        return ""
    if titles and (len(titles) != len(cells) or _VOTE.fullmatch(titles[values[0]]) is None):
        return ""
    value = "".join(cells[values[0]].split())
    is_sure = bool(titles) or value[0] in "+-"
    return f"My vote: {value if value[0] in '+-' else '+' + value}{'' if is_sure else '?'}"
