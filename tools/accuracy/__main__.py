"""`python -m tools.accuracy`: exit code 0 if all is right or explained, else 1. Parts without data are skipped."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tools.accuracy.corpus import check_bodies, check_cases, check_communities
from tools.accuracy.dates import check_dates
from tools.accuracy.findings import Section, explain, load_explanations
from tools.accuracy.findings import is_good as is_all_good
from tools.accuracy.month import check_labels, check_tallies, read_month
from tools.accuracy.oddities import check_oddities, check_other_lists
from tools.accuracy.phrases import check_phrases, check_threads
from tools.accuracy.quorums import check_quorums
from tools.accuracy.rendering import render_json, render_text
from tools.accuracy.replayed import replay_history
from tools.accuracy.stages import check_changes, check_stages

REPOSITORY = Path(__file__).resolve().parents[2]
REALDATA = REPOSITORY.parent / "shared" / "realdata"
CORPUS = REPOSITORY / "tests" / "data"

MAIL, HISTORY, CASES = "1 Real mail", "2 Real history", "3 The project's own cases"
#: Part → external data that it needs; CONTRIBUTING.md, "How accurate it is", describes the files.
_HOLDS = {
    MAIL: "a real month of a list with labels, official tallies, phrases",
    HISTORY: "the wiki's index of proposals, which mails name them, the roster's history",
}


def check_all(realdata: Path, corpus: Path) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """All sections that have data, with their explanations, and notes on the skipped parts."""
    parts: list[tuple[str, Path, Callable[[Path], tuple[Section, ...]]]] = [
        (MAIL, realdata / "votes", lambda _: check_mail(realdata)),
        (HISTORY, realdata / "kafka", check_history),
        (CASES, corpus / "votes", lambda _: (check_cases(corpus), check_bodies(corpus), check_communities(corpus))),
    ]
    sections: list[Section] = []
    skipped: list[str] = []
    explanations = load_explanations()
    for part, folder, check in parts:
        if folder.is_dir():
            sections += [explain(replace(section, part=part), explanations) for section in check(folder)]
        else:
            skipped.append(f"{part}: {_say_absent(part, folder)}")
    return tuple(sections), tuple(skipped)


def _say_absent(part: str, folder: Path) -> str:
    """A note on missing data: what they are, where they were looked for, and how to name another folder."""
    where = min(os.path.relpath(folder), str(folder), key=len)
    if part not in _HOLDS:
        return f"not at {where} (--corpus names another folder)"
    return f"no real data at {where} ({_HOLDS[part]}); make accuracy REALDATA=DIR reads DIR/{folder.name} instead"


def check_mail(realdata: Path) -> tuple[Section, ...]:
    reports = read_month(realdata)
    return (
        check_labels(realdata, reports),
        check_tallies(realdata, reports),
        check_phrases(realdata),
        check_threads(realdata),
        check_other_lists(realdata),
        check_oddities(realdata),
    )


def check_history(folder: Path) -> tuple[Section, ...]:
    with replay_history(folder) as seen:
        return (*check_stages(seen), check_dates(seen), check_changes(seen), check_quorums(seen))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make accuracy", description=__doc__)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print (default: text)")
    parser.add_argument("--realdata", type=Path, default=REALDATA, metavar="DIR", help="the folder with real data")
    parser.add_argument("--corpus", type=Path, default=CORPUS, metavar="DIR", help="the folder with the own cases")
    options = parser.parse_args(arguments)
    sections, skipped = check_all(options.realdata, options.corpus)
    if options.format == "json":
        # the text has them on its first screen
        for what in skipped:
            print(f"skipped: {what}", file=sys.stderr)
        print(render_json(sections, skipped))
    else:
        print(render_text(sections, skipped))
    return 0 if is_all_good(sections) else 1


if __name__ == "__main__":
    sys.exit(main())
