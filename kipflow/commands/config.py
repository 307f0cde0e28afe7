"""`init` and `config check`: write a new community's files, and report all faults of existing ones."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from kipflow.commands.output import console
from kipflow.config.initial import EMPTY_ROSTER, NewCommunity, render_community
from kipflow.config.loading import find_faults, find_roster, load_community
from kipflow.config.settings import read_settings
from kipflow.domain.errors import KipflowError
from kipflow.domain.texts import say_count


@click.command()
@click.argument("prefix")
@click.option("--name", metavar="NAME", help="The files' name (default: PREFIX in small letters).")
@click.option("--title", metavar="TEXT", help="The community's name for people.")
@click.option("--list", "lists", multiple=True, metavar="ADDRESS", help="A mailing list; may be given several times.")
@click.option("--source", metavar="TEXT", help="The document that the voting rules are from.")
@click.option("--archive", default="", metavar="URL", help="Pony Mail's API, such as https://lists.apache.org/api.")
@click.option("--since", metavar="MONTH", help="The first month of the archive to read (default: this year's first).")
@click.option("--wiki", default="", metavar="URL", help="Confluence's REST root; with --index-page.")
@click.option("--index-page", default="", metavar="ID", help="The page whose children are the proposals.")
def init(prefix: str, name: str | None, since: str | None, lists: tuple[str, ...], **given: str) -> int:
    """Write the files of a new community whose proposals are called PREFIX-1, PREFIX-2 …

    Asks for what is not given. Writes a community file with the usual rules and an empty roster, never over a file
    that is there, and prints what to do next. Nothing is sent by what it writes.
    """
    if given["index_page"] and not given["wiki"]:
        raise click.UsageError("--index-page is a page of a wiki: give --wiki with it")
    name = name or prefix.lower()
    config = read_settings().config
    community, roster = config / "communities" / f"{name}.yaml", config / "rosters" / f"{name}.yaml"
    answers = _ask({**given, "list": " ".join(lists)}, community)
    new = NewCommunity(
        name=name,
        prefix=prefix,
        lists=tuple(answers.pop("list").split()),
        since=since or f"{datetime.now(UTC):%Y}-01",
        **{**given, **answers},
    )
    for path in (community, roster):
        if path.exists():
            raise KipflowError(f"{path} is there already; choose another --name, or remove it")
    _write(roster, EMPTY_ROSTER)
    _write(community, render_community(new))
    if faults := find_faults(str(community), config):
        for path in (community, roster):
            path.unlink()
        raise KipflowError("; ".join(f"{_find_flag(fault.key)}: expected {fault.expected}" for fault in faults))
    _print_next(new, community, roster)
    return 0


#: Option → the question if it is not given, and what is expected.
_QUESTIONS = {
    "title": ("The community's name", "a name for people, such as Apache Kafka"),
    "source": ("The document that its voting rules are from", "a title or an address, such as the project's bylaws"),
    "list": ("Mailing lists, separated by spaces", "an address, such as dev@kafka.apache.org"),
}
#: Key of the file → its command-line flag, if named differently.
_FLAGS = {"prefix": "PREFIX", "lists": "--list", "archive.url": "--archive", "wiki.url": "--wiki"}


def _find_flag(key: str) -> str:
    """The command-line flag of a key: `--index-page` for "wiki.index_page"."""
    plain = key.rstrip("0123456789").rstrip(".")
    return _FLAGS.get(plain) or f"--{plain.rpartition('.')[2].replace('_', '-')}"


def _ask(given: dict[str, str], community: Path) -> dict[str, str]:
    """An answer to each question: as given, or asked for at the terminal."""
    missing = [option for option in _QUESTIONS if not given[option]]
    if missing and not sys.stdin.isatty():
        options = ", ".join(f"--{option}" for option in missing)
        raise click.UsageError(f"nobody can be asked: give {options}; it writes {community}")
    if missing:
        console().print(f"it writes {community}, and a roster")
    return {option: given[option] or _ask_for(*_QUESTIONS[option]) for option in _QUESTIONS}


def _ask_for(question: str, expected: str) -> str:
    def check(answer: str) -> str:
        if not answer.strip():
            raise click.UsageError(f"expected {expected}")
        return answer

    return str(click.prompt(question, default="", show_default=False, value_proc=check))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _print_next(new: NewCommunity, community: Path, roster: Path) -> None:
    mail = "`kipflow poll`" if new.archive else "`kipflow ingest FILE --complete-through TIME`"
    steps = (
        f"look at the rules in {community.name}; docs/configuration.md has what else it can say",
        "`kipflow config check`",
        "fill the roster: `kipflow roster import --help` says from what",
        f"take in mail, and decide: {mail}, `kipflow advance`, `kipflow status`",
        f"run all of it: `make run COMMUNITY={new.name}`",
    )
    os.environ["KIPFLOW_COMMUNITY"] = new.name  # the commands are for the new one
    console().print(f"written: {community}\n         {roster}\n\nnext:")
    for place, step in enumerate(steps, 1):
        console().print(f"  {place}. {step}")


@click.group()
def config() -> None:
    """A community's files."""


@config.command()
@click.argument("names", nargs=-1, metavar="[NAME|FILE]...")
def check(names: tuple[str, ...]) -> int:
    """Say everything that is wrong with communities' files and their rosters (default: the community in use).

    A line for each fault: file, key, what was expected there. Exit code 1 if there is any.
    """
    settings = read_settings()
    found = 0
    for name in names or (settings.community,):
        faults = find_faults(name, settings.config)
        for fault in faults:
            click.echo(str(fault))
        found += len(faults)
        if not faults:
            _print_good(name, settings.config)
    return 1 if found else 0


def _print_good(name: str, folder: Path) -> None:
    community = load_community(name, folder)
    people = len(find_roster(community, folder).people)
    who = say_count(people, "person").replace("persons", "people") if people else "nobody: no vote can pass"
    console().print(f"{community.name}: all in order; its roster has {who}")
