"""A small community's mail as bytes, stored and decided by the real parts: what the board reads in production."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from kipflow.config.settings import Settings
from kipflow.domain.clocks import list_months
from kipflow.domain.facts import ArchiveMonth, Message
from kipflow.domain.pages import IndexEntry
from kipflow.mail.messages import read_message
from kipflow.services.advance import advance_all
from kipflow.services.effectrules import EffectRules
from kipflow.wiring import Parts, connect
from tests.databases import copy_database
from tests.living import build_mail
from tests.web.community import NOW, ago, hours

LIST = "dev@board.example"
OPENED = ago(h=58)
SUBJECT = "[VOTE] KIP-7: Bounded <b>retries</b> & more"

COMMUNITY = f"""
name: board
prefix: KIP
title: Board community
lists: [{LIST}]
archive: {{url: "http://127.0.0.1:9/api", permalink: "https://lists.example/thread/{{mid}}", since: "2026-01"}}
roster: rosters/board.yaml
users: {{viewer: noor}}
policy: {{source: a test, binding_roles: [pmc], clock_after: 7 days, dormant_after: 90 days}}
"""
ROSTER = """
source: the board's own list
as_of: 2026-03-01
people:
  - {id: ines, name: Ines Okafor, emails: [ines@people.example], roles: [{role: pmc}]}
  - {id: wei, name: Wei Anan, emails: [wei@people.example], roles: [{role: pmc}]}
  - {id: dario, name: Dario Mele, emails: [dario@people.example], roles: [{role: pmc}]}
  - id: noor
    name: Noor <b>Haddad</b>
    roles: [{role: pmc, since: 2024-05-01}, {role: committer, since: 2020-01-01, until: 2024-05-01}]
"""


def write_config(folder: Path, community: str = COMMUNITY) -> Path:
    """A configuration folder with one community, "board", that has no clock of its own."""
    (folder / "communities").mkdir(parents=True)
    (folder / "rosters").mkdir()
    (folder / "communities" / "board.yaml").write_text(community)
    (folder / "rosters" / "board.yaml").write_text(ROSTER)
    return folder


def connect_board(home: Path, community: str = COMMUNITY) -> Parts:
    """The parts over a fresh, migrated SQLite database below `home`."""
    url = f"sqlite:///{home / 'board.db'}"
    copy_database(home / "board.db")
    config = write_config(home / "config", community)
    return connect(Settings(home=home, config=config, community="board", database_url=url, sends=False))


def write_mail(author: str, arrived_at: datetime, subject: str, body: str, *, answers: str = "") -> bytes:
    first = author.split()[0].lower()
    message_id, sender = f"{first}.{arrived_at:%Y%m%d%H%M%S}@people.example", f"{author} <{first}@people.example>"
    return build_mail(message_id, sender, LIST, arrived_at, subject, body, answers=answers)


def build_story() -> list[Message]:
    """One discussion and one vote, 58 hours old: two binding +1, one with a condition, one hostile stranger."""
    opener = f"ines.{OPENED:%Y%m%d%H%M%S}@people.example"
    mails = [
        write_mail("Ines Okafor", ago(d=20), "[DISCUSS] KIP-7: Bounded <b>retries</b> & more", "Please discuss."),
        write_mail("Ines Okafor", OPENED, SUBJECT, "I would like to start the vote on KIP-7."),
        write_mail("Wei Anan", OPENED + hours(3), f"Re: {SUBJECT}", "+1 (binding)\n\nThanks!", answers=opener),
        write_mail("Ines Okafor", OPENED + hours(4), f"Re: {SUBJECT}", "+1 (binding)", answers=opener),
        write_mail("Dario Mele", OPENED + hours(5), f"Re: {SUBJECT}", "+1 if the default stays at one", answers=opener),
        write_mail(
            "Mallory <script>", OPENED + hours(6), f"Re: {SUBJECT}", "+1 <script>alert(1)</script>", answers=opener
        ),
    ]
    read = [read_message(m, source=f"{LIST}#{i}", list_id=LIST, month="", prefix="KIP") for i, m in enumerate(mails)]
    return [m for m in read if isinstance(m, Message)]


def add_questions() -> list[Message]:
    """Votes and a discussion that each leave another kind of question to a person."""
    mails = [
        *_vote(8, ago(d=5), ("Wei Anan", "+1 (binding)", "wei@home.example"), ("Dario Mele", "+1", "")),
        *_vote(9, ago(d=6), ("Ines Okafor", "The vote passed. Sorry, that was wrong.", "")),
        write_mail("Wei Anan", ago(d=110), "[DISCUSS] KIP-11: Old locks", "Please discuss."),
    ]
    read = [read_message(m, source=f"{LIST}#q{i}", list_id=LIST, month="", prefix="KIP") for i, m in enumerate(mails)]
    return [m for m in read if isinstance(m, Message)]


def _vote(number: int, opened: datetime, *replies: tuple[str, str, str]) -> Iterator[bytes]:
    """A vote's mails; a reply is from its author's own address unless another is given."""
    subject = f"[VOTE] KIP-{number}: Quiet locks {number}"
    opened += timedelta(minutes=number)  # ids of mails are made of the time
    root = f"ines.{opened:%Y%m%d%H%M%S}@people.example"
    yield write_mail("Ines Okafor", opened, subject, f"I would like to start the vote on KIP-{number}.")
    for hour, (author, words, address) in enumerate(replies, 1):
        mail = write_mail(author, opened + hours(hour), f"Re: {subject}", words, answers=root)
        usual = f"<{author.split()[0].lower()}@people.example>".encode()
        yield mail.replace(usual, f"<{address}>".encode(), 1) if address else mail


def store_story(parts: Parts, *, imported: int = 0, now: datetime = NOW) -> None:
    """Store the mails, three complete months and `imported` index rows, and decide on everything."""
    sections = ("accepted", "discussion", "dormant", "discarded")
    with parts.store.begin() as session:
        session.mail.save_messages(build_story(), seen_at=now)
        for month in list_months("2026-01", f"{now:%Y-%m}"):
            session.mail.save_month(
                ArchiveMonth(list_id=LIST, month=month, status="complete", fetched_at=now - timedelta(minutes=5))
            )
        session.pages.save_index_entries(
            IndexEntry(
                number=n, title=f"Imported proposal {n}", section=sections[n % 4], seen_at=now, origin="import",
                created_at=now - timedelta(days=2 * n), changed_at=now - timedelta(days=n),
            )
            for n in range(100, 100 + imported)
        )  # fmt: skip
    advance_all(parts.store, policy=parts.policy, effects=EffectRules(prefix="KIP", sends=False), as_of=now)
