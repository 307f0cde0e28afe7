"""The folder with one run's files: downloaded months, the manifest for Spark, Spark's output."""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kipflow.config.settings import read_settings

#: The number of batches that are kept for inspection.
KEPT = 3

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The folder of one run. Retried tasks use the same folder."""

    folder: Path

    @property
    def landing(self) -> Path:
        return self.folder / "landing.json"

    @property
    def manifest(self) -> Path:
        return self.folder / "manifest.json"

    @property
    def exported(self) -> Path:
        """A job's input: the application's history as Parquet."""
        return self.folder / "in"

    @property
    def written(self) -> Path:
        """A job's output."""
        return self.folder / "out"


def find_batch(dag_run: Any) -> Batch:
    """The batch of a run; also a template macro: `{{ batch(dag_run).written }}`."""
    settings = read_settings()
    name = re.sub(r"[^A-Za-z0-9.-]+", "_", dag_run.run_id)
    return Batch(folder=settings.lake / Path(settings.community).stem / dag_run.dag_id / name)


def prune_batches(current: Batch) -> None:
    """Remove the batches of this DAG's runs except the newest `KEPT`."""
    for folder in list(_older(current))[KEPT:]:
        log.info("removing the old batch %s", folder.name)
        shutil.rmtree(folder, ignore_errors=True)


def _older(current: Batch) -> Iterator[Path]:
    """Newest first."""
    folders = [path for path in current.folder.parent.iterdir() if path.is_dir() and path != current.folder]
    yield from sorted(folders, key=lambda path: path.stat().st_mtime, reverse=True)
