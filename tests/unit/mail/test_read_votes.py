"""`read_votes`: the report, its JSON by the schema, and its table."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kipflow.config.loading import load_community
from kipflow.domain.people import Person
from kipflow.domain.roster import Roster
from kipflow.services.read_votes import read_votes
from kipflow.services.votes_report import render_json, table_rows
from tests.corpus import write_vote_cases

CORPUS = write_vote_cases()
KAFKA = load_community("kafka")


def test_the_outcome_is_judged_at_the_newest_mail_or_at_the_time_asked_for(roster: Roster) -> None:
    path = CORPUS / "result-tagged.mbox"
    assert read_votes([path], community=KAFKA, roster=roster).votes[0].outcome == "passed"
    early = datetime(2026, 3, 4, tzinfo=UTC)
    assert read_votes([path], community=KAFKA, roster=roster, as_of=early).votes[0].outcome == "passing"
    before = datetime(2026, 3, 1, tzinfo=UTC)
    assert read_votes([path], community=KAFKA, roster=roster, as_of=before).votes == ()


def test_without_a_roster_nothing_binds() -> None:
    report = read_votes([CORPUS / "plain-vote.mbox"], community=KAFKA, roster=Roster(()))
    assert report.votes[0].tally.as_dict()["non_binding"]["+1"] == 1
    assert report.votes[0].tally.as_dict()["binding"]["+1"] == 0


def test_the_list_is_the_mails_own_or_the_communitys_first(roster: Roster, tmp_path: Path) -> None:
    path = tmp_path / "x.eml"
    head = "From: Mara Lind <mara@lind.example>\nSubject: [VOTE] KIP-7: x\nDate: 2 Mar 2026 10:00:00 +0000\n"
    path.write_text(f"{head}\nPlease vote.\n")
    assert read_votes([path], community=KAFKA, roster=roster).votes[0].vote.list_id == "dev@kafka.apache.org"
    path.write_text("List-Id: <dev.names.example>\n" + path.read_text())
    assert read_votes([path], community=KAFKA, roster=roster).votes[0].vote.list_id == "dev@names.example"


def test_one_vote_over_several_archives_of_several_kinds(roster: Roster, tmp_path: Path) -> None:
    mails = (CORPUS / "result-tagged.mbox").read_bytes().split(b"From dev-return-1")[1:]
    (tmp_path / "a.mbox.gz").write_bytes(gzip.compress(b"From dev-return-1" + mails[0]))
    maildir = tmp_path / "box" / "cur"
    maildir.mkdir(parents=True)
    for number, mail in enumerate(mails[1:3]):
        (maildir / f"{number}:2,S").write_bytes(mail.split(b"\n", 1)[1])
    (tmp_path / "c.eml").write_bytes(mails[3].split(b"\n", 1)[1])
    (tmp_path / "d.mbox").write_bytes(b"".join(b"From dev-return-1" + mail for mail in mails))
    together = read_votes(sorted(tmp_path.iterdir()), community=KAFKA, roster=roster)
    alone = read_votes([CORPUS / "result-tagged.mbox"], community=KAFKA, roster=roster)
    assert render_json(together)["votes"] == render_json(alone)["votes"]
    assert together.messages_read == alone.messages_read == len(mails)


def test_pony_mails_json_is_read_too(roster: Roster, tmp_path: Path) -> None:
    root = {"from": "Mara Lind <mara@lind.example>", "subject": "[VOTE] KIP-7: x", "message-id": "<r@x.example>"}
    reply = {"from": "Jun Okafor <jun@okafor.example>", "subject": "Re: [VOTE] KIP-7: x", "message-id": "<a@x.example>"}
    thread = {
        "emails": [
            {**root, "epoch": 1772445600, "body": "Please vote, open for 72 hours.", "list_raw": "<dev.x.example>"},
            {**reply, "epoch": 1772532000, "body": "+1 (binding)", "in-reply-to": "<r@x.example>"},
        ]
    }
    path = tmp_path / "thread.json"
    path.write_text(json.dumps(thread))
    (reading,) = read_votes([path], community=KAFKA, roster=roster).votes
    assert [(b.voter, b.value) for b in reading.vote.ballots] == [("jun", "+1")]


def test_damaged_files_are_reported_and_the_rest_is_read(roster: Roster, tmp_path: Path) -> None:
    whole = gzip.compress((CORPUS / "plain-vote.mbox").read_bytes() * 50, compresslevel=0)
    (tmp_path / "cut.mbox.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "empty.mbox").write_bytes(b"")
    (tmp_path / "bad.json").write_text("{")
    report = read_votes([tmp_path], community=KAFKA, roster=roster)
    assert {u.source for u in report.unreadable} == {"bad.json", "cut.mbox.gz", "empty.mbox"}
    assert report.messages_read == 2


def test_the_table_shows_every_ballot_with_its_evidence(roster: Roster) -> None:
    rows = table_rows(read_votes([CORPUS / "changed-vote.mbox"], community=KAFKA, roster=roster))
    assert [(r["vote"], r["voter"], r["status"]) for r in rows] == [
        ("KIP-7", "Jun Okafor", "superseded"),
        ("", "Jun Okafor", "counted"),
    ]
    assert "the names clash" in rows[0]["evidence"]


def test_the_table_distinguishes_a_candidate_that_was_replaced_from_a_vote_called_off(roster: Roster) -> None:
    def outcomes(name: str) -> list[str]:
        rows = table_rows(read_votes([CORPUS / f"{name}.mbox"], community=KAFKA, roster=roster))
        return [row["outcome"] for row in rows if row["vote"]]

    assert outcomes("candidate-replaced")[0] == "cancelled (replaced)"
    assert outcomes("cancelled-vote")[0] == "cancelled"


@pytest.mark.parametrize(
    "people", [(), (Person(id="other", name="Somebody Else", emails=("other@else.example",)),)], ids=["none", "another"]
)
def test_where_the_roster_has_no_voter_the_announced_groups_are_said_once_to_be_unknown(
    people: tuple[Person, ...],
) -> None:
    report = read_votes([CORPUS / "result-next-month.mbox"], community=KAFKA, roster=Roster(people))
    assert report.votes[0].differences[1:] == ("the roster has none of the voters: whose votes bind is not known",)


def test_a_vote_whose_opening_is_not_held_is_not_called_announced_too_early(tmp_path: Path, roster: Roster) -> None:
    whole = (CORPUS / "result-plain-reply.mbox").read_text(encoding="utf-8")
    path = tmp_path / "cut.mbox"
    path.write_text("From " + "\nFrom ".join(whole.split("\nFrom ")[1:]), encoding="utf-8")
    [reading] = read_votes([path], community=KAFKA, roster=roster).votes
    assert reading.vote.root_missing
    assert not [line for line in reading.differences if "before the period" in line]
