"""`status`: the present from what was decided, any other time from the facts of that time."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import pytest

from kipflow.cli import run
from kipflow.commands.output import UtcTime
from kipflow.domain.version import DECISION_RULES
from tests.databases import copy_database
from tests.living import build_mail, live_in
from tests.unit.commands.conftest import Cli


def write_mail(path: Path, subject: str, day: str) -> Path:
    who, at = ("Mara Lind <mara@lind.example>", "dev@kafka.apache.org"), UtcTime().convert(day, None, None)
    path.write_bytes(build_mail(f"{path.stem}@mail.example", *who, at, subject, "Please have a look."))
    return path


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home in which KIP-7 was read and decided once, for each test to copy."""
    home, mails = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("mails")
    copy_database(home / "kafka.db")
    write_mail(mails / "discuss.eml", "[DISCUSS] KIP-7: Tidy shelves", "2026-03-02")
    write_mail(mails / "vote.eml", "[VOTE] KIP-7: Tidy shelves", "2026-03-09")
    with pytest.MonkeyPatch.context() as patch:
        live_in(patch, home)
        assert run(["ingest", str(mails)]) == 0
        assert run(["advance", "--as-of", "2026-03-10"]) == 0
    return home


@pytest.fixture
def tidy_shelves(
    decided: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """KIP-7 is discussed from 2 March on and voted on from 9 March on."""
    live_in(monkeypatch, shutil.copytree(decided, tmp_path / "home"))
    capsys.readouterr()


@pytest.mark.usefixtures("tidy_shelves")
def test_a_past_time_shows_what_the_rules_say_of_the_facts_of_that_time(cli: Cli) -> None:
    reported = cli("status", "7", "--as-of", "2026-03-05").out
    assert "Discussion since 2026-03-02 00:00 UTC (decided as of 2026-03-05 00:00 UTC)" in reported
    assert "[VOTE] KIP-7: Tidy shelves" not in reported.split("Timeline")[1]
    assert "Timeline, rebuilt from what is known today" in reported
    assert "recorded" not in reported, "no entry of it was recorded"
    printed = cli("status", "7", "--as-of", "2026-03-05", "--format", "json")
    assert {entry["recorded_at"] for entry in printed.json()["history"]} == {None}

    printed = cli("status", "--as-of", "2026-03-05", "--format", "csv")
    assert printed.out.splitlines()[1].startswith("KIP-7,Discussion,2026-03-02")

    assert "Vote since 2026-03-09" in cli("status", "7").out


@pytest.mark.usefixtures("tidy_shelves")
def test_a_past_time_shows_no_ruling_that_was_made_later(cli: Cli) -> None:
    cli("review", "stage", "7", "Discarded", "--by", "ops", "--reason", "told by phone", "--as-of", "2026-03-11")
    assert "ruling 1: " in cli("status", "7", "--as-of", "2026-03-12").out
    assert "ruling" not in cli("status", "7", "--as-of", "2026-03-05").out
    cli("review", "revoke", "1", "--by", "ops", "--reason", "a mistake", "--as-of", "2026-03-20")
    assert "ruling 1 (revoked" in cli("status", "7", "--as-of", "2026-03-21").out
    assert "ruling 1: " in cli("status", "7", "--as-of", "2026-03-12").out, "it was not revoked yet"


@pytest.mark.usefixtures("tidy_shelves")
def test_a_time_before_anything_had_happened_is_reported(cli: Cli) -> None:
    printed = cli("status", "7", "--as-of", "2026-01-01", code=2)
    assert printed.err == "kipflow: nothing had happened to KIP-7 by 2026-01-01 00:00 UTC\n"


def test_an_empty_store_is_no_empty_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    live_in(monkeypatch, tmp_path)
    assert "no proposals of kafka are stored yet" in cli("status").out


def test_mail_that_names_no_proposal_is_no_reason_to_decide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    copy_database(tmp_path / "home" / "kafka.db")
    live_in(monkeypatch, tmp_path / "home")
    cli("ingest", str(write_mail(tmp_path / "a.eml", "[DISCUSS] MEP-7: Tidy shelves", "2026-03-02")))
    said = cli("status").out
    listed = "1 mail stored, and no proposal is listed of them"
    assert said == f"{listed}; a number such as KIP-1 makes one: is `prefix` right?\n"


def test_after_ingest_the_status_says_what_to_run_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copy_database(tmp_path / "home" / "kafka.db")
    live_in(monkeypatch, tmp_path / "home")
    assert run(["ingest", str(write_mail(tmp_path / "a.eml", "[DISCUSS] KIP-7: Tidy shelves", "2026-03-02"))]) == 0
    capsys.readouterr()
    assert run(["status"]) == 0
    reported = "1 mail stored, nothing decided yet (1 proposal to decide): run `kipflow -C kafka advance`\n"
    assert capsys.readouterr().out == reported
    assert run(["advance", "--as-of", "2026-03-03"]) == 0
    assert "1 proposal decided, 2 transitions recorded" in capsys.readouterr().err
    assert run(["ingest", str(write_mail(tmp_path / "b.eml", "[VOTE] KIP-7: Tidy shelves", "2026-03-09"))]) == 0
    assert run(["status"]) == 0
    assert "1 proposal with newer facts than decided on: run `kipflow -C kafka advance`" in capsys.readouterr().err


@pytest.mark.usefixtures("tidy_shelves")
def test_an_index_states_no_next_number_where_mail_alone_names_numbers(cli: Cli) -> None:
    assert "Next KIP Number" not in cli("index").out
    assert cli("index", "--format", "json").json()["next_number"] is None


def test_no_command_prints_the_help_in_its_own_lines(cli: Cli) -> None:
    assert cli(code=2).err.startswith("Usage: kipflow [OPTIONS] COMMAND [ARGS]...\n")


def test_a_ruling_shows_with_its_id_and_can_be_taken_back(tidy_shelves: None, cli: Cli) -> None:
    ruling = ["review", "stage", "7", "Discarded", "--by", "ops", "--reason", "told by phone", "--as-of", "2026-03-11"]
    assert "KIP-7 is now: Discarded" in cli(*ruling).out
    printed = cli("review", "revoke", "1", "--by", "ops", "--reason", "a mistake", "--as-of", "2026-03-12")
    assert "KIP-7 is now: Vote" in printed.out
    shown = cli("status", "7").out
    assert "ruling 1 (revoked 2026-03-12 00:00 by ops): stage Discarded by ops: told by phone" in shown
    assert "correction" in shown
    cli("replay", "--to", "2026-03-12")


@pytest.mark.usefixtures("tidy_shelves")
def test_each_entry_of_a_timeline_shows_who_moved_it_when_that_was_recorded_and_by_which_policy(cli: Cli) -> None:
    reported = cli("status", "7", "--format", "json").json()
    moves = [(h["to"], h["actor"]) for h in reported["history"]]
    assert moves == [("Draft", "mail"), ("Discussion", "mail"), ("Vote", "mail")]
    assert {h["policy"] for h in reported["history"]} == {reported["policy"]}
    assert {h["decision_rules"] for h in reported["history"]} == {DECISION_RULES}

    rows = list(csv.DictReader(io.StringIO(cli("status", "7", "--format", "csv").out)))
    assert [(r["to"], r["by"]) for r in rows] == moves
    recorded = [h["recorded_at"][:16].replace("T", " ") for h in reported["history"]]
    assert [r["recorded"] for r in rows] == recorded
    assert {r["policy"] for r in rows} == {reported["policy"]}
    assert {r["rules"] for r in rows} == {str(DECISION_RULES)}

    shown = "".join(cli("status", "7").out.split())
    assert "holdsasofrecordedmoverulebypolicyrules" in shown, "a narrow table folds long versions"


@pytest.mark.usefixtures("tidy_shelves")
def test_the_json_of_a_proposal_has_its_rulings_and_questions_with_what_settles_them(cli: Cli) -> None:
    ruling = ["review", "stage", "7", "Discarded", "--by", "ops", "--reason", "told by phone", "--as-of", "2026-03-11"]
    cli(*ruling)
    reported = cli("status", "7", "--format", "json").json()
    [said] = reported["rulings"]
    assert (said["id"], said["says"], said["by"], said["reason"]) == (1, "stage Discarded", "ops", "told by phone")
    assert (said["made_at"], said["revoked_at"]) == ("2026-03-11T00:00:00Z", None)
    assert reported["history"][-1]["actor"] == "operator"
    assert reported["review"] == []


@pytest.mark.usefixtures("tidy_shelves")
def test_deciding_as_of_a_time_before_what_is_stored_says_that_it_is_left_alone(tmp_path: Path, cli: Cli) -> None:
    late = write_mail(tmp_path / "late.eml", "[DISCUSS] KIP-7: Tidy shelves, again", "2026-03-03")
    cli("ingest", str(late))
    for more in ([], ["--dry-run"]):
        out, said = cli("advance", "--as-of", "2026-03-04", *more)
        assert out == ""
        summary, why = said.splitlines()
        assert summary.startswith("0 proposals decided, 0 transitions ")
        assert why == (
            "what was decided as of a later time (the newest: 2026-03-10 00:00 UTC) is left alone: "
            "`kipflow -C kafka status --as-of 2026-03-04T00:00` shows what was so then"
        )
    assert "left alone" not in cli("advance").err


@pytest.mark.usefixtures("tidy_shelves")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["review", "senders"], "nobody who votes writes as somebody known without proof"),
        (["review", "rulings"], "nobody has ruled on anything here yet"),
        (["review"], "nothing waits for a person"),
        (["status", "--stage", "Rejected"], "no proposal is in this stage"),
        (["status", "--as-of", "2020-01-01"], "no proposal was known at 2020-01-01 00:00 UTC"),
    ],
)
def test_an_empty_list_is_one_sentence_and_for_programs_still_a_list(words: list[str], said: str, cli: Cli) -> None:
    assert cli(*words).out == f"{said}\n"
    assert cli(*words, "--format", "json").json() == []
