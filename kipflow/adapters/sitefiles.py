"""A folder that kipflow keeps: files written where they changed, and removed where they are no longer made.

The folder's manifest lists what was written, with a digest of each. Nothing else in the folder is touched, and a folder
that holds other files without a manifest is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

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


def write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> Written:
    """Bring `folder` to hold `files` (paths below it, with "/"); what a killed run left is brought to that too.

    Raises:
        KipflowError: the folder is not one that kipflow wrote, or a symbolic link in it leads elsewhere.
    """
    before = _read_manifest(folder)
    folder.mkdir(parents=True, exist_ok=True)
    digests: dict[str, str] = {}
    # listed before any is written: a run that is killed leaves no file that the next does not know as ours
    made = dict(files)
    _write_manifest(folder, {**dict.fromkeys(made, ""), **before})
    written = 0
    for name, content in made.items():
        digests[name] = find_digest(content)
        written += _write_changed(_find_place(folder, name), content)
    gone = [name for name in before if name not in digests]
    removed = sum(_remove(folder, name) for name in gone)
    _write_manifest(folder, digests)
    return Written(written=written, unchanged=len(made) - written, removed=removed)


def _read_manifest(folder: Path) -> dict[str, str]:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise KipflowError(f"{folder} is no folder of its own: name a new or empty one")
    path = _find_place(folder, MANIFEST)
    if not path.exists():
        if folder.exists() and any(folder.iterdir()):
            raise ForeignFolder(str(folder))
        return {}
    files = parse_manifest(path.read_text(encoding="utf-8", errors="replace"), str(folder))
    for name in files:
        _find_place(folder, name)
    return files


def parse_manifest(text: str, where: str) -> dict[str, str]:
    """Path → digest of what kipflow wrote to `where`.

    Raises:
        KipflowError: it is damaged, or names something that is not below its folder.
    """
    try:
        files = {str(name): str(digest) for name, digest in json.loads(text)["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise KipflowError(f"{where}/{MANIFEST} is damaged: remove {where} and write the site anew") from None
    for name in files:
        _check_name(name, where)
    return files


def render_manifest(digests: dict[str, str]) -> str:
    manifest = {"format": _FORMAT, "files": dict(sorted(digests.items()))}
    return json.dumps(manifest, indent=0, ensure_ascii=False) + "\n"


def find_digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write_manifest(folder: Path, digests: dict[str, str]) -> None:
    _write_changed(_find_place(folder, MANIFEST), render_manifest(digests).encode())


def _find_place(folder: Path, name: str) -> Path:
    """Where a file stands; no part of its path may lead out of the folder."""
    _check_name(name, str(folder))
    place = folder
    for part in PurePosixPath(name).parts:
        place = place / part
        if place.is_symlink():
            raise KipflowError(f"{place} is a symbolic link: kipflow does not follow it; remove it")
    return place


def _check_name(name: str, where: str) -> None:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts:
        raise KipflowError(f"{name!r} is no path below {where}")


def _write_changed(place: Path, content: bytes) -> bool:
    """Replace the file as a whole where it differs: a reader sees the old one or the new one."""
    if place.is_file() and place.stat().st_size == len(content) and place.read_bytes() == content:
        return False
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_name(f".{place.name}.kipflow")
    draft.unlink(missing_ok=True)
    with draft.open("xb") as file:
        # a public site is for others to read, whatever this process keeps to itself
        os.fchmod(file.fileno(), 0o644)
        file.write(content)
    draft.replace(place)
    return True


def _remove(folder: Path, name: str) -> bool:
    place = _find_place(folder, name)
    if not place.is_file():
        return False
    place.unlink()
    return True
