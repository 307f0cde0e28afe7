"""A small community as an attacker or an unlucky operator meets it: real HTTP archive, real database, the command line.

Three committers carry KIP-7 in `honest_vote`. Stories add mail to it, or change it, and look at what the commands say.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import yaml

from kipflow.cli import run
from tests.integration.mailserver import CountingArchive, serving

LIST = "dev@village.example"
#: The host that receives the list's mail; what it writes on top of a mail's headers can be believed.
RECEIVER = "mx.village.example"
#: Monday. The vote of `honest_vote` opens on Tuesday and its result comes on Saturday.
MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
DAY = timedelta(days=1)
LIND, OSEI, BERG, PETIT = (
    "Mara Lind <mlind@village.example>",
    "Kim Osei <kosei@village.example>",
    "Rune Berg <rberg@village.example>",
    "Ana Petit <apetit@village.example>",
)
VOTE = "[VOTE] KIP-7: Tidy shelves"

ROSTER: dict[str, Any] = {
    "source": "made up",
    "people": [
        {"id": id_, "name": name, "emails": [f"{id_}@village.example"], "roles": [{"role": "committer"}]}
        for id_, name in (
            ("mlind", "Mara Lind"),
            ("kosei", "Kim Osei"),
            ("rberg", "Rune Berg"),
            ("apetit", "Ana Petit"),
        )
    ],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A mail as the archive gives it. `day` counts from MONDAY: when it arrives; `dated` is the sender's claim."""

    name: str
    by: str
    day: float
    body: str
    subject: str = f"Re: {VOTE}"
    answers: str = "vote"
    dated: datetime | None = None
    headers: str = ""  # further header lines, written by the sender: below those of the receiving host

    @property
    def at(self) -> datetime:
        return MONDAY + self.day * DAY

    def render(self) -> bytes:
        thread = f"In-Reply-To: <{self.answers}@m.example>\n" if self.answers else ""
        return (
            f"From list-return@village.example {self.at:%a %b %d %H:%M:%S %Y}\n"
            f"Received: from out.example (out.example [192.0.2.7]) by {RECEIVER} with ESMTP id x1\n"
            f"\tfor <{LIST}>; {format_datetime(self.at)}\n"
            f"List-Id: <{LIST.replace('@', '.')}>\n{self.headers}Message-ID: <{self.name}@m.example>\n"
            f"From: {self.by}\nTo: {LIST}\nDate: {format_datetime(self.dated or self.at)}\n"
            f"Subject: {self.subject}\n{thread}\n{self.body}\n\n"
        ).encode()


def honest_vote() -> dict[str, Mail]:
    """KIP-7's vote: opened by Mara Lind, carried by three committers, announced by its caller."""
    mails = [
        Mail(name="vote", by=LIND, day=1, body="I call a vote on this proposal.", subject=VOTE, answers=""),
        Mail(name="one", by=LIND, day=1.2, body="+1 (binding)"),
        Mail(name="two", by=OSEI, day=1.4, body="+1 (binding)"),
        Mail(name="three", by=BERG, day=2, body="+1 (binding)"),
        Mail(
            name="result",
            by=LIND,
            day=5,
            body="The vote passes with 3 binding +1 votes and no others.",
            subject=f"[RESULT] {VOTE}",
        ),
    ]
    return {mail.name: mail for mail in mails}


@dataclass(slots=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out, f"nothing printed, exit code {self.code}: {self.err}"
        return json.loads(self.out)


@dataclass(slots=True)
class Community:
    """The community `village`, through its archive and the command line."""

    folder: Path
    archive: CountingArchive
    capture: Callable[[], Any]
    config: dict[str, Any] = field(default_factory=dict)

    def write_config(self, roster: Mapping[str, Any] | None = None, **changes: Any) -> None:
        """Write the community's file and roster; `changes` replace keys, those of `policy` and `archive` one by one."""
        for key, value in changes.items():
            self.config[key] = {**self.config[key], **value} if key in {"policy", "archive"} else value
        folder = self.folder / "config"
        (folder / "communities").mkdir(parents=True, exist_ok=True)
        (folder / "rosters").mkdir(exist_ok=True)
        (folder / "communities" / "village.yaml").write_text(yaml.safe_dump(self.config, sort_keys=False))
        if roster is not None:
            (folder / "rosters" / "village.yaml").write_text(yaml.safe_dump(dict(roster), sort_keys=False))

    def run(self, *arguments: object) -> Said:
        """Run one `kipflow` command as a user would."""
        self.capture()
        code = run([str(a) for a in arguments])
        printed = self.capture()
        return Said(code, printed.out, printed.err)

    def receive(self, *mails: Mail) -> None:
        """Let mails reach the archive: each in the month in which it arrives."""
        for mail in mails:
            self.archive.mails.setdefault((LIST, f"{mail.at:%Y-%m}"), []).append(mail.render())

    def follow(self, *mails: Mail, day: float) -> Said:
        """Receive mails, poll the archive and decide as of `day`; what `advance` said."""
        self.receive(*mails)
        at = (MONDAY + day * DAY).isoformat()
        self.run("poll", "--as-of", at)
        return self.run("advance", "--as-of", at)

    def read_file(self, *mails: Mail, as_of: float | None = None) -> dict[str, Any]:
        """What `kipflow votes` says of these mails in one mbox."""
        path = self.folder / "mails.mbox"
        path.write_bytes(b"".join(mail.render() for mail in mails))
        moment = () if as_of is None else ("--as-of", (MONDAY + as_of * DAY).isoformat())
        roster = self.folder / "config" / "rosters" / "village.yaml"
        found: dict[str, Any] = self.run("votes", path, "--roster", roster, "--format", "json", *moment).json
        return found

    def status(self, number: int = 7) -> dict[str, Any]:
        found: dict[str, Any] = self.run("status", number, "--format", "json").json
        return found

    def stage(self, number: int = 7) -> str:
        return str(self.status(number)["stage"])

    def questions(self) -> list[dict[str, Any]]:
        """What waits for a person, as `kipflow review` lists it."""
        found: list[dict[str, Any]] = self.run("review", "--format", "json").json
        return found


@pytest.fixture
def community(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database_url: sa.URL, capsys: pytest.CaptureFixture[str]
) -> Iterator[Community]:
    """The village with an empty database of each kind; nothing has been read yet."""
    with serving(CountingArchive()) as archive:
        village = Community(tmp_path, archive, capsys.readouterr)
        village.config = {
            "name": "village",
            "title": "Village",
            "prefix": "KIP",
            "lists": [LIST],
            "archive": {"url": archive.url, "permalink": f"{archive.url}/thread/{{mid}}", "since": "2026-03"},
            "roster": "rosters/village.yaml",
            "policy": {
                "source": "made up",
                "binding_roles": ["committer", "pmc"],
                "rule": "lazy_majority",
                "quorum": 3,
                "voting_period": "72 hours",
                "dormant_after": "90 days",
                "grace": "14 days",
            },
            "effects": {"mode": "dry-run"},
        }
        village.write_config(roster=ROSTER)
        for name in [n for n in os.environ if n.startswith("KIPFLOW_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("KIPFLOW_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("KIPFLOW_CONFIG", str(tmp_path / "config"))
        monkeypatch.setenv("KIPFLOW_COMMUNITY", "village")
        monkeypatch.setenv("KIPFLOW_DATABASE_URL", database_url.render_as_string(hide_password=False))
        yield village
