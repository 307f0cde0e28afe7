"""`ingest`, `poll`, `sync`: store facts; `ingest --undo`: remove those of an ingest."""

from __future__ import annotations

import difflib
import getpass
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from kipflow.commands.opening import find_fetched_at, find_seen_at, open_parts
from kipflow.commands.output import UtcTime, as_of_option, console, print_rows, progress, say_time
from kipflow.domain.errors import ConfigError
from kipflow.domain.times import say_moment
from kipflow.services import undo
from kipflow.services.advance import advance_all
from kipflow.services.away import load_outages
from kipflow.services.desk import ActContext
from kipflow.services.landing import find_wanted_months
from kipflow.services.ports import Batch, Report
from kipflow.wiring import Parts, effect_rules, open_desk, page_norms


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--list", "list_id", metavar="ADDRESS", help="The list the mails are of (default: what the mails say).")
@click.option("--new-list", is_flag=True, help="Take --list although it is none of the community's lists.")
@click.option("--reread", "again", is_flag=True, help="Read stored months again that older rules read.")
@click.option(
    "--complete-through",
    type=UtcTime(),
    metavar="TIME",
    help="Confirm that the files contain all mail of their lists up to this time.",
)
@click.option("--batches", is_flag=True, help="List all imports of files and indexes.")
@click.option("--undo", "batch", type=int, metavar="BATCH", help="Show what taking a batch out changes.")
@click.option("--write", is_flag=True, help="With --undo: do it.")
@click.option("--reason", metavar="TEXT", help="With --undo: why, kept with the batch.")
@as_of_option
def ingest(
    paths: tuple[Path, ...],
    list_id: str | None,
    new_list: bool,
    again: bool,
    complete_through: datetime | None,
    as_of: datetime | None,
    **given: Any,
) -> int:
    """Store messages from mbox files, maildirs, .eml files or Pony Mail JSON, packed ones too (gz, bz2, xz).

    No vote is accepted on mail that may be missing: an mbox vouches for its list up to the newest arrival in it that
    a receiving host recorded, other files for nothing, unless --complete-through says so. A file that breaks off makes
    its months partial.

    A mail that is stored already adds nothing, unless newer rules read it otherwise now. --reread does that
    for every month whose raw file is kept; a poll does it too, a part each time.

    --undo takes a batch of --batches out again: its mails (or the rows of an imported index) that came from nowhere
    else, and what it said of months. History is corrected by new entries.
    """
    if given.pop("batches"):
        return _print_batches()
    if given["batch"] is not None:
        return _undo_batch(as_of, **given)
    from kipflow.services.ingest import ingest_paths
    from kipflow.services.reread import reread

    if not paths and not again:
        raise click.UsageError("name the files to read, or --reread, --batches or --undo")
    parts = open_parts()
    if list_id and not new_list:
        list_id = _check_list(parts, list_id)
    now = find_seen_at(parts, as_of)
    reports = []
    with progress("reading") as say:
        if paths:
            read = ingest_paths(
                parts.store,
                paths,
                list_id=list_id or (parts.community.votes_on or parts.community.lists)[0],
                lists=None if list_id else parts.community.find_addresses(),
                **parts.community.reading,
                seen_at=now,
                complete_through=complete_through,
                on_progress=say,
            )
            reports.append(read)
        if again:
            raw = parts.settings.raw / parts.community.name
            reports.append(reread(parts.store, **parts.community.reading, seen_at=now, raw=raw, on_progress=say))
    return print_report(*reports)


def _print_batches() -> int:
    """Print every ingest and import, the oldest first."""
    with open_parts().store.read() as session:
        rows = [_describe_batch(batch) for batch in session.batches.load_all()]
    columns = ("batch", "at", "from", "holds", "undone")
    print_rows(rows, "table", columns=columns, empty="no file or index was taken in yet")
    return 0


def _describe_batch(batch: Batch) -> dict[str, object]:
    undone = f"{say_time(batch.undone_at)} by {batch.undone_by}: {batch.reason}" if batch.undone_at else ""
    return {
        "batch": batch.id,
        "at": batch.seen_at,
        "from": batch.sources,
        "holds": "" if batch.undone_at else undo.say_items(batch),
        "undone": undone,
    }


