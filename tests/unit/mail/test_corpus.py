"""Every hard case of tests/data/votes is read as a careful person reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kipflow.domain.roster import Roster
from kipflow.services.read_votes import VotesReport, read_votes, render_json
from kipflow.settings import load_community

CORPUS = Path(__file__).resolve().parents[2] / "data" / "votes"
CASES = sorted(path.stem for path in CORPUS.glob("*.mbox"))


def read_case(name: str, roster: Roster) -> tuple[dict[str, Any], dict[str, Any]]:
    expected = json.loads((CORPUS / f"{name}.json").read_text(encoding="utf-8"))
    report: VotesReport = read_votes(
        [CORPUS / f"{name}.mbox"], community=load_community(expected["community"]), roster=roster, as_of=None
    )
    return expected, render_json(report)


@pytest.mark.parametrize("name", CASES)
def test_hard_case(name: str, roster: Roster) -> None:
    expected, found = read_case(name, roster)
    assert len(found["unreadable"]) == expected.get("unreadable", 0), found["unreadable"]
    assert found["messages_read"] == expected.get("messages_read", found["messages_read"])
    assert [(v["key"], v["round"]) for v in found["votes"]] == [(v["key"], v["round"]) for v in expected["votes"]]
    for want, got in zip(expected["votes"], found["votes"], strict=True):
        check_vote(want, got)


def check_vote(want: dict[str, Any], got: dict[str, Any]) -> None:
    ballots = [(b["voter"], b["choice"], b["status"]) for b in got["ballots"]]
    assert got["tally"] == want["tally"], ballots
    if "ballots" in want:
        assert [(b["voter"], b["choice"], b["status"]) for b in want["ballots"]] == ballots
        for want_ballot, got_ballot in zip(want["ballots"], got["ballots"], strict=True):
            assert {k: got_ballot[k] for k in want_ballot} == want_ballot
    if want.get("declared", ...) is None:
        assert got["declared"] is None
    elif "declared" in want:
        assert got["declared"] is not None
        assert {k: got["declared"][k] for k in want["declared"]} == want["declared"]
    if "differences" in want:
        assert len(got["differences"]) == want["differences"], got["differences"]
    for key in ("outcome", "root_message_id", "subject"):
        if key in want:
            assert got[key] == want[key]


def test_every_case_has_its_expectation_and_every_expectation_its_case() -> None:
    assert CASES
    assert {p.stem for p in CORPUS.glob("*.json")} - {"phrases"} == set(CASES)
