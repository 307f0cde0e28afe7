"""`roster`: who is who and who binds; and `roster import` from what a project publishes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import click

from kipflow.commands.opening import find_past, open_known_parts
from kipflow.commands.output import as_of_option, console, format_option, print_rows
from kipflow.config.loading import find_roster, load_community
from kipflow.config.roster import RosterFileAt, load_roster
from kipflow.config.settings import read_settings
from kipflow.domain.errors import UnreadableInput
from kipflow.domain.people import Person, fold_name
from kipflow.domain.roster import Roster
from kipflow.domain.texts import as_printable, say_count
from kipflow.rosters.formats import MAX_CHARS, Format, parse_listing
from kipflow.services.import_roster import ImportReport, find_difference, plan_change
from kipflow.services.roster_votes import find_roster_impact, say_roster_impact

MAX_SHOWN = 40


@click.group()
def roster() -> None:
    """Who is who, and whose ballots bind since when."""


class _Day(click.ParamType[date]):
    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        if isinstance(value, date):
            return value
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is not a date such as 2026-03-02", param, ctx)


@roster.command("import")
@click.argument("paths", nargs=-1, required=True, metavar="FILE|-...", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["auto", *(f.value for f in Format)]),
    default="auto",
    show_default=True,
    help="ASF's roster page, LDAP's public JSON exports, a KEYS file, CSV, or another roster file.",
)
@click.option("--source", required=True, metavar="TEXT", help="Where it is from, in words; kept in the file.")
@click.option("--as-of", "as_of", type=_Day(), required=True, metavar="DATE", help="The day the source said this.")
@click.option("--project", metavar="NAME", help="The project to import, if a source has several.")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The roster file; one that exists is added to (default: print a new one).",
)
@click.option("--write", is_flag=True, help="Write --output. Without it, only show what would change.")
def import_(
    paths: tuple[Path, ...],
    form: str,
    source: str,
    as_of: date,
    project: str | None,
    output: Path | None,
    write: bool,
) -> int:
    """Take people, addresses and roles from what a project publishes.

    Shows what would change in --output, line by line, and writes it with --write; of the community's own roster also
    which votes count otherwise then. Nobody is removed and nothing overwritten: an existing file gains people,
    addresses, spellings and missing dates, and keeps its comments and what was edited by hand. What contradicts it, or
    could mean two people, is reported and left out (exit code 1). KEYS files give names and addresses, never roles.
    LDAP needs two files: people and projects.
    """
    documents = [(str(path), _read(path)) for path in paths]
    listing = parse_listing(documents, form=None if form == "auto" else Format(form), project=project)
    if write and output is None:
        raise click.UsageError("--write needs --output FILE")
    file = RosterFileAt(output) if output is not None else None
    was = file.read() if file is not None and file.path.exists() else ""
    report = plan_change(was, listing, source=source, as_of=as_of, name=str(output))
    if file is None:
        click.echo(report.text, nl=False)
    else:
        for line in find_difference(was, report.text, str(output)):
            click.echo(line)
        if report.text != was:
            _print_turned(file, report.text)
        if write and report.text != was and not file.save(report.text, instead_of=was):
            raise click.ClickException(f"{output} was written meanwhile: look at what would change once more")
    if report.lost_comments:
        comments = say_count(report.lost_comments, "comment")
        console(stderr=True).print(f"note: {comments} within the changed lines not kept")
    _print_report(report, output, written=write)
    return 1 if report.conflicts else 0


@roster.command("show")
@click.argument("path", required=False, metavar="[FILE]", type=click.Path(path_type=Path))
@as_of_option
@format_option
def show(path: Path | None, as_of: datetime | None, form: str) -> int:
    """List the people of a roster file (default: the community's), and who binds at --as-of (default: now)."""
    settings = read_settings()
    community = load_community(settings.community, settings.config)
    people = load_roster(path) if path else find_roster(community, settings.config)
    rows = _rows(people, frozenset(community.policy.binding_roles), as_of or datetime.now(UTC))
    print_rows(rows, form, columns=["id", "name", "binds", "roles", "emails", "aliases"])
    if not people.people:
        console(stderr=True).print("nobody is listed: no ballot binds (`kipflow roster import --help`)")
    _print_some("note", _note_shared_names(people))
    return 0


def _note_shared_names(people: Roster) -> list[str]:
    """Notes on names that several ids have: two people, or one person listed twice."""
    ids: dict[str, list[str]] = {}
    for person in people.people:
        for name in {fold_name(n) for n in (person.name, *person.aliases)}:
            ids.setdefault(name, []).append(person.id)
    return [
        f"{' and '.join(sorted(found))} go by one name ({people.by_id[found[0]].name}): known by their addresses only; "
        "if they are one person, list them once or `kipflow review merge` them"
        for found in ids.values()
        if len(found) > 1
    ]


def _rows(people: Roster, binding: frozenset[str], at: datetime) -> list[dict[str, Any]]:
    return [
        {
            "id": person.id,
            "name": person.name,
            "binds": "yes" if person.holds(binding, at) else "no",
            "roles": _render_roles(person),
            "emails": list(person.emails),
            "aliases": list(person.aliases),
        }
        for person in sorted(people.people, key=lambda p: p.id)
    ]


def _render_roles(person: Person) -> list[str]:
    texts = []
    for role in person.roles:
        since = f" since {role.since:%Y-%m-%d}" if role.since else ""
        texts.append(role.role + since + (f" until {role.until:%Y-%m-%d}" if role.until else ""))
    return texts


def _read(path: Path) -> str:
    """The text of a file or of stdin; files older than UTF-8 are read as Latin-1."""
    if str(path) == "-":
        data = sys.stdin.buffer.read(MAX_CHARS * 4 + 1)
    else:
        with path.open("rb") as file:
            data = file.read(MAX_CHARS * 4 + 1)
    if len(data) > MAX_CHARS * 4:
        raise UnreadableInput(source=str(path), why=f"has more than {MAX_CHARS * 4:,} bytes; no roster is that large")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _print_turned(file: RosterFileAt, text: str) -> None:
    """Print the impact on stored votes, if the file is the community's roster."""
    settings = read_settings()
    named = load_community(settings.community, settings.config).roster
    if named is None or (settings.config / named).resolve() != file.path.resolve():
        return
    parts = open_known_parts()
    if parts is None:
        return
    found = find_roster_impact(parts.store, file.check(text), policy=parts.policy, at=find_past(parts, None))
    for line in say_roster_impact(found, parts.community.prefix):
        console(stderr=True).print(f"votes: {line}")


def _print_report(report: ImportReport, output: Path | None, *, written: bool) -> None:
    err = console(stderr=True)
    _print_some("conflict", report.conflicts)
    _print_some("note", report.notes)
    done = "wrote" if written else "nothing written yet (--write does it):"
    where = f"{done} {output}: " if output is not None else ""
    counts = f"{len(report.added)} added, {len(report.changed)} changed, {report.unchanged} as before"
    err.print(f"{where}{counts}, {say_count(len(report.conflicts), 'conflict')}")


def _print_some(kind: str, texts: Sequence[str]) -> None:
    err = console(stderr=True)
    for text in texts[:MAX_SHOWN]:
        # a line break in what a source says must not start a line of its own
        err.print(f"{kind}: {as_printable(text, chr(0xFFFD))}")
    if len(texts) > MAX_SHOWN:
        err.print(f"… and {len(texts) - MAX_SHOWN} more of the kind: {kind}")
