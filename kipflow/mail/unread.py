"""A mail that was not read to its end: what it votes is a question to a person, because the rest may take it back."""

from __future__ import annotations

from dataclasses import replace

from kipflow.domain.votes import Expression, Standing

#: The rule of such an expression.
RULE = "not-read-to-its-end"


def ask_unread(found: tuple[Expression, ...], unread: str) -> tuple[Expression, ...]:
    """What the part that was read says, as a question; a question of its own where that says nothing."""
    if not unread:
        return found
    why = f"not read to its end: {unread}"
    silent = Expression(choice=None, value="", claimed_binding=None, line="", rule=RULE)
    return tuple(replace(e, rule=RULE, standing=Standing.UNCLEAR, why=why) for e in found or (silent,))
