"""Kafka's real history in a separate store, decided by the real rules: without the index, and with it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from kipflow.config.settings import REPOSITORY, Settings
from kipflow.domain.decisions import Decision
from kipflow.domain.events import effective
from kipflow.domain.facts import ProposalFacts
from kipflow.domain.lifecycle import decide
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster
from kipflow.services.advance import advance_all
from kipflow.services.assembly import load_facts
from kipflow.services.index import import_index
from kipflow.services.recording import Advance
from kipflow.wiring import Parts, connect, effect_rules
from tools.accuracy.kafkadata import INDEX_AT, KafkaData

#: The time after which all later states have been observed.
LATER = datetime(2026, 5, 1, tzinfo=UTC)
YEARS = (datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """The content of the store, and the resulting decisions.

    `mail_only` are the decisions from pages and mails, `with_index` those after the import of the index, `later`
    those of proposals whose state changed in the following months. `again` is the number of entries added by a
    second run, `unlike` the proposals whose stored history does not follow from their facts, `rewritten` those
    for which an earlier time gives another beginning.
    """

    data: KafkaData
    roster: Roster
    policy: Policy
    messages: int
    pages: int
    rows: int
    mail_only: dict[int, Decision]
    with_index: dict[int, Decision]
    later: dict[int, Decision]
    again: int
    unlike: tuple[int, ...]
    rewritten: tuple[int, ...]


@contextmanager
def replay_history(folder: Path) -> Iterator[Replayed]:
    """Load everything in `folder` through wiring, store, services and rules, into a temporary database."""
    data = KafkaData(folder)
    with tempfile.TemporaryDirectory(prefix="kipflow-accuracy-") as scratch:
        yield _replay(data, _connect(data, Path(scratch)))


def _connect(data: KafkaData, scratch: Path) -> Parts:
    """The shipped community, with a roster from the data's history of roles."""
    config = scratch / "config"
    for name in ("communities", "rosters"):
        (config / name).mkdir(parents=True)
    shutil.copy(REPOSITORY / "config" / "communities" / "kafka.yaml", config / "communities")
    shutil.copy(data.write_roster(scratch), config / "rosters" / "kafka.yaml")
    settings = Settings(
        home=scratch, config=config, community="kafka", database_url=f"sqlite:///{scratch / 'kafka.db'}", sends=False
    )
    return connect(settings)


def _replay(data: KafkaData, parts: Parts) -> Replayed:
    store = parts.store
    store.migrate()
    with store.begin() as session:
        for month in data.months():
            session.mail.save_month(month)
        pages = sum(session.pages.save_version(page, seen_at=INDEX_AT) for page in data.pages())
        saved = session.mail.save_messages(data.messages(), seen_at=INDEX_AT)
    report = import_index(store, data.index_text, prefix="KIP", seen_at=INDEX_AT, source=data.folder.name)
    _advance(parts, INDEX_AT)
    again = _advance(parts, INDEX_AT)
    with store.read() as session:
        facts = {number: load_facts(session, number) for number in session.history.load_numbers()}
        stored = {number: effective(session.history.load(number)) for number in facts}
    with_index = _decide(facts, parts.policy, INDEX_AT)
    mail_only = _decide({n: replace(f, index_entries=()) for n, f in facts.items()}, parts.policy, INDEX_AT)
    for rows in data.readings():
        with store.begin() as session:
            session.pages.save_index_entries(rows)
    _advance(parts, LATER)
    changed = sorted({change.entry.number for change in data.changes})
    with store.read() as session:
        later = _decide({number: load_facts(session, number) for number in changed}, parts.policy, LATER)
    return Replayed(
        data=data,
        roster=parts.roster,
        policy=parts.policy,
        messages=saved.new,
        pages=pages,
        rows=report.counts["rows"],
        mail_only=mail_only,
        with_index=with_index,
        later=later,
        again=sum(len(one.appended) for one in again),
        unlike=tuple(n for n, decision in with_index.items() if tuple(stored[n]) != decision.history),
        rewritten=tuple(n for n in mail_only if not _is_kept(facts[n], mail_only[n], parts.policy)),
    )


def _advance(parts: Parts, as_of: datetime) -> tuple[Advance, ...]:
    return tuple(advance_all(parts.store, policy=parts.policy, effects=effect_rules(parts), as_of=as_of))


def _decide(facts: Mapping[int, ProposalFacts], policy: Policy, as_of: datetime) -> dict[int, Decision]:
    decided = {number: decide(known, policy, as_of) for number, known in facts.items()}
    return {number: decision for number, decision in decided.items() if decision is not None}


def _is_kept(facts: ProposalFacts, final: Decision, policy: Policy) -> bool:
    """Whether the history at each new year is a prefix of the final one."""
    known = replace(facts, index_entries=())
    for year in YEARS:
        earlier = decide(known, policy, year)
        if earlier is not None and final.history[: len(earlier.history)] != earlier.history:
            return False
    return True
