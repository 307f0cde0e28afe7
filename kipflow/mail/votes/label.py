"""The words before a value, up to a colon, as the rules for labels see them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from kipflow.domain.votes import Choice
from kipflow.mail.votes.conditions import MARK
from kipflow.mail.votes.lexicon import drop, fold, has

#: "With regret", "Seriously": not a thing that is voted on
_ADVERBIAL = re.compile(
    r"\W*(?:(?:with|in|at|by|despite|without) "
    r"(?!the\b|an?\b|our\b|my\b|his\b|her\b)[^\W\d]+(?: [^\W\d]+)?"
    r"|(?:and )?(?:(?:now|more|most|quite) )?(?:offici|form)ally"
    r"|\w{4,}(?:ously|fully|ingly|edly|antly|ently|ately|estly))\W*$"
)


@dataclass(frozen=True)
class Label:
    """The words before a value, up to a colon; with a claim to bind it is enough that they name no thing or person."""

    written: str
    choice: Choice
    is_claimed: bool

    @cached_property
    def text(self) -> str:
        return fold(self.written)

    @cached_property
    def end(self) -> str:
        """Its last clause."""
        return MARK.split(self.written.rstrip(" .,:;…)"))[-1]

    @cached_property
    def last(self) -> str:
        """The same, in lower case."""
        return fold(self.end)

    @cached_property
    def told(self) -> str:
        """The same without words that only introduce the value."""
        return drop("from_me", drop("leads_in", drop("casts", drop("no_condition", self.last)))).removesuffix(" please")

    @cached_property
    def is_adverb(self) -> bool:
        return self.is_claimed and _ADVERBIAL.match(self.last) is not None

    def has(self, *names: str) -> bool:
        return any(has(name, self.told) for name in names)


@dataclass(frozen=True, slots=True)
class LabelRule:
    """A kind of label, and whether its writer's own vote follows it.

    `of_others`: it is about something or somebody else, even if the vote after it is "from me".
    """

    name: str
    introduces_vote: bool
    when: Callable[[Label], bool]
    takes: tuple[str, ...]
    of_others: bool = False
    if_claimed: bool = False  # it takes only labels of votes with a claim to bind
