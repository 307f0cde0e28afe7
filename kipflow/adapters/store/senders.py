"""Evidence about senders whose identity is in question: their mail, and results that name the person they may be."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.board import OverviewQueries
from kipflow.adapters.store.part import Part
from kipflow.adapters.store.tables.facts import message
from kipflow.domain.people import Person, clean_address, find_sides, fold_name
from kipflow.domain.senders import Authentication
from kipflow.services.board import ReviewRow, SenderRow

#: The group of binding votes in an announcement.
_BINDING = "binding"


class SenderQueries(Part):
    """The query of `services.board.Board` for senders about whom there are questions."""

    def load_senders(self) -> tuple[SenderRow, ...]:
        found: dict[tuple[str, str], list[ReviewRow]] = {}
        for row in self.part(OverviewQueries).load_review():
            if row.item.kind == "sender":
                found.setdefault(find_sides(row.item.subject), []).append(row)
        if not found:
            return ()
        mailboxes = self._find_mailboxes({sender for sender, _ in found})
        records = self._load_records({address for address, _ in mailboxes.values() if address})
        results = self._load_results()
        rows = []
        for (sender, person_id), questions in found.items():
            address, name = mailboxes.get(sender, (sender, ""))
            person = self.rules.roster.by_id.get(person_id) or Person(id=person_id, name=person_id)
            record = records.get((address, fold_name(name) if name else None), [])
            named = [at for names, at in results if not names.isdisjoint(_names(person))]
            rows.append(
                SenderRow(
                    sender=sender,
                    address=address,
                    name=name,
                    person=person.id,
                    person_name=person.name,
                    proposals=tuple(dict.fromkeys(row.key for row in questions)),
                    question=questions[0].item.question,
                    asked_at=min((q.item.asked_at for q in questions if q.item.asked_at is not None), default=None),
                    mails=sum(row.mails for row in record),
                    first_at=min((row.first_at for row in record if row.first_at is not None), default=None),
                    last_at=max((row.last_at for row in record if row.last_at is not None), default=None),
                    authenticated=sum(row.mails for row in record if row.authentication == Authentication.PASSED),
                    not_authentic=sum(row.mails for row in record if row.authentication == Authentication.FAILED),
                    results=len(named),
                    last_result=max(named, default=None),
                    ballots=tuple(ballot for row in questions for ballot in row.ballots),
                )
            )
        return tuple(sorted(rows, key=lambda row: (row.asked_at is None, row.asked_at or 0, row.sender, row.person)))

    def _find_mailboxes(self, senders: Collection[str]) -> dict[str, tuple[str, str]]:
        """Sender (address, or id of a mail) → address and name, from the newest mail or from that mail."""
        found: dict[str, tuple[str, str]] = {}
        columns = sa.select(message.c.message_id, message.c.author_address, message.c.author_name)
        mails = {sender for sender in senders if sender.startswith("<")}
        for row in self.iter_matching(columns, message.c.message_id, mails):
            found[row.message_id] = (clean_address(row.author_address), row.author_name)
        newest_last = columns.order_by(message.c.arrived_at.asc().nulls_first())
        for row in self.iter_matching(newest_last, message.c.author_address, {*senders} - mails):
            found[row.author_address] = (row.author_address, row.author_name)
        return found

    def _load_records(self, addresses: Collection[str]) -> dict[tuple[str, str | None], list[sa.Row[Any]]]:
        """Address and folded name → how many mails it sent, and when the first and last."""
        columns = (message.c.author_address, message.c.author_name, message.c.authentication)
        at = message.c.arrived_at
        counted = sa.select(
            *columns,
            sa.func.count().label("mails"),
            sa.func.min(at).label("first_at"),
            sa.func.max(at).label("last_at"),
        ).group_by(*columns)
        found: dict[tuple[str, str | None], list[sa.Row[Any]]] = {}
        for row in self.iter_matching(counted, message.c.author_address, addresses):
            key = (row.author_address, fold_name(row.author_name) if row.author_name else None)
            found.setdefault(key, []).append(row)
        return found

    def _load_results(self) -> list[tuple[frozenset[str], datetime]]:
        """The names of binding voters in each announcement, and when it arrived."""
        statement = sa.select(message.c.declared, message.c.arrived_at).where(
            message.c.declared.is_not(None), message.c.arrived_at.is_not(None)
        )
        found = []
        for row in self._connection.execute(statement):
            groups = row.declared.get("names") or {}
            named = {fold_name(n) for key, names in groups.items() if key.split()[1:] == [_BINDING] for n in names}
            if named:
                found.append((frozenset(named), row.arrived_at))
        return found


def _names(person: Person) -> set[str]:
    return {fold_name(name) for name in (person.id, person.name, *person.aliases)}
