"""Measure kipflow beside named peers and print ratios; absolute times drift, ratios hold.

    python bench/run.py [--mails N] [--events N] [--only archive|spark|metrics] [--json FILE] [--strict]

Every measurement runs in a process of its own, so that memory is its own too. The default takes about
two minutes on two cores that have nothing else to do.
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
import lifecycle
from measure import Figure

SECTIONS: dict[str, Callable[[argparse.Namespace, Path], list[Figure]]] = {
    "archive": lambda options, folder: archive.compare(folder, options.mails),
    "spark": lambda options, folder: archive.compare_spark(folder, options.mails),
    "metrics": lambda options, folder: lifecycle.compare(folder, options.events),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure kipflow beside named peers.")
    parser.add_argument("--mails", type=int, default=6_000, help="mails in the made-up archive (9 KB each)")
    parser.add_argument("--events", type=int, default=300_000, help="transitions in the made-up history")
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
        print("others were at work here: only figures of one process beside another can be trusted")
    if options.json:
        options.json.write_text(json.dumps([f.as_dict() for f in figures], indent=1), encoding="utf-8")
    sys.exit(1 if options.strict and not all(f.is_reached for f in figures) else 0)


if __name__ == "__main__":
    main()
