"""What commands print of a proposal: why history was corrected, rounds that ended, drift, and all of it as JSON."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kipflow.cli import run
from kipflow.config.settings import read_settings
from kipflow.domain.pages import IndexEntry, PageVersion, StatusWord
from kipflow.wiring import connect
from tests.databases import copy_database
from tests.living import build_mail, live_in
from tests.unit.commands.conftest import Cli

T0 = datetime(2026, 3, 2, 9, tzinfo=UTC)
COMMUNITY = """
name: shed
prefix: KIP
title: Shed
lists: [dev@shed.example]
archive: {url: "http://127.0.0.1:9/api", permalink: "https://lists.example/thread/{mid}", since: "2026-03"}
roster: rosters/shed.yaml
policy:
  {source: a test, binding_roles: [committer], clock_after: 7 days, dormant_after: 900 days,
   care: [{interface: log-format, voting_period: 120 hours}]}
"""
ROSTER = """
people:
  - {id: mlind, name: Mara Lind, emails: [mlind@shed.example], roles: [{role: committer}]}
  - {id: kosei, name: Kim Osei, emails: [kosei@shed.example], roles: [{role: committer}]}
  - {id: rberg, name: Rune Berg, emails: [rberg@shed.example], roles: [{role: committer}]}
"""
PEOPLE = {
    "m": "Mara Lind <mlind@shed.example>",
    "k": "Kim Osei <kosei@shed.example>",
    "r": "Rune Berg <rberg@shed.example>",
}
SUBJECT = "[VOTE] KIP-7: Tidy shelves"


def write(folder: Path, stem: str, who: str, day: float, text: str, *, subject: str = "", root: str = "root") -> None:
    title, answers = (subject, "") if subject else (f"Re: {SUBJECT}", f"{root}@m.example")
    at = T0 + timedelta(days=day)
    mail = build_mail(f"{stem}@m.example", PEOPLE[who], "dev@shed.example", at, title, text, answers=answers)
    (folder / f"{stem}.eml").write_bytes(mail)


@pytest.fixture
def mails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for mails, and a community of three committers."""
    config = tmp_path / "config"
    for folder, text in (("communities", COMMUNITY), ("rosters", ROSTER)):
        (config / folder).mkdir(parents=True)
        (config / folder / "shed.yaml").write_text(text, encoding="utf-8")
    live_in(monkeypatch, tmp_path / "home", community="shed", config=config)
    copy_database(tmp_path / "home" / "shed.db")
    (tmp_path / "mails").mkdir()
    return tmp_path / "mails"


def announce(mails: Path, result: str) -> None:
    """KIP-7 with three binding +1 and this result, decided as of 12 March."""
    write(mails, "root", "m", 0, "Please vote.", subject=SUBJECT)
    for hour, who in enumerate("mkr", 1):
        write(mails, who, who, hour / 24, "+1 (binding)")
    write(mails, "result", "m", 6, result, subject="[RESULT] " + SUBJECT)
    assert run(["ingest", str(mails), "--complete-through", "2026-03-31"]) == 0
    assert run(["advance", "--as-of", "2026-03-12"]) == 0


@pytest.fixture
def accepted(mails: Path) -> Path:
    """KIP-7, accepted with three +1 as of 12 March."""
    announce(mails, "The vote passes with three binding +1.")
    return mails


def as_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def save_page(word: StatusWord, text: str, **more: Any) -> None:
    page = PageVersion(page_id="70", version=3, saved_at=T0 + timedelta(days=1), saved_by="Mara", number=7,
                       title="KIP-7: Tidy shelves", status=word, status_text=text, url="https://wiki.example/70",
                       **more)  # fmt: skip
    parts = connect(read_settings())
    with parts.store.begin() as session:
        session.pages.save_version(page, seen_at=T0 + timedelta(days=1))
    parts.store.close()


# -- corrections -------------------------------------------------------------------------------------


def test_advance_says_which_late_facts_made_a_correction(accepted: Path, cli: Cli) -> None:
    write(accepted, "late", "r", 1, "I change my vote to -1 (binding), the shelves would fall.")
    assert run(["ingest", str(accepted), "--complete-through", "2026-03-31"]) == 0
    [tried, *_] = as_rows(cli("advance", "--dry-run", "--format", "csv").out)
    [first, *_] = as_rows(cli("advance", "--format", "csv").out)
    assert tried == first, "a trial run names the same facts"
    assert (first["rule"], first["from"], first["to"]) == ("correction", "Accepted", "Vote")
    assert first["evidence"].startswith("later evidence retracts 1 entry: a mail came")
    assert "Rune Berg: Re: [VOTE] KIP-7: Tidy shelves (of 2026-03-03" in first["evidence"]
    assert "result-agrees" not in first["evidence"], "what it takes back is no reason for it"

    reported = cli("status", "7", "--format", "json").json()
    correction = next(h for h in reported["history"] if h["retracts"])
    facts = [e for e in correction["evidence"] if e["kind"] == "message"]
    assert [(e["ref"], e["url"]) for e in facts] == [
        ("<late@m.example>", "https://lists.example/thread/late@m.example")
    ]


