"""Spark reads an archive to the very facts that reading it in process gives."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from kipflow_spark import schemas
from kipflow_spark.archives import read_archives
from kipflow_spark.datasource import MboxReader, item_batches, pack_spans, plan_spans, with_positions
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from kipflow import java
from kipflow.adapters import lake
from kipflow.adapters.landingfiles import save_manifest
from kipflow.domain.errors import UnreadableInput
from kipflow.domain.facts import ArchiveMonth, Message, Unreadable
from kipflow.mail.archive import read_mbox
from kipflow.mail.filereading import FileReading
from kipflow.services.ports import Landed

LIST = "dev@list.example"
NOW = datetime(2026, 4, 2, tzinfo=UTC)


def month_file(path: Path, month: str = "2026-03") -> dict[str, str]:
    return {"path": str(path), "list_id": LIST, "month": month}


def manifest(*files: dict[str, str]) -> str:
    return json.dumps({"prefix": "KIP", "files": files})


def read_in_process(files: Sequence[dict[str, str]]) -> tuple[list[Message], list[Unreadable]]:
    items = [
        item
        for file in files
        for item in read_mbox(
            Path(file["path"]), FileReading(list_id=file["list_id"], month=file["month"], prefix="KIP")
        )
    ]
    messages = [item for item in items if isinstance(item, Message)]
    return messages, [item for item in items if isinstance(item, Unreadable)]


def read_by_spark(
    spark: SparkSession, out: Path, files: Sequence[dict[str, str]], **options: Any
) -> tuple[list[Message], list[Unreadable]]:
    items = read_archives(spark, manifest(*files), **options)
    items.write.mode("overwrite").partitionBy("readable").parquet(str(out))
    return list(lake.read_messages(out)), list(lake.read_unreadable(out))


@pytest.mark.spark
def test_odd_mails_come_through_spark_and_parquet_unchanged(
    spark: SparkSession, odd_mbox: Path, tmp_path: Path
) -> None:
    files = [month_file(odd_mbox)]
    expected = read_in_process(files)
    assert expected[0]
    assert expected[1]
    assert read_by_spark(spark, tmp_path / "out", files) == expected


def test_a_manifest_brings_the_communitys_own_tags_to_the_readers(tmp_path: Path) -> None:
    (tmp_path / "x.mbox").write_text(
        "From a@x Mon Mar  2 09:00:00 2026\nFrom: a@x.example\nSubject: [BALLOT] KIP-7\n\nx\n"
    )
    month = ArchiveMonth(
        list_id=LIST, month="2026-03", status="complete", fetched_at=NOW, path=str(tmp_path / "x.mbox"), mails=1
    )
    landed, own = [Landed(month=month, stats="")], (("tag_vote", "ballot"),)
    kinds = []
    for tags in (own, ()):
        path = save_manifest(landed, tmp_path / "manifest.json", prefix="KIP", tags=tags)
        reader = MboxReader({"manifest": path.read_text(encoding="utf-8")})
        [batch] = reader.read(reader.partitions()[0])
        kinds += [row["reading"]["kind"] for row in batch.to_pylist()]
    assert kinds == ["vote", "other"]


@pytest.mark.spark
def test_a_file_read_in_parts_gives_the_same_mails_with_the_same_sources(
    spark: SparkSession, odd_mbox: Path, tmp_path: Path
) -> None:
    files = [month_file(odd_mbox)]
    found = read_by_spark(spark, tmp_path / "out", files, split_bytes=2_000)
    assert len(plan_spans(files, 2_000)) > 5
    assert found == read_in_process(files)


@pytest.mark.spark
def test_damaged_missing_and_packed_files_say_so_beside_the_good_ones(
    spark: SparkSession, odd_mbox: Path, tmp_path: Path
) -> None:
    packed = gzip.compress(odd_mbox.read_bytes())
    (tmp_path / "whole.mbox").write_bytes(packed)
    (tmp_path / "broken.mbox").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "empty.mbox").write_bytes(b"")
    files = [
        month_file(tmp_path / "broken.mbox", "2026-01"),
        month_file(tmp_path / "absent.mbox", "2026-02"),
        month_file(odd_mbox, "2026-03"),
        month_file(tmp_path / "empty.mbox", "2026-04"),
        month_file(tmp_path / "whole.mbox", "2026-05"),
    ]
    expected = read_in_process(files)
    assert {bad.month for bad in expected[1]} >= {"2026-01", "2026-02"}
    assert read_by_spark(spark, tmp_path / "out", files, split_bytes=8_000) == expected


@pytest.mark.spark
@pytest.mark.realdata
@pytest.mark.parametrize("split_bytes", [None, 200_000], ids=["default", "in parts"])
def test_a_real_month_is_the_same_through_spark(spark: SparkSession, tmp_path: Path, split_bytes: int | None) -> None:
    mail = Path(__file__).resolve().parents[3] / "shared" / "realdata" / "mail"
    path = mail / "maven-dev-2017-11-mailarchivesao.mbox"
    if not path.is_file():
        pytest.skip("the real month is not beside the project")
    files = [month_file(path, "2017-11")]
    found = read_by_spark(spark, tmp_path / "out", files, split_bytes=split_bytes)
    assert len(found[0]) == 317
    assert found == read_in_process(files)


@pytest.mark.spark
def test_the_job_reads_a_manifest_through_spark_submit_and_replaces_an_earlier_result(
    spark_variables: dict[str, str], odd_mbox: Path, tmp_path: Path
) -> None:
    files = [month_file(odd_mbox)]
    (tmp_path / "manifest.json").write_text(manifest(*files), encoding="utf-8")
    (tmp_path / "out" / "readable=true").mkdir(parents=True)
    (tmp_path / "out" / "readable=true" / "part-stale.parquet").write_bytes(b"of an earlier run")
    arguments = ["--manifest", str(tmp_path / "manifest.json"), "--out", str(tmp_path / "out")]
    command, variables = java.submit_command(tmp_path, "read_archives", arguments, master="local[2]")
    # without the repository on the path only the zip brings the code, as on another machine
    variables.pop("PYTHONPATH")
    run = subprocess.run(
        command, env={**os.environ, **variables}, capture_output=True, text=True, check=False, timeout=240, cwd=tmp_path
    )
    assert run.returncode == 0, run.stdout + run.stderr
    expected = read_in_process(files)
    assert f"read {len(expected[0])} mails, {len(expected[1])} unreadable" in run.stdout
    assert (list(lake.read_messages(tmp_path / "out")), list(lake.read_unreadable(tmp_path / "out"))) == expected


@pytest.mark.spark
@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "Expecting"), ('{"prefix": "KIP", "files": [{"path": "x"}]}', "files.0"), ("[]", "prefix")],
)
def test_a_wrong_manifest_is_refused_before_spark_starts(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
    script = java.REPOSITORY / "spark" / "jobs" / "read_archives.py"
    command = [sys.executable, str(script), "--manifest", str(tmp_path / "manifest.json"), "--out", "x"]
    variables = {**os.environ, "PYTHONPATH": str(java.REPOSITORY / "spark")}
    run = subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == 1
    assert said in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_what_an_unfinished_job_left_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="no finished Spark job"):
        list(lake.read_messages(tmp_path))


def test_rows_keep_every_field_of_a_message(odd_mbox: Path) -> None:
    messages, unreadable = read_in_process([month_file(odd_mbox)])
    batches = list(item_batches([*messages, *unreadable]))
    assert {b.schema for b in batches} == {to_arrow_schema(schemas.ITEM, timezone="UTC")}
    assert set(schemas.ITEM.fieldNames()) == {*Message.__dataclass_fields__, "why", "lost", "readable"}
    assert sum(b.num_rows for b in batches) == len(messages) + len(unreadable)


def test_small_months_share_a_task_and_keep_their_order(tmp_path: Path) -> None:
    files = []
    for month, size in enumerate([10, 10, 50, 400, 10], start=1):
        path = tmp_path / f"2026-{month:02d}.mbox"
        path.write_bytes(b"Subject: x\n".ljust(size, b"x"))
        files.append(month_file(path, path.stem))
    packs = [[span.month for span in part.spans] for part in pack_spans(plan_spans(files, 100), 100)]
    assert packs == [["2026-01", "2026-02", "2026-03"], ["2026-04"], ["2026-05"]]


def test_parts_are_numbered_after_the_mails_before_them_in_their_own_file(tmp_path: Path) -> None:
    mail = b"From a@x.example Mon Mar  2 10:00:00 2026\nSubject: x\n\n"
    files = []
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(mail.ljust(300, b"x"))
        files.append(month_file(tmp_path / name))
    spans = plan_spans(files, 100)
    counts = [(span.path, span.start, mails) for span, mails in zip(spans, [3, 4, 5, 6, 7, 8], strict=True)]
    assert [s.first_position for s in with_positions(spans, counts)] == [0, 3, 7, 0, 6, 13]
    with pytest.raises(ValueError, match="not counted"):
        with_positions(spans, counts[:4])
