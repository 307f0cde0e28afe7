"""Rules on values: rows of the tables in `numbers`, `talk` and `rules`, each named after the function that decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from kipflow.mail.votes.mentions import Mention

When = Callable[[Mention], bool]


class Verdict(StrEnum):
    """The verdict of a rule on a mention."""

    CAST = "cast"
    ASK = "ask"
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: `takes` are texts that the rule must decide, `leaves` some like them that it must not."""

    name: str
    when: When
    verdict: Verdict
    why: str
    takes: tuple[str, ...]
    leaves: tuple[str, ...]
    #: the verdict if the value is the writer's own
    mine: Verdict | None
    #: the verdict if the value is independent of the words around it
    standalone: Verdict | None
    #: it may be the vote although there is another one
    rivals: bool
    #: it says what the vote is not: the vote is unknown, and may differ from an earlier one
    denies: bool


_NOT = "not: "


class Table(list[Rule]):
    """Rules in the order in which they are tried."""

    def __call__(
        self,
        verdict: Verdict,
        why: str,
        *,
        mine: Verdict | None = None,
        standalone: Verdict | None = None,
        rivals: bool = False,
        denies: bool = False,
    ) -> Callable[[When], When]:
        """Adds a row; the docstring holds its examples: "taken | taken, too | not: left to others"."""

        def add(when: When) -> When:
            examples = [text.strip() for text in (when.__doc__ or "").split("|")]
            takes = tuple(text for text in examples if not text.startswith(_NOT))
            leaves = tuple(text.removeprefix(_NOT) for text in examples if text.startswith(_NOT))
            self.append(
                Rule(
                    when.__name__.replace("_", "-"), when, verdict, why, takes, leaves, mine, standalone, rivals, denies
                )
            )
            return when

        return add
