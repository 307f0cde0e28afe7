"""The mail that announces a vote's result, sent to the vote's list as a reply to its opening."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from email.utils import parseaddr
from typing import Any

from kipflow.domain.errors import DeliveryUnclear, RateLimited
from kipflow.domain.texts import digest_text
from kipflow.services.board import ProposalView
from kipflow.services.effect_kinds.kind import PerProposalKind, Scope
from kipflow.services.ports import Effect, Mailer, OutboxRow, Report
from kipflow.services.result_mail import ResultDraft, find_draft

#: How long a mail that may have been sent is awaited in the archive, and how often it is looked for there.
PATIENCE, LOOK_EVERY = timedelta(hours=6), timedelta(minutes=20)
#: The fields of a draft that are known only when it is sent.
_LATER = frozenset({"sender", "sender_address", "at", "message_id"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultKind(PerProposalKind):
    """Announces results in the text that a person released, unless somebody announced it already.

    The mail's Message-ID is random, chosen when it is planned and secret until it is sent: a mail with it in the
    archive must be this one. A mail server cannot be asked what it accepted: after a lost answer the mail is looked for
    in the archive, and never sent again unless a person says so.

    `sender` is a name with an address; mail goes to `lists` only.
    """

    channel = "result"
    mailer: Mailer
    sender: str
    lists: frozenset[str]

    def plan(self) -> Report:
        self._confirm_arrived()
        return PerProposalKind.plan(self)

    def send(self, row: OutboxRow) -> str:
        self.refuse_lapsed(row)
        name, address = parseaddr(self.sender)
        signed: dict[str, Any] = {"sender": name, "sender_address": address, "message_id": self._name(row)}
        draft = ResultDraft(**row.payload["draft"], **signed, at=self.scope.now)
        self.mailer.send(draft.as_bytes(), sender=draft.sender_address, recipient=draft.list_id)
        return draft.message_id

    def find(self, row: OutboxRow) -> str | None:
        message_id = self._name(row)
        with self.scope.store.read() as session:
            if session.mail.find_references(message_id) is not None:
                return message_id
        since = row.tried_at or row.created_at
        if self.scope.now - since < PATIENCE:
            raise RateLimited(service="the list's archive", retry_after=LOOK_EVERY.total_seconds())
        raise DeliveryUnclear(
            f"the mail {message_id} may have been sent, and the archive has not had it for {PATIENCE}: look whether a "
            "moderator holds it"
        )

    def find_effect(self, view: ProposalView) -> Effect | None:
        return find_announcement(self.scope, self.lists, view, self.channel)

    def _confirm_arrived(self) -> None:
        """Mark unsure mails as sent that have arrived in the archive meanwhile."""
        with self.scope.store.begin() as session:
            for row in session.outbox.load_channel(self.channel, {"unsure"}):
                if session.mail.find_references(self._name(row)) is not None:
                    session.outbox.mark_sent(row.key, at=self.scope.now, external_ref=self._name(row))

    def _name(self, row: OutboxRow) -> str:
        host = parseaddr(self.sender)[1].partition("@")[2]
        return f"<result.{row.payload['mark']}@{host}>"


def find_announcement(scope: Scope, lists: frozenset[str], view: ProposalView, channel: str) -> Effect | None:
    """The effect that announces the newest vote; None if there is nothing to announce, or it went out already."""
    draft = find_draft(view, scope.now)
    if draft is None or draft.list_id not in lists:
        return None
    with scope.store.read() as session:
        draft = replace(draft, references=session.mail.find_references(draft.answers) or ())
    key = f"{view.key}/{digest_text(draft.answers, 12)}/{digest_text(draft.subject + draft.text, 12)}/{channel}"
    own = (row for row in view.effects if row.channel == channel and row.key != key)
    if any(row.is_out and row.payload["draft"]["answers"] == draft.answers for row in own):
        return None  # announced already, with another text
    kept = {name: value for name, value in asdict(draft).items() if name not in _LATER}
    shown = [f"To: {draft.list_id}", f"Subject: {draft.subject}", "", *draft.text.splitlines()]
    text = f"{draft.subject} ({draft.outcome})"
    payload = {"text": text, "draft": kept, "diff": shown, "mark": secrets.token_hex(16)}
    return Effect(key=key, number=draft.number, channel=channel, payload=payload)
