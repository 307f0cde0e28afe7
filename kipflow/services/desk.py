"""What a person's acts work on, what they are given, and what they report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Any

from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster
from kipflow.services.board import Board
from kipflow.services.consequences import Consequence
from kipflow.services.effectrules import EffectRules
from kipflow.services.ports import Store

#: The values of an act by the names of its fields, as a command or a form gives them.
Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What acts work on. `board` reads the same database that `store` writes to."""

    store: Store
    board: Board
    roster: Roster
    policy: Policy
    effects: EffectRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """Who acts, why, and when (aware UTC)."""

    author: str
    reason: str
    at: datetime

    def as_given(self) -> dict[str, Any]:
        """The arguments of a service that records it."""
        return {"author": self.author, "reason": self.reason, "at": self.at}


class Shown(Enum):
    """Of which proposals the stage is shown afterwards; a number that was refused has none to speak of."""

    ALL = auto()
    MOVED = auto()
    NONE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What an act did. `ruling` is the ruling that was recorded and can be revoked; None: there is none."""

    said: str
    ruling: int | None = None
    consequences: tuple[Consequence, ...] = ()
    shown: Shown = Shown.MOVED


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """Something a person can do. `fields` are the names of its values in the order of the command's words."""

    fields: tuple[str, ...]
    perform: Callable[[Desk, Values, Word], Done]
    optional: tuple[str, ...] = ()
