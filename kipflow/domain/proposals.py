"""Proposals: their numbers and how texts refer to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

#: Numbers above this are years, ticket numbers or typing errors, not proposals.
MAX_NUMBER = 99_999


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What is known of a proposal besides its history.

    `title` is without number and prefix; `jira` is a ticket key such as KAFKA-1234.
    """

    number: int
    title: str
    author: str | None = None
    created_at: datetime | None = None
    page_id: str | None = None
    page_url: str | None = None
    jira: str | None = None
    release: str | None = None
    in_progress: bool = False


@lru_cache(maxsize=32)
def _reference_pattern(prefix: str) -> re.Pattern[str]:
    # "KIP-12", "KIP 12", "KIP12", "KIP - 12", "kip_12", "KIP–12" (en dash), "KIP-012"
    return re.compile(
        rf"(?<![A-Za-z0-9]){re.escape(prefix)}(?:\s{{0,2}}[-_:#\u2010-\u2015]\s{{0,2}}|\s{{1,2}}|)0{{0,4}}([1-9]\d{{0,4}})(?!\d)",
        re.IGNORECASE,
    )


def find_references(text: str, prefix: str) -> tuple[int, ...]:
    """The numbers of the proposals that `text` names, each once, in order of appearance.

    >>> find_references("[VOTE] KIP 12, was kip-9 (KIP-12)", "KIP")
    (12, 9)
    """
    seen: dict[int, None] = {}
    for match in _reference_pattern(prefix).finditer(text):
        seen.setdefault(int(match.group(1)), None)
    return tuple(seen)


def format_key(prefix: str, number: int) -> str:
    """The way a community writes a proposal: KIP-932."""
    return f"{prefix}-{number}"
