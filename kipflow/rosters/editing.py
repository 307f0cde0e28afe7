"""Edit a roster file as a person would: only the lines of changed people, everything else stays."""

from __future__ import annotations

from dataclasses import replace

import yaml

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.people import Person
from kipflow.rosters.files import RosterFile, parse_roster, quote, render_person, render_roster

_INDENT = "  "


def edit_roster(text: str, before: RosterFile, after: RosterFile) -> str:
    """The text of a roster file changed from `before` to `after`.

    Comments, order and spelling of unchanged parts stay. A file that cannot be edited line by line (all people in one
    line, say) is rewritten.
    """
    edited = _edit(text, before, after)
    return edited if edited is not None and _says(edited, after) else render_roster(after)


def _says(text: str, wanted: RosterFile) -> bool:
    try:
        read = parse_roster(text, source="edited")
    except UnreadableInput:
        return False
    return replace(read, head="") == replace(wanted, head="")


def _edit(text: str, before: RosterFile, after: RosterFile) -> str | None:
    text = text if text.endswith("\n") else text + "\n"
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return None
    nodes = {key.value: (key, value) for key, value in root.value}
    people = nodes["people"][1]
    if not isinstance(people, yaml.SequenceNode) or (people.flow_style and people.value):
        return None
    lines = text.splitlines(keepends=True)
    known = {p.id: p for p in before.people}
    changes: list[tuple[int, int, list[str]]] = []
    for person, node in zip(before.people, people.value, strict=True):
        now = next((p for p in after.people if p.id == person.id), person)
        if now != person:
            changes.append((node.start_mark.line, _find_end(lines, node), _render(now, people)))
    added = [line for p in after.people if p.id not in known for line in _render(p, people)]
    if people.value:
        end = _find_end(lines, people.value[-1])
        changes.append((end, end, added))
    elif added:
        place = nodes["people"][0].start_mark.line
        changes.append((place, place + 1, ["people:\n", *added]))
    # from the end, so that earlier positions stay valid
    for start, end, new in sorted(changes, key=lambda change: change[:2], reverse=True):
        lines[start:end] = new
    for key, value in (("as_of", after.as_of.isoformat() if after.as_of else ""), ("source", quote(after.source))):
        _set(lines, key, value)
    return "".join(lines)


def _render(person: Person, people: yaml.SequenceNode) -> list[str]:
    """A person's lines, indented like the list."""
    column = people.value[0].start_mark.column - 2 if people.value else len(_INDENT)
    return [" " * max(column, 0) + line.removeprefix(_INDENT) + "\n" for line in render_person(person)]


def _find_end(lines: list[str], node: yaml.Node) -> int:
    """The line after a person's last one: comments and blank lines after it belong to the next person."""
    # a block ends where the next token begins, anything else within its last line
    is_block = isinstance(node, yaml.CollectionNode) and not node.flow_style
    end: int = node.end_mark.line + (0 if is_block else 1)
    while end > node.start_mark.line + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return end


def _set(lines: list[str], key: str, value: str) -> None:
    """Set the line `key: value`; a new one is inserted above the people."""
    if not value:
        return
    held = next((i for i, line in enumerate(lines) if line.startswith(f"{key}:")), None)
    place = next((i for i, line in enumerate(lines) if line.startswith("people:")), 0)
    lines[place if held is None else held : place if held is None else held + 1] = [f"{key}: {value}\n"]
