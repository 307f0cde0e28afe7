"""The lake: Parquet files that Spark's jobs write for us, and the history that they read from us.

Files are read and written with Arrow, without Spark. The schemas are those of `lakeschemas`, which Spark's jobs use as
well. Reading a folder that no finished job wrote raises `UnreadableInput`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from kipflow import lakeschemas
from kipflow.domain.errors import UnreadableInput
from kipflow.domain.facts import Message, Unreadable
from kipflow.domain.records import from_plain
from kipflow.services.ports import HistoryRows, MetricRow, Report, Store

#: Rows that are Python objects at one time: a batch of long mails takes tens of megabytes.
BATCH = 500

#: Table in the lake → its name in `HistoryRows.iter_rows`, and its schema.
HISTORY: Mapping[str, tuple[str, pa.Schema]] = {
    "transitions": ("transition", lakeschemas.TRANSITION),
    "votes": ("vote", lakeschemas.VOTE),
    "messages": ("proposal_message", lakeschemas.PROPOSAL_MESSAGE),
    "proposals": ("proposal", lakeschemas.PROPOSAL),
}


def export_store(store: Store, directory: Path) -> None:
    """Write the history of a store to `directory`, as a consistent snapshot read in one transaction."""
    with store.begin() as session:
        export_history(session.metrics, directory)


def export_history(rows: HistoryRows, directory: Path) -> None:
    """Write the store's history to `directory`, one folder for each table of `HISTORY`.

    Streams, so that memory does not grow with the history. A file gets its name when it is complete.
    """
    for name, (source, schema) in HISTORY.items():
        folder = directory / name
        folder.mkdir(parents=True, exist_ok=True)
        # Spark ignores names that begin with a dot
        unfinished = folder / ".history.parquet"
        with pq.ParquetWriter(unfinished, schema) as writer:
            for batch in rows.iter_rows(source, schema.names):
                writer.write_table(pa.Table.from_pylist(batch, schema=schema))
        unfinished.replace(folder / "history.parquet")


def read_messages(directory: Path) -> Iterator[Message]:
    """The mails that `read_archives.py` wrote to `directory`, in the order of the archive."""
    for row in _rows(directory, "readable=true"):
        yield from_plain(Message, row)


def read_unreadable(directory: Path) -> Iterator[Unreadable]:
    """The mails that `read_archives.py` could not read, and why."""
    for row in _rows(directory, "readable=false"):
        yield Unreadable(**{name: row[name] for name in lakeschemas.UNREADABLE})


def load_metrics(directory: Path) -> list[MetricRow]:
    """The figures that `lifecycle_metrics.py` wrote to `directory`."""
    return [from_plain(MetricRow, row) for row in _rows(directory / "summary", "")]


def save_metrics(store: Store, directory: Path, *, as_of: datetime, run_id: str) -> Report:
    """Store the figures that the job left in `directory`, in place of those of an earlier run at `as_of`."""
    rows = load_metrics(directory)
    with store.begin() as session:
        saved = session.metrics.save(rows, as_of=as_of, run_id=run_id)
    return Report(counts={"metrics": saved})


def _rows(directory: Path, part: str) -> Iterator[dict[str, Any]]:
    # Spark writes this file when all tasks are done; without it files may be missing
    if not (directory / "_SUCCESS").is_file():
        raise UnreadableInput(source=str(directory), why="no finished Spark job wrote this folder; run it again")
    for file in sorted((directory / part).glob("part-*.parquet")):
        with pq.ParquetFile(file) as parquet:
            for batch in parquet.iter_batches(batch_size=BATCH):
                yield from batch.to_pylist(maps_as_pydicts="strict")
