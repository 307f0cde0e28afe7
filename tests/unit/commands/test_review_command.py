"""`review`: who is who, ballots, stages; through the command line, on a real store."""

from __future__ import annotations

import csv
import io
import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kipflow.cli import run
from tests.living import build_mail, live_in
from tests.unit.commands.conftest import Cli

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
    title = subject or ("" if root else "Re: ") + SUBJECT.format(number)
    answers = "" if root or subject else f"root{number}@m.example"
    at = T0 + timedelta(days=day)
    mail = build_mail(f"{stem}@m.example", sender, "dev@kafka.apache.org", at, title, text, answers=answers)
    (folder / f"{stem}.eml").write_bytes(mail)


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
        live_in(patch, folder / "home", config=folder / "config")
        assert run(["ingest", str(mails)]) == 0
        assert run(["advance", "--as-of", "2026-03-10"]) == 0
    return folder


class Desk:
    """KIP-7 and KIP-8 in vote under a roster of three; "K. Osei" votes -1 on both after Kim Osei's +1."""

    def __init__(self, folder: Path, cli: Cli) -> None:
        self.mails, self._cli = folder / "mails", cli
        self._community = folder / "config" / "communities" / "kafka.yaml"

    def edit_config(self, old: str, new: str) -> None:
        text = self._community.read_text(encoding="utf-8")
        assert old in text
        self._community.write_text(text.replace(old, new), encoding="utf-8")

    def run(self, *words: str, code: int = 0) -> str:
        """What a command prints; with its errors where it does not end well."""
        printed = self._cli(*words, code=code)
        return printed.out + printed.err if code else printed.out

    def review(self, *words: str, by: str = "ops", day: int = 11, code: int = 0) -> str:
        return self.run(
            "review", *words, "--by", by, "--reason", "asked them", "--as-of", f"2026-03-{day:02d}", code=code
        )

    def refuse(self, *words: str, by: str = "ops", day: int = 11) -> str:
        """The one line in which a ruling is refused."""
        [line] = self.review(*words, by=by, day=day, code=2).splitlines()
        return line

    def shown(self, number: int = 7) -> str:
        return self.run("status", str(number))

    def questions(self, kind: str = "") -> list[dict[str, object]]:
        """What is asked, of this kind."""
        asked = self._cli("review", "--format", "json", code=None).json()
        return [q for q in asked if kind in {"", q["kind"]}]

    def rulings(self, *options: str) -> list[dict[str, object]]:
        found: list[dict[str, object]] = json.loads(self.run("review", "rulings", *options, "--format", "json"))
        return found

    def decide(self, day: int) -> None:
        self.run("advance", "--as-of", f"2026-03-{day}")

    def take_in(
        self, stem: str, sender: str, sent: float, text: str, *, subject: str = "", decided: int | None = None
    ) -> None:
        """Store one more mail, and decide as of a day."""
        write(self.mails, stem, sender, sent, text, subject=subject)
        self.run("ingest", str(self.mails / f"{stem}.eml"))
        if decided is not None:
            self.decide(decided)


