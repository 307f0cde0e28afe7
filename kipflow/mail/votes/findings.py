"""The reading of one sentence or line, before the mail is judged as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from kipflow.domain.votes import Choice, Expression, Standing


class Role(Enum):
    """How a finding affects the others of its mail."""

    PLAIN = auto()
    #: a checked box or a summary outweighs all other findings
    WHOLE = auto()
    #: a change outweighs all findings before it
    CHANGE = auto()
    #: not understood, and may be the vote beside another one
    RIVAL = auto()
    #: takes a vote back, or may
    TAKES_BACK = auto()
    OBJECTS = auto()


@dataclass(frozen=True, slots=True)
class Finding:
    """An expression and its role."""

    expression: Expression
    role: Role = Role.PLAIN


def find(
    rule: str,
    standing: Standing,
    why: str = "",
    *,
    choice: Choice | None = None,
    value: str = "",
    claimed: bool | None = None,
    role: Role = Role.PLAIN,
    line: str = "",
) -> Finding:
    """A finding; the line of a sentence's is filled in by the caller."""
    expression = Expression(
        choice=choice, value=value, claimed_binding=claimed, line=line, rule=rule, standing=standing, why=why
    )
    return Finding(expression, role)
