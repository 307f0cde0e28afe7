"""Every hard case of tests/data/votes is read as a careful person reads it, and twice as once."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema
import pytest

from kipflow.config.loading import load_community as load_community_file
from kipflow.domain.roster import Roster
from kipflow.services.read_votes import read_votes
from kipflow.services.votes_report import SCHEMA_FILE, render_json
from tests.corpus import load_vote_cases, write_vote_cases

pytestmark = pytest.mark.usefixtures("same_words_read_once")

CASES = load_vote_cases()
load_community = cache(load_community_file)
SCHEMA = jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text(encoding="utf-8")))


def read_case(name: str, roster: Roster, *, times: int = 1) -> dict[str, Any]:
    paths = [write_vote_cases() / f"{name}.mbox"] * times
    community = load_community(CASES[name].expected["community"])
    return render_json(read_votes(paths, community=community, roster=roster, as_of=None))


@pytest.mark.parametrize("name", CASES)
def test_hard_case(name: str, roster: Roster) -> None:
    expected, found = CASES[name].expected, read_case(name, roster)
    faults = SCHEMA.iter_errors(json.loads(json.dumps(found)))
    assert [f"{fault.json_path}: {fault.message}" for fault in faults] == []
    assert len(found["unreadable"]) == expected.get("unreadable", 0), found["unreadable"]
    assert found["messages_read"] == expected.get("messages_read", found["messages_read"])
    assert [(v["key"], v["round"]) for v in found["votes"]] == [(v["key"], v["round"]) for v in expected["votes"]]
    for want, got in zip(expected["votes"], found["votes"], strict=True):
        check_vote(want, got)
    twice = read_case(name, roster, times=2)
    assert (twice["votes"], twice["messages_read"]) == (found["votes"], found["messages_read"])


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
    if "claimed_ends" in want:
        assert [end["kind"] for end in got["claimed_ends"]] == want["claimed_ends"]
    for key in ("outcome", "root_message_id", "subject"):
        if key in want:
            assert got[key] == want[key]
