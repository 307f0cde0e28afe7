"""The whole story for an anchor: mails, pages, tickets. `plans.EXPECTED` says what must come out.

The same anchor gives the same bytes, on every machine. What each proposal is there for stands beside its story.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from kipflow.sandbox.mails import ArchivedMail, archive
from kipflow.sandbox.noise import write_broken, write_noise
from kipflow.sandbox.plans import PLANS
from kipflow.sandbox.threads import ThreadWriter
from kipflow.sandbox.tickets import Ticket, write_tickets
from kipflow.sandbox.wiki import PageScript, write_pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Everything that will have happened by the end of the story, each with the moment it appears."""

    mails: tuple[ArchivedMail, ...]
    pages: tuple[PageScript, ...]
    tickets: tuple[Ticket, ...]


@lru_cache(maxsize=4)  # a pure function of its argument, asked for by the launcher and by every test
def build_story(anchor: datetime) -> Story:
    """Write the story relative to `anchor` (aware UTC; fractions of a second are dropped)."""
    anchor = anchor.replace(microsecond=0)
    mails = [mail for plan in PLANS for mail in ThreadWriter(anchor, plan).write()]
    mails += write_noise(anchor)
    held = [*archive(mails), *write_broken(anchor)]
    return Story(
        mails=tuple(sorted(held, key=lambda m: m.arrives_at)),
        pages=tuple(write_pages(anchor)),
        tickets=tuple(write_tickets(anchor)),
    )
