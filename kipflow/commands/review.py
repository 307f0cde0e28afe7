"""`review`: the questions that wait for a person, and their settling."""

from __future__ import annotations

import getpass
from datetime import datetime

import click

from kipflow.commands.now import find_now
from kipflow.commands.output import UtcTime, as_of_option, console, format_option, print_rows
from kipflow.domain.errors import KipflowError
from kipflow.domain.events import Stage
from kipflow.domain.proposals import find_references
from kipflow.settings import read_settings
from kipflow.wiring import Parts, connect, effect_rules


@click.group(invoke_without_command=True)
@format_option()
@click.pass_context
def review(ctx: click.Context, form: str) -> int:
    """List and settle unclear ballots and other questions for a person."""
    if ctx.invoked_subcommand is not None:
        return 0
    parts = connect(read_settings())
    parts.store.migrate()
    rows = [
        {
            "proposal": row.key,
            "stage": row.stage,
            "kind": row.item.kind,
            "question": row.item.question,
            "line": row.item.line,
            "both_ways": list(row.item.outcomes),
            "subject": row.item.subject,
        }
        for row in parts.store.review()
    ]
    print_rows(rows, form, columns=("proposal", "stage", "kind", "question", "line", "both_ways", "subject"))
    return 1 if rows else 0


_by = click.option("--by", "author", default=getpass.getuser, show_default="your login", help="Who rules.")
_reason = click.option("--reason", required=True, help="Why; kept with the ruling.")


@review.command(context_settings={"ignore_unknown_options": True})  # a choice of -1 is no option
@click.argument("proposal")
@click.argument("message_id")
@click.argument("choice", type=click.Choice(["+1", "0", "-1", "none"]))
@_by
@_reason
@as_of_option
def ballot(proposal: str, message_id: str, choice: str, author: str, reason: str, as_of: datetime | None) -> int:
    """Settle an unclear ballot (none: it is no vote)."""
    return _rule(proposal, "ballot", message_id, {"choice": choice}, author, reason, as_of)


@review.command()
@click.argument("proposal")
@click.argument("stage", type=click.Choice([s.value for s in Stage], case_sensitive=False))
@_by
@_reason
@as_of_option
def stage(proposal: str, stage: str, author: str, reason: str, as_of: datetime | None) -> int:
    """Override a proposal's stage."""
    return _rule(proposal, "stage", proposal, {"stage": stage}, author, reason, as_of)


@review.command()
@click.argument("proposal")
@click.argument("until", type=UtcTime())
@_by
@_reason
@as_of_option
def snooze(proposal: str, until: datetime, author: str, reason: str, as_of: datetime | None) -> int:
    """Keep a silent proposal from going dormant before UNTIL."""
    return _rule(proposal, "snooze", proposal, {"until": until.isoformat()}, author, reason, as_of)


@review.command()
@click.argument("ruling_id", type=int)
@_by
@as_of_option
def revoke(ruling_id: int, author: str, as_of: datetime | None) -> int:
    """Take a ruling back (`kipflow status NUMBER` shows their ids); new entries correct history."""
    from kipflow.services import rulings
    from kipflow.services.advance import advance_all

    parts = connect(read_settings())
    parts.store.migrate()
    at = find_now(parts, as_of)
    rulings.revoke(parts.store, ruling_id, by=author, at=at)
    moved = advance_all(parts.store, policy=parts.policy, effects=effect_rules(parts), as_of=at, run_id="review")
    stages = [f"{parts.community.prefix}-{m.number} is now: {m.stage}" for m in moved if m.appended]
    console().print("; ".join([f"ruling {ruling_id} revoked", *stages]))
    return 0


@review.command()
@click.argument("key")
@_by
@as_of_option
def release(key: str, author: str, as_of: datetime | None) -> int:
    """Approve an effect that waits for a person (KEY as the board's outbox shows it)."""
    parts = connect(read_settings())
    parts.store.migrate()
    with parts.store.begin() as session:
        released = session.release_effect(key, by=author, at=find_now(parts, as_of))
    if not released:
        raise KipflowError(f"no effect {key!r} waits for approval")
    console().print("released; the next delivery sends it")
    return 0


def _rule(
    proposal: str, kind: str, target: str, value: dict[str, str], author: str, reason: str, as_of: datetime | None
) -> int:
    from kipflow.services import rulings
    from kipflow.services.advance import advance_one

    parts = connect(read_settings())
    parts.store.migrate()
    at = find_now(parts, as_of)
    number = parse_number(parts, proposal)
    ruling = rulings.rule(
        parts.store, number=number, kind=kind, target=target, value=value, author=author, reason=reason, at=at
    )
    result = advance_one(
        parts.store, number, policy=parts.policy, effects=effect_rules(parts), as_of=at, run_id="review"
    )
    stage_now = result.stage or "unchanged"
    console().print(f"ruling {ruling} recorded; {parts.community.prefix}-{number} is now: {stage_now}")
    return 0


def parse_number(parts: Parts, text: str) -> int:
    """The number in "932" or "KIP-932"."""
    if text.isdecimal():
        return int(text)
    found = find_references(text, parts.community.prefix)
    if len(found) != 1:
        raise click.BadParameter(f"{text!r} is no proposal such as {parts.community.prefix}-932 or 932")
    return found[0]
