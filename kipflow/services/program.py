"""How commands that are shown begin, so that they can be copied: as the program was called, with its community."""

from __future__ import annotations

from shlex import quote

#: A command in a fixed text stands in backquotes: who shows the text puts the program there.
_MARK = "`kipflow "


def name_program(community: str | None, called: str = "kipflow") -> str:
    """How a command of this community begins; None or "": the one that the shell stands for."""
    return f"{quote(called)} -C {quote(community)}" if community else quote(called)


def address_commands(text: str, program: str) -> str:
    """A fixed text whose commands begin with `program`."""
    return text.replace(_MARK, f"`{program} ")
