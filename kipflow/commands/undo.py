"""`ingest --batches` and `ingest --undo`: what files brought, and taking it out again."""

from __future__ import annotations

from datetime import datetime

import click

from kipflow.commands.output import console, print_rows, progress, say_time
from kipflow.services.advance import advance_all
from kipflow.services.ports import Batch
from kipflow.services.undo import say_items, say_undone, undo
from kipflow.wiring import Parts, effect_rules


def print_batches(parts: Parts) -> int:
    """Every ingest and import, the oldest first."""
    with parts.store.read() as session:
        found = session.batches.load_all()
    columns = ("batch", "at", "from", "holds", "undone")
    print_rows([_row(batch) for batch in found], "table", columns=columns, empty="no file or index was taken in yet")
    return 0


def _row(batch: Batch) -> dict[str, object]:
    undone = f"{say_time(batch.undone_at)} by {batch.undone_by}: {batch.reason}" if batch.undone_at else ""
    return {
        "batch": batch.id,
        "at": batch.seen_at,
        "from": batch.sources,
        "holds": "" if batch.undone_at else say_items(batch),
        "undone": undone,
    }


def undo_batch(parts: Parts, batch: int, *, at: datetime, by: str, reason: str | None, writes: bool) -> int:
    """Print what undoing a batch changes; with `writes` do it, and correct the histories."""
    if writes and not reason:
        raise click.UsageError("--write needs --reason, which is kept with the batch")
    with progress("undoing"):
        found = undo(parts.store, batch, policy=parts.policy, at=at, by=by, reason=reason or "", writes=writes)
        if writes:
            advance_all(parts.store, policy=parts.policy, effects=effect_rules(parts), as_of=at, run_id="undo")
    for line in say_undone(found, parts.community.prefix):
        console().print(line)
    summary = (
        "undone" if writes else f'nothing is undone yet: `kipflow ingest --undo {batch} --write --reason "…"` does it'
    )
    console().print(summary)
    return 0
