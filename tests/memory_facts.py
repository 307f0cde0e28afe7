"""Where facts are kept in memory: mail, pages, marks and batches as `services.ports` has them.

`tests/integration/store/test_store_contract.py` holds it against both databases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from kipflow.domain.facts import ArchiveMonth, Message, Unreadable
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.pages import CallNote, IndexEntry, PageAbsence, PageVersion, Substance, TicketState
from kipflow.domain.people import Mailbox
from kipflow.domain.proposals import Numbers
from kipflow.domain.sameids import is_other_mail, name_apart
from kipflow.services.ports import Batch, CheckedPage, MonthChange, SaveReport, StaleMonth


@dataclass
class MemoryMarks:
    """`Marks`."""

    held: dict[str, str] = field(default_factory=dict)

    def load(self, name: str) -> str | None:
        return self.held.get(name)

    def save(self, name: str, value: str) -> None:
        self.held[name] = value


@dataclass
class MemoryBatches:
    """`Batches`, but for undoing one. `items` are the facts that came with each and from nowhere else."""

    held: dict[int, Batch] = field(default_factory=dict)
    items: dict[int, set[str]] = field(default_factory=dict)

    def open(self, kind: str, sources: Sequence[str], *, seen_at: datetime) -> int:
        number = len(self.items) + 1
        self.held[number] = Batch(id=number, kind=kind, sources=tuple(sources), seen_at=seen_at)
        self.items[number] = set()
        return number

    def close(self, batch: int, months: Sequence[MonthChange] = ()) -> None:
        if months or self.items[batch]:
            self.held[batch] = replace(self.held[batch], months=tuple(months))
        else:
            del self.held[batch]

    def load_all(self) -> tuple[Batch, ...]:
        return tuple(replace(b, items=len(self.items[b.id])) for b in self.held.values())

    def keep(self, batch: int | None, fresh: Iterable[str], again: Iterable[str]) -> None:
        """Note facts that came with a batch; those that came again are its too, from an archive no batch's any more."""
        again = set(again) & set().union(*self.items.values())
        if batch is not None:
            self.items[batch] |= {*fresh, *again}
            return
        for items in self.items.values():
            items -= again


@dataclass
class MemoryMail:
    """`MailStore`. `attribute` says which proposals each mail belongs to."""

    attribute: Callable[[Sequence[Message]], Mapping[str, tuple[int, ...]]]
    batches: MemoryBatches
    messages: dict[str, Message] = field(default_factory=dict)
    rules: dict[str, int] = field(default_factory=dict)
    months: dict[tuple[str, str], ArchiveMonth] = field(default_factory=dict)
    unreadable: set[tuple[str, str]] = field(default_factory=set)

    def save_messages(
        self, messages: Iterable[Message], *, seen_at: datetime, reading_rules: int = 0, batch: int | None = None
    ) -> SaveReport:
        fresh: list[str] = []
        again: list[str] = []
        reread: list[str] = []
        for given in messages:
            held = self.messages.get(given.message_id)
            if held is not None and is_other_mail(held, given):
                why = f"another mail has the Message-ID {given.message_id} already (from {held.source}); both are kept"
                self.save_unreadable([Unreadable(source=given.source, why=why)], seen_at=seen_at)
                given = name_apart(given)
                held = self.messages.get(given.message_id)
            if held is None:
                fresh.append(given.message_id)
                self.messages[given.message_id], self.rules[given.message_id] = given, reading_rules
                continue
            again.append(given.message_id)
            if self.rules[given.message_id] < reading_rules and held.digest == given.digest:
                kept = replace(given, list_id=held.list_id, month=held.month, source=held.source)
                reread += [given.message_id] if kept != held else []
                self.messages[given.message_id], self.rules[given.message_id] = kept, reading_rules
        self.batches.keep(batch, fresh, again)
        numbers = self.attribute(list(self.messages.values()))
        touched = frozenset(n for message_id in (*fresh, *reread) for n in numbers[message_id])
        return SaveReport(new=len(fresh), known=len(again), reread=len(reread), touched=touched)

    def load_stale_months(self, reading_rules: int) -> list[StaleMonth]:
        places = sorted({(m.list_id, m.month) for m in self._list_stale(reading_rules)})
        paths = {key: month.path for key, month in self.months.items()}
        return [StaleMonth(list_id=key[0], month=key[1], path=paths.get(key)) for key in places]

    def count_stale(self, list_id: str, month: str, reading_rules: int) -> int:
        return sum((m.list_id, m.month) == (list_id, month) for m in self._list_stale(reading_rules))

    def expire_readings(self) -> None:
        self.rules = dict.fromkeys(self.rules, 0)

    def _list_stale(self, reading_rules: int) -> list[Message]:
        return [m for m in self.messages.values() if self.rules[m.message_id] < reading_rules]

    def save_month(self, month: ArchiveMonth) -> None:
        self.months[month.list_id, month.month] = month

    def drop_month(self, list_id: str, month: str) -> None:
        self.months.pop((list_id, month), None)

    def load_months(self, list_id: str | None = None) -> dict[tuple[str, str], ArchiveMonth]:
        return {key: month for key, month in sorted(self.months.items()) if list_id in {None, key[0]}}

    def save_unreadable(self, items: Iterable[Unreadable], *, seen_at: datetime) -> int:
        del seen_at
        new = {(item.source, item.why) for item in items} - self.unreadable
        self.unreadable |= new
        return len(new)

    def find_mailbox(self, key: str) -> Mailbox | None:
        if key in self.messages:
            mail = self.messages[key]
            return Mailbox(key=key, name=mail.author_name, address=mail.author_address)
        theirs = [m for m in self.messages.values() if m.author_address == key]
        newest = max(theirs, key=lambda m: (m.arrived_at is not None, m.arrived_at), default=None)
        return None if newest is None else Mailbox(key=key, name=newest.author_name)

    def find_references(self, message_id: str) -> tuple[str, ...] | None:
        mail = self.messages.get(message_id)
        return None if mail is None else mail.references or tuple(filter(None, [mail.in_reply_to]))

    def find_first_mail(self, address: str) -> datetime | None:
        theirs = (m.arrived_at for m in self.messages.values() if m.author_address == address)
        return min((at for at in theirs if at is not None), default=None)


