"""`kipflow replay` proves that history follows from the facts, or says entry by entry where and why it does not."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from kipflow.cli import run
from kipflow.services import replay, rulings
from kipflow.services.assembly import load_facts
from kipflow.services.desk import ActContext
from tests.integration.late import DAY, MONDAY, Village, found, late_objections, story

pytestmark = pytest.mark.integration

EVENING, WEEK = MONDAY + 6 * DAY, MONDAY + 12 * DAY


@pytest.fixture
def village(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Village]:
    one = found(tmp_path)
    one.settle_in(monkeypatch)
    one.receive(list(story().values()), EVENING)
    one.decide(EVENING)
    yield one
    one.parts.store.close()


def replayed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    capsys.readouterr()
    code = run(["replay", *arguments, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def tamper(village: Village, statement: str) -> None:
    """What no program of ours can do: the database refuses it until its guards are taken away."""
    with closing(sqlite3.connect(village.parts.settings.home / "sandbox.db")) as database, database:
        database.execute("DROP TRIGGER IF EXISTS transition_refuses_update")
        database.execute("DROP TRIGGER IF EXISTS transition_refuses_delete")
        database.execute(statement)


def other_rules(tmp_path: Path, **policy: Any) -> str:
    raw = yaml.safe_load((tmp_path / "config" / "communities" / "sandbox.yaml").read_text(encoding="utf-8"))
    raw["policy"].update(policy)
    path = tmp_path / "other.yaml"
    path.write_text(yaml.safe_dump(raw), encoding="utf-8")
    return str(path)


def test_a_history_that_follows_from_its_facts_is_proved_equal(
    village: Village, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", "--to", f"{EVENING:%Y-%m-%d}"]) == 0
    assert "1 proposal, 4 transitions rebuilt: all as stored" in capsys.readouterr().err
    assert replayed(capsys) == (0, [])


def test_an_entry_that_was_changed_behind_our_back_is_a_line_with_both_sides(
    village: Village, capsys: pytest.CaptureFixture[str]
) -> None:
    tamper(village, "UPDATE transition SET target = 'Rejected' WHERE target = 'Accepted'")
    code, rows = replayed(capsys)
    assert code == 1
    assert rows == [
        {
            "proposal": "KIP-77",
            "entry": "4",
            "stored": "2026-03-07 09:00:00 Vote → Rejected (result-agrees)",
            "rebuilt": "2026-03-07 09:00:00 Vote → Accepted (result-agrees)",
            "why": rows[0]["why"],
        }
    ]
    assert "does not follow from the stored facts" in rows[0]["why"]


def test_an_entry_that_is_gone_is_a_line_and_the_others_are_none(
    village: Village, capsys: pytest.CaptureFixture[str]
) -> None:
    tamper(village, "DELETE FROM transition WHERE target = 'Discussion'")
    code, rows = replayed(capsys)
    assert (code, [(r["entry"], r["stored"]) for r in rows]) == (1, [("2", "nothing")])


def test_facts_that_nobody_decided_on_yet_are_named_as_the_reason(
    village: Village, capsys: pytest.CaptureFixture[str]
) -> None:
    village.receive(late_objections(), WEEK)
    code, rows = replayed(capsys)
    assert code == 1
    assert "facts came" in rows[0]["why"]
    assert " advance` records what follows" in rows[0]["why"]
    village.decide(WEEK)
    assert replayed(capsys)[0] == 0


def test_only_what_happened_in_the_range_is_compared(village: Village, capsys: pytest.CaptureFixture[str]) -> None:
    tamper(village, "UPDATE transition SET target = 'Rejected' WHERE target = 'Accepted'")
    assert replayed(capsys, "--to", "2026-03-06")[0] == 0
    assert replayed(capsys, "--from", "2026-03-07")[0] == 1
    assert run(["replay", "--from", "2026-03-07", "--to", "2026-03-01"]) == 2


def test_another_policy_shows_who_would_have_ended_differently_at_which_stage_and_why(
    village: Village, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, rows = replayed(capsys, "--policy", other_rules(tmp_path, quorum=4), "--to", f"{EVENING:%Y-%m-%dT%H:%M:%SZ}")
    assert code == 1
    assert rows[0]["differs"] == "stage"
    assert rows[0]["ends"] == "Accepted since 2026-03-07 09:00 UTC (result-agrees)"
    assert rows[0]["would_end"] == "Vote since 2026-03-03 09:00 UTC (vote-thread)"
    assert "quorum 3" in rows[0]["why"]
    assert "quorum 4" in rows[0]["why"]
    assert "needs 1 more binding +1" in rows[0]["why"]


def test_another_policy_whose_roles_bind_fewer_counts_the_ballots_by_them(
    village: Village, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, rows = replayed(capsys, "--policy", other_rules(tmp_path, binding_roles=["maintainer"]))
    assert code == 1
    assert "binding +0/0/-0" in rows[0]["why"]


def test_another_communitys_roster_is_taken_only_where_it_is_asked_for(
    village: Village, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = yaml.safe_load(Path(other_rules(tmp_path)).read_text(encoding="utf-8"))
    rules["roster"] = None
    for part in ("users", "slack"):  # they name people of the roster
        del rules[part]
    rules["effects"]["handover"] = "off"  # it goes by Slack
    (tmp_path / "nobody.yaml").write_text(yaml.safe_dump(rules), encoding="utf-8")
    assert replayed(capsys, "--policy", str(tmp_path / "nobody.yaml"))[0] == 0
    code, rows = replayed(capsys, "--community", str(tmp_path / "nobody.yaml"))
    assert code == 1
    assert "binding +0/0/-0" in rows[0]["why"]


def test_differences_come_as_csv_too(village: Village, capsys: pytest.CaptureFixture[str]) -> None:
    tamper(village, "DELETE FROM transition WHERE target = 'Discussion'")
    capsys.readouterr()
    assert run(["replay", "--format", "csv"]) == 1
    [row] = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["proposal"], row["entry"]) == ("KIP-77", "2")


def test_a_database_that_is_away_is_no_difference(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("KIPFLOW_DATABASE_URL", f"sqlite:///{tmp_path}/file/kipflow.db")
    assert run(["replay"]) == 2
    assert capsys.readouterr().err.startswith("kipflow: ")


def test_a_replay_keeps_no_writer_waiting(village: Village) -> None:
    with village.parts.store.read() as reading:
        before = load_facts(reading, 77)
        with village.parts.store.begin() as writing:
            writing.marks.save("written", "meanwhile")
        assert load_facts(reading, 77) == before
    with village.parts.store.read() as reading:
        assert reading.marks.load("written") == "meanwhile"


def test_what_was_known_at_a_time_is_what_was_recorded_by_then(
    village: Village, capsys: pytest.CaptureFixture[str]
) -> None:
    village.receive(late_objections(), WEEK)
    village.decide(WEEK)
    capsys.readouterr()
    assert run(["status", "77", "--known-at", f"{WEEK - DAY:%Y-%m-%d}"]) == 0
    assert "Accepted since 2026-03-07 09:00 UTC" in capsys.readouterr().out
    assert run(["status", "77", "--as-of", f"{WEEK - DAY:%Y-%m-%d}"]) == 0
    assert "Accepted since" not in capsys.readouterr().out, "by what is known today it was not"
    assert run(["status", "77", "--known-at", "2026-03-01"]) == 2


def test_a_person_who_rules_before_the_mail_is_read_leaves_a_history_that_still_follows(
    village: Village, capsys: pytest.CaptureFixture[str]
) -> None:
    unannounced = [mail for name, mail in story().items() if name != "result"]
    other = found(village.folder / "other")
    store, due = other.parts.store, MONDAY + 30 * DAY
    other.receive(unannounced, MONDAY + 3 * DAY)
    other.decide(due)
    context = ActContext(author="ops", reason="x", at=due)
    rulings.settle(store, number=77, kind="stage", target="KIP-77", value={"stage": "Accepted"}, context=context)
    other.decide(due + timedelta(seconds=5))
    assert other.lines()[-1].endswith("Vote → Accepted (override)")
    other.hold(due + DAY)
    other.decide(due + DAY)
    report = replay.replay(store, policy=other.parts.policy, start=None, end=due + DAY)
    store.close()
    assert report.differences == ()
