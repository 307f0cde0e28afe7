"""`kipflow votes`: what it prints, what it reports on stderr, and the exit code."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema
import pytest

from kipflow.cli import run
from kipflow.commands.votes import ReadingProgress
from kipflow.services.votes_report import CSV_COLUMNS, SCHEMA_FILE
from tests.corpus import DATA, write_vote_cases
from tests.unit.commands.conftest import Cli

CORPUS = write_vote_cases()
PLAIN = CORPUS / "plain-vote.mbox"
ROSTER = ("--roster", str(DATA / "votes" / "roster.yaml"))
KAFKA = ("--community", "kafka")


def test_a_vote_is_printed_as_table_json_and_csv(cli: Cli) -> None:
    table = cli("votes", str(PLAIN), *ROSTER, *KAFKA).out
    assert table.startswith("2 messages read, 1 vote, as of 2026-03-03 11:00 UTC, by the rules of kafka\n")
    assert "Jun Okafor" in table
    printed = cli("votes", str(PLAIN), *ROSTER, *KAFKA, "--format", "json")
    assert [v["key"] for v in printed.json()["votes"]] == ["KIP-7"]
    printed = cli("votes", str(PLAIN), *ROSTER, *KAFKA, "--format", "csv")
    assert [r["voter"] for r in csv.DictReader(io.StringIO(printed.out))] == ["jun"]


def test_csv_has_one_line_per_ballot_and_runs_no_formula(tmp_path: Path, cli: Cli) -> None:
    path, plain = tmp_path / "x.mbox", PLAIN.read_bytes()
    path.write_bytes(plain.replace(b"Jun Okafor", b"=cmd()").replace(b"jun@", b"j@").replace(b"(binding)", b"(yes!)"))
    [row] = csv.DictReader(io.StringIO(cli("votes", str(path), *ROSTER, *KAFKA, "--format", "csv").out))
    assert tuple(row) == CSV_COLUMNS
    assert (row["name"], row["choice"], row["value"], row["line"]) == ("'=cmd()", "+1", "+1", "'+1 (yes!)")


def test_a_line_that_could_be_a_vote_and_is_none_has_a_named_reason(tmp_path: Path, cli: Cli) -> None:
    text = PLAIN.read_text(encoding="utf-8")
    path = tmp_path / "x.mbox"
    path.write_text(text.replace("\n+1 (binding)\n", "\nThe offset is -1 then.\n\n+1 (binding)\n"), encoding="utf-8")
    assert "measurement" not in cli("votes", str(path), *ROSTER, *KAFKA).out
    out = " ".join(cli("votes", str(path), *ROSTER, *KAFKA, "--explain").out.split())
    assert "not counted as votes, by docs/reading-votes.md:" in out
    assert "The offset is -1 then. measurement a number like any other, or code" in out
    report = cli("votes", str(path), *ROSTER, *KAFKA, "--explain", "--format", "json").json()
    jsonschema.validate(report, json.loads(SCHEMA_FILE.read_text(encoding="utf-8")))
    assert [(each["line"], each["rule"]) for each in report["passed_over"]] == [
        ("The offset is -1 then.", "measurement")
    ]


def test_json_follows_the_schema_for_a_whole_folder(capsys: pytest.CaptureFixture[str]) -> None:
    run(["votes", str(DATA / "communities"), *ROSTER, *KAFKA, "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    assert report["messages_read"] > 0
    assert any(vote["ballots"] for vote in report["votes"]), "a report of nothing follows any schema"
    jsonschema.validate(report, json.loads(SCHEMA_FILE.read_text(encoding="utf-8")))


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_a_folder_without_mail_says_so_in_one_line(form: str, tmp_path: Path, cli: Cli) -> None:
    err = cli("votes", str(tmp_path), *ROSTER, *KAFKA, "--format", form, code=1).err.splitlines()
    assert len(err) == 1
    assert err[0].startswith(f"no mail found in {tmp_path}: ")


def test_what_is_no_mail_in_a_folder_is_named_and_the_rest_is_read(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "a.mbox").write_bytes(PLAIN.read_bytes())
    (tmp_path / "notes.txt").write_text("buy milk\n")
    (tmp_path / "settings.json").write_text('{"a": 1}')
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    shown = cli("votes", str(tmp_path), *ROSTER, *KAFKA, code=1)
    assert shown.out.startswith("2 messages read, 1 vote")
    assert [line.split(":")[1].strip() for line in shown.err.splitlines()] == [
        "notes.txt#0",
        "picture.png#0",
        "settings.json",
    ]


def test_a_narrow_terminal_gets_lines_instead_of_a_table(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.setattr("kipflow.commands.votes.NARROW", 200)
    shown = cli("votes", str(PLAIN), *ROSTER, "-C", "kafka").out.splitlines()
    assert shown[2:] == [
        "KIP-7: open (runs until 2026-03-05 10:00 UTC); binding +1/0/-1 1/0/0, other +1/0/-1 0/0/0",
        "  +1 (binding)  counted  Jun Okafor, address",
        "    +1 (binding)",
    ]


def test_an_outcome_stands_with_what_is_not_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cli: Cli) -> None:
    monkeypatch.setattr("kipflow.commands.votes.NARROW", 200)
    text = PLAIN.read_text(encoding="utf-8")
    as_of = ("--as-of", "2026-04-01", *KAFKA)
    cut, other, nobody = tmp_path / "cut.mbox", tmp_path / "other", tmp_path / "nobody.yaml"
    cut.write_text(text[: text.index("+1 (binding)") + 6], encoding="utf-8")
    other.mkdir()
    (other / "a.mbox").write_text(text.replace("+1 (binding)", "+1 (non-binding)"), encoding="utf-8")
    (other / "notes.txt").write_text("buy milk\n")
    nobody.write_text("people: []\n")

    assert (
        "KIP-7: short (by review: failed; mail is missing; mail read until 2026-03-03 11:00 UTC, the"
        in cli("votes", str(cut), *ROSTER, *as_of, code=1).out
    )
    assert "KIP-7: not judged (mail read until" in cli("votes", str(PLAIN), "--roster", str(nobody), *as_of).out
    noted = cli("votes", str(other), *ROSTER, *as_of, code=1).out
    assert "mail is missing" not in noted, "a file that is no mail hides none"
    assert "+1 (non-binding) [does not claim to bind; the roster says so]" in noted


def test_a_time_before_the_votes_says_that_they_were_opened_later(cli: Cli) -> None:
    shown = cli("votes", str(PLAIN), *ROSTER, *KAFKA, "--as-of", "2020-01-01")
    assert shown.out == "2 messages read, 0 votes, as of 2020-01-01 00:00 UTC, by the rules of kafka\n"
    assert shown.err == "later votes are left out: the first of them was opened 2026-03-02 10:00 UTC\n"


def test_the_last_line_says_how_many_questions_are_open(tmp_path: Path, cli: Cli) -> None:
    text = PLAIN.read_text().replace("+1 (binding)", "+1 if the tests pass", 1)
    mails = tmp_path / "a b.mbox"
    mails.write_text(text)
    begins = '1 question is open (status "review" or a note); '
    strange = cli("votes", str(mails), *ROSTER, *KAFKA).err.splitlines()[-1]
    assert strange == f"{begins}a community with the list dev@commons.example (docs/communities.md) settles it"
    mails.write_text(mails.read_text().replace("commons.example", "kafka.apache.org"))
    expected = cli("votes", str(mails), *ROSTER, *KAFKA).err.splitlines()[-1]
    assert expected.startswith(begins)
    assert f"ingest '{mails}'`" in expected, "a command to copy names the files"
    assert expected.endswith("review` settle it")
    assert "open" not in cli("votes", str(PLAIN), *ROSTER, *KAFKA).err


def write_mails(path: Path, *mails: tuple[str, str, str]) -> None:
    """Write mails of the caller's, each from its day in March, subject and body."""
    head = "From mara@lind.example Mon Mar  2 09:00:00 2026\nFrom: Mara Lind <mara@lind.example>\n"
    texts = (
        f"{head}Date: {day} Mar 2026 09:00:00 +0000\nMessage-ID: <{number}@x.example>\nSubject: {subject}\n\n{body}\n\n"
        for number, (day, subject, body) in enumerate(mails)
    )
    path.write_text("".join(texts))


