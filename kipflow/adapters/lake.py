"""The lake: Parquet that Spark's jobs leave for us, and history that they read from us.

Reading and writing is Arrow's work; no Spark is needed here. The shapes are those of
`kipflow_spark.schemas`, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.facts import Kind, Message, SubjectReading, Unreadable
from kipflow.domain.senders import AddressSource, Authentication
from kipflow.domain.votes import Choice, Declared, Expression, Standing
from kipflow.services.ports import MetricRow, Session

#: Rows that are Python objects at one time: a batch of long mails stays in the tens of megabytes.
BATCH = 500

_TIME = pa.timestamp("us", tz="UTC")

#: table in the lake → (what `Session.iter_rows` calls it, its shape)
HISTORY: Mapping[str, tuple[str, pa.Schema]] = {
    "transitions": (
        "transition",
        pa.schema(
            {
                "id": pa.string(),
                "number": pa.int32(),
                "position": pa.int32(),
                "source": pa.string(),
                "target": pa.string(),
                "at": _TIME,
                "rule": pa.string(),
                "actor": pa.string(),
                "repeat": pa.int32(),
                "retracts": pa.list_(pa.string()),
            }
        ),
    ),
    "votes": (
        "vote",
        pa.schema(
            {
                "key": pa.string(),
                "number": pa.int32(),
                "round": pa.int32(),
                "root_message_id": pa.string(),
                "opened_at": _TIME,
                "earliest_close": _TIME,
                "ended_at": _TIME,
                "outcome": pa.string(),
            }
        ),
    ),
    "messages": (
        "proposal_message",
        pa.schema(
            {
                "number": pa.int32(),
                "message_id": pa.string(),
                "arrived_at": _TIME,
                "author_address": pa.string(),
                "kind": pa.string(),
                "is_reply": pa.bool_(),
            }
        ),
    ),
    "proposals": ("proposal", pa.schema({"number": pa.int32(), "title": pa.string()})),
}


def export_history(session: Session, directory: Path) -> None:
    """Write the store's history to `directory`, one folder for each table of `HISTORY`.

    Streams: memory does not grow with the history. A file takes its place when it is whole.
    """
    for name, (source, schema) in HISTORY.items():
        folder = directory / name
        folder.mkdir(parents=True, exist_ok=True)
        # Spark passes over names that begin with a dot
        unfinished = folder / ".history.parquet"
        with pq.ParquetWriter(unfinished, schema) as writer:
            for rows in session.iter_rows(source, schema.names):
                writer.write_table(pa.Table.from_pylist(rows, schema=schema))
        unfinished.replace(folder / "history.parquet")


def read_messages(directory: Path) -> Iterator[Message]:
    """The mails that `read_archives.py` wrote to `directory`, in the order of the archive.

    Raises:
        UnreadableInput: no finished job stands behind the folder.
    """
    for row in _rows(directory, "readable=true"):
        yield _as_message(row)


def read_unreadable(directory: Path) -> Iterator[Unreadable]:
    """What `read_archives.py` could not read, and why.

    Raises:
        UnreadableInput: no finished job stands behind the folder.
    """
    for row in _rows(directory, "readable=false"):
        where = {name: row[name] for name in ("source", "list_id", "month")}
        yield Unreadable(**where, why=row["why"], lost=row["lost"])


def load_metrics(directory: Path) -> list[MetricRow]:
    """The figures that `lifecycle_metrics.py` wrote to `directory`.

    Raises:
        UnreadableInput: no finished job stands behind the folder.
    """
    return [
        MetricRow(name=r["name"], dimension=r["dimension"], value=r["value"], unit=r["unit"])
        for r in _rows(directory / "summary", "")
    ]


def _rows(directory: Path, part: str) -> Iterator[dict[str, Any]]:
    # Spark leaves this mark when every task of the write is done; without it files may be missing
    if not (directory / "_SUCCESS").is_file():
        raise UnreadableInput(
            source=str(directory), why="no finished Spark job stands behind this folder; run it again"
        )
    for file in sorted((directory / part).glob("part-*.parquet")):
        with pq.ParquetFile(file) as parquet:
            for batch in parquet.iter_batches(batch_size=BATCH):
                yield from batch.to_pylist(maps_as_pydicts="strict")


def _as_message(row: dict[str, Any]) -> Message:
    reading = row["reading"]
    return Message(
        message_id=row["message_id"],
        list_id=row["list_id"],
        month=row["month"],
        source=row["source"],
        arrived_at=_as_time(row["arrived_at"]),
        arrived_from=row["arrived_from"],
        author_name=row["author_name"],
        author_address=row["author_address"],
        raw_from=row["raw_from"],
        subject=row["subject"],
        reading=SubjectReading(
            kind=Kind(reading["kind"]),
            is_reply=reading["is_reply"],
            is_forward=reading["is_forward"],
            numbers=tuple(reading["numbers"]),
            round=reading["round"],
            topic=reading["topic"],
        ),
        in_reply_to=row["in_reply_to"],
        references=tuple(row["references"]),
        own_text=row["own_text"],
        expressions=tuple(_as_expression(e) for e in row["expressions"]),
        declared=_as_declared(row["declared"]),
        cancels=row["cancels"],
        digest=row["digest"],
        dated_at=_as_time(row["dated_at"]),
        address_source=AddressSource(row["address_source"]),
        authentication=Authentication(row["authentication"]),
        unread=row["unread"],
    )


def _as_expression(row: dict[str, Any]) -> Expression:
    return Expression(
        choice=None if row["choice"] is None else Choice(row["choice"]),
        value=row["value"],
        claimed_binding=row["claimed_binding"],
        line=row["line"],
        rule=row["rule"],
        standing=Standing(row["standing"]),
        why=row["why"],
    )


def _as_declared(row: dict[str, Any] | None) -> Declared | None:
    if row is None:
        return None
    return Declared(
        by=row["by"],
        message_id=row["message_id"],
        announced_at=_as_time(row["announced_at"]),
        outcome=row["outcome"],
        binding=row["binding"],
        non_binding=row["non_binding"],
        total=row["total"],
        names={word: tuple(names) for word, names in row["names"].items()},
        line=row["line"],
        contradictions=tuple(row["contradictions"]),
        unclear=row["unclear"],
        corrects=row["corrects"],
    )


def _as_time(value: datetime | None) -> datetime | None:
    # Arrow gives its own kind of UTC; equal, but not what the rest of kipflow compares and prints
    return None if value is None else value.astimezone(UTC)
