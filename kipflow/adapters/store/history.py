"""The history of proposals: what is known of each when it is decided, and its decisions."""

from __future__ import annotations

import sqlalchemy as sa

from kipflow.adapters.store.decisions import Decisions
from kipflow.adapters.store.messages import SqlMail
from kipflow.adapters.store.news import News
from kipflow.adapters.store.pages import SqlPages
from kipflow.adapters.store.part import from_row
from kipflow.adapters.store.rulings import SqlRulings
from kipflow.adapters.store.tables.decisions import proposal
from kipflow.adapters.store.warnings import Warnings
from kipflow.domain.errors import UnknownProposal
from kipflow.domain.numberdoubts import NumberDoubtKind
from kipflow.services.ports import IndexRow, ProposalRows, Rules


class SqlHistory(Decisions, News, Warnings):
    """`services.ports.HistoryStore`. With `locks`, a proposal whose rows are loaded is locked until the transaction
    ends."""

    def __init__(self, connection: sa.Connection, rules: Rules, mail: SqlMail, pages: SqlPages, *, locks: bool) -> None:
        super().__init__(connection, rules)
        self._mail, self._pages, self._locks = mail, pages, locks

    def load_rows(self, number: int) -> ProposalRows:
        # first the token: facts that arrive while the rest is read leave the proposal pending
        token = self.find_pending_token(number)
        if not (self.lock_proposal(number) if self._locks else self.is_known(number)):
            raise UnknownProposal(number)
        self._tokens[number] = token
        mails = self._mail.load_messages(number)
        versions = self._pages.load_pages(number)
        entries = self._pages.load_index_entries(number)
        keys = {v.jira for v in versions if v.jira} | {e.jira for e in entries if e.jira}
        rulings = self.part(SqlRulings)
        return ProposalRows(
            number=number,
            messages=tuple(mails),
            rivals=tuple(self._mail.load_rivals(mails)),
            pages=versions,
            absences=self._pages.load_absences(number),
            index_entries=entries,
            tickets=self._pages.load_tickets(keys),
            rulings=rulings.load_of_proposal(number),
            identities=rulings.load_identities(),
            warnings=self.load_warnings(number),
            followed_since=self.find_followed_since(number),
            coverage=self._mail.find_coverage(),
            numbering=self._pages.load_numbering(number),
        )

    def load_index_rows(self) -> list[IndexRow]:
        doubled = self._pages.load_doubled()
        real = proposal.c.claim.in_(["", NumberDoubtKind.JUMP.value])
        listed = sa.select(proposal).where(proposal.c.stage.is_not(None), real).order_by(proposal.c.number)
        rows = self._connection.execute(listed)
        return [from_row(IndexRow, row, url=row.page_url, written=doubled.get(row.number, ())) for row in rows]
