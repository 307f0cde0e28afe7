"""Generates docs/commands.md from the commands: `python -m tools.command_page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from kipflow.cli import COMMANDS, cli

PAGE = Path(__file__).resolve().parents[1] / "docs" / "commands.md"
_HEAD = """# All commands
Written by `python -m tools.command_page` from the commands' own help.
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


if __name__ == "__main__":
    PAGE.write_text(render_page(), encoding="utf-8")
