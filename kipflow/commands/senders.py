"""`review senders`: who writes as somebody known without proof, and accepting several of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from kipflow.commands.opening import find_past, open_parts
from kipflow.commands.output import console, format_option, print_rows
from kipflow.commands.program import say_program
from kipflow.commands.sayings import print_done, render_ballots, say_ballot
from kipflow.commands.settle import by_option
from kipflow.services.acts import perform
from kipflow.services.board import SenderRow
from kipflow.services.desk import Word
from kipflow.services.senders import pick_domain, pick_lines
from kipflow.wiring import open_desk


@click.command()
@click.option("--accept", "lines", metavar="LINES", help="Lines such as 1,3-5: each is whom it may be.")
@click.option("--domain", help="Accept every address at this domain.")
@click.option("--all", "everybody", is_flag=True, help="Accept every line.")
@click.option("--reason", default="", help="Why; kept with each ruling. Needed to accept.")
@by_option
@format_option
def senders(
    lines: str | None, domain: str | None, everybody: bool, author: str, reason: str, as_of: datetime | None, form: str
) -> int:
    """List every sender who writes as somebody known and is not proven to be, over all votes, with what speaks for it.

    How often and how long the address wrote under that name, whether the receiving host vouched for it, and how many
    results name that person as binding. Accepting gives the address to the person from its first mail on.
    """
    parts = open_parts()
    rows = parts.store.senders()
    if sum((lines is not None, domain is not None, everybody)) > 1:
        raise click.UsageError("name lines, or --domain, or --all")
    if lines is None and domain is None and not everybody:
        shown = [{"line": number, **_sender_row(row)} for number, row in enumerate(rows, 1)]
        nobody = "nobody who votes writes as somebody known without proof"
        print_rows(shown, form, columns=_COLUMNS, empty=nobody)
        if rows and form == "table":
            _print_senders(shown)
        return 1 if rows else 0
    if not reason.strip():
        raise click.UsageError('accepting needs a reason, which is kept with each ruling: --reason "…"')
    picked = pick_lines(rows, lines) if lines is not None else pick_domain(rows, domain) if domain else list(rows)
    word = Word(author=author, reason=reason, at=find_past(parts, as_of))
    done = perform(open_desk(parts), "senders", {"picked": [row.key for row in picked]}, word)
    print_done(done, parts.community.prefix)
    return 0


def _print_senders(rows: Sequence[dict[str, Any]]) -> None:
    out = console()
    out.print("\nTheir ballots:")
    for row in rows:
        for ballot in row["ballots"]:
            out.print(f"  line {row['line']}: {say_ballot(ballot)}")
    out.print("To accept some or all of them, with your reason in place of …:")
    for which in ("--accept 1", "--all"):
        out.print(f'  {say_program()} review senders {which} --reason "…"')


_COLUMNS = ("line", "sender", "name", "may_be", "proposals", "mails", "first", "last", "vouched_for", "results", "why")


def _sender_row(row: SenderRow) -> dict[str, Any]:
    failed = f", {row.not_authentic} not authentic" if row.not_authentic else ""
    return {
        "sender": row.sender,
        "name": row.name,
        "may_be": f"{row.person_name} ({row.person})",
        "proposals": list(row.proposals),
        "mails": row.mails,
        "first": row.first_at,
        "last": row.last_at,
        "vouched_for": f"{row.authenticated} of {row.mails}{failed}",
        "results": row.results,
        "why": row.question,
        "ballots": render_ballots(row.ballots),
    }
