"""`index.json`, `proposals/N.json` and their schemas, all from the records below."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

from kipflow.domain.clocks import VoteState
from kipflow.domain.events import Stage
from kipflow.domain.records import to_plain
from kipflow.domain.times import render_machine_time
from kipflow.domain.votes import BallotStatus, Choice
from kipflow.services.board import ProposalView, RecordedTransition

T = TypeVar("T")
SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteSummary:
    """A proposal's newest vote. Counts map "+1", "0" and "-1" to numbers of ballots; times are UTC."""

    round: int
    opened_at: datetime
    earliest_close: datetime
    outcome: str
    quorum: int
    binding: Mapping[str, int]
    non_binding: Mapping[str, int]
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalSummary:
    """One proposal. `path` is its page, `data` its file, both relative to `index.json`; `missing`: what it lacks."""

    number: int
    key: str
    title: str
    author: str | None
    stage: Stage
    since: datetime
    last_activity: datetime | None
    release: str | None
    in_progress: bool
    ticket: str | None
    page_url: str | None
    path: str
    data: str
    missing: Sequence[str]
    vote: VoteSummary | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotRecord:
    """One ballot. `voter` is the roster's id, `value` the written vote, `choice` null while in review."""

    voter: str
    name: str
    choice: Choice | None
    value: str
    binding: bool
    status: BallotStatus
    why: str
    line: str
    cast_at: datetime
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteRecord(VoteSummary):
    """One round. `differences` says where an announced result differs from the ballots."""

    subject: str
    opened_by: str
    ended_at: datetime | None
    differences: Sequence[str]
    ballots: Sequence[BallotRecord]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRecord:
    """One reason for a move: its kind, the quoted line, and a link to its source."""

    kind: str
    line: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRecord:
    """One entry of the history. `retracted`: a later correction withdrew it."""

    at: datetime
    recorded_at: datetime
    source: Stage | None
    target: Stage
    rule: str
    note: str
    retracted: bool
    evidence: Sequence[EvidenceRecord]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalFile:
    """One proposal with its history and the rounds of its votes, each in order of time."""

    schema: int
    proposal: ProposalSummary
    history: Sequence[MoveRecord]
    votes: Sequence[VoteRecord]


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteIndex:
    """All proposals by number. `decided_at` is the time of the newest decision; null if there is none."""

    schema: int
    community: str
    decided_at: datetime | None
    proposals: Sequence[ProposalSummary]


def summarize(view: ProposalView) -> ProposalSummary:
    """The index entry of a proposal; `view` must be public already."""
    proposal = view.proposal
    return _fill(
        ProposalSummary,
        view,
        proposal,
        ticket=proposal.jira,
        page_url=proposal.page_url or None,
        path=f"proposals/{proposal.number}.html",
        data=f"proposals/{proposal.number}.json",
        vote=VoteSummary(**_describe_vote(view.votes[-1], view.links)) if view.votes else None,
    )


def _describe_vote(state: VoteState, links: Mapping[str, str]) -> dict[str, Any]:
    return {
        "round": state.vote.round,
        "opened_at": state.vote.opened_at,
        "earliest_close": state.terms.earliest_close,
        "outcome": state.vote.ended_how or state.outcome.value,
        "quorum": state.terms.quorum,
        "binding": state.tally.binding.as_dict(),
        "non_binding": state.tally.non_binding.as_dict(),
        "url": links.get(state.vote.root_message_id, ""),
    }


def render_index(community: str, views: Sequence[ProposalView]) -> str:
    """`index.json`."""
    decided_at, proposals = max((v.decided_at for v in views), default=None), [summarize(v) for v in views]
    return _render(SiteIndex(schema=SCHEMA, community=community, decided_at=decided_at, proposals=proposals))


def render_proposal(view: ProposalView) -> str:
    """`proposals/N.json`; `view` must be public already."""
    history, votes = map(_record_move, view.history), [_record_vote(s, view.links) for s in view.votes]
    return _render(ProposalFile(schema=SCHEMA, proposal=summarize(view), history=list(history), votes=votes))


def _record_move(recorded: RecordedTransition) -> MoveRecord:
    evidence = [_fill(EvidenceRecord, e) for e in recorded.transition.evidence]
    return _fill(MoveRecord, recorded, recorded.transition, evidence=evidence)


def _record_vote(state: VoteState, links: Mapping[str, str]) -> VoteRecord:
    ballots = [_fill(BallotRecord, b, url=links.get(b.message_id, "")) for b in state.vote.ballots]
    return _fill(VoteRecord, state, state.vote, **_describe_vote(state, links), ballots=ballots)


def _fill(kind: type[T], *sources: Any, **given: Any) -> T:
    """A record of type `kind`. A field that is not in `given` is taken from the first source that has it."""
    names = (f.name for f in fields(cast(Any, kind)) if f.name not in given)
    return kind(**{name: next(getattr(s, name) for s in sources if hasattr(s, name)) for name in names}, **given)


def _render(record: Any) -> str:
    return json.dumps(to_plain(record, write_time=render_machine_time), ensure_ascii=False) + "\n"


def render_schema(record: type[SiteIndex | ProposalFile]) -> str:
    """The JSON Schema of `index.json`, or of a proposal's file."""
    schema: dict[str, Any] = TypeAdapter(record).json_schema(mode="serialization")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(schema, indent=1, sort_keys=True) + "\n"
