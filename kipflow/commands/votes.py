"""`votes`: every vote in some mail, with its ballots and their evidence. Needs no database."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from kipflow.commands.output import as_of_option, console, format_option, print_json, print_table, progress
from kipflow.domain.roster import Roster
from kipflow.services.read_votes import VotesReport, read_votes, render_csv, render_json, table_rows
from kipflow.settings import find_roster, load_community, load_roster, read_settings


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--roster", type=click.Path(path_type=Path), metavar="FILE", help="Who binds, since when (YAML).")
@click.option("--community", "name", metavar="NAME|FILE", help="Its policy and prefix (default: the current one).")
@as_of_option
@format_option()
def votes(paths: tuple[Path, ...], roster: Path | None, name: str | None, as_of: datetime | None, form: str) -> int:
    """Read mbox, maildir, .eml or Pony Mail JSON and print every vote in it.

    A vote passes only if its period is over at --as-of (default: the newest message read). Without a
    roster no ballot counts as binding: a mail is never trusted about who binds.
    """
    settings = read_settings()
    community = load_community(name or settings.community, settings.config)
    people = load_roster(roster) if roster else find_roster(community, settings.config)
    with progress("reading"):
        report = read_votes(paths, community=community, roster=people, as_of=as_of)
    if form == "json":
        print_json(render_json(report))
    elif form == "csv":
        click.echo(render_csv(report), nl=False)
    else:
        _print_report(report)
    _warn(report, people)
    return 1 if report.unreadable else 0


def _print_report(report: VotesReport) -> None:
    console().print(f"{report.messages_read} messages read, {len(report.votes)} votes")
    rows = table_rows(report)
    if rows:
        print_table(rows, columns=list(rows[0]))


def _warn(report: VotesReport, people: Roster) -> None:
    err = console(stderr=True)
    for item in report.unreadable[:20]:
        err.print(f"unreadable: {item.source}: {item.why}")
    if len(report.unreadable) > 20:
        err.print(f"… and {len(report.unreadable) - 20} more unreadable")
    if not people.people:
        err.print("no roster: no ballot counts as binding (--roster FILE says who binds)")
