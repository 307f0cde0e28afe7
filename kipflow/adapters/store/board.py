"""The board's queries about the whole community. Each answer takes a fixed number of SQL queries."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.board_rows import ATTENTION, LISTED
from kipflow.adapters.store.exports import SqlMetrics
from kipflow.adapters.store.months import Months
from kipflow.adapters.store.part import MESSAGES_MARK, Part, from_row
from kipflow.adapters.store.tables.decisions import pending, proposal, transition
from kipflow.adapters.store.tables.facts import message, unreadable
from kipflow.adapters.store.tables.outbox import outbox
from kipflow.adapters.store.tables.votes import ballot, review_item
from kipflow.domain.decisions import Drift, ReviewItem
from kipflow.domain.events import UNDATED, Stage, Transition
from kipflow.domain.people import find_sides
from kipflow.domain.proposals import format_key
from kipflow.domain.records import from_plain
from kipflow.services import board as views
from kipflow.services.ports import OutboxRow

#: Transitions that the overview lists.
RECENT = 12


class OverviewQueries(Part):
    """Queries of `services.board.Board` about the whole community."""

    def load_overview(self, as_of: datetime) -> views.Overview:
        per_stage = list(
            self._connection.execute(
                sa.select(
                    proposal.c.stage,
                    sa.func.count().label("proposals"),
                    sa.func.sum(sa.case((ATTENTION, 1), else_=0)).label("attention"),
                    sa.func.sum(proposal.c.review_count).label("review"),
                    sa.func.sum(proposal.c.drift_count).label("drift"),
                    sa.func.max(proposal.c.decided_at).label("decided_at"),
                )
                .where(proposal.c.stage.is_not(None), LISTED)
                .group_by(proposal.c.stage)
            )
        )
        by_month = (unreadable.c.list_id, unreadable.c.month)
        statement = sa.select(*by_month, sa.func.count().label("items")).group_by(*by_month)
        bad = {(row.list_id, row.month): row.items for row in self._connection.execute(statement)}
        months = self.part(Months).load_own_months()
        by_status = sa.select(outbox.c.status, sa.func.count().label("rows")).group_by(outbox.c.status)
        found = {Stage(row.stage): int(row.proposals) for row in per_stage}
        return views.Overview(
            stages={stage: found.get(stage, 0) for stage in Stage},
            messages=int(self.load_mark(MESSAGES_MARK) or 0),
            attention=sum(int(row.attention) for row in per_stage),
            review=sum(int(row.review) for row in per_stage),
            drift=sum(int(row.drift) for row in per_stage),
            pending=self.count_rows(pending),
            # mails only: unreadable pages are shown with their proposals
            unreadable=sum(items for (list_id, _), items in bad.items() if list_id),
            months=tuple(views.MonthCoverage(month=m, unreadable=bad.get((m.list_id, m.month), 0)) for m in months),
            last_poll=max((m.fetched_at for m in months), default=None),
            last_decision=max((row.decided_at for row in per_stage), default=None),
            effects={row.status: int(row.rows) for row in self._connection.execute(by_status)},
            metrics=self.part(SqlMetrics).load_newest(as_of),
            recent=self._load_recent(as_of),
        )

    def load_review(self, limit: int | None = None) -> tuple[views.ReviewRow, ...]:
        """Every open question, with the permalink of the mail that it quotes, if any."""
        statement = (
            sa.select(review_item, proposal.c.title, proposal.c.stage, proposal.c.decided_at, message.c.message_id)
            .join(proposal, proposal.c.number == review_item.c.number)
            .outerjoin(message, message.c.message_id == review_item.c.subject)
            .order_by(review_item.c.affects_outcome.desc(), review_item.c.number, review_item.c.position)
            .limit(limit)
        )
        rows = list(self._connection.execute(statement))
        ballots = self.load_questioned(rows)
        return tuple(
            from_row(
                views.ReviewRow,
                row,
                key=format_key(self.rules.prefix, row.number),
                item=from_row(ReviewItem, row),
                url=self.rules.render_permalink(row.message_id) if row.message_id else "",
                ballots=ballots.get((row.number, row.subject), ()),
            )
            for row in rows
        )

    def load_questioned(
        self, questions: Iterable[sa.Row[Any]]
    ) -> dict[tuple[int, str], tuple[views.SenderBallot, ...]]:
        """Number and subject of each question about a sender → the sender's ballots in the newest round with one."""
        asked = {(q.number, q.subject): find_sides(q.subject)[0] for q in questions if q.kind == "sender"}
        mail = (message.c.source, message.c.authentication, message.c.address_source)
        statement = (
            sa.select(ballot, *mail)
            .join(message, message.c.message_id == ballot.c.message_id)
            .order_by(ballot.c.number, ballot.c.vote_position, ballot.c.position)
        )
        cast: dict[tuple[int, str], list[sa.Row[Any]]] = {}
        for row in self.iter_matching(statement, ballot.c.number, {number for number, _ in asked}):
            for key in {row.voter, row.address, row.message_id}:
                cast.setdefault((row.number, key), []).append(row)
        found = {}
        for (number, subject), sender in asked.items():
            rows = cast.get((number, sender), [])
            newest = max((row.vote_position for row in rows), default=None)
            found[number, subject] = tuple(
                from_row(views.SenderBallot, row, at=row.cast_at, url=self.rules.render_permalink(row.message_id))
                for row in rows
                if row.vote_position == newest
            )
        return found

    def load_drift(self) -> tuple[views.DriftRow, ...]:
        statement = sa.select(proposal).where(proposal.c.drift_count > 0).order_by(proposal.c.number.desc())
        return tuple(
            from_row(views.DriftRow, row, key=format_key(self.rules.prefix, row.number), drift=found)
            for row in self._connection.execute(statement)
            for found in (from_plain(Drift, raw) for raw in row.drift or ())
        )

    def load_unreadable(self, *, offset: int = 0, limit: int = 50) -> views.PageOf[views.UnreadableRow]:
        statement = sa.select(unreadable).order_by(unreadable.c.seen_at.desc(), unreadable.c.digest)
        rows = self.load_records(views.UnreadableRow, statement.offset(offset).limit(limit))
        return views.PageOf(rows=rows, total=self.count_rows(unreadable))

    def load_effects(self, *, status: str = "", offset: int = 0, limit: int | None = 50) -> views.PageOf[OutboxRow]:
        wanted = [outbox.c.status == status] if status else []
        statement = sa.select(outbox).where(*wanted).order_by(outbox.c.created_at.desc(), outbox.c.key)
        rows = self.load_records(OutboxRow, statement.offset(offset).limit(limit))
        return views.PageOf(rows=rows, total=self.count_rows(outbox, *wanted))

    def load_edits(self) -> tuple[OutboxRow, ...]:
        of_wiki = (outbox.c.channel.in_(("page", "index")), outbox.c.status.in_(("pending", "held")))
        return self.load_records(OutboxRow, sa.select(outbox).where(*of_wiki).order_by(outbox.c.key))

    def _load_recent(self, as_of: datetime) -> tuple[views.RecentTransition, ...]:
        # a correction is dated by its record, any other transition by its own time
        shown_at = sa.case((transition.c.rule == "correction", transition.c.recorded_at), else_=transition.c.at)
        statement = (
            sa.select(transition, proposal.c.title)
            .join(proposal, proposal.c.number == transition.c.number)
            .where(transition.c.recorded_at <= as_of, LISTED, transition.c.rule.not_in(sorted(UNDATED)))
            .order_by(shown_at.desc(), transition.c.number.desc(), transition.c.position.desc())
            .limit(RECENT)
        )
        rows = list(self._connection.execute(statement))
        corrections = sa.select(transition.c.retracts).where(
            transition.c.number.in_({row.number for row in rows}),
            transition.c.rule == "correction",
            transition.c.recorded_at <= as_of,
        )
        retracted = {entry for ids in self._connection.scalars(corrections) for entry in ids}
        return tuple(
            views.RecentTransition(
                key=format_key(self.rules.prefix, row.number), title=row.title, recorded=as_recorded(row, retracted)
            )
            for row in rows
        )


def as_recorded(row: sa.Row[Any], retracted: Iterable[str]) -> views.RecordedTransition:
    is_retracted = row.id in set(retracted)
    return from_row(views.RecordedTransition, row, transition=from_row(Transition, row), retracted=is_retracted)
