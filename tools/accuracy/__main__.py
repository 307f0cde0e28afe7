"""`python -m tools.accuracy`: exit code 0 when all is right or explained, or there is no real data; else 1."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.accuracy.findings import Section, explain, load_explanations
from tools.accuracy.findings import is_good as is_all_good
from tools.accuracy.month import check_labels, check_tallies, read_month
from tools.accuracy.oddities import check_oddities, check_other_lists
from tools.accuracy.phrases import check_phrases, check_threads
from tools.accuracy.rendering import render_json, render_text

REALDATA = Path(__file__).resolve().parents[3] / "shared" / "realdata"


def check_all(realdata: Path) -> tuple[Section, ...]:
    """All sections, with explanations where there are any."""
    explanations = load_explanations()
    reports = read_month(realdata)
    sections = (
        check_labels(realdata, reports),
        check_tallies(realdata, reports),
        check_phrases(realdata),
        check_threads(realdata),
        check_other_lists(realdata),
        check_oddities(realdata),
    )
    return tuple(explain(section, explanations) for section in sections)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make accuracy", description=__doc__)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print (default: text)")
    parser.add_argument("--realdata", type=Path, default=REALDATA, metavar="DIR", help="the folder with real data")
    options = parser.parse_args(arguments)
    if not (options.realdata / "votes").is_dir():
        print("no real data beside the project (../shared/realdata): nothing to compare with", file=sys.stderr)
        return 0
    sections = check_all(options.realdata)
    print(render_json(sections) if options.format == "json" else render_text(sections))
    return 0 if is_all_good(sections) else 1


if __name__ == "__main__":
    sys.exit(main())
