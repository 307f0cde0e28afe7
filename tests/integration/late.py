"""A community whose mail is in files, and what people are notified of it: for tests of what comes late."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from kipflow.adapters.deliverer import ThisProcess
from kipflow.config.settings import REPOSITORY
from kipflow.domain.events import effective
from kipflow.domain.facts import ArchiveMonth
from kipflow.services import advance, deliver, replay, rulings
from kipflow.services.acts import perform
from kipflow.services.desk import ActContext
from kipflow.services.ingest import ingest_paths
from kipflow.services.ports import OutboxRow, Report
from kipflow.wiring import Parts, effect_rules, open_desk
from tests.effect_kinds import chat_kind
from tests.integration.conftest import connect_to
from tests.living import live_in

LIST = "dev@sandbox.example"
#: Where no service answers.
NOBODY = "http://127.0.0.1:9"
#: Monday; the vote of `story` opens on Tuesday and its result comes on Saturday.
MONDAY = datetime.fromisoformat("2026-03-02T09:00:00+00:00")
DAY = timedelta(days=1)
TITLE = "KIP-77: Shelves that tell their load"
#: Committers of the sandbox's roster.
AMARO, VOGEL, NAKAGAWA, OKAFOR = (
    "Ines Amaro <amaro@sandbox.example>",
    "Bertil Vogel <bvogel@sandbox.example>",
    "Tomo Nakagawa <nakagawa@sandbox.example>",
    "Leila Okafor <lokafor@sandbox.example>",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A mail as an mbox holds it; `answers` names its parent."""

    name: str
    at: datetime
    author: str
    subject: str
    body: str
    answers: str = ""

    def render(self) -> str:
        thread = f"In-Reply-To: <{self.answers}@x.example>\n" if self.answers else ""
        return (
            f"From kip@x.example {self.at:%a %b %d %H:%M:%S %Y}\nFrom: {self.author}\nTo: {LIST}\n"
            f"Subject: {self.subject}\nDate: {format_datetime(self.at)}\n"
            f"Message-ID: <{self.name}@x.example>\n{thread}\n{self.body}\n\n"
        )


def story() -> dict[str, Mail]:
    """A discussion, a vote that three committers carry, and its result."""
    vote, answer = f"[VOTE] {TITLE}", f"Re: [VOTE] {TITLE}"
    mails = [
        Mail(name="talk", at=MONDAY, author=AMARO, subject=f"[DISCUSS] {TITLE}", body="What do you think of it?"),
        Mail(name="vote", at=MONDAY + DAY, author=AMARO, subject=vote, body="I call a vote on this proposal."),
        Mail(name="one", at=MONDAY + 1.2 * DAY, author=AMARO, subject=answer, body="+1 (binding)", answers="vote"),
        Mail(name="two", at=MONDAY + 1.4 * DAY, author=VOGEL, subject=answer, body="+1 (binding)", answers="vote"),
        Mail(name="three", at=MONDAY + 2 * DAY, author=NAKAGAWA, subject=answer, body="+1", answers="vote"),
        Mail(
            name="result",
            at=MONDAY + 5 * DAY,
            author=AMARO,
            subject=f"[RESULT] {vote}",
            body="The vote passes with 3 binding +1 votes and no others.",
            answers="vote",
        ),
    ]
    return {mail.name: mail for mail in mails}


def late_objections() -> list[Mail]:
    """Four -1 of committers, sent in time."""
    names = ("Jens Sørensen <jsorensen@sandbox.example>", "Petra Keller <pkeller@sandbox.example>")
    people = (OKAFOR, *names, "Daudi Mwangi <dmwangi@sandbox.example>")
    return [
        Mail(
            name=f"no{n}",
            at=MONDAY + (2 + n / 10) * DAY,
            author=who,
            subject=f"Re: [VOTE] {TITLE}",
            body="-1 (binding)",
            answers="vote",
        )
        for n, who in enumerate(people)
    ]


