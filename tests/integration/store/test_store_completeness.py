"""No field of a domain value is forgotten by the tables that keep it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
import sqlalchemy as sa

from kipflow.adapters.store import codec, tables
from kipflow.domain.clocks import VoteState, VoteTerms
from kipflow.domain.decisions import ReviewItem
from kipflow.domain.drift import Drift
from kipflow.domain.events import Evidence, Transition
from kipflow.domain.facts import (
    ArchiveMonth,
    IndexEntry,
    Message,
    PageVersion,
    Ruling,
    SilenceWarning,
    SubjectReading,
    TicketState,
    Unreadable,
)
from kipflow.domain.proposals import Proposal
from kipflow.domain.votes import Ballot, Choice, Declared, Vote
from kipflow.services.ports import OutboxRow
from tests.integration.store.mails import NOW, make_expression

#: Fields that go by another name or stand in other tables.
ELSEWHERE: dict[type, set[str]] = {
    Message: {"reading", "references"},
    Vote: {"proposal", "ballots", "doubts", "heard"},  # doubts become review items
    VoteState: {"vote", "terms", "tally"},
    # make their month partial, which says why and keeps the id of what is missing
    Unreadable: {"lost", "message_id", "arrived_at"},
    SilenceWarning: {"delivered_at"},  # a delivery is a row of its own: a warning is never changed
    VoteTerms: {"because", "late_change"},  # a late change becomes a review item
}


@pytest.mark.parametrize(
    ("value", "table"),
    [
        (Message, tables.message),
        (SubjectReading, tables.message),
        (Unreadable, tables.unreadable),
        (ArchiveMonth, tables.archive_month),
        (PageVersion, tables.page_version),
        (IndexEntry, tables.index_entry),
        (TicketState, tables.ticket),
        (Ruling, tables.ruling),
        (SilenceWarning, tables.warning),
        (Proposal, tables.proposal),
        (Transition, tables.transition),
        (Vote, tables.vote),
        (VoteState, tables.vote),
        (VoteTerms, tables.vote),
        (Ballot, tables.ballot),
        (ReviewItem, tables.review_item),
        (OutboxRow, tables.outbox),
    ],
    ids=lambda x: getattr(x, "__name__", None) or x.name,
)
def test_every_field_has_its_column(value: type, table: sa.Table):
    names = {f.name for f in fields(value)} - ELSEWHERE.get(value, set())
    assert names <= set(table.c.keys())


DECLARED = Declared(
    by="Kim Osei",
    message_id="<a@mail.example>",
    announced_at=NOW,
    outcome="passed",
    binding={"+1": 3},
    non_binding={"+1": 1},
    total={"+1": 4},
    names={"binding +1": ("Mara Lind",)},
    line="passes",
    contradictions=("said 3, named 1",),
)
EXPRESSION = make_expression(Choice.AGAINST, why="until renamed")
EVIDENCE = Evidence(kind="message", ref="<a@mail.example>", line="+1", url="https://lists.example/a")
DRIFT = Drift(side="page", says="Accepted", derived="Draft", evidence="version 1", mend="set it")


@pytest.mark.parametrize(
    ("value", "encoded", "decoded"),
    [
        (DECLARED, codec.declared_to_json(DECLARED), lambda raw: codec.declared_from_json(raw)),
        (EXPRESSION, codec.expression_to_json(EXPRESSION), lambda raw: codec.expression_from_json(raw)),
        (EVIDENCE, codec.evidence_to_json([EVIDENCE])[0], lambda raw: codec.evidence_from_json([raw])[0]),
        (DRIFT, codec.drift_to_json([DRIFT])[0], lambda raw: codec.drift_from_json([raw])[0]),
    ],
    ids=["declared", "expression", "evidence", "drift"],
)
def test_every_field_survives_json(value: Any, encoded: Any, decoded: Any):
    assert set(encoded) == {f.name for f in fields(value)}
    assert decoded(encoded) == value
