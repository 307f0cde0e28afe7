"""Real mail beside the project: every label, phrase and odd mail. Skipped where it is absent."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kipflow.config.loading import load_community
from kipflow.domain.arrivals import TOLERANCE
from kipflow.domain.facts import Message, Unreadable
from kipflow.domain.people import Person, Role
from kipflow.domain.roster import Roster
from kipflow.domain.votes import Standing
from kipflow.mail.archive import read_path
from kipflow.mail.filereading import FileReading
from kipflow.mail.quoting import find_own_words
from kipflow.mail.votes.reading import read_expressions
from kipflow.mbox.splitting import split_mbox
from kipflow.services.read_votes import read_votes
from kipflow.services.votes_report import render_json

pytestmark = pytest.mark.realdata
FLAVOURS = ("listsao", "mailarchivesao", "mboxvm")


def read(path: Path) -> dict[str, Any]:
    return render_json(read_votes([path], community=load_community("apache-release"), roster=Roster(())))


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_every_unambiguous_message_of_the_labelled_month_is_read_right(realdata: Path, flavour: str) -> None:
    found = read_votes(
        [realdata / "mail" / f"maven-dev-2017-11-{flavour}.mbox"],
        community=load_community("apache-release"),
        roster=Roster(()),
    )
    read_as = {b.message_id.lower(): b for v in found.votes for b in v.vote.ballots}
    with (realdata / "votes" / "maven_2017-11_labels.csv").open(encoding="utf-8") as labels:
        rows = [row for row in csv.DictReader(labels) if row["ambiguous"] == "False"]
    assert rows
    wrong = []
    for row in rows:
        ballot = read_as.get(row["message_id"].lower())
        choice = "none" if ballot is None or ballot.status == "review" else str(ballot.choice)
        claimed = {"true": True, "false": False, "unstated": None}[row["binding_declared"]]
        if choice != row["label"] or (ballot is not None and choice != "none" and ballot.claimed_binding != claimed):
            wrong.append((row["mbox_index"], row["label"], choice))
    assert wrong == []


def test_the_three_flavours_of_one_month_show_the_same_votes(realdata: Path) -> None:
    reports = [read(realdata / "mail" / f"maven-dev-2017-11-{flavour}.mbox") for flavour in FLAVOURS]
    assert reports[0]["messages_read"] == reports[1]["messages_read"] == reports[2]["messages_read"] == 317
    times = [[b.pop("cast_at") for v in report["votes"] for b in v["ballots"]] for report in reports]
    for vote in (v for report in reports for v in report["votes"]):
        for name in ("opened_at", "earliest_close"):
            vote[name] = vote[name][:-3]
    assert reports[0]["votes"] == reports[1]["votes"] == reports[2]["votes"]
    for pair in zip(*times, strict=True):
        # each archive's own host received it, seconds apart
        at = [datetime.fromisoformat(time) for time in pair]
        assert max(at) - min(at) < timedelta(seconds=10)


def test_the_archives_record_when_nearly_every_real_mail_arrived(realdata: Path) -> None:
    """What the order of records rests on: see `find_arrival`."""
    found = [
        item
        for file in sorted((realdata / "mail").glob("*.mbox"))
        for item in read_path(
            file, how=FileReading(list_id="dev@x.example", month="", prefix="KIP", receivers=("apache.org", "ponee.io"))
        )
        if isinstance(item, Message)
    ]
    assert Counter(m.arrived_from for m in found) == {"received": 1214, "envelope": 2, "none": 1}
    late = [abs(m.arrived_at - m.dated_at) for m in found if m.arrived_at is not None and m.dated_at is not None]
    assert max(late) < timedelta(hours=2) < TOLERANCE


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_with_addresses_in_the_roster_hardly_a_ballot_of_the_month_is_asked_about(realdata: Path, flavour: str) -> None:
    path = realdata / "mail" / f"maven-dev-2017-11-{flavour}.mbox"
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for mail in read_path(
        path, how=FileReading(list_id="dev@x.example", month="", prefix="KIP", list_from_headers=True)
    ):
        if isinstance(mail, Message) and " " in mail.author_name and mail.author_address:
            written[mail.author_name][mail.author_address] += 1
    # of each the one address that they use most: about any other it would be asked
    people = [
        Person(id=f"p{n}", name=name, emails=(found.most_common(1)[0][0],), roles=(Role(role="pmc"),))
        for n, (name, found) in enumerate(sorted(written.items()))
    ]
    report = read_votes([path], community=load_community("apache-release"), roster=Roster(people))
    ballots = [b for v in report.votes for b in v.vote.ballots]
    asked = [mail for v in report.votes for mail in v.vote.doubted_mails]
    assert sum(b.binding for b in ballots) >= 10
    assert len(asked) <= 0.02 * len(ballots)


def test_phrases_are_read_right_and_none_becomes_a_false_vote(realdata: Path) -> None:
    right, total, false_votes = 0, 0, []
    for line in (realdata / "votes" / "vote_phrases.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found = read_expressions(find_own_words(row["text"]), author="A Voter")
        clear = [e for e in found if e.standing is Standing.CLEAR]
        said = str(clear[0].choice) if clear else "none"
        if not row["ambiguous"]:
            total += 1
            right += said == row["label_guess"]
        if row["label_guess"] == "none" and said != "none":
            false_votes.append(row["id"])
    assert false_votes == []
    assert right / total >= 0.97


def test_nothing_of_any_real_or_malformed_file_is_dropped_in_silence(realdata: Path) -> None:
    files = sorted([*realdata.glob("mail/*"), *realdata.glob("malformed/*/*")])
    assert files
    for path in files:
        with path.open("rb") as stream:
            mails = sum(1 for _ in split_mbox(stream))
        items = list(read_path(path, how=FileReading(list_id="dev@x.example", month="", prefix="KIP")))
        assert len(items) == max(mails, 1), path.name
        assert all(isinstance(i, Message) or (isinstance(i, Unreadable) and i.why) for i in items)
