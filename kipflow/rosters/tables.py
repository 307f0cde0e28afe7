"""Rosters as CSV: one row per person and role, or a history of who was added, promoted and removed when."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.people import Role, fold_name
from kipflow.rosters.asf_html import find_columns
from kipflow.rosters.entries import Collector, Listing, RosterEntry, check_count, clean_name, parse_day, parse_roles

_ADDED = frozenset({"added", "add", "joined", "role", "promoted", "changed"})
_REMOVED = frozenset({"removed", "remove", "left", "resigned", "retired", "emeritus"})
_TIMES = ("date", "commit_time", "time", "at", "when")


def parse_csv(text: str, *, source: str) -> Listing:
    """The people of a CSV file with a row of heads: id, name, email, role, since, until; or name, event, role, date.

    Raises:
        UnreadableInput: it is no CSV, or lacks a column that it needs.
    """
    head, rows = _read(text, source)
    if "event" in head:
        return _parse_history(head, rows, source)
    columns = find_columns(head)
    if "name" not in columns:
        raise UnreadableInput(source=source, why="has no column `name` in its first row (csv)")
    found = Collector(source)
    for number, cells in rows:
        values = {field: cells[at].strip() for field, at in columns.items() if at < len(cells)}
        place = f"line {number}"
        found.add(
            id=values.get("id", ""),
            name=values.get("name", ""),
            emails=[e for e in re.split(r"[;,\s]+", values.get("email", "")) if e],
            roles=_read_roles(values, place, found),
            place=place,
        )
    return Listing(entries=tuple(_join_rows(found.entries)), notes=tuple(found.notes))


def _read(text: str, source: str) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    first = text.lstrip("\ufeff").splitlines()[:1]
    delimiter = max(",;\t", key=first[0].count) if first else ","
    reader = csv.reader(io.StringIO(text.lstrip("\ufeff")), delimiter=delimiter, strict=False)
    try:
        head = [cell.strip().lower() for cell in next(reader, [])]
    except csv.Error as error:
        raise UnreadableInput(source=source, why=f"is not CSV ({error})") from None

    def rows() -> Iterator[tuple[int, list[str]]]:
        try:
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    yield reader.line_num, cells
        except csv.Error as error:
            raise UnreadableInput(source=source, why=f"line {reader.line_num}: is not CSV ({error})") from None

    return head, rows()


def _read_roles(values: dict[str, str], place: str, found: Collector) -> list[Role]:
    dates: list[datetime | None] = []
    for field in ("since", "until"):
        text = values.get(field, "")
        day = parse_day(text)
        if text and day is None:
            # a role without its date would count as always held
            found.note(place, f"{clean_name(text)!r} is no date; taken without the role")
            return []
        dates.append(day)
    since, until = dates
    if since is not None and until is not None and until <= since:
        found.note(place, "the role ends before it begins; taken without it")
        return []
    roles = parse_roles(values.get("role", ""))
    if values.get("role") and not roles:
        found.note(place, f"{clean_name(values['role'])!r} is no role known here; taken without it")
    return [Role(role=role, since=since, until=until) for role in roles]


def _join_rows(entries: list[RosterEntry]) -> Iterator[RosterEntry]:
    """Join rows of one id to one entry; rows without id stay apart, for the merging to decide."""
    joined: dict[str, RosterEntry] = {}
    for position, entry in enumerate(entries):
        known = joined.get(entry.id) if entry.id else None
        if known is None or fold_name(known.name) != fold_name(entry.name):
            joined[entry.id if entry.id and entry.id not in joined else f"/{position}"] = entry
            continue
        joined[entry.id] = replace(
            known,
            emails=tuple(dict.fromkeys((*known.emails, *entry.emails))),
            roles=tuple(dict.fromkeys((*known.roles, *entry.roles))),
        )
    yield from joined.values()


# -- a history --------------------------------------------------------------------------------------
def _parse_history(head: list[str], rows: Iterator[tuple[int, list[str]]], source: str) -> Listing:
    columns = {name: head.index(name) for name in ("name", "event", "role") if name in head}
    when = next((head.index(name) for name in _TIMES if name in head), None)
    if len(columns) < 3 or when is None:
        raise UnreadableInput(source=source, why="a history needs the columns name, event, role and date (csv)")
    found = Collector(source)
    events: list[tuple[datetime, int, str, str, str]] = []
    for number, cells in rows:
        if len(cells) <= max(*columns.values(), when):
            found.note(f"line {number}", "has too few cells; left out")
            continue
        day = parse_day(cells[when])
        event = cells[columns["event"]].strip().lower()
        if day is None or event not in _ADDED | _REMOVED:
            what = "no date" if day is None else f"the event {clean_name(event)!r} is not known"
            found.note(f"line {number}", f"{what}; left out")
            continue
        events.append((day, number, event, cells[columns["name"]], cells[columns["role"]]))
        check_count(len(events), source)
    _follow(sorted(events), found)
    return found.as_listing()


def _follow(events: list[tuple[datetime, int, str, str, str]], found: Collector) -> None:
    """Add roles that begin when first listed and end when removed; who joins a PMC stays a committer."""
    names: dict[str, str] = {}
    places: dict[str, int] = {}
    held: dict[str, list[Role]] = {}
    for day, number, event, name, role in events:
        key = fold_name(name)
        names.setdefault(key, name)
        places.setdefault(key, number)
        roles = held.setdefault(key, [])
        granted = parse_roles(role)
        if event in _REMOVED:
            ending = granted if granted and granted != ("emeritus",) else None
            _end(roles, ending, day)
        elif not granted:
            found.note(f"line {number}", f"{clean_name(role)!r} is no role known here; left out")
        elif granted == ("emeritus",):
            _end(roles, None, day)
        else:
            if event != "added" and "pmc" not in granted:
                _end(roles, ("pmc",), day)
            open_roles = {r.role for r in roles if r.until is None}
            roles.extend(Role(role=r, since=day) for r in granted if r not in open_roles)
    if events:
        first = events[0][0]
        early = sum(any(r.since == first for r in roles) for roles in held.values())
        told = f"{early} people were listed then, maybe in their role before"
        found.notes.append(f"the record begins on {first:%Y-%m-%d}: {told}")
    for key, roles in held.items():
        found.add(name=names[key], roles=roles, place=f"line {places[key]}")


def _end(roles: list[Role], which: tuple[str, ...] | None, day: datetime) -> None:
    for position, role in enumerate(roles):
        if role.until is None and (which is None or role.role in which):
            roles[position] = replace(role, until=day)
    # listed and removed on one day: never held
    roles[:] = [r for r in roles if r.until is None or r.since is None or r.since < r.until]
