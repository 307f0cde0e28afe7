"""`result`: the mail that announces a vote's result."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import click

from kipflow.commands.opening import find_now, open_parts
from kipflow.commands.output import as_of_option, console
from kipflow.commands.sayings import parse_number
from kipflow.domain.times import say_moment
from kipflow.domain.votes import Declared


@click.command()
@click.argument("proposal", metavar="NUMBER")
@click.option("--eml", "form", flag_value="eml", help="As a mail file, which mail programs open as a draft.")
@click.option("--mbox", "form", flag_value="mbox", help="As an mbox of this one mail.")
@as_of_option
def result(proposal: str, form: str | None, as_of: datetime | None) -> int:
    """Draft the [RESULT] mail of a proposal's vote, as a reply to the vote's opening. Nothing is sent.

    Where the result was announced already, it prints how the announcement differs from the ballots: exit code 1 if it
    does. No draft of a vote that runs, or while a question is open that could change what it comes to: exit code 2,
    with the reason and what settles it.
    """
    from kipflow.services.result_mail import draft_result

    parts = open_parts()
    now = find_now(parts, as_of)
    view = parts.store.proposal(parse_number(parts, proposal), now)
    state = view.newest_vote
    if state is not None and state.vote.ended_at is None and state.vote.declared is not None:
        return _print_announced(view.key, state.vote.declared, state.differences)
    with parts.store.read() as session:
        references = session.mail.find_references(state.vote.root_message_id) if state is not None else None
    draft = draft_result(view, now, references or ())
    if form is not None:
        data = draft.as_bytes() if form == "eml" else draft.as_mbox()
        click.echo(data, nl=False)
        return 0
    out = console()
    out.print(f"To: {draft.list_id}\nIn-Reply-To: {draft.answers}\nSubject: {draft.subject}\n")
    out.print(draft.text)
    return 0


def _print_announced(key: str, declared: Declared, differences: Sequence[str]) -> int:
    said = declared.outcome or "without a clear outcome"
    when = f" on {say_moment(declared.announced_at)}" if declared.announced_at is not None else ""
    console().print(f"{key}: announced by {declared.by}{when}: {said}")
    for line in differences:
        console().print(f"it differs from the ballots: {line}")
    return 1 if differences else 0
