"""The part of a session that keeps decisions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store import absences, decisions, fresh, messages, news, numbering, pages, rulings, warnings
from kipflow.adapters.store.binding import Part, method, ruled
from kipflow.adapters.store.parts import SqlMail
from kipflow.domain.decisions import Decision
from kipflow.domain.errors import UnknownProposal
from kipflow.domain.proposals import Proposal
from kipflow.services.ports import ProposalRows, Rules


class SqlHistory(Part):
    """`HistoryStore`. `locks`: a proposal whose rows are loaded is locked until the transaction ends."""

    load_numbers = method(decisions.load_numbers)
    is_claimed = method(decisions.is_claimed)
    load_decided_at = method(decisions.load_decided_at)
    load_index_rows = method(decisions.load_index_rows)
    load = method(decisions.load_history)
    load_moved = method(decisions.load_moved)
    load_first_recorded = method(decisions.load_first_recorded)
    forget_decision = method(decisions.forget_decision)
    save_warning = method(warnings.save_warning)
    load_pending = ruled(decisions.load_pending)
    mark_all_pending = method(decisions.mark_all_pending)
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
        if not (decisions.lock_proposal if self._locks else decisions.is_known)(connection, number):
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
            absences=absences.load_absences(connection, number),
            index_entries=entries,
            tickets=pages.load_tickets(connection, keys),
            rulings=rulings.load_rulings(connection, number),
            identities=rulings.load_identities(connection),
            warnings=tuple(warnings.load_warnings(connection, number)),
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
