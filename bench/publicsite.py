"""The public site of many proposals: written once, then again with nothing new.

The peer requests one proposal after the other from the board, like a crawler that mirrors it, and writes nothing.
"""

from __future__ import annotations

import gc
import shutil
import time
from pathlib import Path
from typing import Any

from measure import Figure, answer, run_apart
from replay import AS_OF, fill, open_bench_store

from kipflow.adapters.sitefiles import write_files
from kipflow.web.site.pages import Site, build_site

#: Seconds for the whole site of 1,500 proposals: half a second to compile the templates, the rest for the pages.
TEMPLATES, PAGES, PAGES_FOR = 0.5, 4.5, 1_500


def compare(folder: Path, proposals: int) -> list[Figure]:
    path = str(folder / "site.db")
    run_apart("publicsite", "fill", path, str(proposals))
    found = run_apart("publicsite", "write", path, str(folder / "site"))
    peer = run_apart("publicsite", "crawl", path)
    figures = []
    for what in ("first", "again"):
        seconds = found[what]
        budget = TEMPLATES + PAGES * proposals / PAGES_FOR
        for name, other in (("the board's queries, one by one", peer["seconds"]), (f"{budget:.2g} s", budget)):
            row, peak_mb = f"the site of {proposals:,} proposals, {what}", found["peak_mb"]
            figures.append(
                Figure.of(row, seconds, proposals, "pages", peak_mb=peak_mb, peer=name, other=other, reach=1.0)
            )
    return figures


def write(path: str, folder: str) -> dict[str, Any]:
    """Seconds to write the site into an empty folder, and to write it again."""
    gc.set_threshold(100_000)  # as every command does
    store, out = open_bench_store(path), Path(folder)
    shutil.rmtree(out, ignore_errors=True)
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        done = write_files(out, build_site(store, Site(community="bench", title="Bench"), AS_OF))
        seconds.append(time.perf_counter() - start)
    if done.written:
        raise SystemExit(f"{done.written} files were written though nothing is new")
    store.close()
    return {"first": seconds[0], "again": seconds[1]}


def crawl(path: str) -> dict[str, Any]:
    """Seconds to load every proposal from the board."""
    store = open_bench_store(path)
    numbers = [view.proposal.number for view in store.published(AS_OF)]
    start = time.perf_counter()
    for number in numbers:
        store.proposal(number, AS_OF)
    seconds = time.perf_counter() - start
    store.close()
    return {"seconds": seconds}


if __name__ == "__main__":
    answer({"fill": fill, "write": write, "crawl": crawl})
