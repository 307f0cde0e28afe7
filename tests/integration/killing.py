"""Deliveries in processes that die at a chosen step: a statement or commit, a request and its answer."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import event

from kipflow.adapters.deliverer import ThisProcess
from kipflow.adapters.store import SqlStore
from kipflow.services.deliver import deliver
from kipflow.services.effect_kinds.kind import EffectKind
from kipflow.services.ports import OutboxRow


@dataclass(slots=True)
class Steps:
    """Counts the steps of this process, and ends it at one of them (0: never)."""

    last: int
    taken: int = 0

    def take(self, *_: Any, **__: Any) -> None:
        self.taken += 1
        if self.taken == self.last:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch(self, store: SqlStore) -> None:
        for name in ("before_cursor_execute", "commit"):
            event.listen(store._engine, name, self.take)


Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Stepping:
    """A kind of effect whose calls are steps: before the request, and after the answer."""

    kind: EffectKind
    steps: Steps

    def plan(self) -> Any:
        return self.kind.plan()

    def preview(self) -> list[str]:
        return self.kind.preview()

    def send(self, row: OutboxRow) -> str:
        return self._do(self.kind.send, row)

    def find(self, row: OutboxRow) -> str | None:
        return self._do(self.kind.find, row)

    def _do(self, call: Callable[[OutboxRow], Made], row: OutboxRow) -> Made:
        self.steps.take()
        found = call(row)
        self.steps.take()
        return found


def fork(work: Callable[[], object]) -> int:
    """Do it in a process of its own; its id.

    A connection to SQLite that nothing refers to any more is closed first. Closed while the fork has one to the same
    file, SQLite takes it for the last one, because the fork's locks are not seen, and what the fork writes is lost.
    """
    gc.collect()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(code)
    return child


def await_end(child: int) -> int:
    """0, or -9 for one that was killed."""
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in {0, -9}, "the work in the fork failed: its traceback is above"
    return status


def deliver_until(
    opener: Callable[[], SqlStore], channel: str, make: Callable[[SqlStore], EffectKind], now: datetime, last: int
) -> None:
    """Deliver what is due of a channel, and die at a step (0: never)."""
    store, steps = opener(), Steps(last)
    steps.watch(store)
    deliver(store, {channel: Stepping(make(store), steps)}, now=now, by=ThisProcess(), wait=lambda _seconds: None)
    store.close()


def kill_at_every_step(
    prepare: Callable[[int], None], work: Callable[[int], None], check: Callable[[int], None]
) -> int:
    """Kill `work` at its first step, then at its second, …, let it be done again and `check` what came of it; how many
    steps it has."""
    for last in itertools.count(1):
        prepare(last)
        ended = await_end(fork(partial(work, last)))
        work(0)
        check(last)
        if ended == 0:
            return last
    raise AssertionError
