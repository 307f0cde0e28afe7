"""Read raw months of mailing lists into facts.

    spark-submit read_archives.py --manifest FILE.json --out DIR

The manifest is {"prefix": "KIP", "files": [{"path": ..., "list_id": ..., "month": "2026-03"}]}. Mails are
written as Parquet to DIR/readable=true, unreadable items with the reason to DIR/readable=false, in one pass and
in the order of the manifest; DIR/_SUCCESS marks a complete result. An earlier run's DIR is replaced.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from kipflow_spark.archives import read_archives
from kipflow_spark.session import open_session
from pyspark.sql import Observation
from pyspark.sql import functions as F

FILE_KEYS = {"path", "list_id", "month"}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Read raw months of mailing lists into Parquet.")
    parser.add_argument("--manifest", required=True, type=Path, help="JSON file that names the months to read")
    parser.add_argument("--out", required=True, help="folder for the result; that of an earlier run is replaced")
    options = parser.parse_args(arguments)
    try:
        manifest = load_manifest(options.manifest)
    except (OSError, ValueError) as error:
        sys.exit(f"read_archives: {options.manifest}: {error}")
    spark = open_session("kipflow read archives")
    try:
        seen = Observation("items")
        counts = F.count(F.lit(1)).alias("items"), F.count_if(~F.col("readable")).alias("unreadable")
        items = read_archives(spark, manifest).observe(seen, *counts)
        items.write.mode("overwrite").partitionBy("readable").parquet(options.out)
        print(f"read {seen.get['items'] - seen.get['unreadable']} mails, {seen.get['unreadable']} unreadable")
    finally:
        spark.stop()


def load_manifest(path: Path) -> str:
    """The manifest's text, validated.

    Raises:
        ValueError: it does not have the form shown at the top of this file.
        OSError: it can't be read.
    """
    text = path.read_text(encoding="utf-8")
    manifest = json.loads(text)
    if not isinstance(manifest, dict) or not isinstance(manifest.get("prefix"), str):
        raise ValueError('expected {"prefix": …, "files": […]}')
    files = manifest.get("files")
    if not isinstance(files, list):
        raise ValueError("files: expected a list")
    for position, file in enumerate(files):
        if not isinstance(file, dict) or not file.keys() >= FILE_KEYS:
            raise ValueError(f"files.{position}: expected path, list_id and month")
    return text


if __name__ == "__main__":
    main()
