"""Months that landed as files, and how they are handed to a later step or process."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from kipflow.domain.facts import ArchiveMonth
from kipflow.domain.policy import Reading
from kipflow.domain.records import from_plain, to_plain
from kipflow.mbox.files import count_starts


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """A downloaded month, with the archive's statistics on it.

    `counted` is their number of mails; 0 if unknown.
    """

    month: ArchiveMonth
    stats: str
    counted: int = 0

    @property
    def file(self) -> Path | None:
        """The month's file, if it can be read: a truncated one can, up to its break."""
        path = self.month.path if self.month.status in {"complete", "partial"} else None
        return None if path is None else Path(path)


def find_raw_file(raw: Path, list_id: str, month: str) -> Path:
    """The path of a list's raw month below `raw`."""
    return raw / list_id / f"{month}.mbox"


def save_landing(landed: Sequence[Landed], path: Path) -> Path:
    """Write what landed as JSON at `path`, for a later step or process to read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(to_plain(landed), indent=1), encoding="utf-8")
    return path


def load_landing(path: Path) -> list[Landed]:
    """What `save_landing` wrote."""
    return [from_plain(Landed, row) for row in json.loads(path.read_text(encoding="utf-8"))]


def save_manifest(landed: Sequence[Landed], path: Path, **how: Unpack[Reading]) -> Path:
    """Write the readable files of a landing as the manifest that `read_archives.py` takes."""
    files = [
        {"path": x.month.path, "list_id": x.month.list_id, "month": x.month.month, "whole": is_whole(x)}
        for x in landed
        if x.file is not None
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**how, "files": files}, indent=1), encoding="utf-8")
    return path


def is_given(landed: Landed) -> bool:
    """Whether the archive gave the month just now, at least in part."""
    return landed.file is not None and landed.month.given


def is_whole(landed: Landed) -> bool:
    """Whether the month's file is complete according to the archive."""
    return landed.month.status == "complete"


def count_new(landed: Iterable[Landed], held: Mapping[tuple[str, str], ArchiveMonth]) -> int:
    """An estimate of how many mails of these files are not stored yet, by the months in `held`."""
    new = 0
    for one in landed:
        known = held.get((one.month.list_id, one.month.month))
        if one.file is not None:  # of a partial month it is unknown which mails are stored
            read = known.mails if known is not None and known.status == "complete" else 0
            new += max(0, count_starts(one.file) - read)
    return new
