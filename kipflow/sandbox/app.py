"""The sandbox's application: the story behind the endpoints of four services, and pages for people."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

from fastapi import FastAPI

from kipflow.posted_forms import Refusal
from kipflow.sandbox import confluence, controls, jira, pages, ponymail, slack, socketmode, visitors
from kipflow.sandbox.channels import Channels, Throttle
from kipflow.sandbox.clock import Clock
from kipflow.sandbox.faults import FaultMiddleware, Faults, parse_faults
from kipflow.sandbox.mailarchive import MailArchive
from kipflow.sandbox.memory import Memory, MemoryMiddleware
from kipflow.sandbox.smtp import serve_mail
from kipflow.sandbox.socketmode import Sockets
from kipflow.sandbox.story import build_story
from kipflow.sandbox.tickets import Tickets
from kipflow.sandbox.wikistate import WikiState


def create_app(
    *,
    anchor: datetime,
    now: datetime,
    ticks: Callable[[], float],
    speed: float = 1.0,
    faults: str = "",
    slack_burst: int = 40,
    memory: Path | None = None,
    mail_port: int | None = None,
) -> FastAPI:
    """The sandbox's application; `python -m kipflow.sandbox --help` explains the arguments.

    `ticks` are monotonic real seconds (`time.monotonic`). Raises ValueError if a fault rule or the memory file is
    invalid.
    """
    story = build_story(anchor)
    live = partial(_live, port=mail_port)
    app = FastAPI(title="kipflow sandbox", lifespan=live, docs_url=None, redoc_url=None, openapi_url=None)
    state = app.state
    state.clock = Clock(now, speed=speed, ticks=ticks)
    state.faults = Faults(parse_faults(faults))
    state.archive = MailArchive(story.mails)
    state.wiki = WikiState(story.pages, state.clock.now)
    state.tickets = Tickets(story.tickets)
    state.channels, state.throttle = Channels(), Throttle(burst=slack_burst, ticks=ticks)
    state.sockets = Sockets()
    state.saved = lambda: None
    if memory is not None:
        kept = Memory(
            memory, state.clock, pages=state.wiki, posts=state.channels, mails=state.archive, tickets=state.tickets
        )
        kept.load()
        state.saved = kept.save
        app.add_middleware(MemoryMiddleware, memory=kept)
    app.add_middleware(FaultMiddleware, faults=state.faults)
    app.add_exception_handler(Refusal, visitors.show_refusal)
    for part in (ponymail, confluence, jira, slack, socketmode, pages, visitors, controls):
        app.router.routes.extend(part.router.routes)  # FastAPI would rebuild each route for each sandbox
    return app


@asynccontextmanager
async def _live(app: FastAPI, *, port: int | None) -> AsyncIterator[None]:
    """Accept mail while the application runs."""
    if port is None:
        yield
        return
    state = app.state
    async with await serve_mail(state.archive, state.clock.now, state.saved, port=port):
        yield
