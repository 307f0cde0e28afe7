"""Messages in a chat: planned with the decision that causes them, in its transaction (`services.effects`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kipflow.services.ports import BELOW, Chat, OutboxRow, Report, Store


@dataclass(frozen=True, slots=True)
class ChatKind:
    """Posts a row's payload to its channel, below another message where it asks for that; updates what it posted."""

    chat: Chat
    store: Store

    def plan(self) -> Report:
        return Report()

    def preview(self) -> list[str]:
        return []

    def send(self, row: OutboxRow) -> str:
        payload: Mapping[str, Any] = row.payload
        blocks = list(payload["blocks"])
        if row.external_ref:
            self.chat.update(row.external_ref, str(payload["text"]), blocks)
            return row.external_ref
        return self.chat.post(
            str(payload["channel"]), str(payload["text"]), blocks, key=row.key, thread=self._find_thread(row)
        )

    def find(self, row: OutboxRow) -> str | None:
        if row.external_ref:
            return None  # an update may be made twice
        since = row.tried_at or row.created_at
        return self.chat.find(str(row.payload["channel"]), key=row.key, since=since, thread=self._find_thread(row))

    def _find_thread(self, row: OutboxRow) -> str | None:
        if row.payload.keys().isdisjoint({"in_thread", BELOW}) or row.number is None:
            return None
        with self.store.begin() as session:
            if BELOW in row.payload:
                found = session.outbox.find(row.payload[BELOW])
                return found.external_ref if found is not None else None
            return session.outbox.find_thread(row.number, str(row.payload["channel"]))
