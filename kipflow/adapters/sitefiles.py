"""Keeps a folder or bucket up to date: changed files are written, and obsolete ones removed.

A manifest in it lists the written files with their digests. Other files are not touched. A place that has files but no
manifest is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from kipflow.domain.errors import KipflowError

MANIFEST = ".kipflow-site.json"
_FORMAT = 1


class ForeignFolder(KipflowError):
    """The place for a site contains files that kipflow did not write."""

    def __init__(self, where: str) -> None:
        super().__init__(f"{where} is not empty and was not written by kipflow: name a new or empty folder")
        self.where = where


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """How many files were written, unchanged, and removed."""

    written: int
    unchanged: int
    removed: int


class Place:
    """A folder or bucket to which files are written. Names are paths below `root`, with "/". `where` is for messages.

    `root` is a path, or an object with its methods: a folder or bucket of Airflow's object storage.
    """

    def __init__(self, root: Any) -> None:
        self._root, self.where = root, str(root)

    def is_empty(self) -> bool:
        return not self._root.exists() or not any(self._root.iterdir())

    def read(self, name: str) -> bytes | None:
        place = self._find(name)
        return place.read_bytes() if self._is_there(place) else None

    def holds(self, name: str, content: bytes, *, noted: bool) -> bool:  # noqa: ARG002 - `Folder` compares it
        """Whether a file has this content. `noted`: the manifest says so, and the file is not read."""
        return noted

    def write(self, name: str, content: bytes) -> None:
        """Write or replace a file."""
        place = self._find(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)

    def remove(self, name: str) -> bool:
        """False if it did not exist."""
        place = self._find(name)
        if not self._is_there(place):
            return False
        place.unlink()
        return True

    def _find(self, name: str) -> Any:
        return self._root / name

    def _is_there(self, place: Any) -> bool:
        # in object storage, `is_file` is False for every error
        return bool(place.exists())


def sync_place(place: Place, files: Iterable[tuple[str, bytes]]) -> Written:
    """Make a place contain exactly these files of kipflow's, also after a killed run.

    Raises:
        ForeignFolder: it has files, but no manifest of kipflow's.
        KipflowError: its manifest is damaged.
    """
    before, made = _read_manifest(place), dict(files)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in made.items()}
    changed = [n for n, content in made.items() if not place.holds(n, content, noted=before.get(n) == digests[n])]
    gone = [name for name in before if name not in made]
    if changed or gone:
        # listed before they are written, without a digest: if this run is killed, the next one knows and rewrites them
        place.write(MANIFEST, _render_manifest({**before, **dict.fromkeys(changed, "")}))
    for name in changed:
        place.write(name, made[name])
    removed = sum(place.remove(name) for name in gone)
    if before != digests:
        place.write(MANIFEST, _render_manifest(digests))
    return Written(written=len(changed), unchanged=len(made) - len(changed), removed=removed)


def write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> Written:
    """`sync_place` for a folder of this machine.

    Raises:
        KipflowError: kipflow did not write the folder, or a path in it is a symbolic link.
    """
    return sync_place(Folder(folder), files)


def _read_manifest(place: Place) -> dict[str, str]:
    """Path → digest of each file that kipflow wrote to a place."""
    text = place.read(MANIFEST)
    if text is None:
        if not place.is_empty():
            raise ForeignFolder(place.where)
        return {}
    try:
        files = {str(name): str(digest) for name, digest in json.loads(text)["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise KipflowError(f"{place.where}/{MANIFEST} is damaged: remove it all and write the site anew") from None
    for name in files:
        check_name(name, place.where)
    return files


def _render_manifest(digests: dict[str, str]) -> bytes:
    manifest = {"format": _FORMAT, "files": dict(sorted(digests.items()))}
    return (json.dumps(manifest, indent=0, ensure_ascii=False) + "\n").encode()


def check_name(name: str, where: str) -> None:
    """Raise `KipflowError` if `name` is no path below a place."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts:
        raise KipflowError(f"{name!r} is no path below {where}")


class Folder(Place):
    """A folder of this machine. Symbolic links are not followed, and the files themselves are compared."""

    def __init__(self, root: Path) -> None:
        if root.is_symlink() or (root.exists() and not root.is_dir()):
            raise KipflowError(f"{root} is no folder of its own: name a new or empty one")
        super().__init__(root)

    def holds(self, name: str, content: bytes, *, noted: bool) -> bool:  # noqa: ARG002 - the file itself is compared
        place = self._find(name)
        return place.is_file() and place.stat().st_size == len(content) and place.read_bytes() == content

    def write(self, name: str, content: bytes) -> None:
        """Replace the file atomically."""
        place = self._find(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = place.with_name(f".{place.name}.kipflow")
        draft.unlink(missing_ok=True)
        with draft.open("xb") as file:
            # a public site must be readable by others, whatever the umask of this process
            os.fchmod(file.fileno(), 0o644)
            file.write(content)
        draft.replace(place)

    def _is_there(self, place: Path) -> bool:
        return place.is_file()

    def _find(self, name: str) -> Path:
        """The path of a file. No part of it may be a symbolic link."""
        check_name(name, self.where)
        place: Path = self._root
        for part in PurePosixPath(name).parts:
            place = place / part
            if place.is_symlink():
                raise KipflowError(f"{place} is a symbolic link: kipflow does not follow it; remove it")
        return place
