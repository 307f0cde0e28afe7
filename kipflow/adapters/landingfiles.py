"""What landed of an archive, as files for a later step: all of it, and the manifest for Spark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from kipflow.domain.policy import Reading
from kipflow.domain.records import from_plain, to_plain
from kipflow.services.ports import Landed


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
        {"path": x.month.path, "list_id": x.month.list_id, "month": x.month.month, "whole": x.is_whole}
        for x in landed
        if x.file is not None
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**how, "files": files}, indent=1), encoding="utf-8")
    return path
