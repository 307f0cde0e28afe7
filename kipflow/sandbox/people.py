"""The people of the sandbox community (`people.yaml`): all invented, with habits that make mail odd.

Every address ends in ".example", so that nothing can reach anybody. `config/rosters/sandbox.yaml` is rendered
from this table (a test compares them).
"""

from __future__ import annotations

from pydantic.dataclasses import dataclass

from kipflow.sandbox.data import STRICT, load_yaml


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Resident:
    """Someone who writes on the list.

    `emails`: the first is the usual one. `roles`, such as "committer 2014-03-01 until 2022-04-01" (that day excluded);
    without any they are not in the roster. `zone` is the offset from UTC in minutes, `quoting` how they answer ("top",
    "bottom", "inline"), `signature` the lines under their mails.
    """

    id: str
    name: str
    emails: tuple[str, ...]
    roles: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    zone: int = 0
    quoting: str = "top"
    signature: tuple[str, ...] = ()

    @property
    def first_name(self) -> str:
        return self.name.split()[0]

    @property
    def in_roster(self) -> bool:
        return bool(self.roles)


PEOPLE: dict[str, Resident] = {name: Resident(id=name, **given) for name, given in load_yaml("people.yaml").items()}
RESIDENTS: tuple[Resident, ...] = tuple(PEOPLE.values())


def render_roster() -> str:
    """The story's roster file as YAML."""
    lines = [
        "# Who is who in the sandbox community. Rendered from kipflow/sandbox/people.yaml; a test compares them.",
        "source: invented",
        "people:",
    ]
    for person in filter(lambda p: p.in_roster, RESIDENTS):
        lines += [f"  - id: {person.id}", f'    name: "{person.name}"']
        if person.aliases:
            lines.append(f"    aliases: [{', '.join(chr(34) + a + chr(34) for a in person.aliases)}]")
        lines.append(f"    emails: [{', '.join(person.emails)}]")
        lines.append(f"    roles: [{', '.join(map(_render_role, person.roles))}]")
    return "\n".join(lines) + "\n"


def _render_role(text: str) -> str:
    role, since, *rest = text.split()
    return f"{{role: {role}, since: {since}{f', until: {rest[1]}' if rest else ''}}}"
