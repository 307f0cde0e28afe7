"""Reads on all cores: tasks for several processes, their results in the order of the tasks."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

#: Bytes of one task, and the size of files from which processes are worth their start.
PART, WORTH = 4 * 1024 * 1024, 16 * 1024 * 1024
T = TypeVar("T")


def count_workers(size: int) -> int:
    """How many processes to use for so many bytes; 1: only this one."""
    if size < WORTH:
        return 1
    import multiprocessing  # imported late, like the others below: reading little mail starts faster without

    if multiprocessing.current_process().daemon:  # a daemon may have no children
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def split_size(size: int) -> list[tuple[int, int]]:
    """The parts of a file as ranges of bytes."""
    return [(start, min(start + PART, size)) for start in range(0, size, PART)]


@contextmanager
def open_workers(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that run tasks; they start at once if this process runs only its main thread."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    is_alone = threading.active_count() == 1 and sys.platform == "linux"
    context = multiprocessing.get_context("fork" if is_alone else "spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        yield pool


def run_in_order(pool: ProcessPoolExecutor, workers: int, tasks: Sequence[Callable[[], T]]) -> Iterator[T]:
    """The result of each task, in order. Tasks wait until results are taken, so that memory stays bounded."""
    running: deque[Future[T]] = deque()
    for task in tasks:
        running.append(pool.submit(task))
        if len(running) > 2 * workers:
            yield running.popleft().result()
    while running:
        yield running.popleft().result()
