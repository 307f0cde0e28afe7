"""A roster's file as imports read and write it: never one that would be refused, never half of one."""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kipflow.config.roster import load_roster
from kipflow.domain.errors import ConfigError, UnreadableInput
from kipflow.domain.roster import Roster


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

    def check(self, text: str) -> Roster:
        """The roster that the text is, which could be saved.

        Raises:
            ConfigError: kipflow would refuse it.
            OSError: it could not be written.
        """
        with self._write_draft(text) as draft:
            return load_roster(draft)

    def save(self, text: str, *, instead_of: str) -> bool:
        """Write all or nothing: a roster half written would take votes away. False where something else stands there.

        Raises:
            ConfigError: kipflow would refuse it.
            OSError: it cannot be written.
        """
        with self.path.with_name(f".{self.path.name}.lock").open("a") as lock, self._write_draft(text) as draft:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two people save at once: the second one has seen another roster
            before = self.path.read_text(encoding="utf-8-sig") if self.path.exists() else ""
            if before != instead_of:
                return False
            if before:
                with self._write_draft(before) as kept:
                    kept.replace(self._before)
            draft.replace(self.path)
        return True

    @property
    def _before(self) -> Path:
        return self.path.with_name(f".{self.path.name}.before")

    @contextmanager
    def _write_draft(self, text: str) -> Iterator[Path]:
        """A file beside it that holds a roster's text, gone afterwards if it is still there."""
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            try:
                load_roster(Path(name))
            except ConfigError as error:
                raise ConfigError(file=self.path.name, key=error.key, expected=error.expected) from None
            Path(name).chmod(self.path.stat().st_mode & 0o777 if self.path.exists() else 0o644)
            yield Path(name)
        finally:
            Path(name).unlink(missing_ok=True)

    def _find_stamp(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size
