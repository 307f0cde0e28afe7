"""Deciding, correcting and ruling on a store in memory, and the same on SQLite."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kipflow.adapters.store import SqlStore, open_store
from kipflow.config.roster import load_roster
from kipflow.domain.errors import UnknownProposal
from kipflow.domain.events import Stage
from kipflow.domain.facts import Message
from kipflow.mail.archive import read_mbox
from kipflow.mail.filereading import FileReading
from kipflow.services.advance import advance_one
from kipflow.services.assembly import CommunityRules
from kipflow.services.desk import ActContext
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import NewFact, ProposalRows
from kipflow.services.recording import Advance
from kipflow.services.ruling_checks import BadRuling
from kipflow.services.rulings import Recorded, revoke, settle
from tests.corpus import DATA, build_mbox, load_vote_cases
from tests.databases import copy_database
from tests.memory_store import MemoryStore
from tests.unit.domain.building import POLICY

LIST, DAY = "dev@kafka.apache.org", timedelta(days=1)
OPENED = datetime(2026, 3, 2, 10, tzinfo=UTC)
LATER = OPENED + 10 * DAY
WORD = ActContext(author="ines", reason="so", at=LATER)
ROSTER = load_roster(DATA / "votes" / "roster.yaml")
RULES = CommunityRules(prefix="KIP", policy=POLICY, roster=ROSTER)
EFFECTS = EffectRules(prefix="KIP", sends=True, slack="send", channel="#kip", operators="#ops", index_page="")


def read_thread(folder: Path, *bodies: tuple[str, str]) -> list[Message]:
    """The mails of a vote called by Mara, a reply a body, an hour apart."""
    replies = [
        {"from": who, "at": f"2026-03-02 {10 + hour}:00", "body": f"{body}\n"}
        for hour, (who, body) in enumerate(bodies, 1)
    ]
    path = folder / "2026-03.mbox"
    path.write_bytes(build_mbox(["opening", *replies]))
    read = list(read_mbox(path, FileReading(list_id=LIST, month="2026-03", prefix="KIP")))
    assert len(read) == len(bodies) + 1
    return [mail for mail in read if isinstance(mail, Message)]


def advance(store: Any, as_of: datetime) -> Advance:
    return advance_one(store, 7, policy=POLICY, effects=EFFECTS, as_of=as_of)


@pytest.fixture
def mails(tmp_path: Path) -> list[Message]:
    return read_thread(tmp_path, ("jun", "+1 (binding)"), ("tess", "+1 (binding), if the old names stay"))


@pytest.fixture
def memory(mails: list[Message]) -> MemoryStore:
    return MemoryStore(RULES, ProposalRows(number=7, messages=tuple(mails)))


def test_a_move_is_recorded_and_announced_once(memory: MemoryStore) -> None:
    first, again = advance(memory, LATER), advance(memory, LATER + DAY)
    assert first.appended[-1].target is Stage.VOTE
    assert first.effects == len(memory.outbox.held) > 0
    assert (again.appended, again.effects) == ((), 0)


def test_a_time_before_the_newest_decision_is_left_alone(memory: MemoryStore) -> None:
    advance(memory, LATER)
    assert "already" in advance(memory, LATER - DAY).skipped


def test_nothing_is_kept_of_a_decision_that_breaks_off(memory: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(type(memory.history), "save_decision", die)
    with pytest.raises(OSError, match="disk full"):
        advance(memory, LATER)
    assert (memory.history.transitions, memory.outbox.held) == ([], {})


def test_a_stage_that_no_longer_follows_is_corrected_with_its_cause(memory: MemoryStore) -> None:
    advance(memory, LATER)
    ruling = settle(
        memory,
        number=7,
        kind="stage",
        target="",
        value={"stage": "Rejected"},
        context=ActContext(author="ines", reason="said so", at=LATER),
    ).id
    assert advance(memory, LATER + DAY).stage is Stage.REJECTED
    revoke(memory, ruling, ActContext(author="ines", reason="a mistake", at=LATER + 2 * DAY))
    fact = NewFact(
        kind="ruling", ref=str(ruling), line="Ines took it back", at=LATER + 2 * DAY, seen_at=LATER + 2 * DAY
    )
    memory.history.new[7] = [fact]
    back = advance(memory, LATER + 3 * DAY)
    assert back.stage is Stage.VOTE
    correction = next(t for t in back.appended if t.retracts)
    assert "ruling" in correction.note
    assert any(e.line.startswith(fact.line) for e in correction.evidence)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"kind": "ballot", "target": "<none@x.example>", "value": {"choice": "+1"}}, "ballot"),
        ({"kind": "stage", "target": "", "value": {"stage": "Nowhere"}}, "stage"),
        ({"kind": "wish", "target": "", "value": {}}, "no kind of ruling"),
        (
            {"kind": "stage", "target": "", "value": {"stage": "Rejected"}, "context": replace(WORD, reason=" ")},
            "reason",
        ),
    ],
    ids=["unknown ballot", "unknown stage", "unknown kind", "no reason"],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_kept(
    memory: MemoryStore, given: dict[str, Any], why: str
) -> None:
    with pytest.raises(BadRuling, match=why):
        settle(memory, **{"number": 7, "context": WORD, **given})
    assert memory.rulings.given == []


def test_a_ruling_on_a_ballot_is_stored_once_and_turns_the_vote(memory: MemoryStore, mails: list[Message]) -> None:
    asked: dict[str, Any] = {"number": 7, "kind": "ballot", "target": mails[2].message_id, "value": {"choice": "+1"}}
    said = {**asked, "context": replace(WORD, reason="they stay")}
    assert [settle(memory, **said) for _ in range(2)] == [Recorded(id=1, is_new=True), Recorded(id=1, is_new=False)]
    advance(memory, LATER + DAY)
    assert memory.history.decided[7].votes[0].tally.binding.plus == 2
    with pytest.raises(UnknownProposal):
        settle(memory, **{**said, "number": 8})


@pytest.mark.parametrize("name", ["plain-vote", *sorted(load_vote_cases())[:12]])
def test_memory_and_database_come_to_the_same(name: str, tmp_path: Path) -> None:
    path = tmp_path / "2026-03.mbox"
    path.write_bytes(load_vote_cases()[name].mbox)
    found = [
        m for m in read_mbox(path, FileReading(list_id=LIST, month="2026-03", prefix="KIP")) if isinstance(m, Message)
    ]
    copy_database(tmp_path / "x.db")
    database: SqlStore = open_store(f"sqlite:///{tmp_path / 'x.db'}", RULES)
    with database.begin() as session:
        session.mail.save_messages(found, seen_at=LATER)
        numbers = session.history.load_numbers()
        rows = [session.history.load_rows(number) for number in numbers]
    memory = MemoryStore(RULES, *rows)
    assert numbers
    for number in numbers:
        for days in (0, 30):
            given: dict[str, Any] = {"policy": POLICY, "effects": EFFECTS, "as_of": LATER + days * DAY}
            kept, held = (advance_one(store, number, **given) for store in (database, memory))
            assert held == kept
        with database.read() as session:
            assert memory.history.load(number) == session.history.load(number)
            assert memory.outbox.load_status(memory.outbox.held) == session.outbox.load_status(memory.outbox.held)
    database.close()
