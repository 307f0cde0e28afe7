"""The beginning of commands shown in a shell: as this one was called, with its community."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from kipflow.services.shown_commands import address_commands, name_program


def say_program() -> str:
    """`kipflow` as it was called, with the community if one was named: another shell may have another."""
    return name_program(os.environ.get("KIPFLOW_COMMUNITY"), _find_called(sys.argv[0]))


def with_program(text: str) -> str:
    """The text with commands that can be copied."""
    return address_commands(text, say_program())


def _find_called(called: str) -> str:
    """The path that was typed; the plain name if the shell finds it by that."""
    path = Path(called)
    if path.name != "kipflow" or shutil.which("kipflow") == str(path):
        return "kipflow"
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
