"""How commands print: one list of rows as a table, JSON or CSV; progress on stderr."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from kipflow.commands.invocation import with_program
from kipflow.domain.texts import as_printable
from kipflow.domain.times import as_utc

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")


class UtcTime(click.ParamType[datetime]):
    """An ISO date or time as aware UTC."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        try:
            return as_utc(datetime.fromisoformat(str(value)))
        except ValueError:
            self.fail(f"{value!r} is not an ISO time such as 2026-03-02 or 2026-03-02T09:00:00Z", param, ctx)


#: `--format`: how `print_rows` prints.
format_option = click.option(
    "--format", "form", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True,
    help="How to print.",
)  # fmt: skip
#: `--as-of T`, an ISO time; without a zone it is UTC.
as_of_option = click.option("--as-of", type=UtcTime(), metavar="TIME", help="The time to judge at (ISO; UTC).")


def print_rows(rows: Sequence[Mapping[str, Any]], form: str, *, columns: Sequence[str], empty: str = "") -> None:
    """Print `rows`, each with the keys `columns`; without rows, a table prints the sentence `empty`."""
    if form == "json":
        print_json([dict(r) for r in rows])
    elif form == "csv":
        out = io.StringIO()
        writer = csv.DictWriter(out, fieldnames=list(columns), extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows([{c: _cell_csv(r.get(c)) for c in columns} for r in rows])
        click.echo(out.getvalue(), nl=False)
    elif rows:
        print_table(rows, columns=columns)
    elif empty:
        console().print(empty)


def print_table(rows: Sequence[Mapping[str, Any]], *, columns: Sequence[str], title: str = "") -> None:
    if title:  # a title within the table would be wrapped at its width
        console().print(title)
    table = Table(header_style="bold", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*(_cell(row.get(c)) for c in columns))
    console().print(table)


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=_to_json))


class _PlainConsole(Console):
    """Prints texts without control characters, without wrapping lines, and with commands that can be copied."""

    def print(self, *objects: Any, **how: Any) -> None:
        # only tables are fitted to a width: a message stays one line, to grep for
        how.setdefault("soft_wrap", all(isinstance(o, str) for o in objects))
        super().print(*(with_program(_as_printable(o)) if isinstance(o, str) else o for o in objects), **how)


def console(*, stderr: bool = False) -> Console:
    """A console that neither colours nor interprets its text: mail is hostile."""
    width = None if sys.stdout.isatty() else 160
    return _PlainConsole(stderr=stderr, markup=False, highlight=False, emoji=False, width=width)


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """A progress line on stderr for a long step; silent if stderr is no terminal."""
    shown = console(stderr=True)
    if not sys.stderr.isatty():
        yield lambda _text: None
        return
    with shown.status(what) as status:
        yield lambda text: status.update(f"{what}: {text}")


def say_time(at: datetime | None) -> str:
    return "" if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def _cell(value: Any) -> str:
    if isinstance(value, datetime):
        return say_time(value)
    if isinstance(value, (list, tuple)):
        return "; ".join(_cell(v) for v in value)
    return _as_printable("" if value is None else str(value))


def _as_printable(text: str) -> str:
    """The lines without control characters: those in a subject or a name could control the reader's terminal."""
    return "\n".join(as_printable(line, "\ufffd") for line in text.split("\n"))


def _cell_csv(value: Any) -> str:
    text = _cell(value)
    # a spreadsheet runs cells that begin like a formula; plain numbers ("+1") are none
    return "'" + text if text and text[0] in "=+-@\t\r" and not _NUMBER.fullmatch(text) else text


def _to_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    raise TypeError(type(value).__name__)
