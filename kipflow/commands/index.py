"""`index`: the round-up, and `index import` of somebody else's."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from pathlib import Path

import click

from kipflow.commands.facts import missing_key_error, print_report
from kipflow.commands.opening import find_now, find_seen_at, open_parts
from kipflow.commands.output import as_of_option, console, progress
from kipflow.domain.errors import UnreadableInput
from kipflow.kinds import find_kinds
from kipflow.services.advance import advance_all
from kipflow.wiring import Parts, effect_rules


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
