"""Faults of a proposal page, each with a code, its place and how to mend it.

| code | fault |
|---|---|
| K01 | the title has no number of its own |
| K02 | a section of the template is missing |
| K03 | a section is empty |
| K04 | text of the template was left in a section |
| K05 | Current state is missing, untouched or unknown |
| K06 | the discussion link is missing, "TBD", or does not lead to the list |
| K07 | the ticket is missing or still the template's |
| K08 | a public interface is touched that "Public Interfaces" does not name |
| K09 | the number is taken twice: another page has it too |
| K10 | the ticket does not exist |

K09 and K10 need to know more than the page; `find_faults_around` judges them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from kipflow.domain.facts import StatusWord
from kipflow.domain.interfaces import find_interfaces
from kipflow.domain.pagefaults import PageFault
from kipflow.wiki.pages import Field, own_interface_lines, read_fields
from kipflow.wiki.status import parse_status
from kipflow.wiki.storage import Line, Section, collapse, parse_storage, read_sections
from kipflow.wiki.template import TEMPLATE, find_leftovers
from kipflow.wiki.titles import parse_title

#: Names the rules of this module: pages judged by others are judged again.
RULES = "1"
#: Hosts whose pages are threads of a list.
LIST_HOSTS = ("lists.apache.org", "mail-archives.apache.org", "www.mail-archive.com", "markmail.org", "s.apache.org")
#: What a draft may still lack.
_MILD_IN_DRAFT = frozenset({"K02", "K03", "K04", "K06", "K07"})
_LONGEST_PLACE = 200
_ADDRESS = re.compile(r"https?://[^\s\])>]{1,500}")
# no "[" within: looking for the end of each of many open ones would cost their number squared
_IN_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_VERSION_BANNER = re.compile(
    r"you are viewing an old version|compare with current|view page history|« ?previous|version \d+ next", re.IGNORECASE
)


def lint_page(body: str, *, title: str, prefix: str, source: str) -> tuple[PageFault, ...]:
    """The faults of a page in storage format (or HTML).

    Raises:
        UnreadableInput: the body cannot be read at all.
    """
    return _lint(read_sections(parse_storage(body, source=source)), title, prefix)


def find_faults_around(
    *, number: int | None, others: Sequence[str], ticket: str | None, is_ticket_missing: bool
) -> tuple[PageFault, ...]:
    """The faults that no page shows by itself.

    Args:
        others: titles of other pages with the same number.
        ticket: the ticket that the page names; `is_ticket_missing`: the tracker knows of none such.
    """
    faults: list[PageFault] = []
    if others:
        what = f'number {number} is taken twice: "{others[0][:80]}" has it too'
        mend = "give the younger page the next free number"
        faults.append(PageFault(code="K09", place="title", what=what, mend=mend))
    if ticket and is_ticket_missing:
        what = f"{ticket} does not exist in JIRA"
        faults.append(PageFault(code="K10", place="Status", what=what, mend="name the ticket that tracks the work"))
    return tuple(faults)


def lint_text(text: str, *, title: str, prefix: str) -> tuple[PageFault, ...]:
    """The faults of a page that was saved as plain text: headings are lines equal to the template's."""
    return _lint(sections_of_text(text), title, prefix)


def sections_of_text(text: str) -> tuple[Section, ...]:
    """Plain text as sections; banners of old versions and empty lines are no content."""
    headings = {collapse(name).casefold(): name for name in TEMPLATE}
    sections: list[tuple[str, list[Line]]] = [("", [])]
    for raw in text.splitlines():
        line = collapse(raw.strip().lstrip("•-* ")) if raw.strip()[:1] in "•-*" else collapse(raw)
        name = headings.get(line.casefold())
        if name is not None:
            sections.append((name, []))
        elif line and not _VERSION_BANNER.search(line):
            links = tuple(_ADDRESS.findall(line))
            sections[-1][1].append(Line(text=line, plain=_IN_BRACKETS.sub("", line).strip(), links=links))
    return tuple(
        Section(title=name, level=1 if name else 0, lines=tuple(lines)) for name, lines in sections if name or lines
    )


def _lint(sections: Sequence[Section], title: str, prefix: str) -> tuple[PageFault, ...]:
    fields = read_fields(sections)
    state = fields["state"].value if "state" in fields else ""
    faults = [
        *_lint_title(title, prefix),
        *_lint_state(state),
        *_lint_sections(sections),
        *_lint_leftovers(sections),
        *_lint_discussion(fields.get("discussion")),
        *_lint_ticket(fields.get("jira"), prefix),
        *_lint_interfaces(sections),
    ]
    if parse_status(state) is StatusWord.DRAFT:
        faults = [replace(f, severity="note") if f.code in _MILD_IN_DRAFT else f for f in faults]
    return tuple(sorted(faults, key=lambda f: (f.severity != "error", f.code, f.place)))


