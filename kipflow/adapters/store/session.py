"""One transaction of the store, as the use cases know it (`services.ports.Session`)."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store import (
    absences,
    assembly,
    calls,
    claims,
    decisions,
    exports,
    faults,
    fresh,
    messages,
    news,
    numbering,
    outbox,
    pages,
    rereading,
    rulings,
    warnings,
)
from kipflow.adapters.store.statements import lock_rulings, upsert
from kipflow.adapters.store.tables import mark
from kipflow.domain.clocks import find_coverage
from kipflow.domain.decisions import Decision
from kipflow.domain.events import Transition
from kipflow.domain.facts import (
    ArchiveMonth,
    CallNote,
    Coverage,
    IndexEntry,
    Message,
    PageAbsence,
    PageVersion,
    ProposalFacts,
    Ruling,
    SilenceWarning,
    Substance,
    TicketState,
    Unreadable,
)
from kipflow.domain.numbering import Numbers
from kipflow.domain.pagefaults import PageFault
from kipflow.domain.proposals import Proposal
from kipflow.domain.roster import Mailbox
from kipflow.services.ports import (
    CheckedPage,
    Claim,
    Effect,
    IndexRow,
    MetricRow,
    NewFact,
    OutboxRow,
    SaveReport,
    StaleMonth,
)


class SqlSession:
    """Implements `services.ports.Session` on one open connection. Made by `SqlStore.begin`."""

    def __init__(self, connection: sa.Connection, community: assembly.Community, *, reads: bool = False) -> None:
        self._connection = connection
        self._reads = reads
        self._community = community
        self._coverage: Coverage | None = None
        #: Of each proposal whose facts were loaded: the token of its pending facts then, and what it is.
        self._loaded: dict[int, tuple[str | None, Proposal]] = {}

    # -- facts ---------------------------------------------------------------------------------
    def save_messages(self, messages_: Iterable[Message], *, seen_at: datetime, reading_rules: int = 0) -> SaveReport:
        return messages.save_messages(
            self._connection,
            messages_,
            seen_at=seen_at,
            attribute=self._community.attribute,
            reading_rules=reading_rules,
            aside=self._community.aside,
        )

    def load_stale_months(self, reading_rules: int) -> list[StaleMonth]:
        return rereading.load_stale_months(self._connection, reading_rules)

    def count_stale(self, list_id: str, month: str, reading_rules: int) -> int:
        return rereading.count_stale(self._connection, list_id, month, reading_rules)

    def save_unreadable(self, items: Iterable[Unreadable], *, seen_at: datetime) -> int:
        return messages.save_unreadable(self._connection, items, seen_at=seen_at)

    def save_month(self, month: ArchiveMonth) -> None:
        pages.save_month(self._connection, month)
        self._coverage = None

    def load_months(self, list_id: str | None = None) -> list[ArchiveMonth]:
        return pages.load_months(self._connection, list_id)

    def save_page_version(self, page: PageVersion, *, seen_at: datetime) -> bool:
        return pages.save_page_version(self._connection, page, seen_at=seen_at)

    def load_page_versions(self) -> dict[str, int]:
        return pages.load_page_versions(self._connection)

    def find_page_body(self, page_id: str, version: int) -> str | None:
        """The storage format of a page version; `load_facts` leaves it out."""
        return pages.find_body(self._connection, page_id, version)

    def find_page_text(self, page_id: str, version: int) -> tuple[str, Substance] | None:
        return pages.find_text(self._connection, page_id, version)

    def load_page_holes(self, limit: int) -> list[tuple[str, int]]:
        return pages.load_holes(self._connection, limit)

    def load_absent_pages(self) -> dict[str, PageAbsence]:
        return absences.load_absent(self._connection)

    def note_page_absent(self, page_id: str, *, why: str, at: datetime, number: int | None = None) -> bool:
        return absences.note_absent(self._connection, page_id, why=why, at=at, number=number)

    def note_page_present(self, page_id: str, *, at: datetime) -> bool:
        return absences.note_present(self._connection, page_id, at=at)

    def load_checked_pages(self) -> list[CheckedPage]:
        return faults.load_checked_pages(self._connection)

    def save_page_faults(
        self, page: CheckedPage, found: Sequence[PageFault], *, rules: str, at: datetime
    ) -> tuple[PageFault, ...]:
        return faults.save_faults(self._connection, page, found, rules=rules, at=at)

    def load_page_faults(self, number: int) -> tuple[PageFault, ...]:
        return faults.load_faults(self._connection, number)

    def save_call_notes(self, notes: Iterable[CallNote], *, seen_at: datetime) -> int:
        return calls.save_call_notes(self._connection, notes, seen_at=seen_at)

    def save_index_entries(self, entries: Iterable[IndexEntry]) -> int:
        return pages.save_index_entries(self._connection, entries)

    def save_ticket(self, ticket: TicketState) -> bool:
        return pages.save_ticket(self._connection, ticket)

    def load_ticket_keys(self) -> list[str]:
        return pages.load_ticket_keys(self._connection)

    def save_ruling(self, ruling: Ruling) -> int:
        return rulings.save_ruling(self._connection, ruling)

    def revoke_ruling(self, ruling_id: int, *, at: datetime, by: str, reason: str = "") -> None:
        rulings.revoke_ruling(self._connection, ruling_id, at=at, by=by, reason=reason)

    def load_rulings(self) -> tuple[Ruling, ...]:
        """Every ruling by time. Nobody else rules until this transaction ends."""
        lock_rulings(self._connection)
        return rulings.load_all(self._connection)

    def find_mailbox(self, key: str) -> Mailbox | None:
        return rulings.find_mailbox(self._connection, key)

    def find_first_mail(self, address: str) -> datetime | None:
        return rulings.find_first_mail(self._connection, address)

    # -- decisions -----------------------------------------------------------------------------
    def load_pending(self, as_of: datetime) -> list[int]:
        return decisions.load_pending(self._connection, as_of, self._community.rules)

    def mark_all_pending(self) -> int:
        return decisions.mark_all_pending(self._connection, secrets.token_hex(8))

    def load_numbers(self) -> list[int]:
        return decisions.load_numbers(self._connection)

    def load_taken(self) -> Numbers:
        return numbering.load_numbers(self._connection)

    def save_stated_number(self, number: int | None, *, origin: str) -> None:
        if number is not None:
            self.save_mark(numbering.STATED_MARKS[origin], str(number))

    def is_claimed(self, number: int) -> bool:
        return decisions.is_claimed(self._connection, number)

    def load_facts(self, number: int) -> ProposalFacts:
        # first the token: facts that come while the rest is read leave the proposal pending
        token = decisions.find_pending_token(self._connection, number)
        coverage = self._load_coverage()
        facts = assembly.load_facts(self._connection, number, self._community, coverage, locks=not self._reads)
        self._loaded[number] = (token, facts.proposal)
        return facts

    def load_fresh(self, numbers: Sequence[int]) -> list[ProposalFacts]:
        found = list(fresh.load_facts(self._connection, numbers, self._community, self._load_coverage()))
        self._loaded.update((facts.proposal.number, (token, facts.proposal)) for token, facts in found)
        return [facts for _, facts in found]

    def save_first_decisions(self, decisions_: Sequence[Decision], *, recorded_at: datetime, run_id: str = "") -> None:
        whole = []
        for decision in decisions_:
            token, about = self._loaded.pop(decision.number)
            whole.append((decision, about, token))
        rules = self._community.rules
        decisions.save_first(self._connection, whole, rules=rules, recorded_at=recorded_at, run_id=run_id)

    def load_decided_at(self, number: int) -> datetime | None:
        return decisions.load_decided_at(self._connection, number)

    def load_index_rows(self) -> list[IndexRow]:
        return decisions.load_index_rows(self._connection)

    def load_history(self, number: int) -> tuple[Transition, ...]:
        return decisions.load_history(self._connection, number)

    def load_first_recorded(self, number: int) -> datetime | None:
        return decisions.load_first_recorded(self._connection, number)

    def load_new_facts(self, number: int) -> list[NewFact]:
        return news.load_new_facts(self._connection, number, self._community)

    def load_rules_changed(self, number: int) -> bool:
        return decisions.load_rules(self._connection, number) not in {None, self._community.rules}

    def append_transitions(self, transitions: Sequence[Transition], *, recorded_at: datetime, run_id: str = "") -> int:
        return decisions.append_transitions(self._connection, transitions, recorded_at=recorded_at, run_id=run_id)

    def save_warning(self, number: int, warning: SilenceWarning) -> bool:
        return warnings.save_warning(self._connection, number, warning)

    def save_decision(self, decision: Decision) -> None:
        """Replace the projection and settle the facts that were loaded here.

        Load the facts, decide and save within one transaction: a decision on facts loaded before could
        take newer ones off the list.
        """
        number = decision.number
        if number not in self._loaded:
            self.load_facts(number)
        token, about = self._loaded.pop(number)
        decisions.save_decision(self._connection, decision, about, rules=self._community.rules)
        decisions.settle_pending(self._connection, number, token)

    # -- effects -------------------------------------------------------------------------------
    def enqueue(self, effects: Iterable[Effect], *, now: datetime, status: str = "pending") -> int:
        return outbox.enqueue(self._connection, effects, now=now, status=status)

    def find_claim(self, channel: str) -> Claim | None:
        return claims.find_claim(self._connection, channel)

    def claim_effect(
        self, channel: str, *, by: str, now: datetime, lease: timedelta, ended: str | None = None
    ) -> OutboxRow | None:
        return claims.claim_effect(self._connection, channel, by=by, now=now, lease=lease, ended=ended)

    def renew_claim(self, key: str, *, by: str, lease: timedelta) -> bool:
        return claims.renew_claim(self._connection, key, by=by, lease=lease)

    def find_thread(self, number: int, channel: str) -> str | None:
        return outbox.find_thread(self._connection, number, channel)

    def mark_sent(self, key: str, *, at: datetime, external_ref: str) -> None:
        outbox.mark_sent(self._connection, key, at=at, external_ref=external_ref)

    def mark_failed(
        self, key: str, *, error: str, next_attempt_at: datetime | None, tried_at: datetime | None = None
    ) -> None:
        outbox.mark_failed(self._connection, key, error=error, next_attempt_at=next_attempt_at, tried_at=tried_at)

    def confirm_sent(self, key: str, *, by: str, at: datetime) -> bool:
        return outbox.confirm_sent(self._connection, key, by=by, at=at)

    def find_effect(self, key: str) -> OutboxRow | None:
        return outbox.find(self._connection, key)

    def load_effect_status(self, keys: Iterable[str]) -> dict[str, str]:
        return outbox.load_status(self._connection, keys)

    def withdraw_effects(self, keys: Iterable[str], *, why: str) -> int:
        return outbox.withdraw(self._connection, keys, why=why)

    def load_unreleased_retractions(self) -> frozenset[int]:
        return outbox.load_unreleased_retractions(self._connection)

    def find_waiting_retraction(self, number: int) -> OutboxRow | None:
        return outbox.find_waiting_retraction(self._connection, number)

    def is_retraction_released(self, number: int) -> bool:
        return outbox.is_retraction_released(self._connection, number)

    def release_effect(self, key: str, *, by: str, at: datetime) -> bool:
        return outbox.release_effect(self._connection, key, by=by, at=at)

    # -- reads for export and metrics ----------------------------------------------------------
    def iter_rows(self, table: str, columns: Sequence[str] | None = None) -> Iterator[list[dict[str, Any]]]:
        return exports.iter_rows(self._connection, table, columns)

    def save_metrics(self, rows: Iterable[MetricRow], *, as_of: datetime, run_id: str) -> int:
        return exports.save_metrics(self._connection, rows, as_of=as_of, run_id=run_id)

    def load_metrics(self) -> list[MetricRow]:
        """The newest metrics."""
        return exports.load_metrics(self._connection)[1]

    # -- marks ---------------------------------------------------------------------------------
    def load_mark(self, name: str) -> str | None:
        return self._connection.scalar(sa.select(mark.c.value).where(mark.c.name == name))

    def save_mark(self, name: str, value: str) -> None:
        upsert(self._connection, mark, [{"name": name, "value": value}], update=["value"])

    def _load_coverage(self) -> Coverage:
        if self._coverage is None:
            self._coverage = find_coverage(self.load_months())
        return self._coverage