@dataclass(slots=True)
class Channel:
    """A chat that keeps what was posted in its channels, and what below that or in its place."""

    posted: list[tuple[str, str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    answers: list[tuple[str, str]] = field(default_factory=list)
    updates: list[tuple[str, str]] = field(default_factory=list)

    def post(
        self,
        channel: str,
        text: str,
        blocks: Sequence[Mapping[str, Any]],
        *,
        key: str,
        thread: str | None = None,
    ) -> str:
        if thread is None:
            self.posted.append((channel, text + "\n" + str(blocks)))
        else:
            self.answers.append((thread, text))
        self.keys.append(key)
        return f"{len(self.keys)}"

    def update(self, reference: str, text: str, blocks: Sequence[Mapping[str, Any]]) -> None:
        self.updates.append((reference, text + "\n" + str(blocks)))

    def find(self, channel: str, *, key: str, since: datetime, thread: str | None = None) -> str | None:
        return str(self.keys.index(key) + 1) if key in self.keys else None


@dataclass(slots=True)
class Village:
    """A community at work: what it holds, decided as time goes on."""

    parts: Parts
    folder: Path
    channel: Channel = field(default_factory=Channel)
    slack: str = "send"

    def settle_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let the commands of this process work on this community."""
        live_in(monkeypatch, self.parts.settings.home, community="sandbox", config=self.folder / "config")
        monkeypatch.setenv("KIPFLOW_SANDBOX_URL", NOBODY)

    def receive(self, mails: Sequence[Mail], at: datetime) -> Report:
        """An archive gives these mails; months up to `at` are held."""
        path = self.folder / f"{at:%Y%m%dT%H%M%S}-{len(mails)}.mbox"
        path.write_text("".join(mail.render() for mail in mails), encoding="utf-8")
        report = ingest_paths(self.parts.store, [path], list_id=LIST, prefix="KIP", seen_at=at)
        self.hold(at)
        return report

    def hold(self, at: datetime, *, status: str = "complete") -> None:
        """The archive is held up to `at`, with `status`."""
        why = "" if status == "complete" else "as reported"
        month = ArchiveMonth(list_id=LIST, month="2026-03", status=status, fetched_at=at, why=why)
        with self.parts.store.begin() as session:
            session.mail.save_month(month)

    def decide(self, as_of: datetime, *, now: datetime | None = None) -> None:
        """Decide what could have changed and deliver what is due."""
        # an index of which no row was read makes no numbers: it is only written
        rules = replace(effect_rules(self.parts), slack=self.slack, index_page="5")
        advance.advance_all(self.parts.store, policy=self.parts.policy, effects=rules, as_of=as_of, now=now)
        kinds = {"slack": chat_kind(self.channel, self.parts.store)}
        deliver.deliver(self.parts.store, kinds, now=now or as_of, by=ThisProcess(), wait=lambda _seconds: None)

    def discard(self, at: datetime, *asked: str) -> None:
        """A person discards the proposal, to settle the questions `asked`."""
        rulings.settle(
            self.parts.store,
            number=77,
            kind="stage",
            target="KIP-77",
            value={"stage": "Discarded"},
            context=ActContext(author="ops", reason="asked its author", at=at),
            asked=asked,
        )

    def act(self, name: str, key: str, at: datetime) -> None:
        """A person does something with an effect."""
        desk = open_desk(self.parts)
        context = ActContext(author="mara", reason="we talked about it", at=at)
        perform(replace(desk, effects=replace(desk.effects, sends=True)), name, {"key": key}, context)

    def outbox(self, channel: str, status: str = "") -> list[OutboxRow]:
        """The effects of a channel, newest first."""
        return [row for row in self.parts.store.effects(status=status, limit=500).rows if row.channel == channel]

    def lines(self) -> list[str]:
        """The history of the proposal that stands."""
        with self.parts.store.begin() as session:
            return [replay.say(t) for t in effective(session.history.load(77))]

    def ids(self) -> list[str]:
        with self.parts.store.begin() as session:
            return [t.id for t in effective(session.history.load(77))]

    def stage(self, at: datetime) -> str:
        return self.parts.store.proposal(77, at).stage

    def corrections(self, at: datetime) -> list[str]:
        return [r.transition.note for r in self.parts.store.proposal(77, at).history if r.transition.retracts]

    def effects(self) -> dict[str, str]:
        """Text of each message → its state."""
        return {str(e.payload["text"]): e.status for e in self.parts.store.effects(limit=500).rows}


def found(folder: Path, **variables: Any) -> Village:
    """The sandbox's community in `folder`, without any service: it has no wiki, its numbers come from mail."""
    shutil.copytree(REPOSITORY / "config", folder / "config", dirs_exist_ok=True)
    leave_wiki_out(folder / "config" / "communities" / "sandbox.yaml")
    parts = connect_to(NOBODY, folder / "home", KIPFLOW_CONFIG=str(folder / "config"), **variables)
    return Village(parts=parts, folder=folder)


def leave_wiki_out(file: Path) -> None:
    """Take the wiki out of a community's file."""
    text = file.read_text(encoding="utf-8")
    gone = r"^wiki:\n(?:[ #].*\n)+|^  page: .*\n"
    file.write_text(re.sub(gone, "", text, flags=re.MULTILINE), encoding="utf-8")
