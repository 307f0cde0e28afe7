"""The board's list of proposals: filtered, sorted and paged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from kipflow.adapters.store.part import Part, from_row
from kipflow.adapters.store.tables.decisions import proposal, transition
from kipflow.adapters.store.tables.facts import page, page_version
from kipflow.adapters.store.tables.votes import vote
from kipflow.domain.events import UNDATED, Stage
from kipflow.domain.numberdoubts import NumberDoubtKind
from kipflow.domain.proposals import MAX_NUMBER, format_key
from kipflow.domain.records import from_plain
from kipflow.domain.tally import Counts, Outcome, Tally
from kipflow.services import board as views

#: A number that a person refused has a page, but is in no list.
LISTED = proposal.c.claim != NumberDoubtKind.REFUSED.value
ATTENTION = sa.or_(proposal.c.review_count > 0, proposal.c.drift_count > 0, proposal.c.warned_at.is_not(None))


def _current_vote_is(*outcomes: Outcome) -> sa.ColumnElement[bool]:
    running = sa.select(vote.c.number).where(vote.c.is_current, vote.c.outcome.in_(outcomes))
    return sa.and_(proposal.c.stage == Stage.VOTE, proposal.c.number.in_(running))


_WAITING: Mapping[views.Waiting, sa.ColumnElement[bool]] = {
    views.Waiting.PERSON: ATTENTION,
    views.Waiting.QUESTION: proposal.c.review_count > 0,
    views.Waiting.WIKI: proposal.c.drift_count > 0,
    views.Waiting.AUTHOR: proposal.c.warned_at.is_not(None),
    views.Waiting.VOTES: _current_vote_is(Outcome.OPEN, Outcome.SHORT, Outcome.CONTESTED),
    views.Waiting.TIME: _current_vote_is(Outcome.PASSING),
}
#: Whether the transition to the present stage came from an index, which has no date for it.
_UNDATED = sa.exists().where(
    transition.c.number == proposal.c.number,
    transition.c.rule.in_(sorted(UNDATED)),
    transition.c.target == proposal.c.stage,
    transition.c.at == proposal.c.since,
)
#: Proposals as lists show them, each with its current vote.
ROWS = sa.select(
    proposal,
    _UNDATED.label("undated"),
    *(c.label(f"vote_{c.name}") for c in vote.c if c.name not in {"number", "declared", "claimed_ends", "contested"}),
).outerjoin(vote, sa.and_(vote.c.number == proposal.c.number, vote.c.is_current.is_(True)))


class ListQueries(Part):
    """Queries of `services.board.Board` for lists of proposals."""

    def load_rows(self, query: views.RowQuery) -> views.PageOf[views.BoardRow]:
        """One page of proposals, and how many match in total; two SQL queries."""
        conditions = _conditions(query, self.rules.prefix)
        statement = ROWS.where(*conditions).order_by(*_order(query)).offset(query.offset).limit(query.limit)
        rows = tuple(as_board_row(row, self.rules.prefix) for row in self._connection.execute(statement))
        return views.PageOf(rows=rows, total=self.count_rows(proposal, *conditions))

    def load_newest(self, limits: Mapping[Stage, int]) -> dict[Stage, tuple[views.BoardRow, ...]]:
        """Up to a limit of proposals of each stage, latest activity first; one SQL query."""
        order = _order(views.RowQuery(sort=views.Sort.ACTIVITY))
        place = sa.func.row_number().over(partition_by=proposal.c.stage, order_by=order).label("place")
        placed = sa.select(proposal.c.number, place).where(proposal.c.stage.in_(limits), LISTED).subquery()
        within = (sa.and_(proposal.c.stage == stage, placed.c.place <= limit) for stage, limit in limits.items())
        statement = ROWS.join(placed, placed.c.number == proposal.c.number).where(sa.or_(*within))
        found: dict[Stage, tuple[views.BoardRow, ...]] = {}
        for row in self._connection.execute(statement.order_by(placed.c.place)):
            stage = Stage(row.stage)
            found[stage] = (*found.get(stage, ()), as_board_row(row, self.rules.prefix))
        return found


def _conditions(query: views.RowQuery, prefix: str) -> list[sa.ColumnElement[bool]]:
    wanted: list[sa.ColumnElement[bool]] = [proposal.c.stage.is_not(None), LISTED]
    if query.stages:
        wanted.append(proposal.c.stage.in_([stage.value for stage in query.stages]))
    if query.waiting is not None:
        wanted.append(_WAITING[query.waiting])
    if query.author:
        wanted.append(proposal.c.author.icontains(query.author, autoescape=True))
    if query.interface:
        touching = (
            sa.select(page.c.number)
            .join(page_version, (page_version.c.page_id == page.c.page_id) & (page_version.c.version == page.c.version))
            .where(sa.cast(page_version.c.interfaces, sa.Text).contains(f'"{query.interface}"', autoescape=True))
        )
        wanted.append(proposal.c.number.in_(touching))
    if query.run:
        moved = sa.select(transition.c.number).where(transition.c.run_id == query.run)
        wanted.append(proposal.c.number.in_(moved))
    text = " ".join(query.text.split())
    if text:
        match = proposal.c.search.contains(text.casefold(), autoescape=True)
        number = _find_number(text, prefix)
        wanted.append(match if number is None else sa.or_(match, proposal.c.number == number))
    return wanted


def _find_number(text: str, prefix: str) -> int | None:
    found = re.fullmatch(rf"(?:{re.escape(prefix)} ?[-_:#]? ?)?0*([0-9]{{1,5}})", text, re.IGNORECASE)
    number = int(found.group(1)) if found else 0
    return number if 0 < number <= MAX_NUMBER else None


def _order(query: views.RowQuery) -> list[sa.ColumnElement[Any]]:
    column: sa.ColumnElement[Any] = {
        views.Sort.NUMBER: proposal.c.number,
        views.Sort.TITLE: proposal.c.search,
        views.Sort.STAGE: sa.case({stage.value: place for place, stage in enumerate(Stage)}, value=proposal.c.stage),
        views.Sort.SINCE: proposal.c.since,
        views.Sort.ACTIVITY: proposal.c.last_activity,
        views.Sort.CLOSE: vote.c.earliest_close,
    }[query.sort]
    way = sa.desc if query.descending else sa.asc
    return [way(column).nulls_last(), way(proposal.c.number)]


def as_board_row(row: sa.Row[Any], prefix: str) -> views.BoardRow:
    return from_row(
        views.BoardRow,
        row,
        key=format_key(prefix, row.number),
        clock=_vote_clock(row) if row.vote_position is not None else None,
        review=row.review_count,
        undated=bool(row.undated),
        drift=tuple(dict.fromkeys(found["side"] for found in row.drift or ())),
    )


def _vote_clock(row: sa.Row[Any]) -> views.VoteClock:
    columns = {name.removeprefix("vote_"): value for name, value in row._asdict().items() if name.startswith("vote_")}
    return from_plain(views.VoteClock, columns, tally=as_tally(columns))


def as_tally(columns: Mapping[str, Any]) -> Tally:
    """The counts in the columns of a vote."""
    binding, other = (
        Counts(plus=columns[f"{side}_for"], zero=columns[f"{side}_abstain"], minus=columns[f"{side}_against"])
        for side in ("binding", "other")
    )
    return Tally(binding=binding, non_binding=other)
