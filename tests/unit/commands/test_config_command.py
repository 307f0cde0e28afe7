"""`init` writes a community that can be used at once; `config check` says everything that is wrong with one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kipflow.cli import run
from kipflow.config.loading import find_roster, load_community
from tests.living import live_in
from tests.unit.commands.conftest import Cli

FLAGS = ["--title", 'The "Lantern"', "--list", "dev@lantern.example", "--source", "its bylaws: section 3"]


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    live_in(monkeypatch, tmp_path / "home", community="sandbox", config=tmp_path / "config")
    return tmp_path / "config"


def test_a_new_community_is_written_and_can_be_used(config: Path, cli: Cli) -> None:
    archive = ["--archive", "https://lists.lantern.example/api", "--since", "2026-01"]
    wiki = ["--wiki", "https://wiki.lantern.example/rest/api", "--index-page", "7"]
    shown = cli("init", "LIP", *FLAGS, *archive, *wiki).out
    assert "2. `kipflow -C lip config check`" in shown
    assert "`kipflow -C lip poll`" in shown
    made = load_community("lip", config)
    assert (made.title, made.prefix, made.lists) == ('The "Lantern"', "LIP", ("dev@lantern.example",))
    assert made.effects.mode == "dry-run", "nothing is sent by it"
    assert find_roster(made, config).people == ()
    assert "lip: all in order; its roster has nobody: no vote can pass" in cli("-C", "lip", "config", "check").out
    assert "lip.yaml is there already; choose another --name" in cli("init", "LIP", *FLAGS, code=2).err


def test_a_community_without_an_archive_is_sent_to_take_mail_from_files(cli: Cli) -> None:
    assert "`kipflow -C lip ingest FILE --complete-through TIME`" in cli("init", "LIP", *FLAGS).out
    out, shown = cli("-C", "lip", "status")
    assert "run `kipflow -C lip ingest FILE` for mail, then `kipflow -C lip advance`" in out
    assert "No mail is held yet; it comes from files, as no archive is named" in shown
    assert "`kipflow -C lip ingest FILE --complete-through 20" in shown
    assert "lip has no wiki to write a page to" in cli("-C", "lip", "new", "Tidy shelves", code=2).err


def test_what_is_not_given_is_asked_for_and_a_wrong_answer_leaves_no_file(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", "LIP", *FLAGS[:2]]) == 2
    written = config / "communities" / "lip.yaml"
    shown = capsys.readouterr().err
    assert f"nobody can be asked: give --source, --list; it writes {written}" in shown, "all at once, and where"
    assert run(["init", "lip", *FLAGS]) == 2
    assert "kipflow: PREFIX: expected capital letters such as KIP, got 'lip'" in capsys.readouterr().err
    assert not [path for path in config.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("flags", "printed"),
    [
        (["--list", "lantern"], "--list: expected a list address such as dev@kafka.apache.org, got 'lantern'"),
        (["--name", "The Lantern"], "--name: expected a name of small letters"),
        (["--archive", "lists.lantern.example"], "--archive: expected an http(s) address"),
        (["--archive", "https://lists.lantern.example/api", "--since", "May"], "--since: expected a month such as"),
        (["--wiki", "https://wiki.lantern.example"], "--index-page: expected a page's number"),
        (["--index-page", "7"], "--index-page is a page of a wiki: give --wiki with it"),
    ],
)
def test_what_is_wrong_with_a_new_community_names_the_flag(
    flags: list[str], printed: str, config: Path, cli: Cli
) -> None:
    assert printed in cli("init", "LIP", *FLAGS, *flags, code=2).err
    assert not [path for path in config.rglob("*") if path.is_file()]


def test_an_empty_answer_is_asked_for_again_with_what_is_expected(config: Path) -> None:
    terminal, typed = os.openpty()
    os.write(terminal, b"\nThe Lantern\n")
    program = [sys.executable, "-c", "from kipflow.cli import main; main()", "init", "LIP", *FLAGS[2:]]
    with os.fdopen(terminal), os.fdopen(typed) as keyboard:
        done = subprocess.run(program, stdin=keyboard, capture_output=True, text=True, timeout=60, check=True)
    assert "expected a name for people, such as Apache Kafka" in done.stdout + done.stderr
    assert load_community("lip", config).title == "The Lantern"


def test_a_key_is_suggested_only_where_it_can_stand(tmp_path: Path, cli: Cli) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(
        "name: wrong\ntitle: Wrong\nprefix: WIP\nlists: [dev@x.example]\n"
        "policy: {source: bylaws, binding_roles: [pmc], passes: majority}\n"
    )
    shown = cli("config", "check", str(wrong), code=1).out
    assert "policy.passes: expected no such key here; the keys here are source, sources, binding_roles, " in shown
    assert "'pages'" not in shown


def test_all_faults_are_reported_at_once_each_with_file_key_and_what_was_expected(tmp_path: Path, cli: Cli) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(
        "name: Wrong One\ntitle: Wrong\nprefix: WIP\nlists: [dev@x.example]\nroster: people.yaml\nclock_after: 7 days\n"
        "policy:\n  source: bylaws\n  binding_roles: [comitter]\n  qourum: 3\n"
    )
    assert cli("config", "check", str(wrong), code=1).out.splitlines() == [
        f"{wrong}: policy.qourum: expected no such key here; did you mean 'quorum'?",
        f"{wrong}: clock_after: expected no such key here; it belongs below policy",
        f"{wrong}: name: expected a name of small letters, digits and hyphens, got 'Wrong One'",
        f"{wrong}: policy.binding_roles.0: expected 'pmc', 'committer', 'contributor', 'member' or 'maintainer', "
        "got 'comitter'",
    ]


def test_contradictions_and_the_rosters_faults_are_among_them(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "people.yaml").write_text(
        "people:\n- {id: a, name: Ann, roles: [{role: comitter}]}\n- {id: A, name: Bo}\n"
    )
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(
        "name: wrong\ntitle: Wrong\nprefix: WIP\nlists: [dev@x.example]\nvotes_on: [users@x.example]\n"
        "roster: people.yaml\npolicy: {source: bylaws, binding_roles: [pmc], dormancy: clock}\n"
    )
    shown = cli("config", "check", str(wrong), code=1).out
    assert len(shown.splitlines()) == 4
    for key in ("votes_on.0", "policy.dormant_after", "people.0.roles.0.role", "people.1.id"):
        assert f": {key}: expected " in shown


def test_every_community_that_comes_along_is_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIPFLOW_CONFIG")
    assert run(["config", "check", "kafka", "flink", "pulsar", "cassandra", "airflow", "apache-release"]) == 0