def test_what_ended_a_vote_is_said_with_the_mail_and_the_end_that_its_caller_named(tmp_path: Path, cli: Cli) -> None:
    call = ("2", "[VOTE] KIP-7: Shorter names", "Please vote for at least two weeks.")
    write_mails(tmp_path / "early.mbox", call, ("6", "[RESULT] [VOTE] KIP-7: Shorter names", "The vote passed."))
    write_mails(tmp_path / "off.mbox", call, ("3", "[CANCEL] [VOTE] KIP-7: Shorter names", "I cancel this vote."))

    early = " ".join(cli("votes", str(tmp_path / "early.mbox"), *KAFKA).out.split())
    off = " ".join(cli("votes", str(tmp_path / "off.mbox"), *KAFKA).out.split())

    assert "announced before the end that its caller named: 2026-03-16T09:00:00Z at the latest" in early
    assert "called off by the mail <1@x.example>" in off


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["/no/such/file.mbox"], "does not exist"),
        ([str(PLAIN), "--as-of", "soon"], "'soon' is not an ISO time"),
        (
            [str(PLAIN), "--roster", "/no/such/roster.yaml"],
            "/no/such/roster.yaml: no such roster file (found there: none)",
        ),
        ([str(PLAIN), "--roster", str(PLAIN)], "plain-vote.mbox"),
        ([str(PLAIN), "--community", "kafak"], "no such community file; did you mean kafka? (found there: airflow, "),
        ([], "Missing argument"),
        ([str(PLAIN), "--explain", "--format", "csv"], "--explain has no CSV"),
    ],
    ids=["no path", "no time", "no roster", "a mailbox as roster", "no community", "nothing named", "no reasons"],
)
def test_what_cannot_run_says_why_in_one_line(arguments: list[str], expected: str, cli: Cli) -> None:
    shown = cli("votes", *arguments, code=2)
    assert shown.out == ""
    assert expected in shown.err
    assert len(shown.err.splitlines()) == 1


