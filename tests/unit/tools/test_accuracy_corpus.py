"""`make accuracy`'s own cases: what a case expects and is read otherwise is listed and fails."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.accuracy import __main__ as accuracy
from tools.accuracy.corpus import KINDS, check_bodies, check_cases, check_communities

DATA = Path(__file__).resolve().parents[2] / "data"


def copy(folder: Path, name: str, **change: Any) -> Path:
    """One case of the corpus in a corpus of its own, with its first vote's expectation changed."""
    votes = folder / "votes"
    votes.mkdir(parents=True)
    shutil.copy(DATA / "votes" / "roster.yaml", votes)
    case = yaml.safe_load((DATA / "votes" / "words.yaml").read_text(encoding="utf-8"))["cases"][name]
    case["read"][0].update(change)
    (votes / "words.yaml").write_text(yaml.safe_dump({"cases": {name: case}}), encoding="utf-8")
    return folder


def test_a_case_read_as_expected_counts_with_the_rule_that_fired(tmp_path: Path) -> None:
    section = check_cases(copy(tmp_path, "plain-vote"))
    assert (section.figures[0].right, section.figures[0].total) == (1, 1)
    assert section.disagreements == ()
    assert section.listed[0][0] == "opening"


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"vote": "KIP-99"}, ["cases/plain-vote"]),
        ({"outcome": "failed"}, ["cases/plain-vote/KIP-7/1"]),
        ({"ballots": []}, ["cases/plain-vote/KIP-7/1/1"]),
        ({"differences": 3}, ["cases/plain-vote/KIP-7/1"]),
        ({"declared": {"outcome": "passed"}}, ["cases/plain-vote/KIP-7/1"]),
    ],
    ids=["another vote", "outcome", "a ballot too many", "differences", "announcement"],
)
def test_each_thing_that_is_read_otherwise_is_listed(tmp_path: Path, change: dict[str, Any], shown: list[str]) -> None:
    section = check_cases(copy(tmp_path, "plain-vote", **change))
    assert [d.id for d in section.disagreements] == shown
    assert not section.demands[0].met
    assert section.figures[0].right == 0


def test_a_body_read_as_a_vote_that_nobody_cast_misses_the_demand(tmp_path: Path) -> None:
    (tmp_path / "votes").mkdir()
    bodies = {
        "for": ["+1"],
        "against": ["-1"],
        "zero": ["0"],
        "none": ["+1", "Thanks!"],
        "review": [],
        "doubt": [],
        "withdrawn": [],
    }
    (tmp_path / "votes" / "phrases.json").write_text(json.dumps(bodies))
    section = check_bodies(tmp_path)
    assert [(d.id, d.read) for d in section.disagreements] == [("bodies/none/1", "for")]
    assert [d.met for d in section.demands] == [False]
    assert (section.figures[0].right, section.figures[0].total) == (4, 5)


def test_a_community_whose_vote_ends_otherwise_is_listed(tmp_path: Path) -> None:
    folder = tmp_path / "communities"
    folder.mkdir()
    for name in ("roster.yaml", "pulsar.mbox"):
        shutil.copy(DATA / "communities" / name, folder)
    expected = json.loads((DATA / "communities" / "pulsar.json").read_text(encoding="utf-8"))
    expected["votes"][0]["outcome"] = "failed"
    (folder / "pulsar.json").write_text(json.dumps(expected))
    section = check_communities(tmp_path)
    assert [d.id for d in section.disagreements] == ["communities/pulsar/PIP-451"]
    assert not section.demands[0].met


def test_the_own_cases_need_no_real_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = copy(tmp_path / "corpus", "plain-vote")
    (corpus / "votes" / "phrases.json").write_text(json.dumps({kind: [] for kind in KINDS}))
    (corpus / "communities").mkdir()
    shutil.copy(DATA / "communities" / "roster.yaml", corpus / "communities")
    assert accuracy.main(["--realdata", str(tmp_path / "none"), "--corpus", str(corpus)]) == 0
    shown = capsys.readouterr()
    assert "3 The project's own cases" in shown.out
    assert "1 of 1" in shown.out
    assert shown.out.count("skipped: ") == 2
