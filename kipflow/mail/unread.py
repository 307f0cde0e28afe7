"""A mail that was not read to its end: what it votes is a question to a person, because the rest may take it back."""

from __future__ import annotations

import re
from dataclasses import replace

from kipflow.domain.votes import Expression
from kipflow.mail.relevance import fold_case, has_any

_ATTACHED_VOTE = re.compile(
    r"\b(?:vote|ballot|veto|objection|opinion|answer|reply)s?\b[^.\n]{0,60}\b(?:attach|enclos)"
    r"|\b(?:attached|enclosed)\b[^.\n]{0,60}\b(?:vote|ballot|veto|objection|opinion|answer|reply)s?\b",
    re.IGNORECASE,
)


def points_at_attachment(text: str) -> bool:
    """Whether a mail says that what it votes is attached: attachments are not read."""
    return has_any(("attach", "enclos"), fold_case(text)) and _ATTACHED_VOTE.search(text) is not None


def ask_unread(found: tuple[Expression, ...], unread: str) -> tuple[Expression, ...]:
    """What the part that was read says, as a question; a question of its own where that says nothing."""
    if not unread:
        return found
    rule, why = "not-read-to-its-end", f"not read to its end: {unread}"
    silent = Expression(choice=None, value="", claimed_binding=None, line="", rule=rule)
    # without a choice: the rest may say anything, so every outcome must be looked at
    return tuple(replace(e.as_question(rule, why), choice=None) for e in found or (silent,))
