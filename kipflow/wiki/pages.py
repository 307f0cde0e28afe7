"""A proposal's page: its number, state, links and the public interfaces it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kipflow.domain.interfaces import classify_interfaces
from kipflow.domain.pages import PageVersion, StatusWord, WikiPage
from kipflow.domain.texts import is_web_address
from kipflow.wiki.sections import Line, Section, find_section, find_sections, read_sections
from kipflow.wiki.status import parse_status
from kipflow.wiki.storage import parse_storage
from kipflow.wiki.template import is_template_line
from kipflow.wiki.titles import is_copy, parse_title

_STATUS_HEADING = re.compile(r"^\W*(?:\d+\W+)?status\b", re.IGNORECASE)
#: The section in which Markdown proposals name their threads.
_LINKS_HEADING = re.compile(r"^\W*links\W*$", re.IGNORECASE)
_INTERFACES_HEADING = re.compile(r"public interfaces?|interface changes|changed interfaces?", re.IGNORECASE)
_LEFT_HEADING = re.compile(r"\b(?:rejected|alternatives?|non-?goals?|future work|out of scope)\b", re.IGNORECASE)
#: "Current state:", "Status -", "Discussion thread |" (a table's row): a name, a separator, a value.
_FIELD = re.compile(
    r"^\W*(?P<name>current (?:state|status)|state|status|discuss(?:ion)?(?: threads?)?"
    r"|vot(?:e|ing)(?: threads?| results?)?|jira(?: tickets?| issues?)?|tickets?"
    r"|authors?|release[ds]?|pull requests?|prs?|mailing list(?: (?:discussion|vot(?:e|ing)))?(?: threads?)?)"
    r"\s*(?:[:：|=]|[-–—]\s|$)[\s*_|]{0,5}(?P<value>.*)$",
    re.IGNORECASE,
)
#: Beginning of a field's name → its kind.
_KINDS = {
    "current": "state",
    "stat": "state",
    "discuss": "discussion",
    "mailing list vot": "vote",
    "mailing": "discussion",
    "vot": "vote",
    "jira": "jira",
    "ticket": "jira",
    "author": "author",
    "release": "release",
}
_TICKET = re.compile(r"(?<![A-Za-z0-9-])([A-Z][A-Z0-9]{1,15}-[1-9]\d{0,6})(?!\d)")
_BROWSE = re.compile(r"/browse/([A-Z][A-Z0-9]{1,15}-[1-9]\d{0,6})\b")
_HINT = re.compile(r"\[\s*(?:change the link|one of)\b[^\]]*\]?", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s<>\"'\])]{1,500}", re.IGNORECASE)
_THREADS = frozenset({"discussion", "vote"})
#: The most lines of one field's value.
_LONGEST_VALUE = 20
#: On a page without a Status section the state is looked for in this many sections.
_HEAD_SECTIONS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One "name: value" line of a page's status part; `value` is as written, hints included."""

    name: str
    value: str
    links: tuple[str, ...] = ()
    tickets: tuple[str, ...] = ()


def parse_page(page: WikiPage, prefix: str) -> PageVersion:
    """Parse a saved version of a page into a fact.

    A page that calls itself a copy ("Copy of KIP-12", "Old KIP-12") has no number of its own.
    Raises `UnreadableInput` if the body can't be read at all.
    """
    sections = read_sections(parse_storage(page.body, source=f"page {page.page_id} version {page.version}"))
    fields = read_fields(sections)
    state = fields.get("state")
    status_text = state.value[:300] if state is not None else ""
    heading = parse_title(page.title, prefix)
    touches = classify_interfaces(own_interface_lines(sections))
    return PageVersion(
        page_id=page.page_id,
        version=page.version,
        saved_at=page.saved_at,
        saved_by=page.saved_by,
        title=page.title,
        number=None if is_copy(heading) else heading.number,
        status=parse_status(status_text) if state is not None else StatusWord.UNKNOWN,
        status_text=status_text,
        url=page.url,
        jira=_find_ticket(fields.get("jira"), prefix),
        discussion_link=_find_link(fields.get("discussion")),
        body=page.body,
        interfaces=tuple(touch.interface for touch in touches),
        touches=tuple((touch.interface, touch.line) for touch in touches),
        labels=page.labels,
    )


