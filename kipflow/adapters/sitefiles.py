"""A place that kipflow keeps: files written where they changed, and removed where they are no longer made.

The place's manifest lists what was written, with a digest of each. Nothing else in the place is touched, and one that
holds other files without a manifest is refused.
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
    """A place for a site that holds files which kipflow did not write."""

    def __init__(self, where: str) -> None:
        super().__init__(f"{where} is not empty and was not written by kipflow: name a new or empty folder")
        self.where = where


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """How many files were written, left as they were, and removed."""

    written: int
    unchanged: int
    removed: int


class Place:
    """Where files go, by their paths below `root`, with "/". `where` names it for people.

    `root` is a path, or what has the methods of one: a folder or bucket of Airflow's object storage.
    """

    def __init__(self, root: Any) -> None:
        self._root, self.where = root, str(root)

    def is_empty(self) -> bool:
        return not self._root.exists() or not any(self._root.iterdir())

    def read(self, name: str) -> bytes | None:
        place = self._find(name)
        return place.read_bytes() if self._is_there(place) else None

    def holds(self, name: str, content: bytes, *, noted: bool) -> bool:  # noqa: ARG002 - what a folder looks at
        """Whether a file is as it should be; `noted`: the manifest says so, and what it says is not read again."""
        return noted

    def write(self, name: str, content: bytes) -> None:
        """Write or replace a file as a whole."""
        place = self._find(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)

    def remove(self, name: str) -> bool:
        """False where it was gone already."""
        place = self._find(name)
        if not self._is_there(place):
            return False
        place.unlink()
        return True

    def _find(self, name: str) -> Any:
        return self._root / name

    def _is_there(self, place: Any) -> bool:
        # object storage answers `is_file` with no to whatever goes wrong
        return bool(place.exists())


def bring_to(place: Place, files: Iterable[tuple[str, bytes]]) -> Written:
    """Bring a place to hold these files; what a killed run left is brought to that too.

    Raises:
        ForeignFolder: it holds files and no manifest of kipflow's.
        KipflowError: its manifest is damaged.
    """
    before, made = _read_manifest(place), dict(files)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in made.items()}
    changed = [n for n, content in made.items() if not place.holds(n, content, noted=before.get(n) == digests[n])]
    gone = [name for name in before if name not in made]
    if changed or gone:
        # what a killed run wrote must be known as ours, and is written again: it has no digest yet
        place.write(MANIFEST, _render_manifest({**before, **dict.fromkeys(changed, "")}))
    for name in changed:
        place.write(name, made[name])
    removed = sum(place.remove(name) for name in gone)
    if before != digests:
        place.write(MANIFEST, _render_manifest(digests))
    return Written(written=len(changed), unchanged=len(made) - len(changed), removed=removed)


def write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> Written:
    """`bring_to` for a folder of this machine.

    Raises:
        KipflowError: the folder is not one that kipflow wrote, or a symbolic link in it leads elsewhere.
    """
    return bring_to(Folder(folder), files)


def _read_manifest(place: Place) -> dict[str, str]:
    """Path → digest of what kipflow wrote to a place."""
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
    """Raise `KipflowError` for what is no path below a place."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts:
        raise KipflowError(f"{name!r} is no path below {where}")


class Folder(Place):
    """A folder of this machine. No symbolic link in it is followed, and what stands there is compared."""

    def __init__(self, root: Path) -> None:
        if root.is_symlink() or (root.exists() and not root.is_dir()):
            raise KipflowError(f"{root} is no folder of its own: name a new or empty one")
        super().__init__(root)

    def holds(self, name: str, content: bytes, *, noted: bool) -> bool:  # noqa: ARG002 - the file itself is looked at
        place = self._find(name)
        return place.is_file() and place.stat().st_size == len(content) and place.read_bytes() == content

    def write(self, name: str, content: bytes) -> None:
        """Replace the file as a whole: a reader sees the old one or the new one."""
        place = self._find(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = place.with_name(f".{place.name}.kipflow")
        draft.unlink(missing_ok=True)
        with draft.open("xb") as file:
            # a public site is for others to read, whatever this process keeps to itself
            os.fchmod(file.fileno(), 0o644)
            file.write(content)
        draft.replace(place)

    def _is_there(self, place: Path) -> bool:
        return place.is_file()

    def _find(self, name: str) -> Path:
        """Where a file stands; no part of its path may lead out of the folder."""
        check_name(name, self.where)
        place: Path = self._root
        for part in PurePosixPath(name).parts:
            place = place / part
            if place.is_symlink():
                raise KipflowError(f"{place} is a symbolic link: kipflow does not follow it; remove it")
        return place
