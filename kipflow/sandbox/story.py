"""The whole story for a seed and an anchor: mails, pages, tickets. `answers` says what must come out.

The same seed and anchor give the same bytes, on every machine. What each proposal is there for stands
beside its story.
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
from kipflow.sandbox.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Everything that will have happened by the end of the story, each with the moment it appears."""

    world: World
    mails: tuple[ArchivedMail, ...]
    pages: tuple[PageScript, ...]
    tickets: tuple[Ticket, ...]
    index_page: str


@lru_cache(maxsize=4)  # a pure function of its arguments, asked for by the launcher and by every test
def build_story(
    *,
    seed: int,
    anchor: datetime,
    list_id: str = "dev@sandbox.example",
    project: str = "SAND",
    index_page: str = "1000",
) -> Story:
    """Write the story relative to `anchor` (aware UTC; fractions of a second are dropped)."""
    world = World(seed=seed, anchor=anchor.replace(microsecond=0), list_id=list_id, project=project)
    mails = [mail for plan in PLANS for mail in ThreadWriter(world, plan).write()]
    mails += write_noise(world)
    held = [*archive(mails, list_id), *write_broken(world)]
    return Story(
        world=world,
        mails=tuple(sorted(held, key=lambda m: m.arrives_at)),
        pages=tuple(write_pages(world, index_page)),
        tickets=tuple(write_tickets(world)),
        index_page=index_page,
    )
