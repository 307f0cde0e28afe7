"""The store itself: opens transactions on a database that `migrate` has prepared."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa

from kipflow.adapters.store import board, board_proposal, pages, rulings, senders, voters
from kipflow.adapters.store.assembly import Community, FindKnown, FindVotes
from kipflow.adapters.store.engine import open_engine, transaction
from kipflow.adapters.store.messages import Attribute
from kipflow.adapters.store.migrations import migrate_engine
from kipflow.adapters.store.session import SqlSession
from kipflow.domain.events import Stage
from kipflow.domain.facts import Message, Ruling
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster, Verdict
from kipflow.domain.version import DECISION_RULES
from kipflow.domain.votemails import VoteMail
from kipflow.services import board as views


class SqlStore:
    """Implements `services.ports.Store` and `services.board.Board` on SQLite or PostgreSQL.

    Safe to share between threads. Nothing is connected before it is used.
    """

    def __init__(self, engine: sa.Engine, community: Community) -> None:
        self._engine = engine
        self._community = community

    @contextmanager
    def begin(self) -> Iterator[SqlSession]:
        """One transaction: kept when the block ends, undone when it raises. On SQLite it is the only writer.

        Raises:
            ServiceUnavailable: the database can't be reached or has no tables yet.
        """
        with transaction(self._engine) as connection:
            yield SqlSession(connection, self._community)

    @contextmanager
    def read(self) -> Iterator[SqlSession]:
        """A transaction that only reads, all at one moment: it neither waits for a writer nor keeps one waiting."""
        with transaction(self._engine, reads=True) as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield SqlSession(connection, self._community, reads=True)

    # -- the board: each method is one transaction that only reads --------------------------------
    def overview(self, as_of: datetime) -> views.Overview:
        with transaction(self._engine, reads=True) as connection:
            return board.load_overview(connection, self._community, as_of)

    def rows(self, query: views.RowQuery) -> views.RowPage:
        with transaction(self._engine, reads=True) as connection:
            return board.load_rows(connection, self._community, query)

    def newest(self, limits: Mapping[Stage, int]) -> Mapping[Stage, tuple[views.BoardRow, ...]]:
        with transaction(self._engine, reads=True) as connection:
            return board.load_newest(connection, self._community, limits)

    def proposal(self, number: int, as_of: datetime) -> views.ProposalView:
        with transaction(self._engine, reads=True) as connection:
            return board_proposal.load_proposal(connection, self._community, number, as_of)

    def absent(self, as_of: datetime, number: int | None = None) -> Mapping[int, tuple[str, ...]]:
        with transaction(self._engine, reads=True) as connection:
            return voters.load_absent(connection, self._community, as_of, number)

    def vote_mails(self, number: int, as_of: datetime) -> tuple[VoteMail, ...]:
        with transaction(self._engine, reads=True) as connection:
            return board_proposal.load_vote_mails(connection, self._community, number, as_of)

    def page_body(self, page_id: str, version: int) -> str | None:
        with transaction(self._engine, reads=True) as connection:
            return pages.find_body(connection, page_id, version)

    def review(self) -> tuple[views.ReviewRow, ...]:
        with transaction(self._engine, reads=True) as connection:
            return board.load_review(connection, self._community)

    def senders(self) -> tuple[views.SenderRow, ...]:
        with transaction(self._engine, reads=True) as connection:
            return senders.load_senders(
                connection, board.load_review(connection, self._community), self._community.roster
            )

    def identities(self) -> tuple[Ruling, ...]:
        with transaction(self._engine, reads=True) as connection:
            found = rulings.load_identities(connection)
        return tuple(r for r in reversed(found) if r.revoked_at is None)

    def drift(self) -> tuple[views.DriftRow, ...]:
        with transaction(self._engine, reads=True) as connection:
            return board.load_drift(connection, self._community)

    def unreadable(self, *, offset: int = 0, limit: int = 50) -> views.UnreadablePage:
        with transaction(self._engine, reads=True) as connection:
            return board.load_unreadable(connection, offset=offset, limit=limit)

    def effects(self, *, status: str = "", offset: int = 0, limit: int = 50) -> views.EffectPage:
        with transaction(self._engine, reads=True) as connection:
            return board.load_effects(connection, status=status, offset=offset, limit=limit)

    def with_rules(self, *, policy: Policy, roster: Roster, find_votes: FindVotes) -> SqlStore:
        """The same database read under other rules; it has an engine of its own, to be closed."""
        rules = _name_rules(policy, roster, "other")
        engine = open_engine(self._engine.url)
        community = replace(self._community, rules=rules, find_votes=find_votes, find_known=_find_known(roster))
        return SqlStore(engine, community)

    # -- upkeep ------------------------------------------------------------------------------------
    def migrate(self) -> None:
        """Bring this store's tables up to date (for a database in memory, which no second engine sees)."""
        migrate_engine(self._engine)

    def close(self) -> None:
        """Close every pooled connection."""
        self._engine.dispose()


def open_store(
    url: str | sa.URL,
    *,
    roster: Roster,
    policy: Policy,
    prefix: str,
    permalink: str,
    find_votes: FindVotes,
    attribute: Attribute,
    keyed_by: str = "number",
    aside: frozenset[str] = frozenset(),
    has_wiki: bool = False,
) -> SqlStore:
    """The store at `url`. Connects when it is first used.

    Args:
        url: SQLAlchemy's form, "sqlite:///FILE" or "postgresql://…"; a `URL` keeps its password to itself.
        roster, policy: the rules of today; proposals decided under others become candidates again.
        prefix: "KIP", for keys.
        permalink: where a mail can be read, with "{mid}"; "" where no archive is known.
        find_votes: the votes among a proposal's messages.
        attribute: the proposals that each of some messages belongs to.
        keyed_by: part of the rules, too: it changes which votes are found.
        aside: lists on which no vote can be called; part of the rules as well.
        has_wiki: whether the community gives out numbers in a wiki; part of the rules, too.
    """
    community = Community(
        prefix=prefix,
        permalink=permalink,
        rules=_name_rules(policy, roster, " ".join([keyed_by, *sorted(aside), *(["wiki"] if has_wiki else [])])),
        find_votes=find_votes,
        find_known=_find_known(roster),
        attribute=attribute,
        aside=aside,
        has_wiki=has_wiki,
        roster=roster,
    )
    return SqlStore(open_engine(url), community)


def _find_known(roster: Roster) -> FindKnown:
    def find_known(mail: Message, verdicts: Sequence[Verdict]) -> str:
        known = roster.with_verdicts(verdicts) if verdicts else roster
        author = known.identify(name=mail.author_name, address=mail.author_address)
        return "" if author.person is None or author.by_name else author.person.name

    return find_known


def _name_rules(policy: Policy, roster: Roster, keyed_by: str) -> str:
    people = hashlib.sha256(f"{keyed_by}\n{roster.people!r}".encode()).hexdigest()[:12]
    return f"{policy.version}/{people}/{DECISION_RULES}"
