"""`review`: the questions that wait for a person, the rulings that settled them, and senders to accept."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from kipflow.commands.invocation import say_program
from kipflow.commands.opening import find_past, open_parts
from kipflow.commands.output import console, format_option, print_rows
from kipflow.commands.sayings import parse_number, print_done, render_ballots, say_ballot
from kipflow.commands.settle import COMMANDS, by_option
from kipflow.domain.facts import Ruling
from kipflow.domain.proposals import format_key
from kipflow.domain.records import pick_fields
from kipflow.services.acts import perform
from kipflow.services.assembly import load_facts
from kipflow.services.board import ReviewRow, SenderRow
from kipflow.services.desk import ActContext
from kipflow.services.ports import OutboxRow
from kipflow.services.releases import load_effects
from kipflow.services.settling import find_commands, find_release_commands
from kipflow.services.who_is_who import pick_domain, pick_lines
from kipflow.services.wording import read_text, say_ruling
from kipflow.wiring import Parts, open_desk

_COLUMNS = ("proposal", "stage", "kind", "question", "line", "both_ways")
_RULING_COLUMNS = ("id", "proposal", "ruling", "by", "reason", "at", "revoked")


@click.group(invoke_without_command=True)
@format_option
@click.pass_context
def review(ctx: click.Context, form: str) -> int:
    """List what waits for a person, and settle it.

    Without a command: the open questions, those first on which an outcome depends, each with the command that
    settles it, then the effects that wait for a person or were given up. Exit code 1 if there are any. A ruling
    is stored with author, reason and time, outlives every recount, is never overwritten by the clock, and can be
    revoked.
    """
    if ctx.invoked_subcommand is not None:
        return 0
    parts = open_parts()
    rows = [_question_row(row) for row in parts.store.review()]
    for status in ("held", "unsure", "failed"):
        rows += [_effect_row(parts, effect) for effect in load_effects(parts.store, status)]
    columns = _COLUMNS if form == "table" else (*_COLUMNS, "settle", "subject")
    print_rows(rows, form, columns=columns, empty="nothing waits for a person")
    if rows and form == "table":
        print_ways_to_settle(rows)
    return 1 if rows else 0


def print_ways_to_settle(rows: Sequence[dict[str, Any]]) -> None:
    """Print, below the table and without wrapping, the mails of each question and the commands to copy."""
    out = console()
    out.print("\nTo settle them, with your reason in place of …:")
    for row in rows:
        out.print(f"{row['proposal']} {row['kind']}: {row['subject']}".strip())
        for ballot in row.get("ballots", ()):
            out.print(f"  {say_ballot(ballot)}")
        for command in row["settle"].splitlines():
            out.print(f"  {command}")


def _question_row(row: ReviewRow) -> dict[str, Any]:
    return {
        "proposal": row.key,
        "stage": row.stage,
        **pick_fields(row.item, "kind", "question"),
        "line": row.item.line or "; ".join(b.line for b in row.ballots),
        "both_ways": list(row.item.outcomes),
        "settle": "\n".join(find_commands(row.number, row.item, say_program())),
        "subject": row.item.subject,
        "ballots": render_ballots(row.ballots),
    }


def _effect_row(parts: Parts, effect: OutboxRow) -> dict[str, Any]:
    moves = effect.payload.get("moves") or ()
    edits = f"{len(moves)} rows of the index page would move" if effect.channel == "index" else ""
    return {
        "proposal": format_key(parts.community.prefix, effect.number) if effect.number is not None else "",
        "stage": "",
        "kind": effect.status,
        "question": (read_text(effect.payload) or edits or effect.key).partition("\n")[0],
        "line": effect.last_error or "",
        "both_ways": [],
        "settle": "\n".join(find_release_commands(effect, say_program())),
        "subject": effect.key,
    }


# -- the rulings there are ---------------------------------------------------------------------------
@review.command("rulings")
@click.argument("proposal", required=False)
@click.option("--standing", is_flag=True, help="Leave out what was revoked.")
@format_option
def rulings_(proposal: str | None, standing: bool, form: str) -> int:
    """List rulings with their ids: of one PROPOSAL, or all of them."""
    parts = open_parts()
    with parts.store.read() as session:
        found = load_facts(session, parse_number(parts, proposal)).rulings if proposal else session.rulings.load_all()
    rows = [_ruling_row(parts, r) for r in found if not (standing and r.revoked_at)]
    print_rows(rows, form, columns=_RULING_COLUMNS, empty="nobody has ruled on anything here yet")
    return 0


def _ruling_row(parts: Parts, ruling: Ruling) -> dict[str, Any]:
    revoked = ""
    if ruling.revoked_at is not None:
        why = f": {ruling.revoked_reason}" if ruling.revoked_reason else ""
        revoked = f"{ruling.revoked_at:%Y-%m-%d %H:%M} by {ruling.revoked_by}{why}"
    return {
        "id": ruling.id,
        "proposal": format_key(parts.community.prefix, ruling.number) if ruling.number is not None else "",
        "ruling": say_ruling(ruling),
        "by": ruling.author,
        "reason": ruling.reason,
        "at": ruling.made_at,
        "revoked": revoked,
    }


# -- senders who are asked about ----------------------------------------------------------------------
@review.command()
@click.option("--accept", "lines", metavar="LINES", help="Lines to accept, such as 1,3-5.")
@click.option("--domain", help="Accept every address at this domain.")
@click.option("--all", "everybody", is_flag=True, help="Accept every line.")
@click.option("--reason", default="", help="Why; kept with each ruling. Needed to accept.")
@by_option
@format_option
def senders(
    lines: str | None, domain: str | None, everybody: bool, author: str, reason: str, as_of: datetime | None, form: str
) -> int:
    """List every sender in all votes who may be somebody known and is not proven to be, with the evidence.

    How often and how long the address wrote under that name, whether the receiving host authenticated it, and how many
    results name that person as binding. Accepting assigns the address to the person from its first mail on.
    """
    parts = open_parts()
    rows = parts.store.senders()
    if sum((lines is not None, domain is not None, everybody)) > 1:
        raise click.UsageError("name lines, or --domain, or --all")
    if lines is None and domain is None and not everybody:
        shown = [{"line": number, **_sender_row(row)} for number, row in enumerate(rows, 1)]
        nobody = "nobody who votes writes as somebody known without proof"
        print_rows(shown, form, columns=_SENDER_COLUMNS, empty=nobody)
        if rows and form == "table":
            _print_senders(shown)
        return 1 if rows else 0
    if not reason.strip():
        raise click.UsageError('accepting needs a reason, which is kept with each ruling: --reason "…"')
    picked = pick_lines(rows, lines) if lines is not None else pick_domain(rows, domain) if domain else list(rows)
    context = ActContext(author=author, reason=reason, at=find_past(parts, as_of))
    done = perform(open_desk(parts), "senders", {"picked": [row.key for row in picked]}, context)
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


_SENDER_COLUMNS = (
    *("line", "sender", "name", "may_be", "proposals", "mails"),
    *("first", "last", "vouched_for", "results", "why"),
)


def _sender_row(row: SenderRow) -> dict[str, Any]:
    failed = f", {row.not_authentic} not authentic" if row.not_authentic else ""
    return {
        **pick_fields(row, "sender", "name"),
        "may_be": f"{row.person_name} ({row.person})",
        **pick_fields(row, "proposals", "mails"),
        "first": row.first_at,
        "last": row.last_at,
        "vouched_for": f"{row.authenticated} of {row.mails}{failed}",
        "results": row.results,
        "why": row.question,
        "ballots": render_ballots(row.ballots),
    }


for command in COMMANDS:
    review.add_command(command)
