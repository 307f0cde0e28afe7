"""`review`: who is who, ballots, stages; through the command line, on a real store."""

from __future__ import annotations

import csv
import io
import json
import shutil
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path

import pytest

from kipflow.cli import run

T0 = datetime(2026, 3, 2, 9, tzinfo=UTC)
CONFIG = Path(__file__).resolve().parents[3] / "config"
ROSTER = """
source: made up
people:
  - {id: mlind, name: Mara Lind, emails: [mlind@apache.org], roles: [{role: committer}]}
  - {id: kosei, name: Kim Osei, emails: [kosei@apache.org], roles: [{role: committer}]}
  - {id: rberg, name: Rune Berg, emails: [rberg@apache.org], roles: [{role: committer}]}
"""
SUBJECT = "[VOTE] KIP-{}: Tidy shelves"


def write(
    folder: Path,
    stem: str,
    sender: str,
    day: float,
    text: str,
    *,
    number: int = 7,
    root: bool = False,
    subject: str = "",
) -> None:
    mail = EmailMessage()
    mail["Message-ID"] = f"<{stem}@m.example>"
    mail["From"] = sender
    mail["To"] = "dev@kafka.apache.org"
    mail["Date"] = format_datetime(T0 + timedelta(days=day))
    mail["Subject"] = subject or ("" if root else "Re: ") + SUBJECT.format(number)
    if not root and not subject:
        mail["In-Reply-To"] = f"<root{number}@m.example>"
    mail.set_content(text + "\n")
    (folder / f"{stem}.eml").write_bytes(mail.as_bytes())


def live_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIPFLOW_CONFIG", str(folder / "config"))
    monkeypatch.setenv("KIPFLOW_HOME", str(folder / "home"))
    monkeypatch.setenv("KIPFLOW_COMMUNITY", "kafka")


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a community that was read and decided once, for each test to copy."""
    folder = tmp_path_factory.mktemp("decided")
    shutil.copytree(CONFIG, folder / "config")
    (folder / "config" / "rosters" / "kafka.yaml").write_text(ROSTER, encoding="utf-8")
    mails = folder / "mails"
    mails.mkdir()
    for number in (7, 8):
        write(mails, f"root{number}", "Mara Lind <mlind@apache.org>", 0, "Please vote.", number=number, root=True)
        write(mails, f"m{number}", "Mara Lind <mlind@apache.org>", 0.1, "+1 (binding)", number=number)
        write(mails, f"k{number}", "Kim Osei <kosei@apache.org>", 1, "+1 (binding)", number=number)
        write(mails, f"r{number}", "Rune Berg <rberg@apache.org>", 1.1, "+1 (binding)", number=number)
        write(mails, f"o{number}", "K. Osei <kim@home.example>", 2, "-1, on second thoughts", number=number)
    with pytest.MonkeyPatch.context() as patch:
        live_in(folder, patch)
        assert run(["ingest", str(mails)]) == 0
        assert run(["advance", "--as-of", "2026-03-10"]) == 0
    return folder


@pytest.fixture
def community(decided: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """KIP-7 and KIP-8 in vote under a roster of three; "K. Osei" votes -1 on both after Kim Osei's +1."""
    shutil.copytree(decided, tmp_path, dirs_exist_ok=True)
    live_in(tmp_path, monkeypatch)
    return tmp_path / "mails"


def review(*words: str, by: str = "ops", day: int = 11) -> int:
    return run(["review", *words, "--by", by, "--reason", "asked them", "--as-of", f"2026-03-{day:02d}"])


def shown(capsys: pytest.CaptureFixture[str], number: int = 7) -> str:
    capsys.readouterr()
    assert run(["status", str(number)]) == 0
    return capsys.readouterr().out


