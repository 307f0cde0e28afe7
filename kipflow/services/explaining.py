"""Why lines in the thread of a vote are no votes: what the reader rejected, with the rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kipflow.domain.facts import VoteMail
from kipflow.mail.quoting import OwnLine, Words
from kipflow.mail.votes.reading import explain

#: The most characters of a rejected line that are shown.
MAX_LINE = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOver:
    """A line in a vote's thread that looks like a vote and is none: its author, its mail, the rule and its reason."""

    author: str
    message_id: str
    line: str
    rule: str
    why: str
    url: str = ""


def find_passed_over(mails: Iterable[VoteMail]) -> tuple[PassedOver, ...]:
    """The lines that the reader rejected in these mails, each once, in order."""
    return tuple(dict.fromkeys(found for mail in mails for found in _explain(mail)))


def _explain(mail: VoteMail) -> Iterator[PassedOver]:
    words = Words(own=tuple(OwnLine(line) for line in mail.own_text.split("\n")))
    for reason in explain(words, author=mail.author, is_result=mail.announces)[1]:
        found = {"line": reason.line[:MAX_LINE], "rule": reason.rule, "why": reason.why}
        yield PassedOver(author=mail.author, message_id=mail.message_id, url=mail.url, **found)
