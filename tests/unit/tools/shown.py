"""Commands as texts show them: which command a line is of, and what is wrong with its options."""

from __future__ import annotations

from collections.abc import Sequence

import click

from kipflow.cli import cli


def find_command(words: Sequence[str]) -> tuple[click.Command, list[str]]:
    """The command that the words behind `kipflow` begin with, and the words left; the group itself where none is."""
    command: click.Command = cli
    left = list(words)
    with click.Context(cli) as context:
        while isinstance(command, click.Group) and left:
            while left and left[0] in {"-C", "--community"}:
                left = left[2:]
            found = command.get_command(context, left[0])
            if found is None:
                break
            command, left = found, left[1:]
    return command, left


def find_faults(words: Sequence[str], *, whole: bool = False) -> list[str]:
    """What keeps a shown command from running; `whole`: with arguments it has each option that is required."""
    command, left = find_command(words)
    if command is cli:
        return ["no such command"]
    options = [p for p in command.params if isinstance(p, click.Option)]
    known = {name for option in options for name in (*option.opts, *option.secondary_opts)} | {"--help"}
    given = {word for word in left if word.startswith("--")}
    faults = [f"no option {name}" for name in sorted(given - known)]
    if whole and left and left != ["--help"]:
        faults += [f"lacks {option.opts[0]}" for option in options if option.required and option.opts[0] not in given]
    return faults