def own_interface_lines(sections: Sequence[Section]) -> tuple[str, ...]:
    """The lines of "Public Interfaces" that the author wrote, without the template's own list.

    A sub-section's heading is prepended to its first line ("Monitoring: two new gauges"), because the lines
    themselves may not name the interface. Sub-sections on rejected alternatives are left out.
    """
    own: list[str] = []
    for section in next(find_sections(sections, _INTERFACES_HEADING), ()):
        lines = [line.text for line in section.lines if not is_template_line(line.text) and line.text.strip()]
        if _LEFT_HEADING.search(section.title):
            continue
        if lines and not _INTERFACES_HEADING.search(section.title):
            lines[0] = f"{section.title.rstrip(' :')}: {lines[0]}"
        own.extend(lines)
    return tuple(own)


def read_fields(sections: Sequence[Section]) -> dict[str, Field]:
    """The fields of the status part by kind: "state", "discussion", "vote", "jira", "author", "release".

    The first of each kind counts. The value may be on the line below the name. A Status section that holds
    only a word or a lozenge gives the state.
    """
    lines = find_section(sections, _STATUS_HEADING)
    in_section = lines is not None
    if lines is None:
        lines = tuple(line for section in sections[:_HEAD_SECTIONS] for line in section.lines)
    fields: dict[str, Field] = {}
    for position, line in enumerate(lines):
        match = _FIELD.match(line.text)
        if match is not None:
            # without a Status section the proposal's text begins right below
            end = position + 1 + (_LONGEST_VALUE if in_section else 1)
            fields.setdefault(_kind_of(match.group("name")), _read_field(match, line, lines[position + 1 : end]))
    if "state" not in fields and in_section:
        fields.update(_find_bare_state(lines))
    for line in find_section(sections, _LINKS_HEADING) or ():
        match = _FIELD.match(line.text)
        if match is not None and _kind_of(match.group("name")) in _THREADS:
            fields.setdefault(_kind_of(match.group("name")), _read_field(match, line, ()))
    return fields


def _read_field(match: re.Match[str], line: Line, below: Sequence[Line]) -> Field:
    """The field that begins on a line. If the line has only a name, the value is in the lines up to the next field."""
    name, value = match.group("name"), match.group("value").strip()
    if value or line.links or line.tickets:
        return Field(name=name, value=value, links=line.links, tickets=line.tickets)
    own: list[Line] = []
    for further in below:
        at = _FIELD.match(further.text)
        # a list of discussions may include a pull request
        if at is not None and not (own and _kind_of(at.group("name")) == "pull-request"):
            break
        own.append(further)
    return Field(
        name=name,
        value=own[0].text if own else "",
        links=tuple(dict.fromkeys(link for one in own for link in one.links)),
        tickets=tuple(dict.fromkeys(ticket for one in own for ticket in one.tickets)),
    )


def find_kind(text: str) -> str | None:
    """The kind of field that begins on a line: state, threads, tickets, author, release …; None if it is no field."""
    match = _FIELD.match(text)
    return _kind_of(match.group("name")) if match is not None else None


def _find_bare_state(lines: Sequence[Line]) -> dict[str, Field]:
    for line in lines:
        if len(line.text) < 80 and find_kind(line.text) is None and parse_status(line.text) is not StatusWord.UNKNOWN:
            return {"state": Field(name="", value=line.text, links=line.links)}
    return {}


def _kind_of(name: str) -> str:
    word = name.lower()
    return next((kind for start, kind in _KINDS.items() if word.startswith(start)), "pull-request")


def _find_ticket(field: Field | None, prefix: str) -> str | None:
    if field is None:
        return None
    named: list[str] = [*field.tickets]
    named += [m.group(1) for link in field.links for m in _BROWSE.finditer(link)]
    named += _TICKET.findall(_HINT.sub(" ", field.value))
    # KAFKA-1 is where the template's link points
    own = (key for key in named if not key.startswith(f"{prefix}-") and not key.endswith("-1"))
    return next(own, None)


def _find_link(field: Field | None) -> str | None:
    if field is None:
        return None
    written: list[str] = _ADDRESS.findall(_HINT.sub(" ", field.value))
    return next((link.rstrip(".,;") for link in (*field.links, *written) if is_web_address(link)), None)
