"""Reading an archive: kipflow beside `mailbox`, and Spark's data source beside plain processes.

`mailbox` does a smaller job (count mails, find proposal numbers in subjects and lines that start like a
vote); kipflow reads everything that a `Message` holds. The peer is what a user would write by hand.
One process beside another is compared by processor time, which a busy machine does not change; two
processes and Spark by the clock on the wall, which needs the machine to itself.
"""

from __future__ import annotations

import json
import mailbox
import os
import re
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from email.header import decode_header, make_header
from email.message import Message as EmailMessage
from pathlib import Path
from typing import Any

from corpus import write_mbox
from measure import Figure, answer, median, run_apart

from kipflow.domain.facts import Message
from kipflow.java import spark_environment
from kipflow.mail.archive import read_mbox

MONTHS = 4
WHERE: dict[str, str] = {"list_id": "dev@list.example", "prefix": "KIP"}
PEER = "mailbox doing the small job"
REACH_ONE, REACH_TWO, REACH_SPARK, REACH_CORES = 8.0, 1.8, 0.6, 1.7


def make_files(folder: Path, mails: int) -> list[str]:
    """The archive as monthly files, as an archive gives them."""
    files = [folder / f"2024-{month:02d}.mbox" for month in range(1, MONTHS + 1)]
    for seed, file in enumerate(files):
        if not file.exists():
            write_mbox(file, mails // MONTHS, seed=seed)
    return [str(f) for f in files]


def compare(folder: Path, mails: int) -> list[Figure]:
    files = make_files(folder, mails)
    baseline = run_apart("archive", "mailbox", *files)
    one, two = run_apart("archive", "one", *files), run_apart("archive", "two", *files)
    return [
        _figure("mailbox + email (compat32), small job", baseline),
        _figure("kipflow, one process", one, PEER, baseline["seconds"], REACH_ONE),
        _figure("kipflow, two processes", two, "kipflow, one process", one["wall"], REACH_TWO),
    ]


def compare_spark(folder: Path, mails: int) -> list[Figure]:
    files = make_files(folder, mails)
    two = run_apart("archive", "two", *files)
    variables = spark_environment(folder)
    os.environ.update(variables)
    cores = {n: run_apart("archive", "spark", str(n), *files) for n in (1, 2)}
    cold = {**cores[2], "seconds": cores[2]["start"] + cores[2]["first"]}
    return [
        _figure("two plain processes", two),
        _figure("Spark data source, 2 cores, with JVM start", cold, "two plain processes", two["seconds"]),
        _figure("Spark data source, 2 cores, warm", cores[2], "two plain processes", two["seconds"], REACH_SPARK),
        _figure("Spark data source, 2 cores, warm", cores[2], "Spark on 1 core", cores[1]["seconds"], REACH_CORES),
    ]


def _figure(
    what: str, found: dict[str, Any], peer: str | None = None, peer_seconds: float = 0.0, reach: float | None = None
) -> Figure:
    return Figure(
        what=what,
        seconds=found["seconds"],
        per_second=found["mails"] / found["seconds"],
        unit="mails",
        peak_mb=found["peak_mb"],
        peer=peer,
        ratio=peer_seconds / found["seconds"] if peer else None,
        reach=reach,
    )


# -- the measurements, each in a process of its own ---------------------------------------------------------


def measure_mailbox(*files: str) -> dict[str, Any]:
    start = time.process_time()
    mails = numbers = votes = 0
    for file in files:
        box = mailbox.mbox(file, factory=None, create=False)
        for mail in box:
            mails += 1
            subject = str(make_header(decode_header(mail["Subject"] or "")))
            numbers += bool(re.search(r"KIP[- ]?\d+", subject, re.IGNORECASE))
            votes += sum(1 for line in _text_lines(mail) if line.startswith(("+1", "-1")))
    return {"seconds": time.process_time() - start, "mails": mails, "numbers": numbers, "votes": votes}


def _text_lines(mail: EmailMessage) -> Iterable[str]:
    for part in mail.walk():
        if part.get_content_type() == "text/plain":
            payload = part.get_payload(decode=True) or b""
            yield from payload.decode(part.get_content_charset() or "ascii", "replace").splitlines()


def measure_one(*files: str) -> dict[str, Any]:
    start, cpu = time.perf_counter(), time.process_time()
    mails = sum(read_file(file) for file in files)
    return {"seconds": time.process_time() - cpu, "wall": time.perf_counter() - start, "mails": mails}


def measure_two(*files: str) -> dict[str, Any]:
    start = time.perf_counter()
    with ProcessPoolExecutor(2) as pool:
        mails = sum(pool.map(read_file, files))
    return {"seconds": time.perf_counter() - start, "mails": mails}


def read_file(file: str) -> int:
    items = read_mbox(Path(file), month=Path(file).stem, **WHERE)
    return sum(1 for item in items if isinstance(item, Message))


def measure_spark(cores: str, *files: str) -> dict[str, Any]:
    from kipflow_spark.archives import read_archives
    from kipflow_spark.session import open_session

    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--master local[{cores}] --driver-memory 1g pyspark-shell"
    start = time.perf_counter()
    spark = open_session("kipflow bench")
    started = time.perf_counter()
    manifest = [{"path": f, "list_id": WHERE["list_id"], "month": Path(f).stem} for f in files]
    seconds: list[float] = []
    mails = 0
    for _ in range(3):
        begin = time.perf_counter()
        items = read_archives(spark, json.dumps({"prefix": WHERE["prefix"], "files": manifest}))
        mails = items.where("readable and length(own_text) >= 0").count()
        seconds.append(time.perf_counter() - begin)
    spark.stop()
    return {"seconds": median(seconds[1:]), "first": seconds[0], "start": started - start, "mails": mails}


if __name__ == "__main__":
    answer({"mailbox": measure_mailbox, "one": measure_one, "two": measure_two, "spark": measure_spark})
