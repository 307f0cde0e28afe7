"""What a roster turns is listed within bounds, votes under way first."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from kipflow.domain.events import Stage
from kipflow.domain.people import Person
from kipflow.domain.roster import Roster
from kipflow.services import roster_votes
from kipflow.services.board import VoterRow
from kipflow.services.desk import VoteChange
from kipflow.services.roster_votes import AffectedProposal, RosterImpact, _find_touched, say_roster_impact

MARA = Person(id="mara", name="Mara Lind", emails=("mara@lind.example",), roles=())
KIM = Person(id="kim", name="Kim Osei", emails=("kim@osei.example",), roles=())


def row(number: int, name: str, address: str, *, running: bool = False) -> VoterRow:
    return VoterRow(number=number, is_running=running, name=name, address=address)


def test_the_proposals_that_an_added_person_may_touch_are_those_with_mail_of_theirs_or_of_somebody_alike() -> None:
    rows = (
        row(1, "Kim Osei", "kim@osei.example"),
        row(2, "K. Osei", "ko@home.example"),
        row(3, "Mara Lind", "mara@lind.example"),
        row(4, "Someone", "kim@osei.example", running=True),
        row(5, "Kim Osei", "kim@osei.example"),
    )
    before, after = Roster([MARA]), Roster([MARA, KIM])
    assert _find_touched(rows, before, after) == [4, 5, 2, 1]
    assert _find_touched(rows, after, before) == [4, 5, 2, 1], "and likewise where one is taken out"
    assert _find_touched(rows, after, after) == []


def test_what_nobody_would_read_is_counted() -> None:
    vote = VoteChange(round=2, before="binding +1/0/-0: open", after="binding +2/0/-0: open")
    names = tuple(f"Voter {n}" for n in range(6))
    turned = [
        AffectedProposal(
            number=n, before=Stage.VOTE, after=Stage.ACCEPTED, votes=(vote,), binds=names, unbinds=("Ann",)
        )
        for n in range(30)
    ]
    lines = list(say_roster_impact(RosterImpact(found=tuple(turned), left=1_200), "KIP"))
    assert lines[0] == (
        "KIP-0, round 2: binding +1/0/-0: open → binding +2/0/-0: open; ballots of Voter 0, Voter 1, Voter 2, Voter 3 "
        "and 2 more start to bind; ballots of Ann stop to bind; Vote → Accepted"
    )
    assert len(lines) == 22
    assert lines[-2] == "and 10 more whose votes count otherwise"
    assert lines[-1].startswith("1,200 older proposals")


def test_no_more_proposals_are_decided_than_somebody_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    monkeypatch.setattr(roster_votes, "_compare", lambda _session, number, *_: looked.append(number))
    voters = [row(n, "Kim Osei", "kim@osei.example") for n in range(1, 200)]
    store: Any = SimpleNamespace(read=lambda: _Session(), voters=lambda: voters)
    policy: Any = None
    found = roster_votes.find_roster_impact(store, Roster([KIM]), policy=policy, at=datetime(2026, 3, 2, tzinfo=UTC))
    assert (looked, found.left) == ([*range(199, 49, -1)], 49)


class _Session:
    rules = SimpleNamespace(roster=Roster([MARA]))
    rulings = SimpleNamespace(load_all=tuple)

    def __enter__(self) -> _Session:
        return self

    def __exit__(self, *_: object) -> None:
        return None
