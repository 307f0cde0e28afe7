"""Which commands settle a question or let an effect go: the same words in `kipflow review` and on the board.

Each is whole and safe to paste into a shell: ids and addresses come from mails. A word in capitals is for the reader
to fill in; a comment lists what it can be.
"""

from __future__ import annotations

from shlex import quote

from kipflow.domain.decisions import ReviewItem
from kipflow.domain.events import Stage
from kipflow.domain.identities import find_sides
from kipflow.services.ports import OutboxRow

_CHOICES = "CHOICE: +1, 0, -1 or none"
_STAGES = f"STAGE: {', '.join(Stage)}"


def find_commands(number: int, item: ReviewItem, program: str = "kipflow") -> tuple[str, ...]:
    """The commands that settle a question, each in its way; none where no ruling can."""
    return tuple(
        f"{program} review {_add_reason(words)}{f'  # {comment}' if comment else ''}"
        for words, comment in _find_words(number, item)
    )


def _add_reason(words: str) -> str:
    if " -" not in words:
        return f'{words} --reason "…"'
    verb, _, rest = words.partition(" ")  # an id or address like an option: nothing behind "--" is one
    return f'{verb} --reason "…" -- {rest}'


def _find_words(number: int, item: ReviewItem) -> list[tuple[str, str]]:
    subject = quote(item.subject)
    match item.kind:
        case "ballot" | "late-ballot":
            return [(f"ballot {number} {subject} CHOICE", _CHOICES)]
        case "identity":
            sides = " ".join(map(quote, item.subject.split(" = ", 1)))
            return [(f"merge {sides}", "one person"), (f"split {sides}", "two people")]
        case "sender":
            sides = " ".join(map(quote, find_sides(item.subject)))
            return [(f"sender {sides}", "it is"), (f"split {sides}", "it is not")]
        case "ending":
            return [(f"ending {number} {subject} {answer}", "") for answer in ("accept", "refuse")]
        case "page":
            return [(f"page {number}", "the votes hold")]
        case "claimed-number":
            return [(f"number {number} {answer}", "") for answer in ("accept", "refuse")]
        case "dormancy":
            return [(f"stage {number} Dormant", ""), (f"snooze {number} DATE", "DATE: such as 2026-03-02")]
        case "ruling":
            return [(f"revoke {subject}", "")]
        case "result" | "turned-vote" | "retraction" | "new-vote" | "reopening" | "unannounced" | "crowd":
            return [(f"stage {number} STAGE", _STAGES)]
        case _:
            return []


def find_release_commands(effect: OutboxRow, program: str = "kipflow") -> tuple[str, ...]:
    """The commands that settle an effect that waits for a person; none for one that does not."""
    key = quote(effect.key)
    words = {"held": ("release",), "failed": ("release",), "unsure": ("sent", "release")}
    return tuple(f"{program} review {word} {key}" for word in words.get(effect.status, ()))
