"""The whole story for an anchor: mails, pages, tickets. `plans.EXPECTED` has the expected decisions.

The same anchor gives the same bytes on every machine. The purpose of each proposal is noted in its story.
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
from kipflow.sandbox.wiki import write_pages
from kipflow.sandbox.wikistate import LivePage


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """All events of the story, each with the time at which it appears."""

    mails: tuple[ArchivedMail, ...]
    pages: tuple[LivePage, ...]
    tickets: tuple[Ticket, ...]


@lru_cache(maxsize=4)  # a pure function, called by the launcher and by every test
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
