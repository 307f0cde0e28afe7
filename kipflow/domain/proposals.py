"""Proposals: their numbers and how texts refer to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

#: Numbers above this are years, ticket numbers or typing errors, not proposals.
MAX_NUMBER = 99_999


# what nobody sees, and marks that join the character before them
_UNSEEN = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_MARKS = r"\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f\ufffd"
_WIDE = r"\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
#: What may not follow a number: anything that readers see as a part of it ("KIP-7", a zero-width blank and "8" look
#: like KIP-78). Scripts without blanks follow directly, and so does a version ("KIP-7v2").
NUMBER_ENDS = rf"(?![{_UNSEEN}]*(?:[{_MARKS}]|(?!v\d)(?![{_WIDE}])[^\W_]))"


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
        rf"(?<![A-Za-z0-9]){re.escape(prefix)}(?:\s{{0,2}}[-_:#\u2010-\u2015]\s{{0,2}}|\s{{1,2}}|)0{{0,4}}([1-9]\d{{0,4}})"
        + NUMBER_ENDS,
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
