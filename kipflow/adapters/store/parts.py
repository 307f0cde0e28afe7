"""The parts of a session (`services.ports`): functions of the modules beside this one, on one connection."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store import (
    batches,
    decisions,
    deliveries,
    exports,
    fresh,
    messages,
    months,
    news,
    numbering,
    outbox,
    page_notes,
    pages,
    rereading,
    rulings,
    warnings,
)
from kipflow.adapters.store.binding import Part, method, ruled
from kipflow.adapters.store.statements import load_mark, save_mark
from kipflow.domain.clocks import find_coverage
from kipflow.domain.decisions import Decision
from kipflow.domain.errors import UnknownProposal
from kipflow.domain.facts import ArchiveMonth, Coverage
from kipflow.domain.proposals import Proposal
from kipflow.services.ports import ProposalRows, Rules


class SqlMail(Part):
    """`MailStore`."""

    save_messages = ruled(messages.save_messages)
    load_stale_months = method(rereading.load_stale_months)
    count_stale = method(rereading.count_stale)
    expire_readings = method(rereading.expire_readings)
    save_unreadable = method(messages.save_unreadable)
    load_months = method(months.load_months)
    drop_month = method(months.drop_month)
    find_mailbox = method(rulings.find_mailbox)
    find_first_mail = method(rulings.find_first_mail)
    find_references = method(messages.find_references)

    _coverage: Coverage | None = None

    def save_month(self, month: ArchiveMonth) -> None:
        months.save_month(self._connection, month)
        self._coverage = None

    def find_coverage(self) -> Coverage:
        """What part of the archive is held; found once in a transaction, unless a month is saved in it."""
        if self._coverage is None:
            self._coverage = find_coverage(months.load_own_months(self._connection, self.rules))
        return self._coverage


class SqlPages(Part):
    """`PageStore`."""

    save_version = method(pages.save_page_version)
    load_versions = method(pages.load_page_versions)
    find_body = method(pages.find_body)
    find_text = method(pages.find_text)
    load_holes = method(pages.load_holes)
    load_absent = method(page_notes.load_absent)
    note_absent = method(page_notes.note_absent)
    note_present = method(page_notes.note_present)
    load_checked = method(page_notes.load_checked_pages)
    save_faults = method(page_notes.save_faults)
    save_call_notes = method(page_notes.save_call_notes)
    save_index_entries = method(pages.save_index_entries)
    save_ticket = method(pages.save_ticket)
    load_ticket_keys = method(pages.load_ticket_keys)
    load_taken = method(numbering.load_numbers)
    save_stated_number = method(numbering.save_stated_number)


class SqlBatches(Part):
    """`Batches`."""

    open = method(batches.open_batch)
    close = method(batches.close_batch)
    load_all = method(batches.load_batches)
    find_shared = method(batches.find_shared)
    note_undone = method(batches.note_undone)
    remove = ruled(batches.remove_batch)


class SqlRulings(Part):
    """`RulingStore`."""

    save = method(rulings.save_ruling)
    revoke = method(rulings.revoke_ruling)
    load_all = method(rulings.load_all)


class SqlOutbox(Part):
    """`Outbox`."""

    enqueue = method(outbox.enqueue)
    find_lease = method(deliveries.find_lease)
    claim = method(deliveries.claim_effect)
    renew_lease = method(deliveries.renew_lease)
    find_thread = method(outbox.find_thread)
    mark_sent = method(deliveries.mark_sent)
    load_cards = method(outbox.load_cards)
    rewrite = method(deliveries.rewrite)
    mark_failed = method(deliveries.mark_failed)
    confirm_sent = method(deliveries.confirm_sent)
    find = method(outbox.find)
    find_message = method(outbox.find_message)
    load_status = method(outbox.load_status)
    withdraw = method(outbox.withdraw)
    load_channel = method(outbox.load_channel)
    load_unreleased_retractions = method(outbox.load_unreleased_retractions)
    find_waiting_retraction = method(outbox.find_waiting_retraction)
    is_retraction_released = method(outbox.is_retraction_released)
    hold = method(deliveries.hold_effect)
    note_act = method(deliveries.note_act)
    release = method(deliveries.release_effect)


class SqlMetrics(Part):
    """`MetricStore`."""

    iter_rows = method(exports.iter_rows)
    save = method(exports.save_metrics)


class SqlMarks(Part):
    """`Marks`."""

    load = method(load_mark)
    save = method(save_mark)


class SqlHistory(Part):
    """`HistoryStore`. `locks`: a proposal whose rows are loaded is locked until the transaction ends."""

    load_numbers = method(decisions.load_numbers)
    is_claimed = method(decisions.is_claimed)
    load_decided_at = method(decisions.load_decided_at)
    load_index_rows = method(decisions.load_index_rows)
    load = method(decisions.load_history)
    load_moved = method(decisions.load_moved)
    forget_decision = method(decisions.forget_decision)
    save_warning = method(warnings.save_warning)
    load_pending = ruled(decisions.load_pending)
    load_new_facts = ruled(news.load_new_facts)
    load_rules_changed = ruled(decisions.load_rules_changed)
    append = method(decisions.append_transitions)

    def __init__(self, connection: sa.Connection, rules: Rules, mail: SqlMail, *, locks: bool) -> None:
        super().__init__(connection, rules)
        self._mail, self._locks = mail, locks
        #: The token of the pending facts of each proposal when its rows were loaded.
        self._tokens: dict[int, str | None] = {}

    def load_rows(self, number: int) -> ProposalRows:
        connection = self._connection
        # first the token: facts that come while the rest is read leave the proposal pending
        token = decisions.find_pending_token(connection, number)
        find = decisions.lock_proposal if self._locks else decisions.is_known
        if not find(connection, number):
            raise UnknownProposal(number)
        self._tokens[number] = token
        mails = messages.load_messages(connection, number)
        versions = pages.load_pages(connection, number)
        entries = pages.load_index_entries(connection, number)
        keys = {v.jira for v in versions if v.jira} | {e.jira for e in entries if e.jira}
        return ProposalRows(
            number=number,
            messages=tuple(mails),
            rivals=tuple(messages.load_rivals(connection, mails)),
            pages=versions,
            absences=page_notes.load_absences(connection, number),
            index_entries=entries,
            tickets=pages.load_tickets(connection, keys),
            rulings=rulings.load_rulings(connection, number),
            identities=rulings.load_identities(connection),
            warnings=warnings.load_warnings(connection, number),
            followed_since=warnings.find_followed_since(connection, number),
            coverage=self._mail.find_coverage(),
            numbering=numbering.load_numbering(connection, number, wiki_configured=self.rules.has_wiki),
        )

    def load_fresh(self, numbers: Sequence[int]) -> list[ProposalRows]:
        found = list(fresh.load_rows(self._connection, numbers, self._mail.find_coverage()))
        self._tokens.update((rows.number, token) for token, rows in found)
        return [rows for _, rows in found]

    def save_first_decisions(
        self, decisions_: Sequence[tuple[Decision, Proposal]], *, recorded_at: datetime, run_id: str = ""
    ) -> None:
        whole = [(decision, about, self._tokens.pop(decision.number)) for decision, about in decisions_]
        name = self.rules.name
        decisions.save_first(self._connection, whole, rules=name, recorded_at=recorded_at, run_id=run_id)

    def save_decision(self, decision: Decision, about: Proposal) -> None:
        number = decision.number
        known = number in self._tokens
        token = self._tokens.pop(number) if known else decisions.find_pending_token(self._connection, number)
        decisions.save_decision(self._connection, decision, about, rules=self.rules.name)
        decisions.settle_pending(self._connection, number, token)


class SqlSession:
    """The parts on one open connection. Made by `SqlStore.begin`; with `reads` by `SqlStore.read`."""

    def __init__(self, connection: sa.Connection, rules: Rules, *, reads: bool = False) -> None:
        self.connection, self.rules = connection, rules
        self.mail = SqlMail(connection, rules)
        self.pages = SqlPages(connection, rules)
        self.rulings = SqlRulings(connection, rules)
        self.history = SqlHistory(connection, rules, self.mail, locks=not reads)
        self.outbox = SqlOutbox(connection, rules)
        self.metrics = SqlMetrics(connection, rules)
        self.batches = SqlBatches(connection, rules)
        self.marks = SqlMarks(connection, rules)
