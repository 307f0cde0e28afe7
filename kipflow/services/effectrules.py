"""Where a community's effects go, and whether they go at all."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectRules:
    """Where effects go and whether they go at all.

    `sends` False is dry-run: rows are kept, marked as skipped, and shown. `slack`: "off", "send", "approve".
    `board_url` is where people find the board, without a slash at its end; "" where that is not known.
    `index_page` is the wiki's page of the index; "" where no index is kept true.
    """

    prefix: str
    sends: bool
    slack: str = "off"
    channel: str = ""
    operators: str = ""
    board_url: str = ""
    index_page: str = ""

    @property
    def tells(self) -> bool:
        """Whether anybody is told in Slack."""
        return self.slack != "off" and bool(self.channel)

    @property
    def approves(self) -> bool:
        """Whether a person releases each message."""
        return self.slack == "approve"

    def find_board_page(self, number: int) -> str:
        """Where the board shows a proposal; "" where the board's address is not known."""
        return f"{self.board_url}/proposals/{number}" if self.board_url else ""