def test_the_timeline_stands_in_order_of_record_with_both_times(accepted: Path, cli: Cli) -> None:
    write(accepted, "late", "r", 1, "I change my vote to -1 (binding), the shelves would fall.")
    assert run(["ingest", str(accepted), "--complete-through", "2026-03-31"]) == 0
    assert run(["advance"]) == 0
    shown = cli("status", "7").out
    assert "holds as of" in shown
    assert "in the order in which it was recorded" in shown
    assert "result-agrees (retracted)" in shown.replace("\n", " ")
    rows = as_rows(cli("status", "7", "--format", "csv").out)
    assert [r["recorded"] for r in rows] == sorted(r["recorded"] for r in rows)
    assert rows[-1]["rule"] == "correction"
    assert rows[-1]["ref"] == "<late@m.example>", "the reference is the mail's, not that of the entry taken back"


# -- rounds ------------------------------------------------------------------------------------------


def test_a_round_that_was_replaced_says_so_and_counts_nothing(mails: Path, cli: Cli) -> None:
    write(mails, "root", "m", 0, "Please vote.", subject=SUBJECT)
    write(mails, "k", "k", 0.1, "+1 (binding)")
    write(mails, "root2", "m", 4, "A new round, with the comments worked in.", subject="[VOTE] KIP-7 v2: Tidy shelves")
    write(mails, "r", "r", 4.1, "+1 (binding)", root="root2")
    assert run(["ingest", str(mails), "--complete-through", "2026-03-31"]) == 0
    assert run(["advance", "--as-of", "2026-03-07"]) == 0
    shown = cli("status", "7").out
    assert "Vote, round 1: replaced 2026-03-06 09:00 UTC; its 1 ballot counts for nothing" in shown
    assert "binding +0/0/-0, non" not in shown.split("round 2")[0]
    assert "Vote, round 2: open; binding +1/0/-0" in shown
    first, second = cli("status", "7", "--format", "json").json()["votes"]
    assert (first["outcome"], first["ended_how"], first["ended_at"]) == (
        "cancelled",
        "replaced",
        "2026-03-06T09:00:00Z",
    )
    assert (second["ended_how"], second["ended_at"]) == (None, None)


# -- JSON --------------------------------------------------------------------------------------------


def test_the_json_of_a_proposal_has_a_link_for_every_mail_that_it_names(accepted: Path, cli: Cli) -> None:
    reported = cli("status", "7", "--format", "json").json()
    [vote] = reported["votes"]
    links = [vote["url"], vote["declared"]["url"], *(b["url"] for b in vote["ballots"])]
    links += [e["url"] for h in reported["history"] for e in h["evidence"] if e["kind"] in {"message", "ballot"}]
    assert len(links) > 6
    assert all(link.startswith("https://lists.example/thread/") for link in links)
    assert vote["root_message_id"] == "<root@m.example>"
    assert vote["opened_by"] == "Mara Lind <mlind@shed.example>"
    assert (vote["declared"]["outcome"], vote["declared"]["binding"]) == ("passed", {"+1": 3})


def test_the_json_of_a_vote_whose_opening_is_not_held_names_nobody_as_its_opener(mails: Path, cli: Cli) -> None:
    write(mails, "k", "k", 1, "+1 (binding)")
    assert run(["ingest", str(mails)]) == 0
    assert run(["advance", "--as-of", "2026-03-05"]) == 0
    [vote] = cli("status", "7", "--format", "json").json()["votes"]
    assert vote["opened_by"] == ""


def test_the_json_of_a_proposal_has_its_page_with_labels_interfaces_and_the_care_they_ask_for(
    mails: Path, cli: Cli
) -> None:
    write(mails, "root", "m", 2, "Please vote.", subject=SUBJECT)
    assert run(["ingest", str(mails), "--complete-through", "2026-03-31"]) == 0
    save_page(StatusWord.VOTE, "Voting", labels=("kip", "storage"), interfaces=("log-format",),
              touches=(("log-format", "Each batch takes eight bytes more"),))  # fmt: skip
    assert run(["advance", "--as-of", "2026-03-05"]) == 0
    reported = cli("status", "7", "--format", "json").json()
    assert (reported["page"]["labels"], reported["page"]["version"]) == (["kip", "storage"], 3)
    assert reported["page"]["url"] == "https://wiki.example/70"
    assert reported["touches"] == [{"interface": "log-format", "line": "Each batch takes eight bytes more"}]
    assert reported["votes"][0]["care"] == {"interfaces": ["log-format"], "reviewers": 0, "reviewed_by": []}
    assert reported["votes"][0]["earliest_close"] == "2026-03-09T09:00:00Z"
    assert "labels: kip, storage" in cli("status", "7").out


