"""The parts of a session (`services.ports`): functions of the modules beside this one, on one connection."""

from __future__ import annotations

from kipflow.adapters.store import (
    absences,
    batches,
    calls,
    claims,
    effect_words,
    exports,
    faults,
    messages,
    months,
    numbering,
    outbox,
    pages,
    rereading,
    rulings,
)
from kipflow.adapters.store.binding import Part, method, ruled
from kipflow.adapters.store.statements import load_mark, save_mark
from kipflow.domain.clocks import find_coverage
from kipflow.domain.facts import ArchiveMonth, Coverage
from kipflow.services.ports import MetricRow


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
    load_absent = method(absences.load_absent)
    note_absent = method(absences.note_absent)
    note_present = method(absences.note_present)
    load_checked = method(faults.load_checked_pages)
    save_faults = method(faults.save_faults)
    load_faults = method(faults.load_faults)
    save_call_notes = method(calls.save_call_notes)
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
    find_claim = method(claims.find_claim)
    claim = method(claims.claim_effect)
    renew_claim = method(claims.renew_claim)
    find_thread = method(outbox.find_thread)
    mark_sent = method(outbox.mark_sent)
    load_cards = method(outbox.load_cards)
    rewrite = method(outbox.rewrite)
    mark_failed = method(outbox.mark_failed)
    confirm_sent = method(effect_words.confirm_sent)
    find = method(outbox.find)
    find_message = method(outbox.find_message)
    load_status = method(outbox.load_status)
    withdraw = method(outbox.withdraw)
    load_channel = method(outbox.load_channel)
    load_unreleased_retractions = method(outbox.load_unreleased_retractions)
    find_waiting_retraction = method(outbox.find_waiting_retraction)
    is_retraction_released = method(outbox.is_retraction_released)
    hold = method(effect_words.hold_effect)
    note_word = method(effect_words.note_word)
    release = method(effect_words.release_effect)


class SqlMetrics(Part):
    """`MetricStore`."""

    iter_rows = method(exports.iter_rows)
    save = method(exports.save_metrics)

    def load(self) -> list[MetricRow]:
        return exports.load_metrics(self._connection)[1]


class SqlMarks(Part):
    """`Marks`."""

    load = method(load_mark)
    save = method(save_mark)
