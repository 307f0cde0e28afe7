"""`ingest`: where no mail was read, it says why in one line."""

from __future__ import annotations

import bz2
import lzma
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kipflow.cli import run
from kipflow.commands.opening import open_parts
from kipflow.domain.facts import Coverage
from tests.corpus import write_vote_cases
from tests.databases import copy_database
from tests.living import live_in
from tests.unit.commands.conftest import Cli

PLAIN = write_vote_cases() / "plain-vote.mbox"


@pytest.fixture(autouse=True)
def community(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy_database(tmp_path / "home" / "kafka.db")
    live_in(monkeypatch, tmp_path / "home")


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def fails(path: Path, cli: Cli) -> str:
    [line] = cli("ingest", str(path), code=1).err.splitlines()
    return line


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
    name: str, data: bytes, why: str, tmp_path: Path, cli: Cli
) -> None:
    path = write(tmp_path / name, data)
    reported = fails(path, cli)
    assert reported.startswith(f"warning: nothing was read from {path}: ")
    assert why in reported


def test_a_folder_without_mail_is_named_with_the_reason(tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "mails"
    folder.mkdir()
    assert "the folder has no files" in fails(folder, cli)
    write(folder / "notes.txt", b"buy milk\n")
    assert f"nothing was read from {folder} (notes.txt#0): no mail headers" in fails(folder, cli)


def test_mail_that_was_read_before_is_no_empty_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ingest", str(PLAIN)]) == run(["ingest", str(PLAIN)])
    assert "nothing was read" not in capsys.readouterr().err


def test_a_mistyped_list_is_refused_with_what_may_be_meant(cli: Cli) -> None:
    reported = cli("ingest", "--list", "dve@kafka.apache.org", str(PLAIN), code=2).err
    assert "dve@kafka.apache.org is none of this community's lists; did you mean dev@kafka.apache.org?" in reported
    assert "they are dev@kafka.apache.org" in cli("ingest", "--list", "x@nowhere.example", str(PLAIN), code=2).err


def test_mail_of_a_list_that_is_not_the_communitys_holds_nothing_up(cli: Cli) -> None:
    cli("ingest", "--list", "dve@kafka.apache.org", "--new-list", str(PLAIN))
    parts = open_parts()
    with parts.store.read() as session:
        assert [list_id for list_id, _ in session.mail.load_months()] == ["dve@kafka.apache.org"]
        assert session.mail.find_coverage() == Coverage()
    assert parts.store.overview(datetime(2026, 1, 1, tzinfo=UTC)).months == ()


def test_mail_that_names_a_list_of_others_is_left_out_and_said(cli: Cli) -> None:
    assert "is none of this community's lists; `--list " in cli("ingest", str(PLAIN), code=1).err
    with open_parts().store.read() as session:
        assert session.mail.load_months() == {}


def write_mail(path: Path, subject: str, body: str, *, day: int, reply_to: str = "") -> Path:
    head = f"From: Mara Lind <mara@lind.example>\nTo: dev@kafka.apache.org\nDate: {day} Mar 2026 09:00:00 +0000\n"
    reply = f"In-Reply-To: <{reply_to}@m.example>\n" if reply_to else ""
    return write(path, f"{head}Message-ID: <{path.stem}@m.example>\n{reply}Subject: {subject}\n\n{body}\n".encode())


def test_an_ingest_is_undone_after_it_was_shown_what_that_changes(tmp_path: Path, cli: Cli) -> None:
    right = write_mail(tmp_path / "discuss.eml", "[DISCUSS] KIP-7: Tidy shelves", "Please have a look.", day=2)
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    write_mail(wrong / "vote.eml", "[VOTE] KIP-7: Tidy shelves", "Please vote.", day=9)
    write_mail(wrong / "reply.eml", "Re: shelves", "Sure.", day=10, reply_to="vote")
    write_mail(wrong / "other.eml", "[DISCUSS] KIP-8: Paint the door", "Green?", day=3)
    assert run(["ingest", str(right), "--as-of", "2026-03-08"]) == 0
    assert run(["advance", "--as-of", "2026-03-08"]) == 0
    assert run(["ingest", str(wrong), str(right), "--complete-through", "2026-03-10"]) == 0
    assert run(["advance"]) == 0
    before = cli("status", "--format", "csv").out
    assert "KIP-7,Vote" in before
    assert "KIP-8,Discussion" in before

    assert "4 mails" in cli("ingest", "--batches").out
    shown = cli("ingest", "--undo", "2").out
    assert f"3 mails of {wrong}, {right} taken out, of 2 proposals" in shown
    assert "dev@kafka.apache.org 2026-03 is partial again" in shown
    assert "KIP-7: " in shown
    assert 'nothing is undone yet: `kipflow -C kafka ingest --undo 2 --write --reason "…"` does it' in shown
    assert cli("status", "--format", "csv").out == before, "showing changes nothing"

    assert run(["ingest", "--undo", "2", "--write"]) == 2, "an undo needs a reason"
    assert run(["ingest", "--undo", "2", "--write", "--reason", "another project's mail"]) == 0
    after = cli("status", "--format", "csv").out
    assert "KIP-7,Discussion" in after
    assert "KIP-8" not in after, "nothing is left of it"
    assert "an ingest was undone" in " ".join(cli("status", "7").out.split())
    assert run(["replay"]) == 0, "history is what the facts that are left come to"
    assert "another project's mail" in cli("ingest", "--batches").out
    assert run(["ingest", "--undo", "2"]) == 2, "once"
    assert run(["ingest", str(wrong)]) == 0
    assert run(["advance"]) == 0
    assert cli("status", "--format", "csv").out.count("KIP-8,Discussion") == 1, "and it can be read again"


def test_mail_that_came_from_elsewhere_too_stays_when_its_ingest_is_undone(tmp_path: Path, cli: Cli) -> None:
    mail = write_mail(tmp_path / "discuss.eml", "[DISCUSS] KIP-7: Tidy shelves", "Please have a look.", day=2)
    other = write_mail(tmp_path / "more.eml", "Re: [DISCUSS] KIP-7: Tidy shelves", "Fine.", day=3)
    assert run(["ingest", str(mail)]) == 0
    assert run(["ingest", str(mail), str(other)]) == 0
    assert run(["ingest", str(mail), str(other), "--complete-through", "2026-03-04"]) == 0
    assert re.findall(r"\d mails?\b", cli("ingest", "--batches").out) == ["1 mail", "2 mails", "2 mails"]
    shown = cli("ingest", "--undo", "1").out
    assert f"0 mails of {mail} taken out, of 0 proposals" in shown
    assert "1 mail of it stays, for batches 2, 3 brought the same" in shown
    assert "dev@kafka.apache.org 2026-03 stays as it is: batch 2 brought the same mails" in shown


def undo(cli: Cli, batch: int) -> str:
    return cli("ingest", "--undo", str(batch), "--write", "--reason", "twice").out


def test_a_file_that_was_taken_in_twice_is_undone_with_its_last_batch(tmp_path: Path, cli: Cli) -> None:
    mail = write_mail(tmp_path / "discuss.eml", "[DISCUSS] KIP-7: Tidy shelves", "Please have a look.", day=2)
    for _ in range(2):
        assert run(["ingest", str(mail)]) == 0
    assert run(["advance"]) == 0
    assert "stays as it is: batch 2 brought the same mails" in undo(cli, 1)
    assert "KIP-7" in cli("status").out
    shown = undo(cli, 2)
    assert f"1 mail of {mail} taken out, of 1 proposal" in shown
    assert "dev@kafka.apache.org 2026-03 is no longer held" in shown, "nothing is left that vouches for it"
    assert "KIP-7" not in cli("status").out


@pytest.mark.parametrize(
    "text",
    [
        b"Adopted KIPs\nKIP-12: A round-up\nKIP-13: Another\n",
        b"## Adopted KIPs\n| KIP-12 | A round-up |\n| KIP-13 | Another |\n",
        b"<h2>Adopted KIPs</h2><table><tr><td>KIP-12: A round-up</td></tr><tr><td>KIP-13: Another</td></tr></table>",
    ],
    ids=["text", "markdown", "html"],
)
def test_an_imported_index_is_undone_like_an_ingest(text: bytes, tmp_path: Path, cli: Cli) -> None:
    index = write(tmp_path / "index.txt", text)
    assert run(["index", "import", str(index)]) == 0
    assert "KIP-12" in cli("status", "--format", "csv").out
    assert "Accepted known from an index, since when is not" in cli("status", "12").out
    table, *_ = [line for line in cli("status").out.splitlines() if line.startswith("KIP-12")]
    assert "date unknown" in table, "the day on which the index was read is not the day of the decision"
    assert "2 index rows of index.txt taken out, of 2 proposals" in cli("ingest", "--undo", "1").out
    assert run(["ingest", "--undo", "1", "--write", "--reason", "the wrong file"]) == 0
    assert "KIP-12" not in cli("status", "--format", "csv").out
    assert run(["replay"]) == 0