def questions(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    capsys.readouterr()
    run(["review", "--format", "json"])
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


def test_who_may_be_one_person_is_asked_with_the_outcome_both_ways_and_the_command_that_settles_it(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = questions(capsys)
    assert [(q["proposal"], q["kind"]) for q in asked] == [("KIP-7", "identity"), ("KIP-8", "identity")]
    assert asked[0]["question"] == (
        "are K. Osei <kim@home.example> and Kim Osei <kosei> the same person? (initials of the same name)"
    )
    assert asked[0]["both_ways"] == ["if one person: falls short with +2 -1", "if two people: passes with +3 -0"]
    assert str(asked[0]["settle"]).splitlines() == [
        'kipflow -C kafka review merge kim@home.example kosei --reason "…"  # one person',
        'kipflow -C kafka review split kim@home.example kosei --reason "…"  # two people',
    ]
    assert "1 doubt about who is who could turn it: a person must settle" in shown(capsys)


def test_care_is_ruled_on_with_known_interfaces_only_and_a_reviewer_can_be_named(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = community.parent / "config" / "communities" / "kafka.yaml"
    care = "  care:\n    - {interface: log-format, voting_period: 20 days, reviewers: 1}\neffects:"
    config.write_text(config.read_text(encoding="utf-8").replace("\neffects:", f"\n{care}"), encoding="utf-8")
    assert run(["advance", "--as-of", "2026-03-10"]) == 0
    assert "care required" not in shown(capsys)
    assert review("care", "7", "log-format") == 0
    status = shown(capsys)
    assert "closes no earlier than Sun 2026-03-22 09:00 UTC (log-format: care required)" in status
    assert "needs 1 more reviewer (care required: log-format)" in status
    assert "touches log-format by ops: asked them" in status
    assert review("care", "7", "--reviewed-by", "Rune Berg", day=12) == 0
    status = shown(capsys)
    assert "more reviewer" not in status
    assert "reviewed by Rune Berg" in status
    assert review("care", "7", "--none", day=13) == 0
    assert "closes no earlier than Sun" not in shown(capsys)
    assert review("care", "7", "colour") != 0
    assert review("care", "7") != 0


def test_a_merge_settles_the_pair_in_every_vote_and_can_be_taken_back(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert review("merge", "kim@home.example", "kosei") == 0
    assert "ruling 1 recorded" in capsys.readouterr().out
    assert [q["kind"] for q in questions(capsys) if q["kind"] == "identity"] == []
    for number in (7, 8):
        status = shown(capsys, number)
        assert "binding +2/0/-1" in status
        assert "ruling 1: one person: kim@home.example = kosei by ops: asked them" in status
    assert run(["advance", "--as-of", "2026-03-12"]) == 0
    assert "binding +2/0/-1" in shown(capsys), "a recount does not forget it"
    assert review("revoke", "1", day=13) == 0
    assert "binding +3/0/-0" in shown(capsys)
    assert len(questions(capsys)) == 2


def test_a_split_settles_the_pair_and_leaves_the_votes_apart(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert review("split", "kosei@apache.org", "K. Osei <kim@home.example>") == 0
    assert [q["kind"] for q in questions(capsys) if q["kind"] == "identity"] == []
    assert "binding +3/0/-0" in shown(capsys)
    assert "two people: kim@home.example = kosei by ops" in shown(capsys, 8)


def test_a_known_name_from_an_unknown_address_is_asked_and_one_ruling_gives_the_address_from_a_day_on(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(community, "x7", "Mara Lind <mara@home.example>", 2.5, "-1 (binding)")
    assert run(["ingest", str(community)]) == 0
    assert run(["advance", "--as-of", "2026-03-11"]) == 0
    [asked] = [q for q in questions(capsys) if q["kind"] == "sender"]
    assert asked["question"] == (
        "Mara Lind <mara@home.example> writes under the name of Mara Lind from an address that is not known as "
        "theirs: is this Mara Lind?"
    )
    assert str(asked["settle"]).startswith("kipflow -C kafka review sender mara@home.example mlind --reason ")
    assert "binding +3/0/-0" in shown(capsys)
    assert review("sender", "mara@home.example", "mlind", "--since", "2026-03-05", day=12) == 0
    assert "binding +3/0/-0" in shown(capsys), "the mail is older than that"
    assert review("sender", "mara@home.example", "mlind", day=13) == 0
    assert "binding +2/0/-1" in shown(capsys)
    assert review("sender", "mara@home.example", "mlind", "--since", "2026-03-05", day=13) == 0
    assert "says so already" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (("merge", "kosei", "kosei"), "kosei is one person, whoever that is: name two mailboxes"),
        (
            ("merge", "kosei", "kosei@apache.org"),
            "are both kosei already; what the roster says is corrected in its file",
        ),
        (("merge", "kosei", "no@body.example"), "no mail is from 'no@body.example' and the roster has nobody"),
        (("ballot", "7", "no@ballot.example", "+1"), "'no@ballot.example' is no ballot of KIP-7"),
        (("ballot", "99", "m7@m.example", "+1"), "no proposal 99 is known"),
        (("stage", "7", "Vote"), "KIP-7 is in stage Vote already"),
        (("snooze", "7", "2026-03-01"), "a snooze ends in the future; 2026-03-01 00:00 UTC is not after 2026-03-11"),
        (("revoke", "12"), "no ruling 12 is known; `kipflow -C kafka review rulings` lists them"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else "",
)
def test_what_makes_no_sense_is_refused_in_one_line(
    community: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], reported: str
) -> None:
    capsys.readouterr()
    assert review(*words) == 2
    out = capsys.readouterr()
    assert reported in out.err
    assert len(out.err.splitlines()) == 1
    assert run(["review", "rulings", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_an_unknown_stage_is_refused(community: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert review("stage", "7", "Finished") == 2
    assert "'Finished' is not one of" in capsys.readouterr().err


def test_merge_and_split_of_one_pair_exclude_each_other(community: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert review("merge", "kim@home.example", "kosei") == 0
    capsys.readouterr()
    assert review("split", "kosei", "kim@home.example") == 2
    assert "are one person by ruling 1 (ops); revoke that first" in capsys.readouterr().err
    assert review("revoke", "1") == 0
    assert review("split", "kosei", "kim@home.example") == 0
    capsys.readouterr()
    assert review("merge", "kosei", "kim@home.example") == 2
    assert "they are two people by ruling 2 (ops); revoke that first" in capsys.readouterr().err


def test_a_chain_of_merges_that_would_join_two_who_are_split_is_refused(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for n in (1, 2):
        write(community, f"s{n}", f"Uma Holt <uma{n}@home.example>", 2.5 + n, "+1")
    assert run(["ingest", str(community)]) == 0
    assert review("split", "uma1@home.example", "uma2@home.example") == 0
    assert review("merge", "kim@home.example", "uma1@home.example") == 0
    capsys.readouterr()
    assert review("merge", "kim@home.example", "uma2@home.example") == 2
    assert "they are two people by ruling 1 (ops)" in capsys.readouterr().err
    assert review("merge", "kim@home.example", "kosei") == 0
    capsys.readouterr()
    assert review("merge", "kosei", "uma1@home.example") == 2
    assert "kosei and uma1@home.example are one person by rulings 2 (ops), 3 (ops) already" in capsys.readouterr().err


def test_two_people_of_the_roster_are_not_merged_not_even_by_way_of_a_third(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert review("merge", "kim@home.example", "kosei") == 0
    for one in ("kosei", "kim@home.example"):
        capsys.readouterr()
        assert review("merge", one, "mlind") == 2
        reported = capsys.readouterr().err
        assert "the roster has kosei and mlind as two people; if they are one, correct its file" in reported
        assert len(reported.splitlines()) == 1


def test_a_split_of_two_whom_nobody_takes_for_one_is_refused(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert review("split", "mlind", "rberg") == 2
    assert "mlind and rberg count as two people already: nobody takes them for one" in capsys.readouterr().err


def test_a_word_on_a_page_that_nothing_is_asked_about_is_refused(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert review("page", "7") == 2
    assert "KIP-7" in capsys.readouterr().err


def test_a_revocation_needs_a_reason(community: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert review("snooze", "7", "2026-05-01") == 0
    capsys.readouterr()
    assert run(["review", "revoke", "1", "--by", "ops", "--as-of", "2026-03-12"]) == 2
    assert "--reason" in capsys.readouterr().err
    assert run(["review", "rulings", "--standing"]) == 0
    assert "snooze until" in capsys.readouterr().out


def test_a_command_pasted_as_it_was_shown_settles_nothing(community: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert review("snooze", "7", "2026-05-01") == 0
    for pasted in (["snooze", "7", "2026-06-01"], ["revoke", "1"]):
        assert run(["review", *pasted, "--by", "ops", "--as-of", "2026-03-12", "--reason", "…"]) == 2
        assert "write your own in its place" in capsys.readouterr().err
    assert run(["review", "rulings", "--standing", "--format", "json"]) == 0
    assert [r["id"] for r in json.loads(capsys.readouterr().out)] == [1]


def test_whether_to_reopen_can_be_answered_with_no(community: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert review("stage", "7", "Discarded") == 0
    write(community, "again", "Mara Lind <mlind@apache.org>", 12, "Again?", subject="[DISCUSS] KIP-7: Tidy shelves")
    assert run(["ingest", str(community)]) == 0
    assert run(["advance", "--as-of", "2026-03-15"]) == 0
    assert "reopening" in {q["kind"] for q in questions(capsys) if q["proposal"] == "KIP-7"}
    assert review("stage", "7", "Discarded", day=16) == 0
    assert "reopening" not in {q["kind"] for q in questions(capsys) if q["proposal"] == "KIP-7"}
    assert "Discarded since 2026-03-11" in shown(capsys)
    assert review("stage", "7", "Discarded", day=17) == 2, "nothing is asked any more"


def test_the_same_ruling_twice_is_stored_once_whoever_makes_it(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (
        ("merge", "kim@home.example", "kosei"),
        ("ballot", "7", "<o7@m.example>", "none"),
        ("snooze", "7", "2026-05-01"),
    ):
        assert review(*words) == 0
        assert review(*words, by="lead", day=12) == 0
    capsys.readouterr()
    assert run(["review", "rulings", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(r["id"], r["by"], r["revoked"]) for r in rows] == [("1", "ops", ""), ("2", "ops", ""), ("3", "ops", "")]


def test_a_second_word_on_a_settled_ballot_is_refused_until_the_first_is_revoked(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert review("ballot", "7", "o7@m.example", "none") == 0
    capsys.readouterr()
    assert review("ballot", "7", "o7@m.example", "-1", by="lead") == 2
    assert "ruling 1 by ops settles it as none; revoke that one first" in capsys.readouterr().err
    assert review("revoke", "1", by="lead") == 0
    assert review("ballot", "7", "o7@m.example", "-1", by="lead") == 0


def test_a_revoked_ruling_stays_in_the_list_with_who_and_why_and_is_revoked_once(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert review("snooze", "7", "2026-05-01") == 0
    assert review("revoke", "1", by="lead", day=12) == 0
    capsys.readouterr()
    assert review("revoke", "1", day=13) == 2
    assert "ruling 1 was revoked by lead on 2026-03-12 00:00 UTC already" in capsys.readouterr().err
    assert run(["review", "rulings", "7", "--format", "json"]) == 0
    [row] = json.loads(capsys.readouterr().out)
    assert row["revoked"] == "2026-03-12 00:00 by lead: asked them"
    assert run(["review", "rulings", "--standing", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_restored_proposal_is_where_it_was_and_stays_there(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert review("stage", "7", "Discarded") == 0
    assert review("restore", "7", day=12) == 0
    assert "KIP-7 is now: Vote" in capsys.readouterr().out
    assert review("restore", "7", day=12) == 2
    assert "KIP-7 was restored by ruling 2 already; revoke that one to take it back" in capsys.readouterr().err
    assert run(["advance", "--as-of", "2026-03-14"]) == 0
    assert "Vote since 2026-03-12" in shown(capsys)
    assert run(["replay"]) == 0


def test_a_proposal_that_never_moved_has_nothing_to_restore(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(community, "talk", "Mara Lind <mlind@apache.org>", 1, "An idea.", subject="What about KIP-9 one day?")
    assert run(["ingest", str(community)]) == 0
    assert run(["advance", "--as-of", "2026-03-11"]) == 0
    assert "Draft since" in shown(capsys, 9)
    assert review("restore", "9") == 2
    assert "KIP-9 has not moved since it began: there is nothing to restore" in capsys.readouterr().err


def test_control_characters_of_a_name_do_not_reach_the_terminal(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(community, "esc7", "K\x1b[2J. Osei <kim2@other.example>", 2.5, "-1")
    assert run(["ingest", str(community)]) == 0
    assert run(["advance", "--as-of", "2026-03-11"]) == 0
    assert "\x1b" not in shown(capsys)
    assert review("merge", "K\x1b[2J. Osei <kim3@other.example>", "kosei") == 2
    run(["review"])
    reported = capsys.readouterr()
    assert "\x1b" not in reported.out + reported.err


def test_a_ruling_dated_in_the_future_is_refused_and_leaves_nothing(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ahead = (datetime.now(UTC) + timedelta(days=40)).date().isoformat()
    why = ("--by", "ops", "--reason", "typed wrong", "--as-of", ahead)
    for words in (("stage", "7", "Dormant"), ("merge", "kim@home.example", "kosei"), ("snooze", "7", "2999-01-01")):
        capsys.readouterr()
        assert run(["review", *words, *why]) == 2
        reported = capsys.readouterr().err
        assert f"{ahead} 00:00 UTC has not come yet" in reported
        assert len(reported.splitlines()) == 1
    assert run(["review", "rulings", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_ruling_from_before_the_proposal_or_the_ruling_that_it_ends_is_refused(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run(["review", "stage", "7", "Draft", "--reason", "typed wrong", "--as-of", "2020-01-01"]) == 2
    assert "KIP-7 began on 2026-03-02 09:00 UTC: nobody ruled on it by 2020-01-01" in capsys.readouterr().err
    assert review("snooze", "7", "2026-05-01") == 0
    capsys.readouterr()
    assert review("revoke", "1", day=10) == 2
    assert "ruling 1 was made on 2026-03-11 00:00 UTC: it cannot end before it began" in capsys.readouterr().err


def test_another_word_dated_to_the_same_moment_is_another_ruling(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert review("stage", "7", "Discarded") == 0
    assert review("revoke", "1") == 0
    capsys.readouterr()
    assert review("stage", "7", "Discussion") == 0
    assert "ruling 2 recorded; KIP-7 is now: Discussion" in capsys.readouterr().out
    assert "Discussion since 2026-03-11" in shown(capsys)


def test_a_merge_says_which_votes_it_turned_and_how_and_so_does_its_revocation(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert review("merge", "kim@home.example", "kosei") == 0
    reported = capsys.readouterr().out.splitlines()
    assert reported[1:] == [
        "  KIP-7, round 1: binding +3/0/-0, non-binding +0/0/-1: passing → binding +2/0/-1: short",
        "  KIP-8, round 1: binding +3/0/-0, non-binding +0/0/-1: passing → binding +2/0/-1: short",
    ]
    assert review("revoke", "1", day=13) == 0
    reported = capsys.readouterr().out.splitlines()
    assert reported[1].startswith("  KIP-7, round 1: binding +2/0/-1: short → binding +3/0/-0, non-binding +0/0/-1")


def test_a_word_that_was_dated_back_takes_hold_at_once(community: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["advance", "--as-of", "2026-03-20"]) == 0
    assert review("snooze", "7", "2026-06-01", day=20) == 0
    capsys.readouterr()
    assert review("stage", "7", "Discarded", day=12) == 0
    assert "KIP-7 is now: Discarded" in capsys.readouterr().out
    assert "Discarded since 2026-03-12" in shown(capsys)


def test_a_reviewer_is_named_only_where_the_policy_asks_for_one(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert review("care", "7", "--reviewed-by", "Rune Berg") == 2
    assert "KIP-7 requires no review" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["ingest", "poll", "sync", "index import", "metrics"])
def test_facts_are_not_seen_at_a_time_that_has_not_come(
    community: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    ahead = (datetime.now(UTC) + timedelta(days=40)).date().isoformat()
    index = tmp_path / "index.txt"
    index.write_text("KIP-12: A round-up")
    arguments = {"ingest": [str(community)], "index import": [str(index)]}.get(command, [])
    capsys.readouterr()
    assert run([*command.split(), *arguments, "--as-of", ahead]) == 2
    assert f"{ahead} 00:00 UTC has not come yet" in capsys.readouterr().err


def test_the_table_prints_each_command_whole_and_with_the_community_that_was_named(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(community, "s7", "Rune Berg <rune@a-long-name-of-some-home.example>", 2.5, "-1 (binding), too early")
    assert run(["ingest", str(community / "s7.eml")]) == 0
    assert run(["advance", "--as-of", "2026-03-10"]) == 0
    capsys.readouterr()
    assert run(["-C", "kafka", "review"]) == 1
    lines = capsys.readouterr().out.splitlines()
    sender = "rune@a-long-name-of-some-home.example rberg"
    assert f'  kipflow -C kafka review sender {sender} --reason "…"  # the same person' in lines
    [ballot] = [line for line in lines if "<s7@m.example>" in line]
    assert ballot.startswith(
        '  "-1 (binding), too early" in the mail of 2026-03-04 21:00 UTC <s7@m.example> (s7.eml#0 '
    )
    assert ballot.endswith("no receiving host recorded whether the sender's domain is authentic")
    assert run(["review", "senders"]) == 1
    listed = capsys.readouterr().out
    assert f"line 1: {ballot.strip()}" in listed
    assert '  kipflow -C kafka review senders --accept 1 --reason "…"' in listed
    assert run(["review", "senders", "--accept", "1"]) == 2
    assert capsys.readouterr().err.startswith("kipflow: accepting needs a reason, which is kept with each ruling")


def test_a_strangers_result_says_what_will_be_so_once_it_is_accepted(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "The vote passes with 3 binding +1 votes."
    write(community, "end", "Ann Other <ann@x.example>", 5, said, subject="[RESULT] [VOTE] KIP-7: Tidy shelves")
    assert run(["ingest", str(community / "end.eml")]) == 0
    assert run(["advance", "--as-of", "2026-03-10"]) == 0
    [asked] = [q for q in questions(capsys) if q["kind"] == "ending"]
    assert "stays in Vote until its number is settled" in str(asked["both_ways"])
    assert review("number", "7", "accept") == 0
    [asked] = [q for q in questions(capsys) if q["kind"] == "ending"]
    assert asked["both_ways"] == [
        "if accepted: the vote is closed and passes with +3 -0; the proposal stays in Vote until its other questions "
        "are settled",
        "if refused: the vote stays open, and this mail counts for nothing",
    ]
    assert review("split", "kim@home.example", "kosei") == 0
    [asked] = [q for q in questions(capsys) if q["kind"] == "ending"]
    assert "the vote is closed and passes with +3 -0; the proposal is Accepted as soon as all mail is held" in str(
        asked
    )
    assert review("ending", "7", "<end@m.example>", "accept", day=12) == 0
    reported = shown(capsys)
    assert "waits: the archive " in reported
    assert "up to when (`kipflow -C kafka ingest FILE --complete-through TIME`)" in reported
    assert "poll" not in reported, "what came from files needs no second way"
    assert "(as its sender dates it), closes no earlier than" in reported
    assert run(["ingest", str(community), "--complete-through", "2026-03-12", "--as-of", "2026-03-12"]) == 0
    assert run(["advance", "--as-of", "2026-03-12"]) == 0
    assert "Accepted since" in shown(capsys)


def test_a_snooze_of_what_is_dormant_or_never_goes_dormant_is_refused(
    community: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert review("stage", "7", "Dormant") == 0
    assert review("snooze", "7", "2026-06-01", day=12) == 2
    said = capsys.readouterr().err
    assert (
        "KIP-7 is dormant already: a mail in its thread revives it, or `kipflow -C kafka review restore 7 --reason"
        in said
    )
    assert review("stage", "7", "Accepted", day=13) == 0
    assert review("snooze", "7", "2026-06-01", day=14) == 2
    assert "KIP-7 is Accepted: it cannot go dormant" in capsys.readouterr().err
    file = community.parent / "config" / "communities" / "kafka.yaml"
    file.write_text(file.read_text().replace("\n  dormant_after: 180 days\n  grace: 14 days\n", "\n"))
    assert "dormant_after: 180" not in file.read_text()
    assert review("snooze", "8", "2026-06-01", day=14) == 2
    assert "no proposal goes dormant here (policy.dormant_after is left out)" in capsys.readouterr().err
