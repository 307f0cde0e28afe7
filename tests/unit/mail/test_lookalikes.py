"""`kipflow votes` on people who look alike: what is merged, what is only shown, and what waits for it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kipflow.config.loading import load_community
from kipflow.domain.people import Person, Role
from kipflow.domain.roster import Roster
from kipflow.services.read_votes import read_votes
from kipflow.services.votes_report import SCHEMA_FILE, render_json, table_rows

KAFKA = load_community("kafka")
T0 = datetime(2026, 3, 2, 9, tzinfo=UTC)
ROSTER = Roster(
    Person(id=i, name=n, emails=(f"{i}@apache.org",), roles=(Role(role="committer"),))
    for i, n in (("mlind", "Mara Lind"), ("kosei", "Kim Osei"), ("rberg", "Rune Berg"))
)
BINDING = (
    ("Mara Lind <mlind@apache.org>", "+1"),
    ("Kim Osei <kosei@apache.org>", "+1"),
    ("Rune Berg <rberg@apache.org>", "+1"),
)


def read(folder: Path, roster: Roster, *cast: tuple[str, str], reply_to: str = "") -> dict[str, Any]:
    """The report on a vote with these ballots, checked against the schema; `rows` is its table."""
    root = ("Mara Lind <mlind@apache.org>", "Please vote.")
    for number, (sender, words) in enumerate((root, *cast)):
        mail = EmailMessage()
        mail["Message-ID"], mail["From"], mail["To"] = f"<{number}@m.example>", sender, "dev@kafka.apache.org"
        mail["Date"] = format_datetime(T0 + timedelta(hours=5 * number))
        mail["Subject"] = ("Re: " if number else "") + "[VOTE] KIP-7: Tidy shelves"
        if number:
            mail["In-Reply-To"] = "<0@m.example>"
        if reply_to and number == len(cast):
            mail["Reply-To"] = reply_to
        mail.set_content(words + "\n")
        (folder / f"{number}.eml").write_bytes(mail.as_bytes())
    report = read_votes([folder], community=KAFKA, roster=roster, as_of=T0 + timedelta(days=30))
    found = json.loads(json.dumps(render_json(report)))
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(found)
    vote: dict[str, Any] = {**found["votes"][0], "rows": table_rows(report)}
    return vote


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Tom Fisk <tom@x.example>", "Tom Fisk <tom@y.example>"),
        ("Tom Fisk <tom@x.example>", "TOM FISK <TOM@X.example.INVALID>"),
        ("Zoë Añez <zoe@x.example>", "=?utf-8?q?Zoe_A=C3=B1ez?= <z@y.example>"),
        ("tom@x.example", "Tom Fisk <tom@x.example>"),
        ("tom@x.example (Tom Fisk)", '"Fisk, Tom" <tf@y.example>'),
    ],
    ids=["two addresses", "rewritten", "accents and encoded words", "without a name", "turned round"],
)
def test_one_person_counts_once_without_being_asked(tmp_path: Path, first: str, second: str) -> None:
    vote = read(tmp_path, ROSTER, *BINDING, (first, "+1"), (second, "-1"))
    assert vote["tally"]["non_binding"] == {"+1": 0, "0": 0, "-1": 1}
    assert (vote["doubts"], vote["outcome"]) == ([], "passed")


def test_a_voter_behind_the_list_is_the_one_in_the_reply_to(tmp_path: Path) -> None:
    vote = read(
        tmp_path,
        ROSTER,
        *BINDING,
        ("Kim Osei via dev <dev@kafka.apache.org>", "-1"),
        reply_to="Kim Osei <kosei@apache.org>",
    )
    assert vote["tally"]["binding"] == {"+1": 2, "0": 0, "-1": 1}
    assert vote["doubts"] == []


def test_likely_people_are_shown_with_what_depends_on_them_and_the_vote_waits(tmp_path: Path) -> None:
    vote = read(tmp_path, ROSTER, *BINDING, ("K. Osei <kim@home.example>", "-1"))
    assert vote["outcome"] == "passing"
    assert vote["doubts"] == [
        {
            "one": {"voter": "kim@home.example", "name": "K. Osei"},
            "other": {"voter": "kosei", "name": "Kim Osei"},
            "kind": "identity",
            "why": "initials of the same name",
            "outcomes": ["if one person: falls short with +2 -1", "if two people: passes with +3 -0"],
        }
    ]
    assert vote["rows"][-1]["evidence"] == (
        "are K. Osei <kim@home.example> and Kim Osei <kosei> the same person? (initials of the same name); "
        "if one person: falls short with +2 -1; if two people: passes with +3 -0"
    )


@pytest.mark.parametrize(
    ("sender", "kind"),
    [
        ('"kosei@apache.org" <kim@home.example>', "sender"),
        ('"Kim Osei <kosei@apache.org>" <kim@home.example>', "sender"),
        ("=?utf-8?q?Kim=E2=80=8BOsei?= <ko@home.example>", "identity"),
        ("kosei <ko@home.example>", "identity"),
        ("Kim <kim.osei@home.example>", "identity"),
        ("K <k.osei@apache.org>", "identity"),
        ("Tom Fisk on behalf of Kim Osei <tom@x.example>", "identity"),
    ],
)
def test_whoever_shows_something_of_a_known_person_is_asked_about(tmp_path: Path, sender: str, kind: str) -> None:
    vote = read(tmp_path, ROSTER, *BINDING, (sender, "-1"))
    assert [(d["kind"], d["other"]["voter"]) for d in vote["doubts"]] == [(kind, "kosei")]
    assert (vote["outcome"], vote["tally"]["binding"]["+1"]) == ("passing", 3)


@pytest.mark.parametrize(
    "sender",
    [
        "Kim <kim@home.example>",
        "Osei <oseis@home.example>",
        "Kim Berg <kim.berg@home.example>",
        "rune <rune@home.example>",
        '"tom@x.example" <fisk@y.example>',
        "Tom Fisk (Lind Inc) <tom@lind.example>",
        "Kosei Mori <kosei@mori.example>",
    ],
)
def test_an_ordinary_voter_who_is_not_listed_is_not_asked_about(tmp_path: Path, sender: str) -> None:
    vote = read(tmp_path, ROSTER, *BINDING, (sender, "-1"))
    assert (vote["doubts"], vote["tally"]["non_binding"]["-1"], vote["outcome"]) == ([], 1, "passed")


def test_without_a_roster_likely_people_are_shown_too(tmp_path: Path) -> None:
    vote = read(tmp_path, Roster(()), ("Jon Smith <jon@x.example>", "+1"), ("John Smith <john@y.example>", "+1"))
    assert vote["tally"]["non_binding"]["+1"] == 2
    assert [(d["why"], d["outcomes"]) for d in vote["doubts"]] == [("one letter away", [])]
