"""An hourly run compared with the same run over a store with a hundred or a thousand times as many mails.

With nothing new it searches for due proposals and empties the outbox. With ten new mails it reads and stores them
and decides their proposals. Both must cost the same, however many mails are stored.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from statistics import median_high
from typing import Any

from corpus import make_mails
from measure import Figure, answer, run_apart
from replay import AS_OF, LIST, PER_PROPOSAL, START, decide, open_bench_store

from kipflow.adapters.store import SqlStore
from kipflow.domain.facts import MailKind, Message, SubjectReading
from kipflow.mail.messages import read_message
from kipflow.services.storing import ingest_items

NOTHING_NEW, TEN_NEW = 1.0, 2.0  # seconds: the most that a run may take
FEWEST = 1_000
RUNS = 5


def compare(folder: Path, most: int) -> list[Figure]:
    sizes = [size for size in (FEWEST, 100 * FEWEST, 1_000 * FEWEST) if size <= most]
    found = {}
    for size in sizes:
        path = folder / f"held-{size}.db"
        run_apart("hourly", "fill", str(path), str(size))
        found[size] = run_apart("hourly", "run", str(path))
        path.unlink()
    return [
        Figure.of(
            f"{what}, {size:,} mails held", found[size][key], 1, "runs", peak_mb=found[size]["peak_mb"],
            peer=f"the budget of {budget:g} s" if size == FEWEST else f"the same with {FEWEST:,} held",
            other=budget if size == FEWEST else found[FEWEST][key], reach=1.0 if size == FEWEST else 0.5,
        )
        for what, key, budget in (("nothing new", "nothing", NOTHING_NEW), ("ten new mails", "ten", TEN_NEW))
        for size in sizes
    ]  # fmt: skip


def fill(path: str, mails: str) -> dict[str, Any]:
    """Create a store at `path` with so many mails and all proposals decided."""
    store = open_bench_store(path)
    store.migrate()
    ingest_items(store, make_messages(int(mails)), seen_at=AS_OF)
    decide(store)
    store.close()
    return {"mails": int(mails)}


def run(path: str) -> dict[str, Any]:
    """The seconds of a run with nothing new and of one with ten new mails; the median of several."""
    store = open_bench_store(path)
    nothing = [_timed(store, []) for _ in range(RUNS + 1)][1:]
    fresh = iter([*make_mails(10 * RUNS, seed=99)])
    ten = [_timed(store, [next(fresh) for _ in range(10)]) for _ in range(RUNS)]
    store.close()
    return {"nothing": median_high(nothing), "ten": median_high(ten), "bytes": os.path.getsize(path)}


def _timed(store: SqlStore, mails: list[bytes]) -> float:
    start = time.process_time()
    read = (
        read_message(m, source=f"new#{n}", list_id=LIST, month="2026-01", prefix="KIP") for n, m in enumerate(mails)
    )
    ingest_items(store, read, seen_at=AS_OF)
    decide(store)
    with store.begin() as session:
        session.outbox.claim("slack", by="bench", now=AS_OF, lease=timedelta(minutes=1))
    return time.process_time() - start


def make_messages(mails: int) -> Iterator[Message]:
    """Mails as facts, spread over ten years: three in ten of proposals, the others of a tracker."""
    step = (AS_OF - START) / mails
    for position in range(mails):
        proposal = 1_000 + position * 3 // 10 // PER_PROPOSAL if position % 10 < 3 else None
        at = START + step * position - timedelta(days=1)
        topic = f"ticket-{position}" if proposal is None else f"kip-{proposal}: shelves"
        yield Message(
            message_id=f"<{position}@held.example>",
            list_id=LIST,
            month=f"{at:%Y-%m}",
            source=f"{LIST}/{at:%Y-%m}#{position}",
            arrived_at=at,
            arrived_from="date",
            author_name=f"Person P{position % 60}",
            author_address=f"p{position % 60}@x.example",
            raw_from=f"Person P{position % 60} <p{position % 60}@x.example>",
            subject=topic if proposal is None else f"[DISCUSS] {topic}",
            reading=SubjectReading(
                kind=MailKind.OTHER if proposal is None else MailKind.DISCUSS,
                is_reply=False,
                is_forward=False,
                numbers=() if proposal is None else (proposal,),
                round=None,
                topic=topic,
            ),
            in_reply_to=None,
            references=(),
            own_text="" if proposal is None else "Some words about shelves. " * 20,
            digest=f"{position:064x}",
        )


if __name__ == "__main__":
    answer({"fill": fill, "run": run})
