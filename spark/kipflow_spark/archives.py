"""Reads raw months into one DataFrame of mails, through the mbox data source."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from kipflow.mbox.ranges import count_mails
from kipflow_spark.datasource import SPLIT_BYTES, MboxDataSource, Span, plan_spans

#: In bytes. Below this the overhead of a task matters.
SMALLEST_SPLIT = 1024 * 1024


def read_archives(spark: SparkSession, manifest: str, *, split_bytes: int | None = None) -> DataFrame:
    """The mails of a manifest's files as rows of `schemas.ITEM`.

    Args:
        spark: the session that reads.
        manifest: JSON text {"prefix", "files": [{"path", "list_id", "month"}]}.
        split_bytes: bytes per task; the default keeps all cores busy, within limits.
    """
    spark.dataSource.register(MboxDataSource)
    files = json.loads(manifest)["files"]
    share = split_bytes or find_share(files, spark.sparkContext.defaultParallelism)
    options = {"manifest": manifest, "split_bytes": str(share)}
    parts = [span for span in plan_spans(files, share) if span.end is not None]
    if parts:
        options["counts"] = json.dumps(count_parts(spark, parts))
    return spark.read.format("mbox").options(**options).load()


def count_parts(spark: SparkSession, parts: Sequence[Span]) -> list[tuple[str, int, int]]:
    """The path and first byte of each part of a file, and the number of mails that begin in it.

    The position of a part's mails in their file is known once the mails before it are counted: a separate pass by all
    workers, at the speed of the disk.
    """
    places = [(span.path, span.start, span.end) for span in parts]
    counted = spark.sparkContext.parallelize(places, len(places)).map(
        lambda place: (place[0], place[1], count_mails(Path(place[0]), *place[1:]))
    )
    return list(counted.collect())


def find_share(files: Sequence[dict[str, Any]], parallelism: int) -> int:
    """Bytes per task: about three tasks per core, to balance unequal months, within limits."""
    total = sum(Path(f["path"]).stat().st_size for f in files if Path(f["path"]).is_file())
    return min(SPLIT_BYTES, max(SMALLEST_SPLIT, total // (3 * parallelism)))
