"""Lifecycle metrics: history out to Parquet, through Spark, and the figures back into the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from kipflow.services.ports import HistoryRows, MetricRow, Report, Store

#: Writes what the job reads into a folder; reads what the job wrote (both: `adapters.lake`).
Export = Callable[[HistoryRows, Path], None]
Load = Callable[[Path], Sequence[MetricRow]]


def export_history(store: Store, folder: Path, export: Export) -> Path:
    """Write the history as Parquet under `folder`: one consistent moment, read in one transaction."""
    folder.mkdir(parents=True, exist_ok=True)
    with store.begin() as session:
        export(session.metrics, folder)
    return folder


def save_metrics(store: Store, folder: Path, load: Load, *, as_of: datetime, run_id: str) -> Report:
    """Store the figures that the job left under `folder`, in place of those of an earlier run at `as_of`."""
    rows = list(load(folder))
    with store.begin() as session:
        saved = session.metrics.save(rows, as_of=as_of, run_id=run_id)
    return Report(counts={"metrics": saved})