@pytest.fixture
def desk(decided: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> Desk:
    shutil.copytree(decided, tmp_path, dirs_exist_ok=True)
    live_in(monkeypatch, tmp_path / "home", config=tmp_path / "config")
    return Desk(tmp_path, cli)


def test_who_may_be_one_person_is_asked_with_the_outcome_both_ways_and_the_command_that_settles_it(desk: Desk) -> None:
    asked = desk.questions()
    assert [(q["proposal"], q["kind"]) for q in asked] == [("KIP-7", "identity"), ("KIP-8", "identity")]
    assert asked[0]["question"] == (
        "are K. Osei <kim@home.example> and Kim Osei <kosei> the same person? (initials of the same name)"
    )
    assert asked[0]["both_ways"] == ["if one person: falls short with +2 -1", "if two people: passes with +3 -0"]
    assert str(asked[0]["settle"]).splitlines() == [
        'kipflow -C kafka review merge kim@home.example kosei --reason "…"  # one person',
        'kipflow -C kafka review split kim@home.example kosei --reason "…"  # two people',
    ]
    assert "1 doubt about who is who could turn it: a person must settle" in desk.shown()


def test_care_is_ruled_on_with_known_interfaces_only_and_a_reviewer_can_be_named(desk: Desk) -> None:
    care = "  care:\n    - {interface: log-format, voting_period: 20 days, reviewers: 1}\neffects:"
    desk.edit_config("\neffects:", f"\n{care}")
    desk.decide(10)
    assert "care required" not in desk.shown()
    desk.review("care", "7", "log-format")
    status = desk.shown()
    assert "closes no earlier than Sun 2026-03-22 09:00 UTC (log-format: care required)" in status
    assert "needs 1 more reviewer (care required: log-format)" in status
    assert "touches log-format by ops: asked them" in status
    desk.review("care", "7", "--reviewed-by", "Rune Berg", day=12)
    status = desk.shown()
    assert "more reviewer" not in status
    assert "reviewed by Rune Berg" in status
    desk.review("care", "7", "--none", day=13)
    assert "closes no earlier than Sun" not in desk.shown()
    assert "'colour' is not one of" in desk.refuse("care", "7", "colour")
    assert "name interfaces, or --none, or --reviewed-by NAME" in desk.refuse("care", "7")


def test_a_merge_settles_the_pair_in_every_vote_and_can_be_taken_back(desk: Desk) -> None:
    assert "ruling 1 recorded" in desk.review("merge", "kim@home.example", "kosei")
    assert desk.questions("identity") == []
    for number in (7, 8):
        status = desk.shown(number)
        assert "binding +2/0/-1" in status
        assert "ruling 1: one person: kim@home.example = kosei by ops: asked them" in status
    desk.decide(12)
    assert "binding +2/0/-1" in desk.shown(), "a recount does not forget it"
    desk.review("revoke", "1", day=13)
    assert "binding +3/0/-0" in desk.shown()
    assert len(desk.questions()) == 2


def test_a_split_settles_the_pair_and_leaves_the_votes_apart(desk: Desk) -> None:
    desk.review("split", "kosei@apache.org", "K. Osei <kim@home.example>")
    assert desk.questions("identity") == []
    assert "binding +3/0/-0" in desk.shown()
    assert "two people: kim@home.example = kosei by ops" in desk.shown(8)


def test_a_known_name_from_an_unknown_address_is_asked_and_one_ruling_gives_the_address_from_a_day_on(
    desk: Desk,
) -> None:
    desk.take_in("x7", "Mara Lind <mara@home.example>", 2.5, "-1 (binding)", decided=11)
    [asked] = desk.questions("sender")
    assert asked["question"] == (
        "Mara Lind <mara@home.example> writes under the name of Mara Lind from an address that is not known as "
        "theirs: is this Mara Lind?"
    )
    assert str(asked["settle"]).startswith("kipflow -C kafka review sender mara@home.example mlind --reason ")
    assert "binding +3/0/-0" in desk.shown()
    desk.review("sender", "mara@home.example", "mlind", "--since", "2026-03-05", day=12)
    assert "binding +3/0/-0" in desk.shown(), "the mail is older than that"
    desk.review("sender", "mara@home.example", "mlind", day=13)
    assert "binding +2/0/-1" in desk.shown()
    assert "says so already" in desk.review("sender", "mara@home.example", "mlind", "--since", "2026-03-05", day=13)


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (("merge", "kosei", "kosei"), "kosei is one person, whoever that is: name two mailboxes"),
        (
            ("merge", "kosei", "kosei@apache.org"),
            "are both kosei already; what the roster says is corrected in its file",
        ),
        (("merge", "kosei", "no@body.example"), "no mail is from 'no@body.example' and the roster has nobody"),
        (("split", "mlind", "rberg"), "mlind and rberg are two people already: nothing suggests otherwise"),
        (("ballot", "7", "no@ballot.example", "+1"), "'no@ballot.example' is no ballot of KIP-7"),
        (("ballot", "99", "m7@m.example", "+1"), "no proposal 99 is known"),
        (("stage", "7", "Vote"), "KIP-7 is in stage Vote already"),
        (("stage", "7", "Finished"), "'Finished' is not one of"),
        (("page", "7"), "KIP-7"),
        (("care", "7", "--reviewed-by", "Rune Berg"), "KIP-7 requires no review"),
        (("snooze", "7", "2026-03-01"), "a snooze ends in the future; 2026-03-01 00:00 UTC is not after 2026-03-11"),
        (("revoke", "12"), "no ruling 12 is known; `kipflow -C kafka review rulings` lists them"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else "",
)
def test_what_makes_no_sense_is_refused_in_one_line(desk: Desk, words: tuple[str, ...], reported: str) -> None:
    assert reported in desk.refuse(*words)
    assert desk.rulings() == []


def test_merge_and_split_of_one_pair_exclude_each_other(desk: Desk) -> None:
    desk.review("merge", "kim@home.example", "kosei")
    refused = desk.refuse("split", "kosei", "kim@home.example")
    assert "are one person by ruling 1 (ops); revoke that first" in refused
    desk.review("revoke", "1")
    desk.review("split", "kosei", "kim@home.example")
    refused = desk.refuse("merge", "kosei", "kim@home.example")
    assert "they are two people by ruling 2 (ops); revoke that first" in refused


def test_a_chain_of_merges_that_would_join_two_who_are_split_is_refused(desk: Desk) -> None:
    for n in (1, 2):
        desk.take_in(f"s{n}", f"Uma Holt <uma{n}@home.example>", 2.5 + n, "+1")
    desk.review("split", "uma1@home.example", "uma2@home.example")
    desk.review("merge", "kim@home.example", "uma1@home.example")
    refused = desk.refuse("merge", "kim@home.example", "uma2@home.example")
    assert "they are two people by ruling 1 (ops)" in refused
    desk.review("merge", "kim@home.example", "kosei")
    refused = desk.refuse("merge", "kosei", "uma1@home.example")
    assert "kosei and uma1@home.example are one person by rulings 2 (ops), 3 (ops) already" in refused


def test_two_people_of_the_roster_are_not_merged_not_even_by_way_of_a_third(desk: Desk) -> None:
    desk.review("merge", "kim@home.example", "kosei")
    for one in ("kosei", "kim@home.example"):
        refused = desk.refuse("merge", one, "mlind")
        assert "the roster has kosei and mlind as two people; if they are one, correct its file" in refused


def test_a_revocation_needs_a_reason(desk: Desk) -> None:
    desk.review("snooze", "7", "2026-05-01")
    assert "--reason" in desk.run("review", "revoke", "1", "--by", "ops", "--as-of", "2026-03-12", code=2)
    assert "snooze until" in desk.run("review", "rulings", "--standing")


def test_a_command_pasted_as_it_was_shown_settles_nothing(desk: Desk) -> None:
    desk.review("snooze", "7", "2026-05-01")
    for pasted in (["snooze", "7", "2026-06-01"], ["revoke", "1"]):
        refused = desk.run("review", *pasted, "--by", "ops", "--as-of", "2026-03-12", "--reason", "…", code=2)
        assert "write your own in its place" in refused
    assert [r["id"] for r in desk.rulings("--standing")] == [1]


def test_whether_to_reopen_can_be_answered_with_no(desk: Desk) -> None:
    desk.review("stage", "7", "Discarded")
    subject = "[DISCUSS] KIP-7: Tidy shelves"
    desk.take_in("again", "Mara Lind <mlind@apache.org>", 12, "Again?", subject=subject, decided=15)
    assert [q["proposal"] for q in desk.questions("reopening")] == ["KIP-7"]
    desk.review("stage", "7", "Discarded", day=16)
    assert desk.questions("reopening") == []
    assert "Discarded since 2026-03-11" in desk.shown()
    assert desk.refuse("stage", "7", "Discarded", day=17), "nothing is asked any more"


def test_the_same_ruling_twice_is_stored_once_whoever_makes_it(desk: Desk) -> None:
    for words in (
        ("merge", "kim@home.example", "kosei"),
        ("ballot", "7", "<o7@m.example>", "none"),
        ("snooze", "7", "2026-05-01"),
    ):
        desk.review(*words)
        desk.review(*words, by="lead", day=12)
    rows = list(csv.DictReader(io.StringIO(desk.run("review", "rulings", "--format", "csv"))))
    assert [(r["id"], r["by"], r["revoked"]) for r in rows] == [("1", "ops", ""), ("2", "ops", ""), ("3", "ops", "")]


def test_a_second_word_on_a_settled_ballot_is_refused_until_the_first_is_revoked(desk: Desk) -> None:
    desk.review("ballot", "7", "o7@m.example", "none")
    refused = desk.refuse("ballot", "7", "o7@m.example", "-1", by="lead")
    assert "ruling 1 by ops settles it as none; revoke that one first" in refused
    desk.review("revoke", "1", by="lead")
    desk.review("ballot", "7", "o7@m.example", "-1", by="lead")


def test_a_revoked_ruling_stays_in_the_list_with_who_and_why_and_is_revoked_once(desk: Desk) -> None:
    desk.review("snooze", "7", "2026-05-01")
    desk.review("revoke", "1", by="lead", day=12)
    assert "ruling 1 was revoked by lead on 2026-03-12 00:00 UTC already" in desk.refuse("revoke", "1", day=13)
    [row] = desk.rulings("7")
    assert row["revoked"] == "2026-03-12 00:00 by lead: asked them"
    assert desk.rulings("--standing") == []


def test_a_restored_proposal_is_where_it_was_and_stays_there(desk: Desk) -> None:
    desk.review("stage", "7", "Discarded")
    assert "KIP-7 is now: Vote" in desk.review("restore", "7", day=12)
    refused = desk.refuse("restore", "7", day=12)
    assert "KIP-7 was restored by ruling 2 already; revoke that one to take it back" in refused
    desk.decide(14)
    assert "Vote since 2026-03-12" in desk.shown()
    desk.run("replay")


def test_a_proposal_that_never_moved_has_nothing_to_restore(desk: Desk) -> None:
    subject = "What about KIP-9 one day?"
    desk.take_in("talk", "Mara Lind <mlind@apache.org>", 1, "An idea.", subject=subject, decided=11)
    assert "Draft since" in desk.shown(9)
    assert "KIP-9 has not moved since it began: there is nothing to restore" in desk.refuse("restore", "9")


def test_control_characters_of_a_name_do_not_reach_the_terminal(desk: Desk) -> None:
    desk.take_in("esc7", "K\x1b[2J. Osei <kim2@other.example>", 2.5, "-1", decided=11)
    printed = [desk.shown(), desk.refuse("merge", "K\x1b[2J. Osei <kim3@other.example>", "kosei")]
    printed.append(desk.run("review", code=1))
    assert "\x1b" not in "".join(printed)


def test_a_ruling_dated_in_the_future_is_refused_and_leaves_nothing(desk: Desk) -> None:
    ahead = (datetime.now(UTC) + timedelta(days=40)).date().isoformat()
    why = ("--by", "ops", "--reason", "typed wrong", "--as-of", ahead)
    for words in (("stage", "7", "Dormant"), ("merge", "kim@home.example", "kosei"), ("snooze", "7", "2999-01-01")):
        [refused] = desk.run("review", *words, *why, code=2).splitlines()
        assert f"{ahead} 00:00 UTC has not come yet" in refused
    assert desk.rulings() == []


def test_a_ruling_from_before_the_proposal_or_the_ruling_that_it_ends_is_refused(desk: Desk) -> None:
    early = ("review", "stage", "7", "Draft", "--reason", "typed wrong", "--as-of", "2020-01-01")
    assert "KIP-7 began on 2026-03-02 09:00 UTC: nobody ruled on it by 2020-01-01" in desk.run(*early, code=2)
    desk.review("snooze", "7", "2026-05-01")
    refused = desk.refuse("revoke", "1", day=10)
    assert "ruling 1 was made on 2026-03-11 00:00 UTC: it cannot end before it began" in refused


def test_another_word_dated_to_the_same_moment_is_another_ruling(desk: Desk) -> None:
    desk.review("stage", "7", "Discarded")
    desk.review("revoke", "1")
    assert "ruling 2 recorded; KIP-7 is now: Discussion" in desk.review("stage", "7", "Discussion")
    assert "Discussion since 2026-03-11" in desk.shown()


def test_a_merge_says_which_votes_it_turned_and_how_and_so_does_its_revocation(desk: Desk) -> None:
    assert desk.review("merge", "kim@home.example", "kosei").splitlines()[1:] == [
        "  KIP-7, round 1: binding +3/0/-0, non-binding +0/0/-1: passing → binding +2/0/-1: short",
        "  KIP-8, round 1: binding +3/0/-0, non-binding +0/0/-1: passing → binding +2/0/-1: short",
    ]
    reported = desk.review("revoke", "1", day=13).splitlines()
    assert reported[1].startswith("  KIP-7, round 1: binding +2/0/-1: short → binding +3/0/-0, non-binding +0/0/-1")


def test_a_word_that_was_dated_back_takes_hold_at_once(desk: Desk) -> None:
    desk.decide(20)
    desk.review("snooze", "7", "2026-06-01", day=20)
    assert "KIP-7 is now: Discarded" in desk.review("stage", "7", "Discarded", day=12)
    assert "Discarded since 2026-03-12" in desk.shown()


@pytest.mark.parametrize("command", ["ingest", "poll", "sync", "index import", "metrics"])
def test_facts_are_not_seen_at_a_time_that_has_not_come(desk: Desk, tmp_path: Path, command: str) -> None:
    ahead = (datetime.now(UTC) + timedelta(days=40)).date().isoformat()
    index = tmp_path / "index.txt"
    index.write_text("KIP-12: A round-up")
    arguments = {"ingest": [str(desk.mails)], "index import": [str(index)]}.get(command, [])
    refused = desk.run(*command.split(), *arguments, "--as-of", ahead, code=2)
    assert f"{ahead} 00:00 UTC has not come yet" in refused


def test_the_table_prints_each_command_whole_and_with_the_community_that_was_named(desk: Desk) -> None:
    sender = "Rune Berg <rune@a-long-name-of-some-home.example>"
    desk.take_in("s7", sender, 2.5, "-1 (binding), too early", decided=10)
    lines = desk.run("-C", "kafka", "review", code=1).splitlines()
    pair = "rune@a-long-name-of-some-home.example rberg"
    assert f'  kipflow -C kafka review sender {pair} --reason "…"  # the same person' in lines
    [ballot] = [line for line in lines if "<s7@m.example>" in line]
    assert ballot.startswith(
        '  "-1 (binding), too early" in the mail of 2026-03-04 21:00 UTC <s7@m.example> (s7.eml#0 '
    )
    assert ballot.endswith("no receiving host recorded whether the sender's domain is authentic")
    listed = desk.run("review", "senders", code=1)
    assert f"line 1: {ballot.strip()}" in listed
    assert '  kipflow -C kafka review senders --accept 1 --reason "…"' in listed
    refused = desk.run("review", "senders", "--accept", "1", code=2)
    assert refused.startswith("kipflow: accepting needs a reason, which is kept with each ruling")


def test_a_strangers_result_says_what_will_be_so_once_it_is_accepted(desk: Desk) -> None:
    said, subject = "The vote passes with 3 binding +1 votes.", "[RESULT] [VOTE] KIP-7: Tidy shelves"
    desk.take_in("end", "Ann Other <ann@x.example>", 5, said, subject=subject, decided=10)
    [asked] = desk.questions("ending")
    assert "stays in Vote until its number is settled" in str(asked["both_ways"])
    desk.review("number", "7", "accept")
    [asked] = desk.questions("ending")
    assert asked["both_ways"] == [
        "if accepted: the vote is closed and passes with +3 -0; the proposal stays in Vote until its other questions "
        "are settled",
        "if refused: the vote stays open, and this mail counts for nothing",
    ]
    desk.review("split", "kim@home.example", "kosei")
    [asked] = desk.questions("ending")
    assert "the vote is closed and passes with +3 -0; the proposal is Accepted as soon as all mail is held" in str(
        asked
    )
    desk.review("ending", "7", "<end@m.example>", "accept", day=12)
    reported = desk.shown()
    assert "waits: the archive " in reported
    assert "up to when (`kipflow -C kafka ingest FILE --complete-through TIME`)" in reported
    assert "poll" not in reported, "what came from files needs no second way"
    assert "(as its sender dates it), closes no earlier than" in reported
    desk.run("ingest", str(desk.mails), "--complete-through", "2026-03-12", "--as-of", "2026-03-12")
    desk.decide(12)
    assert "Accepted since" in desk.shown()


def test_a_snooze_of_what_is_dormant_or_never_goes_dormant_is_refused(desk: Desk) -> None:
    desk.review("stage", "7", "Dormant")
    refused = desk.refuse("snooze", "7", "2026-06-01", day=12)
    revived = (
        "KIP-7 is dormant already: a mail in its thread revives it, or `kipflow -C kafka review restore 7 --reason"
    )
    assert revived in refused
    desk.review("stage", "7", "Accepted", day=13)
    assert "KIP-7 is Accepted: it cannot go dormant" in desk.refuse("snooze", "7", "2026-06-01", day=14)
    desk.edit_config("\n  dormant_after: 180 days\n  grace: 14 days\n", "\n")
    refused = desk.refuse("snooze", "8", "2026-06-01", day=14)
    assert "no proposal goes dormant here (policy.dormant_after is left out)" in refused
