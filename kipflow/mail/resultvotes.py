"""What a mail that announces a result says of votes: of whom it lists only its author may vote by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import dropwhile

from kipflow.domain.votes import Expression, Standing
from kipflow.mail.announcements.names import can_be_listed, is_same_person
from kipflow.mail.quoting import Words
from kipflow.mail.votes.people import lists_others

_SURE = {Standing.CLEAR, Standing.WITHDRAWAL}


def weigh_in_result(votes: Iterable[Expression], author: str) -> Iterator[Expression]:
    """What the mail says outright, and as a hint what may be its author's."""
    for vote in votes:
        if vote.standing in _SURE or not lists_others(vote.line, ""):
            yield vote
        elif not lists_others(vote.line, author):
            yield replace(vote, standing=Standing.HINT)


def ask_beside_result(votes: Iterable[Expression], words: Words, author: str) -> Iterator[Expression]:
    """A vote that would be one but for the result in its mail: of whom nothing else is held, it is asked about."""
    why = "stands in a mail that counts votes: its writer's own, or one of them?"
    for vote in votes:
        if not (vote.standing.is_faint or lists_others(vote.line, "") or _heads_names(vote.line, words, author)):
            yield replace(vote.as_question("beside-a-result", why), standing=Standing.HINT)


def _heads_names(line: str, words: Words, author: str) -> bool:
    """Whether others' names stand below a line: "+1 (binding)" and then "- Jun Okafor"."""
    texts = dropwhile(lambda text: text != line, (own.text.strip() for own in words.own))
    below = next((text.strip("-*• ") for text in list(texts)[1:] if text), "")
    return can_be_listed(below) and not is_same_person(below, author)
