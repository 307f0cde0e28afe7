"""Reading an archive: kipflow compared with `mailbox`, and Spark's data source with plain processes.

`mailbox` does a smaller job (count mails, find proposal numbers in subjects and lines that start like a vote), as
a user would write it by hand; kipflow reads all fields of a `Message`, and stores it. Single processes are
compared by processor time; two processes and Spark by wall-clock time, which needs an otherwise idle machine.
Measurements take turns, and the fastest of several rounds counts.
"""

from __future__ import annotations

import json
import mailbox
import os
import re
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from email.header import decode_header, make_header
from email.message import Message as EmailMessage
from functools import partial
from pathlib import Path
from statistics import median_high
from tempfile import TemporaryDirectory
from typing import Any

from corpus import START, make_mails, write_mbox
from measure import ROUNDS, Figure, answer, run_apart, run_in_turns
from peers import PEERS, find_python, measure_peer

from kipflow.adapters.store import open_store
from kipflow.cli import collect_garbage_rarely
from kipflow.config.loading import load_community
from kipflow.domain.facts import Message
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster
from kipflow.java import spark_environment
from kipflow.mail import workers
from kipflow.mail.archive import read_mbox
from kipflow.mail.filereading import FileReading
from kipflow.services.assembly import CommunityRules
from kipflow.services.read_votes import read_votes
from kipflow.services.storing import ingest_items

MONTHS = 4
SEEN_AT = START
#: The most memory that reading may use, however long the archive.
MAX_MB = 200
WHERE: dict[str, Any] = {"list_id": "dev@list.example", "prefix": "KIP"}
PEER = "mailbox doing the small job"
REACH_ONE, REACH_TWO, REACH_SPARK, REACH_CORES = 8.0, 1.8, 0.6, 1.7
REACH_VOTES, REACH_REAL = 4.0, 2.0


