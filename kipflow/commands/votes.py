"""`votes`: every vote in some mail, with its ballots and their evidence. Needs no database."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import TextIO

import click

from kipflow.commands.output import as_of_option, console, format_option, print_json, print_rows, print_table, progress
from kipflow.config.loading import find_roster, load_community
from kipflow.config.roster import load_roster
from kipflow.config.settings import read_settings
from kipflow.domain.records import pick_fields
from kipflow.domain.ruled import find_open_ends
from kipflow.domain.texts import say_count
from kipflow.domain.times import say_moment
from kipflow.domain.votes import BallotStatus
from kipflow.services.read_votes import VoteReading, VotesReport, read_votes
from kipflow.services.votes_report import CSV_COLUMNS, PASSED_OVER, csv_rows, render_json, table_rows

#: On a terminal with fewer columns a table of votes would be unreadable.
NARROW = 110


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--roster", type=click.Path(path_type=Path), metavar="FILE", help="The roster file (YAML).")
@click.option(
    "-C", "--community", "name", metavar="NAME|FILE", help="Its policy and prefix (default: the current one)."
)
@click.option(
    "--explain", "explained", is_flag=True, help="Also list lines that look like votes and are none: why (no CSV)."
)
@as_of_option
@format_option
def votes(
    paths: tuple[Path, ...], roster: Path | None, name: str | None, explained: bool, as_of: datetime | None, form: str
) -> int:
    """Read mbox, maildir, .eml or Pony Mail JSON and print every vote in it.

    A vote passes only if its period is over at --as-of (default: the newest message read). Without a
    roster no ballot counts as binding: a mail is never trusted about who binds.

    --explain is about lines that look like votes; what the stage of a stored proposal rests on says
    `kipflow status NUMBER`.
    """
    if explained and form == "csv":
        raise click.UsageError("--explain has no CSV: use --format table or json")
    if name:
        os.environ["KIPFLOW_COMMUNITY"] = name  # the commands that are shown are for it
    settings = read_settings()
    community = load_community(settings.community, settings.config)
    people = load_roster(roster) if roster else find_roster(community, settings.config)
    with progress("reading") as show:
        mails_read = ReadingProgress(show, sys.stderr, time.monotonic)
        report = read_votes(
            paths, community=community, roster=people, as_of=as_of, on_mail=mails_read, explained=explained
        )
    if form == "json":
        print_json(render_json(report, explained=explained))
    elif form == "csv":
        print_rows(csv_rows(report), form, columns=CSV_COLUMNS)
    else:
        _print_report(report, rules_of=community.name)
    _warn(report, paths, community.lists)
    return 1 if report.unreadable or not report.messages_read else 0


class ReadingProgress:
    """Shows the progress of reading: continuously on a terminal, seldom in a log, and only after two seconds."""

    def __init__(self, show: Callable[[str], None], log: TextIO, clock: Callable[[], float]) -> None:
        self._show, self._log, self._clock = show, log, clock
        self._began, self._wait = clock(), 2.0

    def __call__(self, read: int) -> None:
        if read % 100:
            return
        passed = self._clock() - self._began
        if passed < self._wait:
            return
        text = f"{read:,} mails read"
        if self._log.isatty():
            self._show(text)
            self._wait = passed + 0.5
        else:
            self._log.write(f"reading: {text} in {passed:.0f} s\n")
            self._log.flush()
            self._wait = 2 * passed


def _print_report(report: VotesReport, *, rules_of: str) -> None:
    votes = say_count(len(report.votes), "vote")
    when = f", as of {say_moment(report.as_of)}" if report.as_of is not None else ""
    console().print(f"{say_count(report.messages_read, 'message')} read, {votes}{when}, by the rules of {rules_of}")
    rows = table_rows(report)
    if rows and report.claimed:
        which = "any of them" if report.claimed == report.messages_read else f"{report.claimed} of them"
        console().print(f"no archive recorded when {which} arrived: the senders' own dates are used")
    if rows and not report.knows_somebody:
        console().print(
            "the roster has none of the voters: nothing binds, the table counts what they claim, "
            "and no announced result is compared\n"
            "--roster FILE says who binds; `kipflow roster import` makes one from the project's own record"
        )
    if rows and console().width < NARROW:
        _print_narrow(rows)
    elif rows:
        print_table(rows, columns=list(rows[0]))
    if report.passed_over:
        console().print("\nnot counted as votes, by docs/reading-votes.md:")
        if console().width < NARROW:
            for each in report.passed_over:
                console().print(f"  {each.author}: {each.line}\n    {each.rule}: {each.why} {each.message_id}")
            return
        print_table([pick_fields(each, *PASSED_OVER) for each in report.passed_over], columns=PASSED_OVER)


def _print_narrow(rows: Sequence[Mapping[str, str]]) -> None:
    """Print the report without columns: a line for each vote, two for each ballot."""
    for row in rows:
        vote, outcome, *tallies = list(row)[:4]
        if row[vote]:
            counts = ", ".join(f"{name} {row[name]}" for name in tallies)
            console().print(f"{row[vote]}: {row[outcome]}; {counts}")
        if row["voter"]:
            console().print(f"  {row['choice']}  {row['status']}  {row['voter']}, {row['known by']}")
        if row["evidence"]:
            console().print(f"    {row['evidence']}")


def _warn(report: VotesReport, paths: Sequence[Path], lists: Collection[str]) -> None:
    err = console(stderr=True)
    if not report.messages_read:
        where = ", ".join(str(path) for path in paths[:3]) + (", …" if len(paths) > 3 else "")
        err.print(f"no mail found in {where}: name mbox, maildir or .eml files, Pony Mail's JSON, or folders of these")
    if report.opened_later is not None:
        err.print(f"later votes are left out: the first of them was opened {say_moment(report.opened_later)}")
    for item in report.unreadable[:20]:
        err.print(f"unreadable: {item.source}: {item.why}")
    if len(report.unreadable) > 20:
        err.print(f"… and {len(report.unreadable) - 20} more unreadable")
    asked = sum(map(_count_questions, report.votes))
    if asked:
        are = f"{say_count(asked, 'question')} {'is' if asked == 1 else 'are'} open"
        them = "it" if asked == 1 else "them"
        strange = sorted({reading.vote.list_id for reading in report.votes}.difference(lists))
        if strange:  # its mail would not be stored
            settle = f"a community with the list {', '.join(strange)} (docs/communities.md) settles"
        else:
            files = " ".join(quote(str(path)) for path in paths) if len(paths) <= 3 else "FILE …"
            settle = f"`kipflow ingest {files}`, `kipflow advance` and `kipflow review` settle"
        err.print(f'{are} (status "review" or a note); {settle} {them}')


def _count_questions(reading: VoteReading) -> int:
    """The number of questions: unclear ballots, doubts about who is who, and claimed ends."""
    vote = reading.vote
    unclear = sum(b.status is BallotStatus.REVIEW and b.message_id not in vote.doubted_mails for b in vote.ballots)
    contested = vote.contested is not None and vote.ended_at is None
    return unclear + len(reading.doubts) + len(find_open_ends(vote)) + contested
