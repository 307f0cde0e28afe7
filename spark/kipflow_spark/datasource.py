"""The Spark data source "mbox": the mails of monthly files.

Options: `manifest`, JSON text {"prefix": "KIP", "receivers": ["mx.x.example"], "tags": [["tag_vote", "ballot"]],
"files": [{"path", "list_id", "month", "whole"}]} (`receivers`: hosts whose headers on top of a mail are trusted;
`tags`: the community's own tags; `whole`: the archive confirmed the length of the file); `split_bytes`, the size
above which a file is read in parts; `counts`, JSON text of the rows of `archives.count_parts`, needed to number the
mails of a file that is read in parts. All workers must share the file system of the paths.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, Unpack

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from kipflow import lakeschemas
from kipflow.domain.facts import Message, Unreadable
from kipflow.domain.policy import Reading
from kipflow.domain.records import list_types, pick_fields
from kipflow.mail.archive import read_mbox
from kipflow.mail.filereading import FileReading
from kipflow.mbox.ranges import is_splittable
from kipflow_spark import schemas

#: Small enough that two cores share one busy month, large enough that a worker's start-up time is negligible.
SPLIT_BYTES = 16 * 1024 * 1024
#: Mails held as Python objects at a time in each worker. Own words are bounded, so this bounds memory.
BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A file, or (if `end` is set) the mails that begin in a byte range of it."""

    path: str
    list_id: str
    month: str
    size: int
    start: int = 0
    end: int | None = None
    first_position: int = 0
    whole: bool = False


class SpanPartition(InputPartition):
    """The spans that one task reads."""

    def __init__(self, spans: Sequence[Span]) -> None:
        super().__init__(tuple(spans))
        self.spans = tuple(spans)


class MboxDataSource(DataSource):
    """Mails of monthly mbox files as rows of `schemas.ITEM`."""

    @classmethod
    def name(cls) -> str:
        return "mbox"

    def schema(self) -> StructType:
        return schemas.ITEM

    def reader(self, schema: StructType) -> DataSourceReader:
        del schema  # always the whole mail: most of the work is the same for any column
        return MboxReader(self.options)


class MboxReader(DataSourceReader):
    def __init__(self, options: Mapping[str, str]) -> None:
        self.manifest = json.loads(options["manifest"])
        self.split_bytes = int(options.get("split_bytes", SPLIT_BYTES))
        self.counts = json.loads(options.get("counts", "[]"))

    def partitions(self) -> list[SpanPartition]:
        spans = plan_spans(self.manifest["files"], self.split_bytes)
        return pack_spans(with_positions(spans, self.counts), self.split_bytes)

    def read(self, partition: SpanPartition) -> Iterator[pa.RecordBatch]:
        tags = tuple((kind, word) for kind, word in self.manifest.get("tags", ()))
        receivers = tuple(self.manifest.get("receivers", ()))
        how: Reading = {"prefix": self.manifest["prefix"], "receivers": receivers, "tags": tags}
        spans = (read_span(span, **how) for span in partition.spans)
        return item_batches(chain.from_iterable(spans))


def item_batches(items: Iterable[Message | Unreadable]) -> Iterator[pa.RecordBatch]:
    """The items as Arrow batches of `schemas.ITEM`, in order."""
    iterator = iter(items)
    while chunk := list(islice(iterator, BATCH)):
        yield pa.RecordBatch.from_pylist([item_row(item) for item in chunk], schema=lakeschemas.ITEM)


def item_row(item: Message | Unreadable) -> dict[str, Any]:
    """One row of `schemas.ITEM`; missing columns are null."""
    names = list_types(Message) if isinstance(item, Message) else lakeschemas.UNREADABLE
    return {**pick_fields(item, *names), "readable": isinstance(item, Message)}


def read_span(span: Span, **how: Unpack[Reading]) -> Iterator[Message | Unreadable]:
    """Read a span with the same functions that read an archive in process."""
    reading = FileReading(list_id=span.list_id, month=span.month, **how)
    part = None if span.end is None else (span.start, span.end)
    return read_mbox(Path(span.path), reading, part=part, first_position=span.first_position, whole=span.whole)


def plan_spans(files: Sequence[Mapping[str, Any]], split_bytes: int) -> list[Span]:
    """The files in order, those larger than `split_bytes` in parts of equal size."""
    spans: list[Span] = []
    for file in files:
        path = Path(file["path"])
        size = path.stat().st_size if path.is_file() else 0
        whole = Span(
            path=str(path),
            list_id=file["list_id"],
            month=file["month"],
            size=size,
            whole=file.get("whole", False),
        )
        if size <= split_bytes or not is_splittable(path):
            spans.append(whole)
            continue
        parts = -(-size // split_bytes)
        edges = [size * part // parts for part in range(parts + 1)]
        spans += [replace(whole, size=end - start, start=start, end=end) for start, end in pairwise(edges)]
    return spans


def with_positions(spans: Sequence[Span], counts: Sequence[Sequence[Any]]) -> list[Span]:
    """The spans with `first_position` set: the number of mails before each part in its file.

    Raises:
        ValueError: a part has no count.
    """
    mails = {(path, start): number for path, start, number in counts}
    placed: list[Span] = []
    before = 0
    for span in spans:
        if span.end is None:
            placed.append(span)
            continue
        if (span.path, span.start) not in mails:
            raise ValueError(f"{span.path}: read in parts, but its mails from byte {span.start} on were not counted")
        before = 0 if span.start == 0 else before
        placed.append(replace(span, first_position=before))
        before += mails[span.path, span.start]
    return placed


def pack_spans(spans: Sequence[Span], target_bytes: int) -> list[SpanPartition]:
    """Consecutive spans grouped up to the target size, so that many small months make few tasks."""
    packs: list[list[Span]] = [[]]
    filled = 0
    for span in spans:
        if packs[-1] and filled + span.size > target_bytes:
            packs.append([])
            filled = 0
        packs[-1].append(span)
        filled += span.size
    return [SpanPartition(pack) for pack in packs]
