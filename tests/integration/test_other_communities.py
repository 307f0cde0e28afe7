"""A community file is enough: each shipped one polls an archive, decides, and shows its votes by its own rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from kipflow.cli import run
from kipflow.config.loading import load_community
from tests.httpservers import QuietHandler, running
from tests.integration.late import leave_wiki_out
from tests.living import live_in

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "communities"
NUMBERED = ["airflow", "cassandra", "flink", "kafka", "pulsar"]
#: Whose vote had more binding -1 than +1. A veto alone leaves a vote open until it is withdrawn or a result comes.
OUTVOTED = {"KIP-2102"}


@contextmanager
def archive_of(name: str) -> Iterator[str]:
    """A Pony Mail that holds the community's one month, March 2026; gives its address."""
    data = (DATA / f"{name}.mbox").read_bytes()
    (list_id,) = load_community(name, ROOT / "config").lists

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            query = {key: values[0] for key, values in parse_qs(address.query).items()}
            if f"{query['list']}@{query['domain']}" != list_id:
                return self.send_error(404)
            mails = data if query["d"] == "2026-03" else b""
            count = mails.count(b"\nMessage-ID:")
            answer = mails if address.path.endswith("/mbox.lua") else json.dumps({"emails": [], "hits": count}).encode()
            return self.send(answer)

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as address:
        yield f"http://{address}/api"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """The shipped community files, each with the invented roster."""
    for folder in ("communities", "rosters"):
        (tmp_path / "config" / folder).mkdir(parents=True)
    (tmp_path / "config" / "rosters" / "all.yaml").write_text((DATA / "roster.yaml").read_text())
    for path in (ROOT / "config" / "communities").glob("*.yaml"):
        lines = [line for line in path.read_text().splitlines() if not line.startswith("roster:")]
        (tmp_path / "config" / "communities" / path.name).write_text(
            "\n".join([*lines, "roster: rosters/all.yaml", ""])
        )
    return tmp_path / "config"


@pytest.mark.parametrize("name", NUMBERED)
def test_a_shipped_community_polls_decides_and_shows_its_proposals(
    name: str, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))["votes"]
    at = ["--as-of", "2026-03-09T12:00:00Z"] if name != "pulsar" else ["--as-of", "2026-03-04T12:00:00Z"]
    leave_wiki_out(config / "communities" / f"{name}.yaml")
    with archive_of(name) as url:
        for key, value in {
            "KIPFLOW_CONFIG": str(config),
            "KIPFLOW_HOME": str(tmp_path / "home"),
            "KIPFLOW_COMMUNITY": name,
            "KIPFLOW_DATABASE_URL": f"sqlite:///{tmp_path / 'x.db'}",
            "KIPFLOW_ARCHIVE_URL": url,
            "KIPFLOW_ARCHIVE_SINCE": "2026-03",
        }.items():
            monkeypatch.setenv(key, value)
        assert run(["poll", *at]) == 0
        assert run(["advance", *at]) == 0
    capsys.readouterr()
    assert run(["status", "--format", "json", *at]) == 0
    rows = {row["proposal"]: row["stage"] for row in json.loads(capsys.readouterr().out)}
    for vote in expected:
        # without an announcement the clock accepts nothing
        stage = "Accepted" if vote.get("declared") == "passed" else "Rejected" if vote["key"] in OUTVOTED else "Vote"
        assert rows[vote["key"]] == stage, vote
    assert all(key.startswith(load_community(name, config).prefix) for key in rows)


def test_the_database_of_another_community_is_neither_read_nor_changed(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KIPFLOW_CONFIG", str(config))
    monkeypatch.setenv("KIPFLOW_HOME", str(tmp_path))
    monkeypatch.setenv("KIPFLOW_DATABASE_URL", f"sqlite:///{tmp_path / 'x.db'}")
    assert run(["-C", "pulsar", "status"]) == 0
    capsys.readouterr()

    for command in (["status"], ["advance"], ["review"], ["poll"], ["lint", "7"]):
        assert run(["-C", "kafka", *command]) == 2
        told = capsys.readouterr().err
        assert "KIPFLOW_DATABASE_URL: expected a database of kafka's own (this one is that of pulsar)" in told
    assert run(["-C", str(config / "communities" / "pulsar.yaml"), "status"]) == 0


def test_a_community_without_a_wiki_says_so_in_one_line(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    live_in(monkeypatch, tmp_path, community="pulsar", config=config)
    assert run(["sync"]) == 2
    assert capsys.readouterr().err == (
        "kipflow: community pulsar: wiki: expected an address; this community has none\n"
    )