def _undo_batch(as_of: datetime | None, *, batch: int, reason: str | None, write: bool) -> int:
    """Print what undoing a batch changes; with `write` do it, and correct the histories."""
    parts = open_parts()
    at = find_seen_at(parts, as_of)
    if write and not reason:
        raise click.UsageError("--write needs --reason, which is kept with the batch")
    context = ActContext(author=getpass.getuser(), reason=reason or "", at=at) if write else None
    with progress("undoing"):
        found = undo.undo(open_desk(parts), batch, at=at, context=context)
        if write:
            advance_all(parts.store, policy=parts.policy, effects=effect_rules(parts), as_of=at, run_id="undo")
    for line in undo.say_undone(found, parts.community.prefix):
        console().print(line)
    how = f'`kipflow ingest --undo {batch} --write --reason "…"`'
    console().print("undone" if write else f"nothing is undone yet: {how} does it")
    return 0


def _check_list(parts: Parts, address: str) -> str:
    """The community's list with this present or former address."""
    known = parts.community.find_addresses()
    if address.lower() in known:
        return known[address.lower()]
    near = difflib.get_close_matches(address.lower(), known, n=1)
    meant = f"; did you mean {near[0]}?" if near else f"; they are {', '.join(parts.community.lists)}."
    raise click.UsageError(f"{address} is none of this community's lists{meant} --new-list takes it all the same")


@click.command()
@as_of_option
def poll(as_of: datetime | None) -> int:
    """Store new messages from the community's archive."""
    from kipflow.services.poll import poll_months
    from kipflow.services.reread import IN_A_POLL, reread

    parts = open_parts()
    archive, config = parts.archive, parts.community.archive
    if archive is None or config is None:
        raise missing_key_error(parts, "archive")
    now = find_fetched_at(parts, as_of)
    with progress("polling") as say:
        wanted, asked = find_wanted_months(parts.store, archive, parts.community.lists, now, since=config.since)
        raw = parts.settings.raw / parts.community.name
        how = parts.community.reading
        read = poll_months(parts.store, archive, wanted, raw, now, **how, on_progress=say)
        again = reread(parts.store, **how, seen_at=now, raw=raw, limit=IN_A_POLL, on_progress=say)
    with parts.store.read() as session:
        away = load_outages(session.marks).get("archive")
    if away is None:
        return print_report(asked, read, again)
    print_warnings(asked, read, again)
    console().print(f"nothing could be read from the archive (unreachable since {say_moment(away.since)})")
    return 1


@click.command()
@as_of_option
def sync(as_of: datetime | None) -> int:
    """Store wiki pages with their versions, the index's rows, and JIRA's releases."""
    from kipflow.services.checks import check_pages
    from kipflow.services.sync import sync_wiki
    from kipflow.services.tickets import sync_tickets

    parts = open_parts()
    if parts.wiki is None or parts.community.wiki is None:
        raise missing_key_error(parts, "wiki")
    now = find_fetched_at(parts, as_of)
    with progress("syncing") as say:
        reports = [
            sync_wiki(
                parts.store,
                parts.wiki,
                index_page=parts.community.wiki.index_page,
                prefix=parts.community.prefix,
                as_of=now,
                on_progress=say,
            )
        ]
        if parts.tickets is not None:
            reports.append(sync_tickets(parts.store, parts.tickets, as_of=now))
        norms = page_norms(parts.community)
        reports.append(check_pages(parts.store, effects=effect_rules(parts), as_of=now, norms=norms))
    return print_report(*reports)


def print_report(*reports: Report) -> int:
    """Print counts as one line and warnings on stderr. Returns 1 if anything could not be read."""
    counts: Counter[str] = Counter()
    for report in reports:
        counts.update(report.counts)
    print_warnings(*reports)
    console().print(", ".join(f"{name.replace('_', ' ')}: {number}" for name, number in counts.items()))
    return 1 if counts.get("unreadable") or any(r.warnings for r in reports) else 0


def print_warnings(*reports: Report) -> None:
    for report in reports:
        for warning in report.warnings:
            console(stderr=True).print(f"warning: {warning}")


def missing_key_error(parts: Parts, key: str) -> ConfigError:
    return ConfigError(
        file=f"community {parts.community.name}", key=key, expected="an address; this community has none"
    )
