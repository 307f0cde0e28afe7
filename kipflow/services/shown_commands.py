"""Commands in texts for people, written so that they can be copied into a shell."""

from __future__ import annotations

from shlex import quote

#: Fixed texts have commands in backquotes; the program is inserted when they are shown.
_MARK = "`kipflow "


def name_program(community: str | None, called: str = "kipflow") -> str:
    """The beginning of a command for this community; None or "": the shell's current community."""
    return f"{quote(called)} -C {quote(community)}" if community else quote(called)


def address_commands(text: str, program: str) -> str:
    """The text with its commands beginning with `program`."""
    return text.replace(_MARK, f"`{program} ")
