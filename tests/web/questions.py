"""Proposals that each leave one kind of question to a person, stored and decided by the real parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import format_datetime
from functools import partial
from pathlib import Path

import pytest

from kipflow.cli import run
from kipflow.domain.facts import ArchiveMonth, Message, Ruling
from kipflow.domain.pages import StatusWord
from kipflow.mail.messages import read_message
from kipflow.services import rulings
from kipflow.services.advance import advance_all
from kipflow.services.desk import ActContext
from kipflow.services.ports import Effect
from kipflow.wiring import Parts, effect_rules
from tests.web.community import NOW, page
from tests.web.story import COMMUNITY, LIST, connect_board

#: What a day counts from. The questions are all open on day 40.
START = NOW - timedelta(days=40)
RECEIVER = "mx.board.example"
INES, WEI, DARIO = (
    f"{name} <{name.split()[0].lower()}@people.example>" for name in ("Ines Okafor", "Wei Anan", "Dario Mele")
)
#: Nothing is decided by the clock, and what the list's own host says of a mail is believed.
HELD = ("release", "refuse", "one", "two")
PATIENT = COMMUNITY.replace("clock_after: 7 days, ", "").replace("dormant_after: 90 days", "dormant_after: 365 days")


def write(
    number: int, name: str, by: str, day: float, words: str, *, tag: str = "Re: [VOTE]", dated: float | None = None
) -> Message:
    """A mail on a proposal; one with "Re:" answers the mail called "root". `dated` is its sender's claim."""
    arrived = START + timedelta(days=day)
    sent = arrived if dated is None else START + timedelta(days=dated)
    thread = f"In-Reply-To: <{number}.root@m.example>\n" if tag.startswith(("Re:", "[RESULT]")) else ""
    text = (
        f"Received: from out.example by {RECEIVER} with ESMTP id x1; {format_datetime(arrived)}\n"
        f"Message-ID: <{number}.{name}@m.example>\nFrom: {by}\nTo: {LIST}\nDate: {format_datetime(sent)}\n"
        f"Subject: {tag} KIP-{number}: Matter {number}\n{thread}\n{words}\n"
    )
    read = read_message(
        text.encode(), source=f"{LIST}#{number}{name}", list_id=LIST, month="", prefix="KIP", receivers=[RECEIVER]
    )
    if not isinstance(read, Message):
        raise TypeError(read.why)
    return read


def call(number: int, day: float, value: str = "+1 (binding)", *, name: str = "root") -> Iterator[Message]:
    """A vote in which three whose votes bind say the same."""
    yield write(number, name, INES, day, "I call a vote on this.", tag="[VOTE]")
    if name == "root":
        yield from (write(number, f"v{i}", by, day + i / 10, value) for i, by in enumerate((INES, WEI, DARIO), 1))


def announce(number: int, words: str = "The vote passes with 3 binding +1 votes and no others.") -> Message:
    return write(number, "result", INES, 5, words, tag="[RESULT] [VOTE]")


def open_questions(home: Path, community: str = PATIENT) -> Parts:
    """A board's parts with proposals KIP-21 to KIP-33, one for each kind of question."""
    parts = connect_board(home, community)
    _store_pages(parts, START, 1, range(21, 33))
    decided = (26, 27, 28)
    _store(
        parts, 6,
        *(mail for n in (*decided, 31) for mail in call(n, 1)), *map(announce, decided),
        *call(29, 1, "-1 (binding)"), announce(29, "The vote failed with 3 binding -1."),
        *(write(n, "talk", WEI, 1, "Please discuss.", tag="[DISCUSS]") for n in (25, 30)),
    )  # fmt: skip
    context = ActContext(author="Otto", reason="asked", at=START + timedelta(days=10))
    say = partial(rulings.settle, parts.store, context=context)
    say(number=27, kind="ballot", target="<27.v1@m.example>", value={"choice": "none"})
    say(number=30, kind="stage", target="KIP-30", value={"stage": "Discarded"})
    with parts.store.begin() as session:
        session.rulings.save(
            Ruling(
                id=None, number=25, kind="snooze", target="KIP-25", value={"until": "some day"},
                author="Otto", reason="by an older release", made_at=START,
            )
        )  # fmt: skip
    _store_pages(parts, START + timedelta(days=39), 7, [23])
    _store(
        parts, 40,
        *call(21, 38), write(21, "like", "D. Mele <mele@home.example>", 39, "-1"),
        *call(22, 38), write(22, "end", "Mallory <m@evil.example>", 39.5, "The vote passes.", tag="[RESULT] [VOTE]"),
        *call(23, 38),
        write(26, "late", WEI, 22, "-1 (binding)", dated=2.5),
        *(write(28, f"no{i}", by, 2, "-1 (binding)") for i, by in enumerate((WEI, DARIO))),
        *call(29, 20, name="again"),
        write(30, "anew", WEI, 20, "Once more?", tag="[DISCUSS]"),
        *call(32, 38), *(write(32, f"n{i}", f"Anna{i} Q{i}vist <many@home.example>", 39, "+1") for i in range(10)),
        write(33, "talk", WEI, 39, "Please discuss.", tag="[DISCUSS]"),
    )  # fmt: skip
    return parts


