"""Which command settles a question or lets an effect go: the same words in `kipflow review` and on the board."""

from __future__ import annotations

from shlex import quote

from kipflow.domain.decisions import ReviewItem
from kipflow.domain.identities import find_sides
from kipflow.services.ports import OutboxRow


def say_command(number: int, item: ReviewItem) -> str:
    """What comes after `kipflow review`, without the reason; "" where no ruling can settle it.

    Safe to paste into a shell: ids and addresses come from mails.
    """
    match item.kind:
        case "ballot" | "late-ballot":
            return f"ballot {number} {quote(item.subject)} +1|0|-1|none"
        case "identity":
            one, _, other = item.subject.partition(" = ")
            return f"merge|split {quote(one)} {quote(other)}"
        case "sender":
            return f"sender|split {' '.join(map(quote, find_sides(item.subject)))}"
        case "ending":
            return f"ending {number} {quote(item.subject)} accept|refuse"
        case "page":
            return f"page {number}"
        case "claimed-number":
            return f"number {number} accept|refuse"
        case "dormancy":
            return f"stage {number} Dormant, or snooze {number} DATE"
        case "ruling":
            return f"revoke {quote(item.subject)}"
        case "result" | "turned-vote" | "retraction" | "new-vote" | "reopening" | "unannounced" | "crowd":
            return f"stage {number} STAGE"
        case _:
            return ""


def say_release(effect: OutboxRow) -> str:
    """What comes after `kipflow review` to settle an effect that waits for a person; "" for one that does not."""
    key = quote(effect.key)
    said = {"held": f"release {key}", "failed": f"release {key}", "unsure": f"sent {key}, or release {key}"}
    return said.get(effect.status, "")
