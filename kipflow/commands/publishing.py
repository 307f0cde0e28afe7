"""`index`, `result`, `site`: what a community publishes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click

from kipflow.commands.facts import missing_key_error, print_report
from kipflow.commands.opening import find_now, find_seen_at, open_parts
from kipflow.commands.output import as_of_option, console, progress
from kipflow.commands.sayings import parse_number
from kipflow.domain.errors import UnreadableInput
from kipflow.domain.texts import say_count
from kipflow.domain.times import say_moment
from kipflow.domain.votes import Declared
from kipflow.effect_kinds import find_kinds
from kipflow.services.advance import advance_all
from kipflow.wiring import Parts, effect_rules, find_ticket_links


@click.group(invoke_without_command=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "html", "confluence", "json"]),
    default="markdown",
    show_default=True,
    help="How to print.",
)
@click.option("--diff", is_flag=True, help="What the next edit of the wiki's index page would change, row by row.")
@click.pass_context
def index(ctx: click.Context, form: str, diff: bool) -> int:
    """The round-up: every proposal by its derived stage."""
    if ctx.invoked_subcommand is not None:
        return 0
    from kipflow.services.index import render_board_index

    parts = open_parts()
    if diff:
        return _print_diff(parts)
    text = render_board_index(parts.store, prefix=parts.community.prefix, form=form, as_of=find_now(parts))
    click.echo(text, nl=not text.endswith("\n"))
    return 0


def _print_diff(parts: Parts) -> int:
    kind = find_kinds(parts, now=find_now(parts)).get("index")
    if kind is None:
        raise missing_key_error(parts, "wiki")
    for line in kind.preview() or ["the index page is as it should be"]:
        click.echo(line)
    return 0


@index.command("import")
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE")
@as_of_option
def import_(path: Path, as_of: datetime | None) -> int:
    """Take the rows of an index (JSON, storage format, HTML, Markdown or text) as the baseline of their proposals."""
    from kipflow.services.index import import_index

    parts = open_parts()
    now = find_seen_at(parts, as_of)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableInput(source=str(path), why=f"is not UTF-8 text ({error.reason})") from None
    with progress("importing") as say:
        report = import_index(parts.store, text, prefix=parts.community.prefix, seen_at=now, source=path.name)
        moved = advance_all(
            parts.store,
            policy=parts.policy,
            effects=effect_rules(parts),
            as_of=now,
            now=find_now(parts) if as_of is not None else now,
            run_id="import",
            on_progress=lambda done, total: say(f"{done} of {total}"),
        )
    print_report(report)
    moves = Counter(
        f"{t.source or 'new'} → {t.target}" for done in moved for t in done.appended if t.rule == "index-import"
    )
    for move, number in sorted(moves.items()):
        console().print(f"{number} moved: {move}")
    return 0


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


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="OUT")
@as_of_option
def site(folder: Path, as_of: datetime | None) -> int:
    """Write the public site into the folder OUT: only what changed since it was written last.

    It needs no server: list, proposals with their evidence, metrics, an Atom feed, a calendar of votes, and all of it
    as JSON. It holds no mail addresses and nothing that is for operators only.
    """
    from kipflow.adapters.sitefiles import write_files
    from kipflow.web.site.pages import Site, build_site

    parts = open_parts()
    now = find_now(parts, as_of)
    community = parts.community
    about = Site(community=community.name, title=community.title, tickets=find_ticket_links(community))
    with progress("writing the site"):
        done = write_files(folder, build_site(parts.store, about, now))
    written = say_count(done.written, "file")
    console().print(f"{folder}: {written} written, {done.unchanged} unchanged, {done.removed} removed")
    return 0
