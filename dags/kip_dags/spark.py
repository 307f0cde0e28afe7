"""Spark jobs as tasks, one at a time, and the folder with the files of one run: months, manifest, output."""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

from kipflow.config.settings import read_settings
from kipflow.java import DRIVER_MEMORY, POOL, submit_arguments

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
    others = [path for path in current.folder.parent.iterdir() if path.is_dir() and path != current.folder]
    for folder in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)[KEPT:]:
        log.info("removing the old batch %s", folder.name)
        shutil.rmtree(folder, ignore_errors=True)


class SubmitJob(SparkSubmitOperator):
    """Runs one of `spark/jobs` through spark-submit at the connection `spark_default`.

    Java and the code for executors are found when the task runs, because that starts programs, which must
    not happen when a DAG file is parsed.
    """

    def __init__(self, *, job: str, **kwargs: Any) -> None:
        defaults = {"driver_memory": DRIVER_MEMORY, "retries": 1, "execution_timeout": timedelta(hours=1)}
        fixed = {"name": f"kipflow-{job}", "pool": POOL, "conn_id": "spark_default", "durable": False}
        super().__init__(**{**defaults, **fixed, **kwargs})
        self.job = job

    def execute(self, context: Mapping[str, Any]) -> Any:
        job = submit_arguments(read_settings().home, self.job)
        self.application, self.py_files = job["application"], job["py_files"]
        self.env_vars, self.conf = job["env_vars"], job["conf"]
        return super().execute(context)