def make_files(folder: Path, mails: int) -> list[str]:
    """Create the archive as monthly files."""
    files = [folder / f"2024-{month:02d}.mbox" for month in range(1, MONTHS + 1)]
    for seed, file in enumerate(files):
        if not file.exists():
            write_mbox(file, mails // MONTHS, seed=seed, first=seed * mails // MONTHS)
    return [str(f) for f in files]


def compare(folder: Path, mails: int) -> list[Figure]:
    files = make_files(folder, mails)
    names = {"mailbox": "mailbox", "read": "one", "stored": "stored", "votes": "votes"}
    found = run_in_turns("archive", names, *files)
    clocked = {"one": "one-by-clock", "two": "two", "votes": "votes-by-clock"}
    walls = run_in_turns("archive", clocked, *files)
    small = found["mailbox"]["seconds"]
    # the wall-clock time if each process had its own core
    busier = {**walls["two"], "seconds": walls["two"]["busier"]}
    return [
        _figure("mailbox + email (compat32), small job", found["mailbox"]),
        *_compare_peers(files, small),
        _figure("kipflow votes, archive to judged votes", found["votes"], PEER, small, REACH_VOTES),
        _figure("kipflow votes on all cores, by the clock", walls["votes"], PEER, small),
        _figure("kipflow, archive to facts", found["read"], PEER, small, REACH_ONE),
        _figure("kipflow, archive to facts in SQLite", found["stored"], PEER, small),
        _figure("kipflow, archive to facts, by the clock", walls["one"]),
        _figure("two processes, by the clock", walls["two"], "one process", walls["one"]["seconds"]),
        _figure("two processes, the busier one's work", busier, "one process", found["read"]["seconds"], REACH_TWO),
    ]


def _compare_peers(files: list[str], small: float) -> Iterable[Figure]:
    """The small job by third-party readers, if they can be installed."""
    for name in PEERS:
        python = find_python(name)
        if python is not None:
            found = min((measure_peer(python, name, files) for _ in range(ROUNDS)), key=lambda one: one["seconds"])
            yield _figure(f"{name}, small job", found, PEER, small)


def compare_real(real: Path) -> list[Figure]:
    """The same for real months, if there are any."""
    files = [str(path) for path in sorted(real.glob("*.mbox"))]
    if not files:
        return []
    found = run_in_turns("archive", {name: name for name in ("mailbox", "votes", "votes-again")}, *files)
    small = found["mailbox"]["seconds"]
    return [
        _figure("real months: mailbox + email (compat32), small job", found["mailbox"]),
        _figure("real months: kipflow votes", found["votes"], PEER, small, REACH_REAL),
        _figure("the same, its patterns built before", found["votes-again"], PEER, small),
    ]


def compare_memory(folder: Path, megabytes: int) -> list[Figure]:
    """Peak memory of reading a sixteenth of the archive, and the whole."""
    figures = []
    for size in (max(1, megabytes // 16), megabytes):
        file = folder / f"{size}.mbox"
        make_long_file(file, size)
        found = run_apart("archive", "one", str(file))
        file.unlink()
        figure = _figure(f"kipflow, one file of {size:,} MB", found)
        figures.append(replace(figure, peer=f"below {MAX_MB} MB", ratio=MAX_MB / found["peak_mb"], reach=1.0))
    return figures


def make_long_file(path: Path, megabytes: int) -> None:
    """Repeat the made-up archive until the file has the size."""
    block = b"".join(make_mails(2_000))
    with path.open("wb") as file:
        for _ in range(max(1, (megabytes << 20) // len(block))):
            file.write(block)


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
    what: str, found: dict[str, Any], peer: str | None = None, other: float = 0.0, reach: float | None = None
) -> Figure:
    seconds, mails, peak_mb = found["seconds"], found["mails"], found["peak_mb"]
    return Figure.of(what, seconds, mails, "mails", peak_mb=peak_mb, peer=peer, other=other, reach=reach)


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
            assert isinstance(payload, bytes)
            yield from payload.decode(part.get_content_charset() or "ascii", "replace").splitlines()


def measure_one(clock: Callable[[], float], *files: str) -> dict[str, Any]:
    collect_garbage_rarely()
    start = clock()
    mails = sum(read_file(file) for file in files)
    return {"seconds": clock() - start, "mails": mails}


def measure_votes(*files: str) -> dict[str, Any]:
    """`kipflow votes` in one process, without the printing."""
    workers.WORTH = sys.maxsize
    return _measure_votes(time.process_time, *files)


def measure_votes_again(*files: str) -> dict[str, Any]:
    measure_votes(*files)
    return measure_votes(*files)


def _measure_votes(clock: Callable[[], float], *files: str) -> dict[str, Any]:
    collect_garbage_rarely()
    start = clock()
    report = read_votes([Path(f) for f in files], community=load_community("kafka"), roster=Roster(()))
    return {"seconds": clock() - start, "mails": report.messages_read, "votes": len(report.votes)}


def measure_stored(*files: str) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/bench.db"
        collect_garbage_rarely()
        policy = Policy(version="bench", binding_roles=frozenset())
        store = open_store(url, CommunityRules(policy=policy, prefix=WHERE["prefix"]))
        store.migrate()
        cpu = time.process_time()
        mails = 0
        for file in files:
            items = read_mbox(Path(file), FileReading(month=Path(file).stem, **WHERE))
            mails += ingest_items(store, items, seen_at=SEEN_AT).counts["new"]
        seconds = time.process_time() - cpu
        store.close()
    return {"seconds": seconds, "mails": mails}


def measure_two(*files: str) -> dict[str, Any]:
    start = time.perf_counter()
    work: dict[int, float] = {}
    mails = 0
    with ProcessPoolExecutor(2) as pool:
        for read, process, seconds in pool.map(read_timed, files):
            mails += read
            work[process] = work.get(process, 0.0) + seconds
    return {"seconds": time.perf_counter() - start, "mails": mails, "busier": max(work.values())}


def read_timed(file: str) -> tuple[int, int, float]:
    """The number of mails in a file, the process that read it, and the processor time."""
    start = time.process_time()
    return read_file(file), os.getpid(), time.process_time() - start


def read_file(file: str) -> int:
    items = read_mbox(Path(file), FileReading(month=Path(file).stem, **WHERE))
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
    return {"seconds": median_high(seconds[1:]), "first": seconds[0], "start": started - start, "mails": mails}


if __name__ == "__main__":
    answer(
        {
            "mailbox": measure_mailbox,
            "one": partial(measure_one, time.process_time),
            "one-by-clock": partial(measure_one, time.perf_counter),
            "stored": measure_stored,
            "votes": measure_votes,
            "votes-again": measure_votes_again,
            "votes-by-clock": partial(_measure_votes, time.perf_counter),
            "two": measure_two,
            "spark": measure_spark,
        }
    )
