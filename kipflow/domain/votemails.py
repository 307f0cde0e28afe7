"""A mail in the thread of a vote: a board shows it, and why its lines are no votes is explained of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteMail:
    """A mail in the thread of a vote, with its author's own words and its permalink; `announces` a result."""

    message_id: str
    author: str
    own_text: str
    announces: bool = False
    url: str = ""
