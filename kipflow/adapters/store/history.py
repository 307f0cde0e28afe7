"""The history of proposals: what is known of each when it is decided, its decisions, what came since the newest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.decisions import Decisions
from kipflow.adapters.store.messages import SqlMail
from kipflow.adapters.store.pages import SqlPages
from kipflow.adapters.store.part import Part, from_row
from kipflow.adapters.store.rulings import SqlRulings
from kipflow.adapters.store.tables.decisions import pending, proposal
from kipflow.adapters.store.tables.facts import (
    batch,
    earlier_reading,
    index_entry,
    message,
    message_proposal,
    page,
    page_version,
    ruling,
)
from kipflow.adapters.store.warnings import Warnings
from kipflow.domain.errors import UnknownProposal
from kipflow.domain.numberdoubts import NumberDoubtKind
from kipflow.domain.ruled import IDENTITY, concerns
from kipflow.services.ports import IndexRow, NewFact, ProposalRows, Rules

#: Facts of one kind that are loaded. After a first run over years, a correction need not name them all.
LIMIT = 200


class News(Part):
    """Facts that arrived after a proposal's last decision: reasons why its history may have to be corrected."""

    def load_new_facts(self, number: int) -> list[NewFact]:
        """New facts are those since the proposal became pending."""
        since = self._connection.scalar(sa.select(pending.c.since).where(pending.c.number == number))
        if since is None:
            return []
        finders = (
            *(self._find_mails, self._find_readings, self._find_pages),
            *(self._find_rows, self._find_rulings, self._find_undone),
        )
        return sorted((f for find in finders for f in find(number, since)), key=lambda f: (f.at, f.kind, f.ref))

    def _find_undone(self, number: int, since: datetime) -> Iterator[NewFact]:
        statement = sa.select(batch).where(batch.c.undone_at >= since).order_by(batch.c.id)
        for row in self._connection.execute(statement):
            if number in row.numbers:
                line = f"{row.undone_by}: {row.reason} ({', '.join(row.sources)})"
                yield NewFact(kind="undone", ref=f"batch {row.id}", line=line, at=row.undone_at, seen_at=row.undone_at)

    def _find_mails(self, number: int, since: datetime) -> Iterator[NewFact]:
        columns = (message.c.message_id, message.c.arrived_at, message.c.seen_at, message.c.author_name)
        statement = (
            sa.select(*columns, message.c.subject)
            .join(message_proposal, message_proposal.c.message_id == message.c.message_id)
            .where(message_proposal.c.number == number, message.c.seen_at >= since, message.c.arrived_at.is_not(None))
            .order_by(message.c.arrived_at, message.c.message_id)
            .limit(LIMIT)
        )
        for row in self._connection.execute(statement):
            ref, line = row.message_id, f"{row.author_name}: {row.subject}"
            url = self.rules.render_permalink(ref)
            yield NewFact(kind="message", ref=ref, line=line, at=row.arrived_at, seen_at=row.seen_at, url=url)

    def _find_readings(self, number: int, since: datetime) -> Iterator[NewFact]:
        columns = (message.c.message_id, message.c.arrived_at, message.c.author_name, message.c.expressions)
        earlier = (earlier_reading.c.reading, earlier_reading.c.reading_rules, earlier_reading.c.replaced_by)
        statement = (
            sa.select(*columns, *earlier, earlier_reading.c.replaced_at)
            .join(message_proposal, message_proposal.c.message_id == message.c.message_id)
            .join(earlier_reading, earlier_reading.c.message_id == message.c.message_id)
            .where(message_proposal.c.number == number, earlier_reading.c.replaced_at >= since)
            .order_by(message.c.arrived_at, message.c.message_id)
            .limit(LIMIT)
        )
        for row in self._connection.execute(statement):
            now, then = _describe(row.expressions), _describe(row.reading.get("expressions") or ())
            if now != then:  # expressions that only lean are no votes, and are left out of both
                read = f"read as {now} by rules {row.replaced_by}, as {then} by rules {row.reading_rules}"
                line, url = f"{row.author_name}: {read}", self.rules.render_permalink(row.message_id)
                ref, seen_at, at = row.message_id, row.replaced_at, row.arrived_at or row.replaced_at
                yield NewFact(kind="reading", ref=ref, line=line, at=at, seen_at=seen_at, url=url)

    def _find_pages(self, number: int, since: datetime) -> Iterator[NewFact]:
        columns = (page_version.c.page_id, page_version.c.version, page_version.c.saved_at)
        more = (page_version.c.seen_at, page_version.c.saved_by, page_version.c.status_text, page_version.c.url)
        statement = (
            sa.select(*columns, *more)
            .join(page, page.c.page_id == page_version.c.page_id)
            .where(page.c.number == number, page_version.c.seen_at >= since)
            .order_by(page_version.c.saved_at)
            .limit(LIMIT)
        )
        for row in self._connection.execute(statement):
            line = f"version {row.version} of the page by {row.saved_by}: {row.status_text or 'no state given'}"
            ref = f"{row.page_id}@{row.version}"
            yield NewFact(kind="page", ref=ref, line=line, at=row.saved_at, seen_at=row.seen_at, url=row.url)

    def _find_rows(self, number: int, since: datetime) -> Iterator[NewFact]:
        where = sa.and_(index_entry.c.number == number, index_entry.c.seen_at >= since)
        statement = sa.select(index_entry).where(where).order_by(index_entry.c.seen_at).limit(LIMIT)
        for row in self._connection.execute(statement):
            ref, line = f"{row.origin}/{row.section}", f"an index says {row.section}"
            at = row.changed_at or row.created_at or row.seen_at if row.origin == "import" else row.seen_at
            yield NewFact(kind="index", ref=ref, line=line, at=at, seen_at=row.seen_at, url=row.url or "")

    def _find_rulings(self, number: int, since: datetime) -> Iterator[NewFact]:
        its_mails = sa.select(message_proposal.c.message_id).where(message_proposal.c.number == number)
        on_a_mail = sa.and_(ruling.c.number.is_(None), ruling.c.target.in_(its_mails))
        ours = sa.or_(ruling.c.number == number, on_a_mail, ruling.c.kind.in_(IDENTITY))
        recent = sa.or_(ruling.c.made_at >= since, ruling.c.revoked_at >= since)
        statement = sa.select(ruling).where(ours, recent).order_by(ruling.c.id).limit(LIMIT)
        seen = self.part(SqlRulings).find_voter_keys(number)
        for row in self._connection.execute(statement):
            if row.kind in IDENTITY and not concerns(row.value, seen):
                continue
            revoked = row.revoked_at is not None and row.revoked_at >= since
            who = row.revoked_by if revoked else row.author
            line = f"{who} took ruling {row.id} back" if revoked else f"{row.author}: {row.reason}"
            at = row.revoked_at if revoked else row.made_at
            yield NewFact(kind="ruling", ref=str(row.id), line=line, at=at, seen_at=at)


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


def _describe(expressions: Sequence[Mapping[str, Any]]) -> str:
    """The reading of a mail in a few words."""
    said = [
        f"{e['value']!r}" + (" (unclear)" if e["standing"] == "unclear" else "")
        for e in expressions
        if e["standing"] != "leaning"
    ]
    return ", ".join(said) or "no vote"
