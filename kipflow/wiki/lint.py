"""Faults of a proposal page, each with a code, its place and how to fix it.

| code | fault |
|---|---|
| K01 | the title has no number of its own |
| K02 | a section of the template is missing |
| K03 | a section is empty |
| K04 | a section still has text of the template |
| K05 | Current state is missing, untouched or unknown |
| K06 | the discussion link is missing, "TBD", or does not lead to the list |
| K07 | the ticket is missing or still that of the template |
| K08 | a public interface is touched but not named in "Public Interfaces" (KIPs only: the interfaces are Kafka's) |
| K09 | duplicate number: another page has it too |
| K10 | the ticket does not exist |

K09 and K10 need more than the page itself: see `find_external_faults`. Sections and fields are those of the
community's template (`Norms`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from kipflow.domain.interfaces import find_interfaces
from kipflow.domain.pagefaults import ANY, Norms, PageFault, SectionNorm
from kipflow.domain.pages import StatusWord
from kipflow.wiki.lint_links import lint_discussion, lint_ticket, quote
from kipflow.wiki.markdown import find_comments, find_headings, sections_of_markdown
from kipflow.wiki.pages import own_interface_lines, read_fields
from kipflow.wiki.plaintext import find_title, sections_of_text
from kipflow.wiki.sections import Section, find_sections, read_sections
from kipflow.wiki.status import parse_status
from kipflow.wiki.storage import parse_storage
from kipflow.wiki.template import KIP_SECTIONS, find_leftovers, has_hint
from kipflow.wiki.titles import parse_title

#: Version of the rules in this module: pages checked by another version are checked again.
RULES = "3"
#: Faults that are tolerated in a draft.
_MILD_IN_DRAFT = frozenset({"K02", "K03", "K04", "K06", "K07"})
_LONGEST_PLACE = 200


def lint_page(body: str, *, title: str, prefix: str, source: str, norms: Norms = ANY) -> tuple[PageFault, ...]:
    """The faults of a page in storage format (or HTML). If `title` is empty, the page's own HTML title is used.

    Raises:
        UnreadableInput: the body cannot be read at all.
    """
    sections = read_sections(parse_storage(body, source=source))
    return _lint(sections, title or find_title(body, prefix), prefix, norms)


def find_external_faults(
    *, number: int | None, others: Sequence[str], ticket: str | None, is_ticket_missing: bool
) -> tuple[PageFault, ...]:
    """The faults that cannot be seen on the page alone.

    Args:
        others: titles of other pages with the same number.
        ticket: the ticket that the page names; `is_ticket_missing`: the tracker does not know it.
    """
    faults: list[PageFault] = []
    if others:
        what = f"number {number} is taken twice: {quote(others[0])} has it too"
        fix = "give the younger page the next free number"
        faults.append(PageFault(code="K09", place="title", what=what, fix=fix))
    if ticket and is_ticket_missing:
        what = f"{ticket} does not exist in JIRA"
        faults.append(PageFault(code="K10", place="Status", what=what, fix="name the ticket that tracks the work"))
    return tuple(faults)


def lint_text(text: str, *, title: str, prefix: str, norms: Norms = ANY) -> tuple[PageFault, ...]:
    """The faults of a page saved as plain text or written in Markdown.

    If `title` is empty, a first line that has a key is used.
    """
    named = title or find_title(text, prefix)
    if not _is_markdown(text, norms):
        names = [section.title for section in norms.sections or KIP_SECTIONS]
        return _lint(sections_of_text(text, ("Status", *names)), named, prefix, norms)
    sections = [
        # the page's title: on a wiki it is not part of the text
        replace(section, title="", level=0) if parse_title(section.title, prefix).number is not None else section
        for section in sections_of_markdown(text)
    ]
    return _lint(sections, named, prefix, norms, _lint_comments(text))


def _is_markdown(text: str, norms: Norms) -> bool:
    """Whether two sections have Markdown headings. A single line that begins with "#" may be a shell comment."""
    patterns = [_heading_of(norm) for norm in norms.sections or KIP_SECTIONS]
    found = {n for heading in find_headings(text) for n, pattern in enumerate(patterns) if pattern.match(heading)}
    return len(found) > 1


def _lint(
    sections: Sequence[Section], title: str, prefix: str, norms: Norms, more: Sequence[PageFault] = ()
) -> tuple[PageFault, ...]:
    fields = read_fields(sections)
    state = fields["state"].value if "state" in fields else ""
    faults = [
        *_lint_title(title, prefix),
        *(_lint_state(state) if state or "state" in norms.fields else ()),
        *_lint_sections(sections, norms),
        *_lint_leftovers(sections, {field.value for field in fields.values()}, norms),
        *lint_discussion(fields.get("discussion"), norms),
        *lint_ticket(fields.get("jira"), prefix, norms),
        *(() if norms.sections else _lint_interfaces(sections)),
        *more,
    ]
    if parse_status(state) is StatusWord.DRAFT:
        faults = [replace(f, severity="note") if f.code in _MILD_IN_DRAFT else f for f in faults]
    # sorting keeps the order of the page within a rule
    return tuple(sorted(faults, key=lambda f: (f.severity != "error", f.code)))


def _lint_title(title: str, prefix: str) -> Iterator[PageFault]:
    if title and parse_title(title, prefix).number is None:
        what = f"{quote(title)} has no number of its own"
        fix = f'take the next number (`kipflow new`) and begin the title with it: "{prefix}-N: "'
        yield PageFault(code="K01", place="title", what=what, fix=fix)


def _lint_state(state: str) -> list[PageFault]:
    fix = 'write one of Draft, Under Discussion, Voting, Accepted, Rejected after "Current state:"'
    word = parse_status(state)
    if not state:
        what = "no Current state"
    elif word is StatusWord.TEMPLATE:
        what = "Current state is the template's"
    elif word is StatusWord.UNKNOWN:
        what = f"Current state {quote(state)} is not known"
    elif has_hint(state):
        what, fix = "the template's hint is still in the Current state", "delete the hint"
    else:
        return []
    return [PageFault(code="K05", place="Status", what=what, fix=fix)]


def _lint_sections(sections: Sequence[Section], norms: Norms) -> Iterator[PageFault]:
    for norm in norms.sections or KIP_SECTIONS:
        if not norm.required:
            continue
        found = list(find_sections(sections, _heading_of(norm)))
        if not found:
            fix = f'add the heading "{norm.title}" with a few sentences'
            yield PageFault(code="K02", place=norm.title, what="the section is missing", fix=fix)
        elif not any(section.lines for parts in found for section in parts):
            fix = "write it, or say why there is nothing to say"
            yield PageFault(code="K03", place=norm.title, what="the section is empty", fix=fix)


@lru_cache(maxsize=256)
def _heading_of(norm: SectionNorm) -> re.Pattern[str]:
    """Matches the headings under which authors write this section."""
    phrases = (re.findall(r"\w+", phrase) for phrase in (norm.title, *norm.also))
    known = (r"\W+".join(map(re.escape, words)) for words in phrases if words)
    return re.compile(rf"\b(?:{'|'.join(known)})", re.IGNORECASE)


def _lint_leftovers(sections: Sequence[Section], fields: set[str], norms: Norms) -> list[PageFault]:
    lines: dict[str, list[str]] = {}
    for section, line in find_leftovers(sections, norms):
        # a hint in a field is reported by the field's own rule
        if not any(value and line.endswith(value) for value in fields):
            lines.setdefault(section or "top of the page", []).append(line)
    return [
        PageFault(
            code="K04",
            place=place[:_LONGEST_PLACE],
            what=f"text of the template: {quote(found[0])}" + (f" and {len(found) - 1} more" if found[1:] else ""),
            fix="replace it with your own description, or delete it",
        )
        for place, found in lines.items()
    ]


def _lint_comments(text: str) -> list[PageFault]:
    """Comments of a Markdown file. Readers do not see them, so they are only notes."""
    return [
        PageFault(
            code="K04",
            place=place[:_LONGEST_PLACE],
            what=f"a comment was left: {quote(comment)}",
            fix="delete it, once the section is written",
            severity="note",
        )
        for place, comment in find_comments(text)
    ]


def _lint_interfaces(sections: Sequence[Section]) -> list[PageFault]:
    named = {t.interface for t in find_interfaces(own_interface_lines(sections))}
    heading = next(_heading_of(norm) for norm in KIP_SECTIONS if norm.title == "Proposed Changes")
    changes = [s for s in sections if heading.search(s.title)]
    touched = find_interfaces(line.text for s in changes for line in s.lines)
    return [
        PageFault(
            code="K08",
            # each interface is a fault of its own: naming one does not fix another
            place=f"Public Interfaces: {t.interface}",
            what=f"{t.interface} is touched ({quote(t.line)}) but not named",
            fix=f"say in Public Interfaces what changes for {t.interface}",
        )
        for t in touched
        if t.interface not in named and t.interface in {"log-format", "protocol", "client-api"}
    ]
