"""`status`: the present from what was decided, any other time from the facts of that time."""

from __future__ import annotations

from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

import pytest

from kipflow.cli import run
from kipflow.commands.output import UtcTime


def write_mail(path: Path, subject: str, day: str) -> Path:
    mail = EmailMessage()
    mail["Message-ID"] = f"<{path.stem}@mail.example>"
    mail["From"] = "Mara Lind <mara@lind.example>"
    mail["To"] = "dev@kafka.apache.org"
    mail["Date"] = format_datetime(UtcTime().convert(day, None, None))
    mail["Subject"] = subject
    mail.set_content("Please have a look.\n")
    path.write_bytes(mail.as_bytes())
    return path


@pytest.fixture
def tidy_shelves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """KIP-7 is discussed from 2 March on and voted on from 9 March on."""
    monkeypatch.setenv("KIPFLOW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KIPFLOW_COMMUNITY", "kafka")
    mails = tmp_path / "mails"
    mails.mkdir()
    write_mail(mails / "discuss.eml", "[DISCUSS] KIP-7: Tidy shelves", "2026-03-02")
    write_mail(mails / "vote.eml", "[VOTE] KIP-7: Tidy shelves", "2026-03-09")
    assert run(["ingest", str(mails)]) == 0
    assert run(["advance", "--as-of", "2026-03-10"]) == 0
    capsys.readouterr()


@pytest.mark.usefixtures("tidy_shelves")
def test_a_past_time_shows_what_the_rules_say_of_the_facts_of_that_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["status", "7", "--as-of", "2026-03-05"]) == 0
    told = capsys.readouterr().out
    assert "Discussion since 2026-03-02 00:00 UTC (decided as of 2026-03-05 00:00 UTC)" in told
    assert "[VOTE] KIP-7: Tidy shelves" not in told.split("Timeline")[1]

    assert run(["status", "--as-of", "2026-03-05", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("KIP-7,Discussion,2026-03-02")

    assert run(["status", "7"]) == 0
    assert "Vote since 2026-03-09" in capsys.readouterr().out


@pytest.mark.usefixtures("tidy_shelves")
def test_a_time_before_anything_had_happened_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["status", "7", "--as-of", "2026-01-01"]) == 2
    assert capsys.readouterr().err == "kipflow: nothing had happened to KIP-7 by 2026-01-01 00:00 UTC\n"


def test_an_empty_store_is_no_empty_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KIPFLOW_HOME", str(tmp_path))
    monkeypatch.setenv("KIPFLOW_COMMUNITY", "kafka")
    assert run(["status"]) == 0
    assert "no proposals of kafka are stored yet" in capsys.readouterr().out


def test_no_command_prints_the_help_in_its_own_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    assert capsys.readouterr().err.startswith("Usage: kipflow [OPTIONS] COMMAND [ARGS]...\n")


def test_a_ruling_shows_with_its_id_and_can_be_taken_back(
    tidy_shelves: None, capsys: pytest.CaptureFixture[str]
) -> None:
    ruling = ["review", "stage", "7", "Discarded", "--by", "ops", "--reason", "told by phone", "--as-of", "2026-03-11"]
    assert run(ruling) == 0
    assert "KIP-7 is now: Discarded" in capsys.readouterr().out
    assert run(["review", "revoke", "1", "--by", "ops", "--as-of", "2026-03-12"]) == 0
    assert "KIP-7 is now: Vote" in capsys.readouterr().out
    assert run(["status", "7"]) == 0
    shown = capsys.readouterr().out
    assert "ruling 1 (revoked 2026-03-12 00:00 by ops): stage Discarded by ops: told by phone" in shown
    assert "correction" in shown
    assert run(["replay", "--to", "2026-03-12"]) == 0
