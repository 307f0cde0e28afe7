"""Rules on announcements: each is a row of a table, named after the function that says when it applies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

When = TypeVar("When", bound=Callable[[Any], object])


class Says(StrEnum):
    """What a word, or a whole mail, says about a vote."""

    NOTHING = "nothing"
    ASK = "ask"
    FAILED = "failed"
    PASSED = "passed"
    #: called off: outright, or as a wish that only its caller can have
    WITHDRAWN = "withdrawn"
    REQUESTED = "wished"
    #: said by its caller, it may mean that the vote does not go on
    CONSIDERED = "considered"
    #: its result is taken back, or corrected
    VOIDED = "voided"
    CORRECTED = "corrected"
    EXTENDED = "extended"
    #: contradicts a result: a question if there is an earlier one, else nothing
    AGAINST = "against"
    #: over, whatever the outcome
    CLOSED = "closed"
    PRESENTED = "presented"
    THANKED = "thanked"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: `takes` are texts that it must decide, `leaves` texts that it must not."""

    name: str
    when: Callable[[Any], Any]
    says: Says
    why: str
    takes: tuple[str, ...]
    leaves: tuple[str, ...]
    #: it decides only in a mail with a tag of a result in its subject
    tagged_only: bool = False
    #: the vote may run on after what it says
    may_run_on: bool = False


class Table(list[Rule]):
    """Rules in the order in which they are tried: the first that applies decides."""

    def __call__(
        self, says: Says, why: str, *takes: str, leaves: tuple[str, ...] = (), **flags: bool
    ) -> Callable[[When], When]:
        """Adds a row; `flags` are further fields of it."""

        def add(when: When) -> When:
            self.append(Rule(when.__name__.replace("_", "-"), when, says, why, takes, leaves, **flags))
            return when

        return add

    def find(self, fact: object) -> tuple[Rule, str]:
        """The rule that decides, and its evidence if it gives any."""
        return next((rule, str(found)) for rule in self if (found := rule.when(fact)))
