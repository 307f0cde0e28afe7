"""ASF's LDAP as Whimsy publishes it: people by id, projects with owners (PMC) and members (committers).

`public_ldap_people.json` has the names, `public_ldap_projects.json` the groups, `committee-info.json` the
dates on which people joined a committee. Any of them may come, in any order, or merged into one document.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.people import Role
from kipflow.domain.texts import list_some
from kipflow.rosters.entries import Collector, Listing, check_count, parse_day


def parse_ldap(documents: Sequence[tuple[str, str]], *, project: str | None = None) -> Listing:
    """The people of one project.

    Args:
        documents: (name, JSON text) of each export.
        project: the project's LDAP name; may be left out where the exports hold only one.

    Raises:
        UnreadableInput: no such export, or the project is not in it.
    """
    people: dict[str, Any] = {}
    projects: dict[str, Any] = {}
    committees: dict[str, Any] = {}
    for source, text in documents:
        document = _load(source, text)
        for key, into in (("people", people), ("projects", projects), ("committees", committees)):
            into.update(_mapping(document.get(key, {}), source, key))
    name = documents[0][0] if documents else "ldap-json"
    if not projects and not committees:
        raise UnreadableInput(source=name, why="has no `projects` with members and owners; give that export too")
    chosen = _choose(project, sorted({*projects, *committees}), name)
    group = _mapping(projects.get(chosen, {}), name, f"projects.{chosen}")
    listed = _mapping(_mapping(committees.get(chosen, {}), name, chosen).get("roster", {}), name, "roster")
    owners, members = _ids(group, "owners", name), _ids(group, "members", name)
    accounts = sorted({*owners, *members, *listed})
    check_count(len(accounts), name)
    found = Collector(name)
    for account in accounts:
        person, joined = _details(people.get(account)), _details(listed.get(account))
        if not person and not joined.get("name"):
            found.note(account, "no name in the export (public_ldap_people.json has them)")
        found.add(
            id=account,
            name=str(person.get("name") or joined.get("name") or account),
            emails=[f"{account.lower()}@apache.org"],
            roles=_roles(account, owners, members, joined, is_listed=account in listed),
            place=account,
        )
    return found.as_listing()


def _roles(
    account: str, owners: set[str], members: set[str], joined: Mapping[str, Any], *, is_listed: bool
) -> Iterable[Role]:
    since: datetime | None = parse_day(str(joined.get("date") or ""))
    if account in owners or is_listed:
        yield Role(role="pmc", since=since)
    if account in members:
        yield Role(role="committer")


def _load(source: str, text: str) -> Mapping[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        why = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise UnreadableInput(source=source, why=f"is not valid JSON ({why})") from None
    return _mapping(document, source, "(top)")


def _mapping(value: object, source: str, key: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise UnreadableInput(source=source, why=f"{key}: expected an object by name, got {type(value).__name__}")
    return value


def _details(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _ids(group: Mapping[str, Any], key: str, source: str) -> set[str]:
    ids = group.get(key, [])
    if not isinstance(ids, list) or not all(isinstance(i, str) for i in ids):
        raise UnreadableInput(source=source, why=f"{key}: expected a list of ids")
    return set(ids)


def _choose(project: str | None, known: list[str], source: str) -> str:
    if project is None and len(known) == 1:
        return known[0]
    if project in known and project is not None:
        return project
    asked = "say which project (--project NAME)" if project is None else f"has no project {project!r}"
    raise UnreadableInput(source=source, why=f"{asked}; it has {list_some(known, 8)}")
