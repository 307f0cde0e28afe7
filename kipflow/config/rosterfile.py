"""A roster's file as imports read and write it: never one that would be refused, never half of one."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from kipflow.config.roster import load_roster
from kipflow.domain.errors import UnreadableInput


class RosterFileAt:
    """The file at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known = self._find_stamp()

    def has_changed(self) -> bool:
        """Whether it was written since it was read for what runs now."""
        return self._find_stamp() != self._known

    def read(self) -> str:
        """The text to add to.

        Raises:
            ConfigError: kipflow would refuse it.
            UnreadableInput: it could not be written back as it is.
        """
        load_roster(self.path)
        text = self.path.read_text(encoding="utf-8-sig")
        if re.search(r"\$\{[A-Z_]", text):
            why = "uses variables (${NAME}), which would be lost; write the values out"
            raise UnreadableInput(source=str(self.path), why=why)
        return text

    def find_before(self) -> str | None:
        """What it was before it was saved last; None where it never was."""
        return self._before.read_text(encoding="utf-8") if self._before.is_file() else None

    def save(self, text: str) -> None:
        """Write all or nothing: a roster half written would take votes away.

        Raises:
            ConfigError: kipflow would refuse it.
            OSError: it cannot be written.
        """
        if self.path.exists():
            self._write(self._before, self.path.read_text(encoding="utf-8-sig"))
        self._write(self.path, text)

    @property
    def _before(self) -> Path:
        return self.path.with_name(f".{self.path.name}.before")

    def _write(self, path: Path, text: str) -> None:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            load_roster(Path(name))
            Path(name).chmod(self.path.stat().st_mode & 0o777 if self.path.exists() else 0o644)
            Path(name).replace(path)
        finally:
            Path(name).unlink(missing_ok=True)

    def _find_stamp(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size
