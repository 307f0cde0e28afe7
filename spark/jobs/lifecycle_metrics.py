"""Compute a community's lifecycle metrics from its exported history.

    spark-submit lifecycle_metrics.py --input DIR --as-of 2026-03-05T09:00:00Z --out DIR

Reads the Parquet tables transitions, votes, messages and proposals of `--input`, each once, and writes
stage_visits, stage_durations, throughput, open_votes, first_reply and summary below `--out`. `summary` is
written last: if it is complete, all tables are of the same run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from kipflow_spark import schemas, transforms
from kipflow_spark.figures import summary
from kipflow_spark.session import open_session
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse_arguments(arguments)
    spark = open_session("kipflow lifecycle metrics")
    try:
        write_metrics(spark, options.input, options.as_of, options.out)
    except AnalysisException as error:
        # a missing or malformed table: Spark's first line names it, the stack trace does not help
        sys.exit(f"lifecycle_metrics: {str(error).splitlines()[0]}")
    finally:
        spark.stop()


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compute lifecycle metrics from exported history.")
    parser.add_argument("--input", required=True, help="folder with transitions, votes, messages and proposals")
    parser.add_argument("--as-of", required=True, type=parse_time, help="time with zone, such as 2026-03-05T09:00:00Z")
    parser.add_argument("--out", required=True, help="folder for the results; those of an earlier run are replaced")
    return parser.parse_args(arguments)


def parse_time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 2026-03-05T09:00:00Z") from None
    if time.tzinfo is None:
        raise argparse.ArgumentTypeError(f"{text!r} has no zone; add Z for UTC")
    return time.astimezone(UTC)


def write_metrics(spark: SparkSession, source: str, as_of: datetime, out: str) -> None:
    """Compute every table and write it below `out`."""

    def read(name: str, schema: StructType) -> DataFrame:
        return spark.read.schema(schema).parquet(f"{source.rstrip('/')}/{name}")

    visits = transforms.stage_visits(read("transitions", schemas.TRANSITION), as_of).cache()
    proposals = read("proposals", schemas.PROPOSAL)
    durations = transforms.stage_durations(visits).cache()
    months = transforms.throughput(visits).cache()
    votes = transforms.open_votes(read("votes", schemas.VOTE), visits, proposals, as_of).cache()
    replies = transforms.first_replies(read("messages", schemas.PROPOSAL_MESSAGE), as_of).cache()
    results = {
        "stage_visits": visits,
        "stage_durations": durations,
        "throughput": months,
        "open_votes": votes,
        "first_reply": replies,
        "summary": summary(durations, votes, months, replies),
    }
    for name, frame in results.items():
        frame.write.mode("overwrite").parquet(f"{out.rstrip('/')}/{name}")


if __name__ == "__main__":
    main()
