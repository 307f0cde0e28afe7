"""Tables in announcements, row by row, as the lines in which people write counts otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kipflow.mail.announcements.names import find_names, is_handle

_CHOICE = re.compile(
    r"^[\"'*(]*(?:(?P<sign>[+\-±−–])\s?(?P<digit>[01])|(?P<zero>0))[\"'*)]*"
    r"(?:\s*\(?(?P<tail>non[- ]?binding|binding)\)?)?$",
    re.IGNORECASE,
)
_YES = re.compile(r"^(?:y|yes|true|x|✓|✔|✅|binding|pmc|b)$", re.IGNORECASE)
_NO = re.compile(r"^(?:n|no|false|non[- ]?binding|nb|✗|✘|❌|-|–|)$", re.IGNORECASE)
_GROUP = re.compile(r"\bnon[- ]{0,2}binding|\bbinding", re.IGNORECASE)
_RULE = re.compile(r"^[\s|:+=\-–—_]+$")
_NAME = re.compile(r"^[^\W\d_][^|]{0,58}$")
_MAX_CELLS = 12


def flatten_tables(lines: Sequence[str]) -> list[str]:
    """The lines with each row of a table written out: "+1 Mara Lind (binding)", "binding +1: 3".

    Two kinds of table are known: a voter to a row (name, choice, binding or not), and counts (choices
    across, groups down, or the other way round). Rows of anything else stay as they are.
    """
    out: list[str] = []
    header: list[str] = []
    is_list = sum(_NAMED.match(line) is not None for line in lines) > 1
    for index, line in enumerate(lines):
        cells = _split_row(line) or _split_words(line, header, following=lines[index + 1 : index + 3])
        if cells:
            is_header = _is_header(cells)
            told = _read_count_row(cells, header) or _read_voter_row(cells, header)
            out.extend(told or ["" if is_header else line])
            header = cells if is_header and not told else header
        elif _RULE.match(line):
            out.append("" if "|" in line else line)
        else:
            out.append(_read_named(line, is_list=is_list) or line)
            header = header if not line.strip() else []
    return out


_NAMED = re.compile(
    r"^\s*(?:[-*•]\s+|\d{1,2}[.)]\s*)?(?P<name>[^\W\d_][^:+\d|]{1,58}?)\s*"
    r"(?:\((?P<claim>(?:non[- ]?)?binding)\)\s*)?(?P<mark>[:–—-])?"
    r"\s*(?P<choice>[+\-]\s?[01])\s*[(\[]?\s*(?P<tail>(?:non[- ]?)?binding)?\s*[)\]]?[\s.,;]*$",
    re.IGNORECASE,
)


def _read_named(line: str, *, is_list: bool) -> str | None:
    """ "* Mara Lind: +1 (binding)" with the vote in front, in a list without the colon too; None for another line."""
    match = _NAMED.match(line)
    if (
        match is None
        or not (match.group("mark") or is_list)
        or not (find_names(match.group("name")) or (is_list and is_handle(match.group("name"))))
        or _GROUP.search(match.group("name"))
    ):
        return None
    group = _parse_group(match.group("tail") or match.group("claim") or "")
    choice = "".join(match.group("choice").split())
    return f"- {choice} {match.group('name')} ({group})" if group else f"- {choice} {match.group('name')}"


def _split_row(line: str) -> list[str]:
    """The cells of a row drawn with bars or tabs; empty where the line is no row."""
    if _RULE.match(line):
        return []
    text = line.strip()
    if text.count("|") >= 2 or (text.count("|") == 1 and not text.startswith("|") and not text.endswith("|")):
        cells = text.strip("|").split("|")
    elif "\t" in text:
        cells = re.split(r"\t+", text)
    elif re.search(r"\S {3,}\S", text) and len(text) < 160:
        cells = re.split(r" {3,}", text)
    else:
        return []
    cells = [" ".join(cell.split()).strip("*") for cell in cells]
    return cells if 2 <= len(cells) <= _MAX_CELLS else []


_WORDS_TITLE = re.compile(
    r"^(?:voters?|names?|who|members?|person|votes?|binding|non-?binding|pmc|choice|status|total|count|[+\-]1|"
    r"[+\-]?0)[?:.]?$",
    re.IGNORECASE,
)
_WORDS_VOTER = re.compile(
    r"^(?P<name>[^\W\d_][^|:+\d]{1,58}?)\s+(?P<choice>[+\-][01]|0)(?:\s+\(?(?P<tail>[a-zA-Z-]{1,12})\)?)?$"
)
_WORDS_COUNT = re.compile(
    r"^(?P<head>(?:non[- ]?)?binding|[+\-]1|[+\-]?0)(?P<numbers>(?:\s+\d{1,3}){1,6})$", re.IGNORECASE
)


def _split_words(line: str, header: Sequence[str], *, following: Sequence[str] = ()) -> list[str]:
    """The cells of a row whose bars are gone, as of a table in HTML: only titles, or a row right under such titles."""
    words = line.split()
    if 2 <= len(words) <= 6 and all(_WORDS_TITLE.match(w) for w in words):
        under = next((x.strip() for x in following if x.strip()), "")
        if _WORDS_COUNT.match(under) and len(under.split()) == len(words) + 1:
            return ["", *words]
        return words if _WORDS_VOTER.match(under) is not None else []
    if not header:
        return []
    counted = _WORDS_COUNT.match(line.strip())
    if counted is not None:
        return [counted.group("head"), *counted.group("numbers").split()]
    voter = _WORDS_VOTER.match(line.strip())
    return (
        [g for g in (voter.group("name"), voter.group("choice"), voter.group("tail")) if g] if voter is not None else []
    )


def _is_header(cells: Sequence[str]) -> bool:
    """A row of column titles: choices across, or words like voter, vote, binding."""
    choices = sum(_parse_choice(c)[0] is not None for c in cells)
    titles = sum(
        bool(
            re.search(
                r"^(?:voters?|names?|who|member|person|votes?|bind\w*|non.?bind\w*|pmc\??|choice|status|type|"
                r"total|count|#)\W*$",
                c,
                re.I,
            )
        )
        for c in cells
    )
    return choices >= 2 or titles >= 2 or (titles == 1 and choices >= 1 and len(cells) <= 5)


def _parse_choice(cell: str) -> tuple[str | None, str]:
    """The choice that is all of a cell, and the group written behind it."""
    match = _CHOICE.match(cell)
    if match is None:
        return None, ""
    if match.group("zero") or match.group("digit") == "0":
        return "0", _parse_group(match.group("tail") or "")
    return ("+1" if match.group("sign") == "+" else "-1"), _parse_group(match.group("tail") or "")


def _parse_group(text: str) -> str:
    match = _GROUP.search(text)
    if match is None:
        return ""
    return "non-binding" if match.group(0).lower().startswith("non") else "binding"


def _read_count_row(cells: Sequence[str], header: Sequence[str]) -> list[str]:
    """One row of a table of counts: numbers only behind its first cell, under choices or groups."""
    if len(cells) != len(header) or not cells[1:] or not all(re.fullmatch(r"\d{1,3}|–|-|", c) for c in cells[1:]):
        return []
    row_choice, row_group = _parse_choice(cells[0])
    row_group = row_group or _parse_group(cells[0])
    told: list[str] = []
    for title, cell in zip(header[1:], cells[1:], strict=True):
        choice, group = _parse_choice(title)
        group = group or _parse_group(title) or row_group
        choice = choice or row_choice
        if choice is not None and cell.isdigit():
            written = "+0" if choice == "0" else choice
            told.append(f"{written} ({group}): {cell}" if group else f"{written}: {cell}")
    return told


def _read_voter_row(cells: Sequence[str], header: Sequence[str]) -> list[str]:
    """One row of a table of voters: a name, a choice, and perhaps whether it binds."""
    read = [_parse_choice(c) for c in cells]
    at = [index for index, (choice, _) in enumerate(read) if choice is not None]
    if len(at) != 1:
        return []
    choice, group = read[at[0]]
    others = [(index, c) for index, c in enumerate(cells) if index != at[0]]
    name = next(
        (c for _, c in others if _NAME.match(c) and not _parse_group(c) and not _YES.match(c) and not _NO.match(c)), ""
    )
    if not name:
        return []
    for index, cell in others:
        title = header[index] if len(header) == len(cells) else ""
        if _GROUP.fullmatch(cell) or _parse_group(cell):
            group = group or _parse_group(cell)
        elif re.search(r"\bbind|\bpmc\b", title, re.IGNORECASE) and "non" not in title.lower():
            group = group or ("binding" if _YES.match(cell) else "non-binding" if _NO.match(cell) else "")
    return [f"- {choice} {name} ({group})" if group else f"- {choice} {name}"]
