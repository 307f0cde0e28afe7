"""Where pages, months and marks are kept in memory: what the sync of a wiki needs of `services.ports`.

`tests/integration/store/test_store_contract.py` holds it against both databases.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from kipflow.domain.facts import ArchiveMonth, Unreadable
from kipflow.domain.pages import PageAbsence, PageVersion, Substance


@dataclass
class MemoryMarks:
    """`Marks`."""

    held: dict[str, str] = field(default_factory=dict)

    def load(self, name: str) -> str | None:
        return self.held.get(name)

    def save(self, name: str, value: str) -> None:
        self.held[name] = value


@dataclass
class MemoryMail:
    """`MailStore`, as far as months and what could not be read go."""

    months: dict[tuple[str, str], ArchiveMonth] = field(default_factory=dict)
    unreadable: set[tuple[str, str]] = field(default_factory=set)

    def save_month(self, month: ArchiveMonth) -> None:
        self.months[month.list_id, month.month] = month

    def drop_month(self, list_id: str, month: str) -> None:
        self.months.pop((list_id, month), None)

    def load_months(self, list_id: str | None = None) -> list[ArchiveMonth]:
        return [month for key, month in sorted(self.months.items()) if list_id in {None, key[0]}]

    def save_unreadable(self, items: Iterable[Unreadable], *, seen_at: datetime) -> int:
        del seen_at
        new = {(item.source, item.why) for item in items} - self.unreadable
        self.unreadable |= new
        return len(new)


@dataclass
class MemoryPages:
    """`PageStore`, as far as versions and absences go."""

    versions: dict[tuple[str, int], PageVersion] = field(default_factory=dict)
    absent: dict[str, PageAbsence] = field(default_factory=dict)

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
