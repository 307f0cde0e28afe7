"""ASF's roster pages: tables with columns such as id, public name and starting date, under headings PMC, Committers.

The columns are found by their headings, so a project's own page "Name, Apache ID, Role" is read as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from lxml import etree, html

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.people import Role
from kipflow.rosters.entries import Collector, Listing, clean_name, parse_day, parse_roles

if TYPE_CHECKING:
    from lxml.etree import _Element

#: Field → possible headings of its column, folded.
COLUMNS = {
    "id": ("id", "asf id", "apache id", "apacheid", "asfid", "svn id", "availid", "username", "user", "uid", "account"),
    "name": ("name", "public name", "full name", "real name"),
    "email": ("email", "e mail", "mail", "address", "emails"),
    # not "status": there Whimsy reports differences between its records ("not in committer list")
    "role": ("role", "roles", "position"),
    "since": (
        *("since", "starting date", "start date", "joined", "date", "pmc since", "member since", "join date", "from"),
    ),
    "until": ("until", "end date", "ended", "left", "to", "resigned"),
}
#: The most characters and text parts of one cell or heading.
MAX_TEXT, MAX_PARTS = 2000, 100
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "caption")
#: Marks after an id or a name on ASF's pages: "(*)" not subscribed, "(ASF Emeritus)".
_MARKS = re.compile(r"\s*\((?:\*|ASF [\w ]{1,40}|[\w-]{0,20} ?[Mm]ember)\)\s*$")


def find_columns(heads: list[str]) -> dict[str, int]:
    """Field → position, for a row of column heads."""
    found: dict[str, int] = {}
    for position, head in enumerate(heads):
        folded = " ".join(re.findall(r"[a-z]+", head.lower()[:80]))
        for field, names in COLUMNS.items():
            if folded in names:
                found.setdefault(field, position)
    return found


def parse_html(text: str, *, source: str, project: str | None = None) -> Listing:
    """The people in a page's tables.

    Args:
        text: a saved page.
        source: names the page in errors.
        project: which project to take, if a page has tables of many, headed "kafka" and "kafka-pmc".

    Raises:
        UnreadableInput: the page cannot be read or has no table of people.
    """
    found = Collector(source)
    groups = list(_find_tables(_parse(text, source)))
    if project is not None and any(_is_of_project(heading, project) for heading, _ in groups):
        groups = [(heading, table) for heading, table in groups if _is_of_project(heading, project)]
    tables = 0
    for heading, table in groups:
        rows = [_read_row(row) for row in _find_rows(table)]
        head = next((i for i, (cells, _) in enumerate(rows) if _is_head(find_columns(cells))), None)
        if head is None:
            continue
        tables += 1
        columns = find_columns(rows[head][0])
        for number, (cells, struck) in enumerate(rows[head + 1 :], 1):
            place = f"{clean_name(heading) or 'table'}, row {number}"
            values = {field: cells[at] for field, at in columns.items() if at < len(cells)}
            _add_person(found, values, struck, heading, place)
    if not tables:
        login = ": it asks for a login; save the page from a browser that is logged in" if _is_login(text) else ""
        raise UnreadableInput(source=source, why=f"has no table with the columns id and name (asf-html){login}")
    return found.as_listing()


def _parse(text: str, source: str) -> _Element:
    parser = html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=False)
    try:
        root: _Element = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableInput(source=source, why=f"is not a page that can be read ({error})") from None
    return root


def _is_login(text: str) -> bool:
    """Whether a page asks for a password: servers send it with status 200 in place of the roster."""
    return re.search(r"<input\b[^>]{0,400}\btype\s*=\s*[\"']?password", text[:200_000], re.IGNORECASE) is not None


def _is_head(columns: dict[str, int]) -> bool:
    return "name" in columns and len(columns) >= 2


def _is_of_project(heading: str, project: str) -> bool:
    return heading.strip().lower() in (project, f"{project}-pmc")


def _find_tables(root: _Element) -> Iterator[tuple[str, _Element]]:
    """Each table with the heading above it."""
    heading = ""
    for element in root.iter(*_HEADINGS, "table"):
        if element.tag == "table":
            # nested tables would be read repeatedly
            if next(element.iterancestors("table"), None) is None:
                yield heading, element
        else:
            heading = _text(element)


def _find_rows(table: _Element) -> Iterator[_Element]:
    for child in table.iterchildren("tr", "thead", "tbody", "tfoot"):
        if child.tag == "tr":
            yield child
        else:
            yield from child.iterchildren("tr")


def _read_row(row: _Element) -> tuple[list[str], bool]:
    """A row's cells, and whether any is struck out (in LDAP, but not on the committee)."""
    cells = [cell for cell in row if cell.tag in ("td", "th")]
    struck = any("line-through" in str(e.get("style", "")) for cell in cells for e in cell.iter())
    return [_text(cell) for cell in cells], struck


def _text(element: _Element) -> str:
    parts = islice((str(t)[:MAX_TEXT] for t in element.itertext()), MAX_PARTS)
    return " ".join("".join(parts)[:MAX_TEXT].split())


def _add_person(found: Collector, values: dict[str, str], struck: bool, heading: str, place: str) -> None:
    name, account = _MARKS.sub("", values.get("name", "")), _MARKS.sub("", values.get("id", ""))
    if not name:
        return
    stated = parse_roles(values.get("role", "")) or _heading_roles(heading)
    if values.get("role", "").strip() and not parse_roles(values["role"]):
        found.note(place, f"{clean_name(values['role'])!r} is no role known here; taken by its heading")
    since, until = parse_day(values.get("since", "")), parse_day(values.get("until", ""))
    if struck:
        found.note(place, f"{clean_name(name)} is struck out on the page; taken without roles")
        stated = ()
    if values.get("since", "").strip() and since is None:
        found.note(place, f"{clean_name(values['since'])!r} is no date; taken without roles")
        stated = ()
    roles = [Role(role=r, since=since if r == stated[0] else None, until=until) for r in stated]
    emails = [values["email"]] if values.get("email") else []
    if account:
        emails.append(f"{account.lower()}@apache.org")
    found.add(id=account, name=name, emails=emails, roles=roles, place=place)


def _heading_roles(heading: str) -> tuple[str, ...]:
    roles = parse_roles(heading.replace("-", " "))
    if roles:
        return roles[:1]
    # a group headed by only the project's name is its committers
    return ("committer",) if re.fullmatch(r"[a-z][a-z0-9-]{1,40}", heading.strip()) else ()
