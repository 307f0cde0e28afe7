"""`ingest`: where no mail was read, it says why in one line."""

from __future__ import annotations

import bz2
import lzma
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kipflow.cli import run
from kipflow.commands.opening import open_parts
from kipflow.domain.facts import Coverage
from tests.corpus import write_vote_cases

PLAIN = write_vote_cases() / "plain-vote.mbox"


@pytest.fixture(autouse=True)
def community(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIPFLOW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KIPFLOW_COMMUNITY", "kafka")


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def fails(path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert run(["ingest", str(path)]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    return lines[0]


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("roster.yaml", b"people:\n  - {id: mlind, name: Mara Lind}\n", "no mail headers; ingest reads mbox, "),
        ("empty.mbox", b"", "the file is empty; ingest reads mbox, "),
        ("cut.mbox.bz2", bz2.compress(PLAIN.read_bytes())[:-40], "the compressed file ends too early"),
        ("cut.mbox.xz", lzma.compress(PLAIN.read_bytes())[:-40], "the compressed file ends too early"),
    ],
)
def test_a_file_without_readable_mail_is_named_with_the_reason(
    name: str, data: bytes, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / name, data)
    told = fails(path, capsys)
    assert told.startswith(f"warning: nothing was read from {path}: ")
    assert why in told


def test_a_folder_without_mail_is_named_with_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "mails"
    folder.mkdir()
    assert "the folder has no files" in fails(folder, capsys)
    write(folder / "notes.txt", b"buy milk\n")
    assert f"nothing was read from {folder} (notes.txt#0): no mail headers" in fails(folder, capsys)


def test_mail_that_was_read_before_is_no_empty_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ingest", str(PLAIN)]) == run(["ingest", str(PLAIN)])
    assert "nothing was read" not in capsys.readouterr().err


def test_a_mistyped_list_is_refused_with_what_may_be_meant(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ingest", "--list", "dve@kafka.apache.org", str(PLAIN)]) == 2
    told = capsys.readouterr().err
    assert "dve@kafka.apache.org is none of this community's lists; did you mean dev@kafka.apache.org?" in told
    assert run(["ingest", "--list", "x@nowhere.example", str(PLAIN)]) == 2
    assert "they are dev@kafka.apache.org" in capsys.readouterr().err


def test_mail_of_a_list_that_is_not_the_communitys_holds_nothing_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ingest", "--list", "dve@kafka.apache.org", "--new-list", str(PLAIN)]) == 0
    parts = open_parts()
    with parts.store.read() as session:
        assert [month.list_id for month in session.mail.load_months()] == ["dve@kafka.apache.org"]
        assert session.mail.find_coverage() == Coverage()
    assert parts.store.overview(datetime(2026, 1, 1, tzinfo=UTC)).months == ()


def test_mail_that_names_a_list_of_others_is_left_out_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ingest", str(PLAIN)]) == 1
    assert "is none of this community's lists; `--list " in capsys.readouterr().err
    with open_parts().store.read() as session:
        assert session.mail.load_months() == []