def _lint_title(title: str, prefix: str) -> list[PageFault]:
    if not title or parse_title(title, prefix).number is not None:
        return []
    return [
        PageFault(code="K01", place="title", what="no number of its own", mend=f'begin the title with "{prefix}-N: "')
    ]


def _lint_state(state: str) -> list[PageFault]:
    mend = 'write one of Draft, Under Discussion, Voting, Accepted, Rejected after "Current state:"'
    if not state:
        return [PageFault(code="K05", place="Status", what="no Current state", mend=mend)]
    word = parse_status(state)
    if word is StatusWord.TEMPLATE:
        return [PageFault(code="K05", place="Status", what="Current state is the template's", mend=mend)]
    if word is StatusWord.UNKNOWN:
        return [PageFault(code="K05", place="Status", what=f'Current state "{state[:80]}" is not known', mend=mend)]
    return []


def _lint_sections(sections: Sequence[Section]) -> list[PageFault]:
    present = {_key(s.title): s for s in sections}
    faults: list[PageFault] = []
    for name in TEMPLATE:
        section = present.get(_key(name))
        if section is None:
            if name != "Status":
                mend = f'add the heading "{name}" with a few sentences'
                faults.append(PageFault(code="K02", place=name, what="the section is missing", mend=mend))
        elif not section.lines and not _has_subsections(sections, section):
            mend = "write it, or say why there is nothing to say"
            faults.append(PageFault(code="K03", place=name, what="the section is empty", mend=mend))
    return faults


def _has_subsections(sections: Sequence[Section], section: Section) -> bool:
    position = list(sections).index(section)
    following = sections[position + 1] if position + 1 < len(sections) else None
    return following is not None and following.level > section.level


def _lint_leftovers(sections: Sequence[Section]) -> list[PageFault]:
    lines: dict[str, list[str]] = {}
    for leftover in find_leftovers(sections):
        lines.setdefault(leftover.section or "top of the page", []).append(leftover.line)
    return [
        PageFault(
            code="K04",
            place=place[:_LONGEST_PLACE],
            what=f'text of the template: "{found[0][:80]}"' + (f" and {len(found) - 1} more" if found[1:] else ""),
            mend="replace it with your own description, or delete it",
        )
        for place, found in lines.items()
    ]


def _lint_discussion(field: Field | None) -> list[PageFault]:
    mend = "link the [DISCUSS] thread in the list's archive"
    if field is None:
        return [PageFault(code="K06", place="Status", what="no discussion thread", mend=mend)]
    addresses = [*field.links, *_ADDRESS.findall(field.value)]
    if not addresses:
        return [PageFault(code="K06", place="Status", what=f'discussion thread is "{field.value[:60]}"', mend=mend)]
    hosts = {urlsplit(a).hostname or "" for a in addresses}
    if not any(h in LIST_HOSTS or h.startswith("lists.") for h in hosts):
        what = f"discussion thread is on {', '.join(sorted(hosts))}, not on the list"
        return [PageFault(code="K06", place="Status", what=what, mend=mend)]
    return []


def _lint_ticket(field: Field | None, prefix: str) -> list[PageFault]:
    mend = "name the ticket, and delete the hint beside it"
    if field is None:
        return [PageFault(code="K07", place="Status", what="no JIRA ticket", mend=mend)]
    text = " ".join([field.value, *field.links, *field.tickets])
    keys = [k for k in re.findall(r"\b[A-Z][A-Z0-9]{1,15}-[1-9]\d{0,6}\b", text) if not k.startswith(f"{prefix}-")]
    if "change the link" in text.lower():
        return [PageFault(code="K07", place="Status", what="the template's hint stands beside the ticket", mend=mend)]
    if not [k for k in keys if k != "KAFKA-1"]:
        return [PageFault(code="K07", place="Status", what=f'JIRA is "{field.value[:60]}"', mend=mend)]
    return []


def _lint_interfaces(sections: Sequence[Section]) -> list[PageFault]:
    named = {t.interface for t in find_interfaces(own_interface_lines(sections))}
    changes = [s for s in sections if _key(s.title).startswith(_key("Proposed Change"))]
    touched = find_interfaces(line.text for s in changes for line in s.lines)
    return [
        PageFault(
            code="K08",
            place="Public Interfaces",
            what=f'{t.interface} is touched ("{t.line[:80]}") but not named',
            mend=f"say in Public Interfaces what changes for {t.interface}",
        )
        for t in touched
        if t.interface not in named and t.interface in {"log-format", "protocol", "client-api"}
    ]


def _key(title: str) -> str:
    return re.sub(r"\W+", " ", title).strip().casefold()
