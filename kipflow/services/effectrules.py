"""Where a community's effects go, and whether they go at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from kipflow.domain.messagekinds import MESSAGE_KINDS, Readers
from kipflow.domain.times import QuietHours

#: Instead of a channel: this kind of message is only in the weekly digest, or not sent.
DIGEST, OFF = "digest", "off"
#: In a message: the blocks with buttons, used if an app is configured.
BUTTONS = "answers"


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectRules:
    """Where effects go and whether they go at all.

    `sends` False is dry-run: rows are kept, marked as skipped, and shown. `slack`: "off", "send", "approve".
    `routes` has the channel of a kind of message (or `DIGEST`, `OFF`) if it is not the usual one, `mentions` whom it
    mentions, in Slack's markup. With `buttons` messages can be answered in Slack. In `quiet` hours messages wait,
    except those for operators. `board_url` is the board's address without a final slash; "" if not known. `program` is
    how commands begin. `index_page` is the wiki's page of the index; "" if kipflow does not edit an index.
    """

    prefix: str
    sends: bool
    slack: str = "off"
    channel: str = ""
    operators: str = ""
    routes: Mapping[str, str] = field(default_factory=dict)
    mentions: Mapping[str, str] = field(default_factory=dict)
    buttons: bool = False
    quiet: QuietHours | None = None
    board_url: str = ""
    program: str = "kipflow"
    index_page: str = ""

    @property
    def notifies(self) -> bool:
        """Whether anybody is notified in Slack."""
        return self.slack != "off" and bool(self.channel)

    @property
    def approves(self) -> bool:
        """Whether a person releases each message."""
        return self.slack == "approve"

    def find_route(self, kind: str) -> str:
        """The channel of a kind of message, `DIGEST` or `OFF`."""
        usual = {
            Readers.EVERYBODY: self.channel,
            Readers.ASKED: self.operators or self.channel,
            Readers.OPERATORS: self.operators or OFF,
        }
        return self.routes.get(kind, usual[MESSAGE_KINDS[kind].readers]) if self.notifies else OFF

    def address(self, kind: str, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """The payload of a message of this kind, with its channel and mentions; None if it is not sent."""
        channel = self.find_route(kind)
        if channel in {OFF, DIGEST}:
            return None
        blocks = [*message["blocks"], *(message.get(BUTTONS, ()) if self.buttons else ())]
        if mention := self.mentions.get(kind):
            blocks = [{"type": "context", "elements": [{"type": "mrkdwn", "text": mention}]}, *blocks]
        kept = {name: value for name, value in message.items() if name != BUTTONS}
        return {**kept, "blocks": blocks, "kind": kind, "channel": channel}

    def needs_release(self, channel: str) -> bool:
        """Whether messages to this channel need a release; those to the operators' own channel do not."""
        return self.approves and (channel != self.operators or self.operators == self.channel)

    def find_due(self, kind: str, at: datetime) -> datetime | None:
        """When a message written at `at` may go out; None: at once."""
        waits = self.quiet is not None and MESSAGE_KINDS[kind].readers is Readers.EVERYBODY
        return self.quiet.find_end(at) if self.quiet is not None and waits else None

    def find_board_page(self, number: int) -> str:
        """The proposal's page on the board; "" if the board's address is not known."""
        return f"{self.board_url}/proposals/{number}" if self.board_url else ""
