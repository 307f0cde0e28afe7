"""When a scheduled run last began: where none has for long, the scheduler has stopped and nobody would notice."""

from __future__ import annotations

from datetime import datetime, timedelta

from kipflow.services.ports import Store

#: The archive is asked every hour (dags/kip_poll_threads.py); a run that is late by as much again is missing.
POLL_INTERVAL = timedelta(hours=1)
LONG = 2 * POLL_INTERVAL
_MARK = "last-run"


def note_run(store: Store, at: datetime) -> None:
    """Note that a run began at `at`, by the machine's time: a sandbox's own may have been pushed forward."""
    with store.begin() as session:
        session.marks.save(_MARK, at.isoformat())


def find_pause(store: Store, now: datetime) -> timedelta | None:
    """How long ago the last run began, if that is too long; None where all is well, or nothing ever ran."""
    with store.read() as session:
        noted = session.marks.load(_MARK)
    pause = now - datetime.fromisoformat(noted) if noted else timedelta()
    return pause if pause > LONG else None
