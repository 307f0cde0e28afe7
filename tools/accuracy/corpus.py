"""The project's own hard cases (`tests/data`): how many are read as a careful person would, by kind and rule.

Each case is a small archive with its expected reading (`tests/data/votes/README.md`). Values that the expectation
leaves out are not compared. The tests use the same cases; here they are counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kipflow.config.loading import load_community
from kipflow.config.roster import load_roster
from kipflow.domain.roster import Roster
from kipflow.domain.votes import Choice, Expression, Standing
from kipflow.mail.quoting import find_own_words
from kipflow.mail.votes.reading import read_expressions
from kipflow.services.read_votes import read_votes
from kipflow.services.votes_report import render_json
from tests.corpus import VoteCase, load_vote_cases
from tools.accuracy.findings import Counted, Demand, Figure, Section

KINDS = ("for", "against", "zero", "none", "review", "doubt", "withdrawn")
WHOLE = ("outcome", "root_message_id", "subject", "tally")


def check_cases(corpus: Path) -> Section:
    """Every archive of `corpus/votes`: votes, tallies, ballots, announcements."""
    folder = corpus / "votes"
    people = load_roster(folder / "roster.yaml")
    counted, rules, cases, right = Counted(), Counter[str](), 0, 0
    for case in load_vote_cases(folder).values():
        before = len(counted.found)
        _compare_case(case, people, counted, rules)
        cases += 1
        right += len(counted.found) == before
    kinds = ("votes", "tally", "ballots", "outcome", "announcement", "differences")
    whole = Figure(name="cases without a difference", right=right, total=cases)
    return Section(
        title="Hard cases",
        about=f"{cases} small archives of tests/data/votes, one defect each, with what a careful person reads in them",
        figures=(whole, *map(counted.figure, kinds)),
        demands=(Demand(name="every case read right", met=right == cases),),
        disagreements=counted.disagreements,
        listed_title=f"ballots that cases expect and that are read so, by the rule that fired ({len(rules)} rules)",
        listed=tuple((rule, f"{number}") for rule, number in rules.most_common()),
    )


def _compare_case(case: VoteCase, people: Roster, counted: Counted, rules: Counter[str]) -> None:
    expected, place = case.expected, f"cases/{case.name}"
    community = load_community(expected["community"])
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{case.name}.mbox"
        path.write_bytes(case.mbox)
        found = render_json(read_votes([path], community=community, roster=people, as_of=None))
    keys = [(v["key"], v["round"]) for v in found["votes"]]
    counted.compare("votes", place, [(v["key"], v["round"]) for v in expected["votes"]], keys, expected["why"])
    if keys != [(v["key"], v["round"]) for v in expected["votes"]]:
        return
    for want, got in zip(expected["votes"], found["votes"], strict=True):
        where = f"{place}/{want['key']}/{want['round']}"
        for kind in WHOLE:
            if kind in want:
                counted.compare(kind, where, want[kind], got[kind], expected["why"])
        if "ballots" in want:
            _compare_ballots(want["ballots"], got["ballots"], where, counted, rules)
        if "declared" in want:
            counted.compare("announcement", where, want["declared"], _part_of(got["declared"], want["declared"]))
        if "differences" in want:
            shown = "; ".join(got["differences"])
            counted.compare("differences", where, want["differences"], len(got["differences"]), shown)


def _compare_ballots(
    want: list[dict[str, Any]], got: list[dict[str, Any]], where: str, counted: Counted, rules: Counter[str]
) -> None:
    """Compare ballots one by one in order; an extra or missing ballot is a difference."""
    for position in range(max(len(want), len(got))):
        expected = want[position] if position < len(want) else None
        ballot = got[position] if position < len(got) else None
        read = _part_of(ballot, expected) if expected is not None else ballot
        counted.compare("ballots", f"{where}/{position + 1}", expected, read, ballot["line"] if ballot else "")
        if ballot is not None and expected == read:
            rules[ballot["rule"]] += 1


def _part_of(value: dict[str, Any] | None, expected: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The part of the read value that the expectation has."""
    return value if value is None or expected is None else {key: value.get(key) for key in expected}


def check_bodies(corpus: Path) -> Section:
    """Every body of `corpus/votes/phrases.json`, by its reading."""
    phrases: dict[str, list[str]] = json.loads((corpus / "votes" / "phrases.json").read_text(encoding="utf-8"))
    counted, by_rule = Counted(), Counter[tuple[str, bool]]()
    for kind, body in [(name, text) for name in KINDS for text in phrases[name]]:
        found = read_expressions(find_own_words(body), author="Mara Lind")
        said = describe(found[0] if found else None)
        counted.compare(kind, f"bodies/{kind}/{phrases[kind].index(body) + 1}", kind, said, body)
        if found:
            by_rule[found[0].rule, said == kind] += 1
    # a false vote, or the opposite of the real one: worse than a question to a person
    false = sum(d.read in {"for", "against", "zero"} for d in counted.found)
    rules = sorted({rule for rule, _ in by_rule}, key=lambda r: (-by_rule[r, True], r))
    return Section(
        title="Bodies",
        about=f"{counted.total.total()} bodies of mails, by what they come to",
        figures=(counted.sum("bodies read so"), *map(counted.figure, KINDS)),
        demands=(Demand(name=f"no vote read that nobody cast so ({false or 'none'})", met=not false),),
        disagreements=counted.disagreements,
        listed_title=f"read right, by the rule that fired ({len(rules)} rules)",
        listed=tuple((r, f"{by_rule[r, True]} of {by_rule[r, True] + by_rule[r, False]}") for r in rules),
    )


def describe(found: Expression | None) -> str:
    """The kind of phrase (see tests/data/votes/phrases.json) that a body was read as."""
    if found is None or found.standing is Standing.LEANING:
        return "none"
    if found.standing in {Standing.UNCLEAR, Standing.HINT}:
        return "review"
    if found.standing is Standing.DOUBT:
        return "doubt"
    if found.standing is Standing.WITHDRAWAL:
        return "withdrawn"
    return {Choice.FOR: "for", Choice.AGAINST: "against", Choice.ABSTAIN: "zero", None: "?"}[found.choice]


def check_communities(corpus: Path) -> Section:
    """The archives of `corpus/communities`: each community's votes under its own rules."""
    folder = corpus / "communities"
    people = load_roster(folder / "roster.yaml")
    counted = Counted()
    names = sorted(path.stem for path in folder.glob("*.mbox"))
    for name in names:
        expected = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["votes"]
        report = render_json(read_votes([folder / f"{name}.mbox"], community=load_community(name), roster=people))
        read = {v["key"]: (v["outcome"], *_by_choice(v["tally"])) for v in report["votes"]}
        for want in expected:
            outcome = (want["outcome"], want["binding"], want["non_binding"])
            counted.compare(name, f"communities/{name}/{want['key']}", outcome, read.get(want["key"]))
    return Section(
        title="Communities",
        about=f"votes of {len(names)} communities, each under its own file's rules: outcome and tally",
        figures=(counted.sum("votes decided so"), *map(counted.figure, names)),
        demands=(Demand(name="every vote comes to what its community's rules say", met=not counted.found),),
        disagreements=counted.disagreements,
    )


def _by_choice(tally: Mapping[str, Mapping[str, int]]) -> tuple[list[int], list[int]]:
    choices = ("+1", "0", "-1")
    return [tally["binding"][c] for c in choices], [tally["non_binding"][c] for c in choices]
