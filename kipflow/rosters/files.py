"""Read and write the roster file (YAML), in the form that `config.roster` reads."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, ClassVar

import yaml

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.people import Person, Role, clean_address, find_role_fault
from kipflow.rosters.entries import Listing, RosterEntry, check_count, parse_day

#: Larger than any roster; YAML costs more to read than its size suggests.
MAX_YAML = 4_000_000
MAX_DEPTH = 20
_PLAIN = re.compile(r"[a-z][a-z0-9]*(?:[-_.@][a-z0-9]+)*")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*"|'[^']*'""")
_NULL = "tag:yaml.org,2002:null"


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML whose plain scalars are texts or null, so that an id `no` or `0x1` stays a text."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag == _NULL]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterFile:
    """A whole roster file, with `accounts` as in `config.roster.RosterConfig`.

    `head` holds the comment lines above it; `comments` counts those further down.
    """

    people: tuple[Person, ...]
    source: str = ""
    as_of: date | None = None
    accounts: str = ""
    head: str = ""
    comments: int = 0


def parse_roster(text: str, *, source: str) -> RosterFile:
    """The roster in a YAML text; every scalar is read as written, so an id `no` stays a text.

    Raises:
        UnreadableInput: it is no YAML, or not of a roster's shape.
    """
    document = _load(text, source)
    if not isinstance(document, dict) or not isinstance(document.get("people"), list):
        raise UnreadableInput(source=source, why="has no list `people`")
    check_count(len(document["people"]), source)
    people = [_read_person(raw, position, source) for position, raw in enumerate(document["people"])]
    twice = next((i for i, times in Counter(p.id for p in people).items() if times > 1), None)
    if twice is not None:
        raise UnreadableInput(source=source, why=f"the id {twice} is listed twice")
    as_of = parse_day(_scalar(document.get("as_of"), source, "as_of"))
    head = re.match(r"(?:[ \t]*#[^\n]*\n|[ \t]*\n)*", text)
    body = text[head.end() if head else 0 :]
    return RosterFile(
        people=tuple(people),
        source=_scalar(document.get("source"), source, "source"),
        as_of=as_of.date() if as_of else None,
        accounts=_scalar(document.get("accounts"), source, "accounts"),
        head=head.group(0).strip("\n") if head else "",
        comments=sum(1 for line in body.splitlines() if re.search(r"(?:^|\s)#", _QUOTED.sub("", line))),
    )


def as_listing(roster: RosterFile) -> Listing:
    """A roster file as a source for another one."""
    return Listing(
        entries=tuple(
            RosterEntry(id=p.id, name=p.name, aliases=p.aliases, emails=p.emails, roles=p.roles, place=p.id)
            for p in roster.people
        )
    )


def _load(text: str, source: str) -> Any:
    if len(text) > MAX_YAML:
        raise UnreadableInput(source=source, why=f"has more than {MAX_YAML:,} characters; no roster is that large")
    try:
        _check_events(text, source)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader of fewer types
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise UnreadableInput(source=source, why=f"{where}is not valid YAML") from None


def _check_events(text: str, source: str) -> None:
    """Refuse what makes a small text costly: aliases multiply, and the parser is slow in deep nesting."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            raise UnreadableInput(source=source, why="uses YAML aliases (*name); write the values out")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise UnreadableInput(source=source, why="is nested deeper than any roster (yaml)")


def _read_person(raw: Any, position: int, source: str) -> Person:
    where = f"people.{position}"
    if not isinstance(raw, dict):
        raise UnreadableInput(source=source, why=f"{where}: expected id, name, emails, roles")
    person_id, name = (_scalar(raw.get(key), source, f"{where}.{key}") for key in ("id", "name"))
    if not person_id or not name:
        raise UnreadableInput(source=source, why=f"{where}: expected an id and a name")
    emails = _list(raw.get("emails"), source, f"{where}.emails")
    roles = _list(raw.get("roles"), source, f"{where}.roles")
    return Person(
        id=person_id,
        name=name,
        aliases=tuple(_scalar(a, source, f"{where}.aliases") for a in _list(raw.get("aliases"), source, where)),
        emails=tuple(clean_address(_scalar(e, source, f"{where}.emails")) for e in emails),
        roles=tuple(_read_role(r, source, f"{where}.roles of {name}") for r in roles),
    )


def _read_role(raw: Any, source: str, where: str) -> Role:
    if not isinstance(raw, dict) or not _scalar(raw.get("role"), source, where):
        raise UnreadableInput(source=source, why=f"{where}: expected {{role: …, since: …}}")
    days: list[datetime | None] = []
    for key in ("since", "until"):
        text = _scalar(raw.get(key), source, f"{where}.{key}")
        day = parse_day(text)
        if text and day is None:
            raise UnreadableInput(source=source, why=f"{where}.{key}: expected a date such as 2019-05-01")
        days.append(day)
    role = _scalar(raw["role"], source, where)
    fault = find_role_fault(role)
    if fault is not None:
        raise UnreadableInput(source=source, why=f"{where}: expected {fault}")
    return Role(role=role, since=days[0], until=days[1])


def _list(raw: Any, source: str, where: str) -> list[Any]:
    if raw is None:
        return []
    if not isinstance(raw, list):
        raise UnreadableInput(source=source, why=f"{where}: expected a list")
    return raw


def _scalar(raw: Any, source: str, where: str) -> str:
    if raw is None:
        return ""
    if not isinstance(raw, str):
        raise UnreadableInput(source=source, why=f"{where}: expected a text")
    return raw.strip()


# -- out --------------------------------------------------------------------------------------------
def render_roster(roster: RosterFile) -> str:
    """The file's text: head, source, date, then one block for each person in the order given."""
    lines = [roster.head] if roster.head else []
    lines.append(f"source: {quote(roster.source)}")
    if roster.as_of is not None:
        lines.append(f"as_of: {roster.as_of.isoformat()}")
    if roster.accounts:
        lines.append(f"accounts: {quote(roster.accounts)}")
    lines.append("people:" if roster.people else "people: []")
    for person in roster.people:
        lines.extend(render_person(person))
    return "\n".join(lines) + "\n"


def render_person(person: Person) -> Iterator[str]:
    """One person's block of lines."""
    yield f"  - id: {quote(person.id)}"
    yield f"    name: {quote(person.name)}"
    if person.aliases:
        yield f"    aliases: {_render_list(person.aliases)}"
    if person.emails:
        yield f"    emails: {_render_list(person.emails)}"
    if person.roles:
        yield f"    roles: [{', '.join(_render_role(r) for r in person.roles)}]"


def _render_list(texts: Sequence[str]) -> str:
    return f"[{', '.join(quote(t) for t in texts)}]"


def _render_role(role: Role) -> str:
    days = {"since": role.since, "until": role.until}
    dated = (f"{key}: {day.date().isoformat()}" for key, day in days.items() if day is not None)
    return f"{{{', '.join((f'role: {quote(role.role)}', *dated))}}}"


def quote(text: str) -> str:
    """A YAML scalar that reads back as exactly `text`.

    A dollar sign is escaped: ${NAME} would be replaced by an environment variable, which a name from outside must not
    be able to read.
    """
    if _PLAIN.fullmatch(text) and text not in _WORDS and len(text) < 80:
        return text
    quoted = json.dumps(text, ensure_ascii=False).replace("$", "\\x24")
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in quoted)