def open_work(parts: Parts) -> None:
    """More to do for an operator: who is who on KIP-34 and KIP-35, KIP-36 to overrule, effects of KIP-24, an ingest
    that was a mistake, and a roster that was added to."""
    _store_pages(parts, START, 1, (34, 35, 36))
    _store(
        parts, 40,
        *call(34, 38), write(34, "like", "W. Anan <wanan@home.example>", 39, "-1"),
        write(35, "root", INES, 38, "I call a vote on this.", tag="[VOTE]"),
        write(35, "wei", "Wei Anan <wei@elsewhere.example>", 39, "+1 (binding)"),
        write(35, "dario", "Dario Mele <dario@elsewhere.example>", 39, "+1 (binding)"),
        *call(36, 20, "-1 (binding)"), announce(36, "The vote failed with 3 binding -1."),
    )  # fmt: skip
    held = [Effect(key=f"24/{n}", number=24, channel="slack", payload={"text": n}, approval=True) for n in HELD]
    others = [Effect(key=f"24/{n}", number=24, channel="slack", payload={"text": n}) for n in ("hold", "unsure")]
    edit = Effect(key="24/edit", number=24, channel="page", payload={"text": "edit"})
    with parts.store.begin() as session:
        session.outbox.enqueue([*held, *others, edit], now=NOW)
        session.outbox.mark_failed("24/unsure", error="no answer", next_attempt_at=None, tried_at=NOW)
        session.outbox.mark_sent("24/edit", at=NOW, external_ref="7@2")
    if parts.roster_file is not None:
        text = parts.roster_file.read()
        parts.roster_file.save(f"{text}# added to\n", instead_of=text)
    mistake = parts.settings.home / "mistake.eml"
    mistake.write_text(f"Message-ID: <x@m.example>\nFrom: {WEI}\nDate: {format_datetime(NOW)}\nSubject: Hi\n\nHi.\n")
    with pytest.MonkeyPatch.context() as patch:
        named = {"HOME": parts.settings.home, "CONFIG": parts.settings.config, "COMMUNITY": "board"}
        for name, value in {**named, "DATABASE_URL": parts.settings.database_url}.items():
            patch.setenv(f"KIPFLOW_{name}", str(value))
        if run(["ingest", str(mistake)]):
            raise RuntimeError("the ingest failed")


def _store_pages(parts: Parts, at: datetime, version: int, numbers: Iterable[int]) -> None:
    with parts.store.begin() as session:
        for n in numbers:
            saved = page(n, f"Matter {n}", at, version, StatusWord.DISCUSSION, "Under Discussion")
            session.pages.save_version(saved, seen_at=at)


def _store(parts: Parts, day: int, *mails: Message) -> None:
    at = START + timedelta(days=day)
    with parts.store.begin() as session:
        session.mail.save_messages(mails, seen_at=at)
        for month in ("2026-02", "2026-03"):
            held = ArchiveMonth(list_id=LIST, month=month, status="complete", fetched_at=at)
            session.mail.save_month(held)
    rules = replace(effect_rules(parts), sends=False)
    advance_all(parts.store, policy=parts.policy, effects=rules, as_of=at)
