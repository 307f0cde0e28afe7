"""One round of kipflow in a process that dies without warning at a chosen transaction.

Usage: crash_run.py URL HOME N before|after      (N 0: does not die)
Dying is `os._exit`: no handler runs, no buffer is written, as with a power cut of the process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kipflow.adapters.store import SqlStore
from kipflow.adapters.store.session import SqlSession
from tests.integration.conftest import connect_to
from tests.integration.rounds import run_once


def main(url: str, home: str, at: int, when: str) -> None:
    begin, count = SqlStore.begin, 0

    @contextmanager
    def dying_begin(self: SqlStore) -> Iterator[SqlSession]:
        nonlocal count
        count += 1
        with begin(self) as session:
            yield session
            if count == at and when == "before":
                os._exit(9)
        if count == at and when == "after":
            os._exit(9)

    parts = connect_to(url, Path(home))
    SqlStore.begin = dying_begin  # type: ignore[method-assign]
    run_once(parts)
    print(count)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
