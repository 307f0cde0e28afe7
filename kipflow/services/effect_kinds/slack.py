"""Messages in a chat. Most are planned with the decision that causes them, in its transaction (`services.effects`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kipflow.domain.errors import Refused, Withheld
from kipflow.domain.texts import digest_text
from kipflow.services.away import note_outage, note_recovery
from kipflow.services.digests import DigestRules, plan_digests
from kipflow.services.effect_kinds.kind import Scope, render_preview
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import Chat, Report
from kipflow.services.ports.effects import BELOW, DIRECT, Effect, OutboxRow
from kipflow.services.settling import find_release_commands, find_release_ways, list_answers, offer
from kipflow.services.slack_messages import render_approval

#: The most waiting effects that operators are notified of one by one; the board has all.
_MOST_APPROVALS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatKind:
    """Posts a row's payload to its channel, in a thread if the payload says so; updates posted messages."""

    scope: Scope
    chat: Chat
    rules: EffectRules
    digest: DigestRules | None = None

    def plan(self) -> Report:
        """Plan what depends on time: digests, and messages about effects that wait for approval."""
        due = list(self._find_due())
        with self.scope.store.begin() as session:
            planned = session.outbox.enqueue(due, now=self.scope.now, sends=self.rules.sends)
        return Report(counts={"planned": planned})

    def preview(self) -> list[str]:
        due = list(self._find_due())
        with self.scope.store.read() as session:
            known = session.outbox.load_status(effect.key for effect in due)
        return [line for effect in due if effect.key not in known for line in render_preview(effect)]

    def _find_due(self) -> Iterator[Effect]:
        scope, rules = self.scope, self.rules
        if self.digest is not None:
            yield from plan_digests(scope.store, rules, self.digest, scope.now)
        for row in scope.store.effects(status="held", limit=_MOST_APPROVALS).rows if scope.mode != "off" else ():
            board = f"{rules.board_url}/outbox" if rules.board_url else ""
            message = render_approval(row, board=board, settle=find_release_commands(row, rules.program))
            payload = rules.address("approval", offer(message, list_answers(find_release_ways(row))))
            if payload is not None:
                # a rewritten message needs a new approval, so it is announced again
                waits = digest_text(repr((row.key, row.payload.get("text"))), 16)
                yield Effect(key=f"approval/{waits}/slack", number=row.number, channel="slack", payload=payload)

    def send(self, row: OutboxRow) -> str:
        try:
            reference = self._send(row)
        except Withheld as error:
            note_outage(self.scope.store, "slack", error.why, at=self.scope.now)
            raise
        note_recovery(self.scope.store, "slack")
        return reference

    def _send(self, row: OutboxRow) -> str:
        payload: Mapping[str, Any] = row.payload
        text, blocks = str(payload["text"]), list(payload["blocks"])
        if row.external_ref:
            self.chat.update(row.external_ref, text, blocks)
            return row.external_ref
        return self.chat.post(self._find_channel(row), text, blocks, key=row.key, thread=self._find_thread(row))

    def find(self, row: OutboxRow) -> str | None:
        if row.external_ref:
            return None  # an update may be made twice
        since = row.tried_at or row.created_at
        return self.chat.find(self._find_channel(row), key=row.key, since=since, thread=self._find_thread(row))

    def _find_channel(self, row: OutboxRow) -> str:
        channel, addresses = str(row.payload["channel"]), row.payload.get(DIRECT)
        if addresses is None:
            return channel
        user = self.chat.find_user(addresses)
        if user is None:
            raise Refused(service="Slack", url="", why=f"nobody there has an address that the roster has for {channel}")
        return user

    def _find_thread(self, row: OutboxRow) -> str | None:
        if row.payload.keys().isdisjoint({"in_thread", BELOW}) or row.number is None:
            return None
        with self.scope.store.begin() as session:
            if BELOW in row.payload:
                found = session.outbox.find(row.payload[BELOW])
                return found.external_ref if found is not None else None
            return session.outbox.find_thread(row.number, str(row.payload["channel"]))
