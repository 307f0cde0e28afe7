"""`index.json` and its schema, both from the records below."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from kipflow.domain.clocks import VoteState
from kipflow.domain.events import Stage
from kipflow.services.board import ProposalView
from kipflow.web.times import render_machine_time

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
    """One proposal. `path` is its page, relative to this file; `missing` says what it still lacks."""

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
    missing: Sequence[str]
    vote: VoteSummary | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteIndex:
    """All proposals by number. `decided_at` is the newest decision that this is from; null where there is none."""

    schema: int
    community: str
    decided_at: datetime | None
    proposals: Sequence[ProposalSummary]


def summarize(view: ProposalView) -> ProposalSummary:
    """What the index says of a proposal (a view that is public already)."""
    proposal = view.proposal
    return ProposalSummary(
        number=proposal.number,
        key=view.key,
        title=proposal.title,
        author=proposal.author,
        stage=view.stage,
        since=view.since,
        last_activity=view.last_activity,
        release=proposal.release,
        in_progress=proposal.in_progress,
        ticket=proposal.jira,
        page_url=proposal.page_url or None,
        path=f"proposals/{proposal.number}.html",
        missing=view.missing,
        vote=_summarize_vote(view.votes[-1], view.links) if view.votes else None,
    )


def _summarize_vote(state: VoteState, links: Mapping[str, str]) -> VoteSummary:
    return VoteSummary(
        round=state.vote.round,
        opened_at=state.vote.opened_at,
        earliest_close=state.terms.earliest_close,
        outcome=state.vote.ended_how or state.outcome.value,
        quorum=state.terms.quorum,
        binding=state.tally.binding.as_dict(),
        non_binding=state.tally.non_binding.as_dict(),
        url=links.get(state.vote.root_message_id, ""),
    )


def render_index(community: str, views: Sequence[ProposalView]) -> str:
    """`index.json`."""
    index = SiteIndex(
        schema=SCHEMA,
        community=community,
        decided_at=max((v.decided_at for v in views), default=None),
        proposals=[summarize(v) for v in views],
    )
    return json.dumps(index, default=_render_value, ensure_ascii=False) + "\n"


def _render_value(value: Any) -> Any:
    """A record as an object of its fields; `asdict` would copy all below it first."""
    if is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in fields(value)}
    return render_machine_time(value) if isinstance(value, datetime) else str(value)


def render_schema() -> str:
    """The JSON Schema of `index.json`."""
    schema: dict[str, Any] = TypeAdapter(SiteIndex).json_schema(mode="serialization")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(schema, indent=1, sort_keys=True) + "\n"
