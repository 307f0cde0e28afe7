"""Write the roster file (YAML), and read what is needed to write it again, by the reader of `config.roster`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from kipflow.config.roster import as_person, parse_roster_config
from kipflow.domain.errors import UnreadableInput, join_errors
from kipflow.domain.people import Person, Role
from kipflow.rosters.entries import Listing, RosterEntry

_PLAIN = re.compile(r"[a-z][a-z0-9]*(?:[-_.@][a-z0-9]+)*")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*"|'[^']*'""")


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterFile:
    """A whole roster file, with `accounts` as in `config.roster.RosterConfig`; `head`: the comment lines above it."""

    people: tuple[Person, ...]
    source: str = ""
    as_of: date | None = None
    accounts: str = ""
    head: str = ""


def parse_roster(text: str, *, source: str) -> RosterFile:
    """The roster in a YAML text.

    Raises:
        UnreadableInput: kipflow would refuse it as a roster; notes name further faults.
    """
    raw, faults = parse_roster_config(text, source)
    if raw is None or faults:
        raise join_errors([UnreadableInput(source=source, why=f"{f.key}: expected {f.expected}") for f in faults])
    head = re.match(r"(?:[ \t]*#[^\n]*\n|[ \t]*\n)*", text)
    return RosterFile(
        # without the addresses that `accounts` gives: they would be written out
        people=tuple(map(as_person, raw.people)),
        source=raw.source,
        as_of=raw.as_of,
        accounts=raw.accounts or "",
        head=head.group(0).strip("\n") if head else "",
    )


def count_comments(text: str) -> int:
    return sum(1 for line in text.splitlines() if re.search(r"(?:^|\s)#", _QUOTED.sub("", line)))


def as_listing(roster: RosterFile) -> Listing:
    """A roster file as a source for another one."""
    return Listing(
        entries=tuple(
            RosterEntry(id=p.id, name=p.name, aliases=p.aliases, emails=p.emails, roles=p.roles, place=p.id)
            for p in roster.people
        )
    )


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
