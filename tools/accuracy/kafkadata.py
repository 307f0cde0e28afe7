"""Data on Kafka's real proposals: the index of one day, the mails that name them, later states, roles.

The mails have no bodies and no headers: only time, sender, and the proposal that their subject names in a
`[DISCUSS]` or `[VOTE]` thread. So ballots, announcements and references are unknown: all mails of one kind
about one proposal are treated as one thread, opened by the first.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from kipflow.domain.clocks import list_months
from kipflow.domain.facts import ArchiveMonth, Message
from kipflow.domain.pages import IndexEntry, PageVersion, StatusWord
from kipflow.mail.content.encodedwords import decode_words
from kipflow.mail.subjects import parse_subject
from kipflow.rosters.files import render_roster
from kipflow.rosters.formats import parse_listing
from kipflow.services.import_roster import import_roster
from kipflow.wiki.index_exports import parse_index_json

INDEX = "kip_index_2026-01-01.json"
MENTIONS = "kip_mail_mentions_2023-2025.csv.gz"
CHANGES = "kip_state_changes_2026-01_2026-04.csv"
ROSTER = "kafka_roster_history.csv"
#: The time at which the index was read: just after its newest save.
INDEX_AT = datetime(2026, 1, 2, tzinfo=UTC)
MAILS_FROM = datetime(2023, 1, 1, tzinfo=UTC)
LIST = "dev@kafka.apache.org"
TAGS = {"vote": "[VOTE] ", "discuss": "[DISCUSS] ", "subject": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A mail that names a proposal: in its subject within a thread of that `kind`, or only in its body."""

    number: int
    kind: str
    mail: str
    month: str
    at: datetime
    name: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChange:
    """An observed change of a proposal's state on the wiki. `saved_at` is the page's last save at that time."""

    seen_at: datetime
    old: str
    saved_at: datetime
    entry: IndexEntry


class KafkaData:
    """The four files of one folder, each read once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def index_text(self) -> str:
        return (self.folder / INDEX).read_text(encoding="utf-8")

    @cached_property
    def raw_index(self) -> dict[int, dict[str, Any]]:
        return {int(number): row for number, row in json.loads(self.index_text).items()}

    @cached_property
    def index(self) -> dict[int, IndexEntry]:
        return {e.number: e for e in parse_index_json(self.index_text, "KIP", INDEX_AT).entries}

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """In order of time; a mail that names a proposal in subject and body is listed twice."""
        with gzip.open(self.folder / MENTIONS, "rt", encoding="utf-8", newline="") as file:
            return tuple(sorted((_as_mention(row) for row in csv.DictReader(file)), key=lambda m: (m.at, m.mail)))

    @cached_property
    def threads(self) -> dict[str, dict[int, list[Mention]]]:
        """kind ("vote", "discuss", "subject": neither, "body": not in the subject) → number → mails."""
        kinds: dict[tuple[int, str], set[str]] = defaultdict(set)
        for m in self.mentions:
            kinds[m.number, m.mail].add(m.kind)
        found: dict[str, dict[int, list[Mention]]] = {kind: defaultdict(list) for kind in (*TAGS, "body")}
        for m in self.mentions:
            kind = next(k for k in (*TAGS, "body") if k in kinds[m.number, m.mail])
            if m.kind == kind:
                found[kind][m.number].append(m)
        return found

    def messages(self) -> Iterator[Message]:
        """One for each mail whose subject names a proposal, with only the known fields."""
        for kind, tag in TAGS.items():
            for number, mails in self.threads[kind].items():
                for mail in mails:
                    yield _as_message(mail, f"{tag}KIP-{number}", root=mails[0] if kind != "subject" else None)

    def months(self) -> Iterator[ArchiveMonth]:
        for month in list_months(f"{MAILS_FROM:%Y-%m}", "2025-12"):
            yield ArchiveMonth(list_id=LIST, month=month, status="complete", fetched_at=INDEX_AT)

    def pages(self) -> Iterator[PageVersion]:
        """The first version of each page: its time and author. Its text is unknown."""
        for number, row in self.raw_index.items():
            yield PageVersion(
                page_id=str(row["content_url"]).rpartition("/")[2],
                version=1,
                saved_at=datetime.fromisoformat(row["created_on"]),
                saved_by=row["created_by"],
                title=row["title"],
                number=number,
                status=StatusWord.UNKNOWN,
                status_text="",
            )

    @cached_property
    def changes(self) -> tuple[StateChange, ...]:
        with (self.folder / CHANGES).open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["field"] == "state"]
        return tuple(sorted(map(_as_change, rows), key=lambda c: c.seen_at))

    def readings(self) -> Iterator[list[IndexEntry]]:
        """The changed rows of the wiki's index, grouped by the time at which they were seen."""
        for _, changes in itertools.groupby(self.changes, key=lambda c: c.seen_at):
            yield [change.entry for change in changes]

    def write_roster(self, folder: Path) -> Path:
        """Who held which role when, as a roster file in `folder`, by the functions of `kipflow roster import`."""
        listing = parse_listing([(ROSTER, (self.folder / ROSTER).read_text(encoding="utf-8"))])
        report = import_roster(None, listing, source="history of roles", as_of=date(2024, 12, 31))
        path = folder / "roster.yaml"
        path.write_text(render_roster(report.roster), encoding="utf-8")
        return path


def _as_mention(row: dict[str, str]) -> Mention:
    month = f"{int(row['mbox_year']):04d}-{int(row['mbox_month']):02d}"
    return Mention(
        number=int(row["kip"]),
        kind=row["mention_type"],
        mail=f"<{month}.{row['message_index']}@mentions>",
        month=month,
        at=datetime.fromisoformat(row["timestamp"]),
        name=decode_words(row["sender_name"]),
        address=row["sender_key"],
    )


def _as_message(mail: Mention, subject: str, *, root: Mention | None) -> Message:
    text = subject if root is None or mail is root else f"Re: {subject}"
    answers = root.mail if root is not None and mail is not root else None
    return Message(
        message_id=mail.mail,
        list_id=LIST,
        month=mail.month,
        source=f"{LIST}/{mail.month}{mail.mail}",
        arrived_at=mail.at,
        arrived_from="date",
        author_name=mail.name,
        author_address=mail.address,
        raw_from=f"{mail.name} <{mail.address}>",
        subject=text,
        reading=parse_subject(text, "KIP"),
        in_reply_to=answers,
        references=(answers,) if answers else (),
        own_text="",
    )


def _as_change(row: dict[str, str]) -> StateChange:
    seen_at, saved_at = datetime.fromisoformat(row["commit_time"]), datetime.fromisoformat(row["page_last_modified_on"])
    known = {"kip_id": int(row["kip"]), "title": row["title"], "state": row["new"]}
    (entry,) = parse_index_json(json.dumps([known]), "KIP", seen_at).entries
    # as the wiki's own rows: an import would count as a person's baseline
    return StateChange(seen_at=seen_at, old=row["old"], saved_at=saved_at, entry=replace(entry, origin="page"))
