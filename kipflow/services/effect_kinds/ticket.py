"""A comment on a proposal's ticket: how its vote ended, or that a reported acceptance was retracted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kipflow.domain.events import Stage, Transition
from kipflow.services.board import ProposalView
from kipflow.services.effect_kinds.kind import FOLLOWED_UP, PerProposalKind
from kipflow.services.ports import Effect, OutboxRow, TicketComments

_COMMENTED = frozenset({Stage.ACCEPTED, Stage.REJECTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketKind(PerProposalKind):
    """Comments once for each outcome. A comment ends with its effect's key, by which it is found again."""

    channel = "ticket"
    tickets: TicketComments

    def send(self, row: OutboxRow) -> str:
        return self.tickets.add_comment(str(row.payload["ticket"]), str(row.payload["text"]), key=row.key)

    def find(self, row: OutboxRow) -> str | None:
        return self.tickets.find_comment(str(row.payload["ticket"]), key=row.key)

    def find_effect(self, view: ProposalView) -> Effect | None:
        moves = [r.transition for r in view.history if not r.retracted and r.transition.target is view.stage]
        comment = next((e for e in view.effects if e.channel == self.channel and e.is_out), None)
        if view.proposal.jira is None or not moves:
            return None
        move = moves[-1]
        if view.stage in _COMMENTED and self.scope.now - move.at <= FOLLOWED_UP:
            lines, approval = list(_say_outcome(view, move)), False
        elif comment is not None and view.stage not in _COMMENTED and comment.payload["stage"] in _COMMENTED:
            lines, approval = [f"{view.key}: what is said above no longer holds; it is {view.stage} now."], True
        else:
            return None
        return Effect(
            key=f"{view.key}/{move.id}/{self.channel}",
            number=view.proposal.number,
            channel=self.channel,
            payload={
                "ticket": view.proposal.jira,
                "stage": view.stage,
                "text": "\n".join(lines),
                "diff": [f"comment on {view.proposal.jira}:", *lines],
            },
            approval=approval,
        )


def _say_outcome(view: ProposalView, move: Transition) -> Iterator[str]:
    yield f"{view.key} is {view.stage} since {move.at:%Y-%m-%d}."
    if (state := view.newest_vote) is not None:
        counts = state.tally.binding
        yield f"Binding votes: +{counts.plus}, {counts.zero} of 0, -{counts.minus}."
        if url := view.links.get(state.vote.root_message_id, ""):
            yield f"Vote: {url}"
    if view.proposal.page_url:
        yield f"Proposal: {view.proposal.page_url}"
