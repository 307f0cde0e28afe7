"""Measure kipflow compared with other tools and print ratios, which are more stable than absolute times.

    python bench/run.py [--only archive|real|spark|memory|metrics|hourly|poll|backfill|site|board|replay] [--mails N]
        [--events N] [--held N] [--megabytes N] [--proposals N] [--json FILE] [--strict]

Every measurement runs in a separate process, so that its memory is measured separately. The default takes some
five minutes on two otherwise idle cores. For a large archive: `--mails 1000000 --held 1000000 --megabytes 1024
--proposals 1300`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import archive
import backfill
import board
import hourly
import lifecycle
import polling
import publicsite
import replay
from measure import Figure

#: Real mail next to the project, if there is any.
REAL = Path(__file__).resolve().parents[2] / "shared" / "realdata" / "mail"
SECTIONS: dict[str, Callable[[argparse.Namespace, Path], list[Figure]]] = {
    "archive": lambda options, folder: archive.compare(folder, options.mails),
    "real": lambda options, _: archive.compare_real(options.real),
    "spark": lambda options, folder: archive.compare_spark(folder, options.mails),
    "memory": lambda options, folder: archive.compare_memory(folder, options.megabytes),
    "metrics": lambda options, folder: lifecycle.compare(folder, options.events),
    "hourly": lambda options, folder: hourly.compare(folder, options.held),
    "poll": lambda options, folder: polling.compare(folder, options.held),
    "backfill": lambda _, folder: backfill.compare(folder),
    "site": lambda options, folder: publicsite.compare(folder, options.proposals),
    "board": lambda options, folder: board.compare(folder, options.proposals),
    "replay": lambda options, folder: replay.compare(folder, options.proposals),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure kipflow beside named peers.")
    parser.add_argument("--mails", type=int, default=6_000, help="mails in the made-up archive (9 KB each)")
    parser.add_argument("--events", type=int, default=300_000, help="transitions in the made-up history")
    parser.add_argument("--held", type=int, default=100_000, help="mails at most in the store of the hourly run")
    parser.add_argument("--megabytes", type=int, default=128, help="size of the file that memory is measured on")
    parser.add_argument("--proposals", type=int, default=130, help="proposals in the replayed history and on the site")
    parser.add_argument("--real", type=Path, default=REAL, help="a folder of real months as mbox files")
    parser.add_argument("--only", choices=sorted(SECTIONS), help="one part instead of all")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--strict", action="store_true", help="exit with 1 where a figure is below its reach")
    options = parser.parse_args()
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="kipflow-bench-") as folder:
        for name in [options.only] if options.only else SECTIONS:
            print(f"\n{name}", flush=True)
            for figure in SECTIONS[name](options, Path(folder)):
                print("  " + figure.render(), flush=True)
                figures.append(figure)
    print(f"\nPython {platform.python_version()}, {platform.machine()}, {cores} cores, load {load:.1f} at the start")
    if load > cores / 2:
        print("others were at work here: figures by the clock (two processes, Spark, metrics) cannot be trusted")
    if options.json:
        options.json.write_text(json.dumps([f.as_dict() for f in figures], indent=1), encoding="utf-8")
    sys.exit(1 if options.strict and not all(f.is_reached for f in figures) else 0)


if __name__ == "__main__":
    main()
