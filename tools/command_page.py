"""Generates docs/commands.md from the commands."""

from __future__ import annotations

from collections.abc import Iterator

import click

from kipflow.cli import COMMANDS, cli

_HEAD = """# All commands
Written by `make docs` from the commands' own help.
"""
_WIDTH = 100


def render_page() -> str:
    """The page: every command with its help, subcommands below their group."""
    with click.Context(cli, info_name="kipflow", **cli.context_settings) as top:
        return _HEAD + "".join(section for name in COMMANDS for section in _render(cli, name, top))


def _render(group: click.Group, name: str, above: click.Context) -> Iterator[str]:
    command = group.get_command(above, name)
    if command is None:
        raise LookupError(name)
    context = click.Context(command, info_name=name, parent=above, terminal_width=_WIDTH, max_content_width=_WIDTH)
    level = "##" if above.parent is None else "###"
    yield f"\n{level} {context.command_path}\n```\n{command.get_help(context).rstrip()}\n```\n"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            yield from _render(command, below, context)