def test_an_outcome_that_depends_on_review_is_shown_both_ways(cli: Cli) -> None:
    path = CORPUS / "result-depends-on-a-condition.mbox"
    (vote,) = cli("votes", str(path), *ROSTER, *KAFKA, "--as-of", "2026-04-01", "--format", "json").json()["votes"]
    assert (vote["outcome"], vote["possible_outcomes"]) == ("short", ["short", "passed"])
    printed = cli("votes", str(path), *ROSTER, *KAFKA, "--as-of", "2026-04-01")
    assert "short (by review: passed" in " ".join(printed.out.split())


class Clock:
    """Goes on by a tenth of a second for every hundred mails."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_long_reading_is_reported_in_a_log_after_two_seconds_and_ever_more_rarely() -> None:
    clock, log = Clock(), io.StringIO()
    expected = ReadingProgress(lambda _: None, log, clock)
    for read in range(1, 16_001):
        clock.now = read / 1_000
        expected(read)
    assert log.getvalue().splitlines() == [
        "reading: 2,000 mails read in 2 s",
        "reading: 4,000 mails read in 4 s",
        "reading: 8,000 mails read in 8 s",
        "reading: 16,000 mails read in 16 s",
    ]


def test_a_short_reading_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    run(["votes", str(PLAIN), *ROSTER, *KAFKA])
    assert capsys.readouterr().err == ""


def test_where_the_roster_has_none_of_the_voters_it_counts_what_they_claim(cli: Cli) -> None:
    example = str(DATA.parents[1] / "docs" / "example" / "2026-03.mbox")
    out = cli("votes", example, *KAFKA).out
    assert "the roster has none of the voters: nothing binds, the table counts what they claim" in out
    assert "claim to bind +1/0/-1" in out
    assert "4/0/0" in out
    assert "differs:" not in out
    out = cli("votes", example, *KAFKA, "--roster", str(Path(example).with_name("roster.yaml"))).out
    assert "claim to bind" not in out
    assert "4/0/0" in out


def test_a_vote_under_a_communitys_own_tag_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mails = tmp_path / "x.mbox"
    mails.write_text(PLAIN.read_text(encoding="utf-8").replace("[VOTE]", "[BALLOT]"), encoding="utf-8")
    file = tmp_path / "own.yaml"
    file.write_text(
        "name: own\ntitle: Own\nprefix: KIP\nlists: [dev@x.example]\ntags: {vote: [Ballot]}\n"
        "policy: {source: a test, binding_roles: [committer, pmc]}\n",
        encoding="utf-8",
    )
    found = []
    for community in (str(file), "kafka"):
        run(["votes", str(mails), *ROSTER, "--community", community, "--format", "json"])
        votes = json.loads(capsys.readouterr().out)["votes"]
        found.append([(v["key"], [b["voter"] for b in v["ballots"]]) for v in votes if v["contested"] is None])
    assert found == [[("KIP-7", ["jun"])], []]