def test_the_list_as_json_has_the_clock_of_a_vote(accepted: Path, cli: Cli) -> None:
    write(accepted, "root8", "m", 9, "Please vote.", subject="[VOTE] KIP-8: Label the shelves")
    assert run(["ingest", str(accepted), "--complete-through", "2026-03-31"]) == 0
    assert run(["advance", "--as-of", "2026-03-13"]) == 0
    eighth, seventh = cli("status", "--format", "json").json()
    assert (seventh["clock"], seventh["drift"], seventh["review"]) == (None, [], 0)
    assert eighth["clock"]["quorum"] == 3
    assert eighth["clock"]["tally"]["binding"] == {"+1": 0, "0": 0, "-1": 0}
    assert eighth["clock"]["earliest_close"] == "2026-03-14T09:00:00Z"


# -- drift -------------------------------------------------------------------------------------------


@pytest.fixture
def drifting(accepted: Path) -> Path:
    """KIP-7 is accepted; its page says Voting and the wiki's index has it under discussion."""
    save_page(StatusWord.VOTE, "Voting")
    row = IndexEntry(
        number=7, title="Tidy shelves", section="discussion", seen_at=T0 + timedelta(days=8), origin="page"
    )
    parts = connect(read_settings())
    with parts.store.begin() as session:
        session.pages.save_index_entries([row])
    parts.store.close()
    assert run(["advance", "--as-of", "2026-03-13"]) == 0
    return accepted


def test_what_is_out_of_step_is_listed_with_the_edit_that_settles_it(drifting: Path, cli: Cli) -> None:
    rows = cli("status", "--drift", "--format", "json", code=1).json()
    assert [(r["proposal"], r["number"], r["side"], r["says"], r["facts_say"]) for r in rows] == [
        ("KIP-7", 7, "page", "Voting", "Accepted"),
        ("KIP-7", 7, "index", "discussion", "Accepted"),
    ]
    assert [r["settle"] for r in rows] == ['set "Current state" to "Accepted"', 'move the row to "accepted"']
    assert rows[0]["evidence"] == "version 3 by Mara, 2026-03-03"
    table = cli("status", "--drift", code=1).out
    assert [word in table.splitlines()[0] for word in ("side", "says", "facts say", "settle")] == [True] * 4
    assert [r["side"] for r in as_rows(cli("status", "--drift", "--format", "csv", code=1).out)] == [
        "page",
        "index",
    ]


def test_drift_can_be_asked_of_one_proposal_one_stage_and_another_time(drifting: Path, cli: Cli) -> None:
    assert "page" in cli("status", "7", "--drift", code=1).out
    assert "agree with the facts" in cli("status", "--drift", "--stage", "vote").out
    then = as_rows(cli("status", "--drift", "--as-of", "2026-03-09", "--format", "csv", code=1).out)
    assert [r["side"] for r in then] == ["page"], "the index was read on the tenth"
    assert cli("status", "--drift", "--as-of", "2026-03-06", "--format", "json").out == "[]\n"


def test_a_proposal_that_is_not_known_does_not_agree_with_the_facts(drifting: Path, cli: Cli) -> None:
    assert "99" in cli("status", "99", "--drift", code=2).err


def test_drift_is_no_matter_of_what_was_known(drifting: Path, cli: Cli) -> None:
    assert "not with --as-of or --drift" in cli("status", "7", "--drift", "--known-at", "2026-03-09", code=2).err


def test_an_empty_store_agrees_with_nothing(mails: Path, cli: Cli) -> None:
    assert "no proposals of shed are stored yet" in cli("status", "--drift").out


def test_where_an_announced_result_differs_is_printed_once(mails: Path, cli: Cli) -> None:
    announce(mails, "The vote fails with two binding -1.")
    shown = cli("status", "7").out.splitlines()
    assert any(line.startswith("Vote, round 1: ") and line.endswith(" UTC") for line in shown), "a heading is one line"
    lines = [line.strip() for line in shown if "announced result differs" in line]
    assert lines
    assert len({line.removeprefix("missing: ") for line in lines}) == len(lines)


@pytest.mark.parametrize(("wiki", "advice"), [(False, "shed names no wiki"), (True, "run `kipflow -C shed sync`")])
def test_diff_advises_what_can_be_done_where_no_page_is_stored(
    accepted: Path, cli: Cli, wiki: bool, advice: str
) -> None:
    if wiki:
        file = accepted.parent / "config" / "communities" / "shed.yaml"
        file.write_text(COMMUNITY + 'wiki: {url: "http://127.0.0.1:9/rest/api", index_page: "7"}\n', encoding="utf-8")
    for command in ("diff", "lint"):
        said = " ".join(cli(command, "7", code=2).err.split())
        assert advice in said
        assert (" sync`" in said) is wiki