@dataclass
class MemoryPages:
    """`PageStore`, but for the list of pages to check: that needs what was decided."""

    batches: MemoryBatches
    versions: dict[tuple[str, int], PageVersion] = field(default_factory=dict)
    absent: dict[str, PageAbsence] = field(default_factory=dict)
    readings: dict[tuple[int, str], list[IndexEntry]] = field(default_factory=dict)
    tickets: dict[str, TicketState] = field(default_factory=dict)
    notes: set[CallNote] = field(default_factory=set)
    stated: dict[str, int] = field(default_factory=dict)
    ever: dict[tuple[str, str, str], str] = field(default_factory=dict)

    def save_version(self, page: PageVersion, *, seen_at: datetime) -> bool:
        del seen_at
        is_new = (page.page_id, page.version) not in self.versions
        self.versions.setdefault((page.page_id, page.version), page)
        return is_new

    def load_versions(self) -> dict[str, int]:
        return dict(sorted(self.versions))

    def find_body(self, page_id: str, version: int) -> str | None:
        held = self.versions.get((page_id, version))
        return held.body if held is not None else None

    def find_text(self, page_id: str, version: int) -> tuple[str, Substance] | None:
        held = self.versions.get((page_id, version))
        return (held.body, held.substance) if held is not None else None

    def load_holes(self, limit: int) -> list[tuple[str, int]]:
        newest = sorted(self.load_versions().items())
        return [(p, n) for p, last in newest for n in range(1, last) if (p, n) not in self.versions][:limit]

    def load_absent(self) -> dict[str, PageAbsence]:
        return dict(self.absent)

    def note_absent(self, page_id: str, *, why: str, at: datetime, number: int | None = None) -> bool:
        del number
        known = self.absent.get(page_id)
        is_new = known is None or known.why != why
        fresh = PageAbsence(page_id=page_id, since=at, why=why, asked_at=at)
        self.absent[page_id] = fresh if known is None or is_new else replace(known, asked_at=at)
        return is_new

    def note_present(self, page_id: str, *, at: datetime) -> bool:
        del at
        return self.absent.pop(page_id, None) is not None

    def save_faults(
        self, page: CheckedPage, found: Sequence[PageFault], *, rules: str, at: datetime
    ) -> tuple[PageFault, ...]:
        del rules, at
        new = [f for f in found if self._is_new(page.page_id, f)]
        self.ever.update({(page.page_id, f.code, f.place): f.severity for f in found})
        return tuple(new)

    def _is_new(self, page_id: str, fault: PageFault) -> bool:
        before = self.ever.get((page_id, fault.code, fault.place))
        return before is None or (before, fault.severity) == ("note", "error")

    def save_call_notes(self, notes: Iterable[CallNote], *, seen_at: datetime) -> int:
        del seen_at
        new = set(notes) - self.notes
        self.notes |= new
        return len(new)

    def save_index_entries(self, entries: Iterable[IndexEntry], *, batch: int | None = None) -> int:
        readings: dict[tuple[int, str], list[IndexEntry]] = {}
        for entry in entries:
            readings.setdefault((entry.number, entry.origin), []).append(entry)
        changed = {key: rows for key, rows in readings.items() if _says(rows) != _says(self.readings.get(key, []))}
        self.readings |= changed
        self.batches.keep(batch, [repr(row) for rows in changed.values() for row in rows], ())
        return len({number for number, _ in changed})

    def save_ticket(self, ticket: TicketState) -> bool:
        held = self.tickets.get(ticket.key)
        if held is not None and replace(held, seen_at=ticket.seen_at) == ticket:
            return False
        self.tickets[ticket.key] = ticket
        return True

    def load_ticket_keys(self) -> list[str]:
        newest = (self.versions[key].jira for key in self.load_versions().items())
        rows = (row.jira for reading in self.readings.values() for row in reading)
        return sorted({key for key in (*newest, *rows) if key is not None})

    def load_taken(self) -> Numbers:
        of_pages = (v.number for v in self.versions.values())
        of_rows = (number for number, _ in self.readings)
        of_calls = (note.number for note in self.notes)
        taken = frozenset(n for n in (*of_pages, *of_rows, *of_calls) if n is not None)
        return Numbers(taken=taken, stated=max(self.stated.values(), default=None))

    def save_stated_number(self, number: int | None, *, origin: str) -> None:
        if number is not None:
            self.stated[origin] = number


def _says(rows: Sequence[IndexEntry]) -> set[IndexEntry]:
    """What a reading says, whenever it was read."""
    return {replace(row, seen_at=datetime.min.replace(tzinfo=UTC)) for row in rows}
