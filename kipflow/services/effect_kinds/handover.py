"""The draft of a result, sent to the vote's caller in Slack, who can mail it under their own name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from kipflow.domain.errors import Refused
from kipflow.domain.roster import Roster
from kipflow.services.board import ProposalView
from kipflow.services.effect_kinds.kind import PerProposalKind
from kipflow.services.effect_kinds.result import find_announcement
from kipflow.services.ports import Chat, Effect, OutboxRow
from kipflow.services.slack_messages import build_message, escape

#: The most sections of the message, and characters of the draft in one section.
_MAX_SECTIONS, _PART = 10, 2_400


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOverKind(PerProposalKind):
    """Sends the caller of each vote that is over and not announced a direct message, found by mail address.

    If Slack does not know the caller, the effect fails, and a person must inform them; the board has the draft.
    """

    channel = "handover"
    chat: Chat
    roster: Roster
    lists: frozenset[str]

    def send(self, row: OutboxRow) -> str:
        self.refuse_lapsed(row)
        message = render_handover(row.payload)
        return self.chat.post(self._find_caller(row), message["text"], message["blocks"], key=row.key)

    def find(self, row: OutboxRow) -> str | None:
        return self.chat.find(self._find_caller(row), key=row.key, since=row.tried_at or row.created_at)

    def find_effect(self, view: ProposalView) -> Effect | None:
        newest = view.newest_vote
        if newest is None or not newest.vote.opened_by_address:
            return None
        found = find_announcement(self.scope, self.lists, view, self.channel)
        if found is None:
            return None
        text = f"{view.key}: hand the draft of its result to {newest.vote.opened_by}, who called the vote"
        return replace(found, payload={**found.payload, "text": text})

    def _find_caller(self, row: OutboxRow) -> str:
        view, answers = self.scope.store.proposal(row.number or 0, self.scope.now), row.payload["draft"]["answers"]
        vote = next((s.vote for s in view.votes if s.vote.root_message_id == answers), None)
        if vote is None:
            raise Refused(service="Slack", url="", why="its vote is not held any more")
        voter = self.roster.identify(name=vote.opened_by, address=vote.opened_by_address)
        known = voter.person.emails if voter.person is not None else ()
        user = self.chat.find_user(sorted({vote.opened_by_address, *known}))
        if user is None:
            raise Refused(service="Slack", url="", why=f"nobody there has the address of {vote.opened_by}")
        return user


def render_handover(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The message: what to do with the draft, then its text in parts to copy, with backquotes replaced."""
    parts, part = list[str](), ""
    for line in map(str, payload["diff"]):
        plain = escape(line.replace("`", "'"))[:_PART]
        if len(part) + len(plain) > _PART:
            parts, part = [*parts, part], ""
        part += plain + "\n"
    lead = "The vote that you called is over, and nobody has announced its result. As a reply to its opening:"
    blocks = (f"```\n{text}```" for text in (*parts, part))
    return build_message(str(payload["draft"]["subject"]), [lead, *blocks], sections=_MAX_SECTIONS)
