"""The sandbox's application: the story behind the endpoints of the four services, and pages for a person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response

from kipflow.sandbox import confluence, jira, pages, ponymail, slack
from kipflow.sandbox.clock import Clock, parse_step
from kipflow.sandbox.faults import FaultMiddleware, Faults, parse_faults
from kipflow.sandbox.mailarchive import MailArchive, read_mbox_folder
from kipflow.sandbox.memory import Memory, MemoryMiddleware
from kipflow.sandbox.slack import Channels, Throttle
from kipflow.sandbox.story import build_story
from kipflow.sandbox.wikistate import WikiState


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a sandbox is set up. `anchor` is the story's moment 0, `now` where its clock starts.

    `mbox_folder` serves real months (YYYY-MM.mbox) instead of the story's mails. `slack_burst` is how
    many messages a channel takes at once before it asks to wait. `memory` is a file that keeps saved pages
    and posts over a restart.
    """

    anchor: datetime
    now: datetime
    seed: int = 7
    speed: float = 1.0
    list_id: str = "dev@sandbox.example"
    project: str = "SAND"
    index_page: str = "1000"
    mbox_folder: Path | None = None
    faults: str = ""
    slack_burst: int = 40
    memory: Path | None = None


def create_app(options: Options, *, ticks: Callable[[], float]) -> FastAPI:
    """Build the application.

    Raises:
        ValueError: a fault rule or the memory file is wrong.
        FileNotFoundError: the mbox folder holds no month.
    """
    clock = Clock(options.now, speed=options.speed, ticks=ticks)
    faults = Faults(parse_faults(options.faults))
    story = build_story(
        seed=options.seed,
        anchor=options.anchor,
        list_id=options.list_id,
        project=options.project,
        index_page=options.index_page,
    )
    real = read_mbox_folder(options.mbox_folder) if options.mbox_folder is not None else None
    archive = MailArchive(options.list_id, real if real is not None else story.mails, timeless=real is not None)
    wiki = WikiState(story.pages, clock.now)
    channels = Channels()

    app = FastAPI(title="kipflow sandbox", docs_url=None, redoc_url=None, openapi_url=None)
    if options.memory is not None:
        memory = Memory(options.memory, wiki, channels, clock)
        memory.load()
        app.add_middleware(MemoryMiddleware, memory=memory)
    app.add_middleware(FaultMiddleware, faults=faults)
    app.include_router(ponymail.routes(archive, clock.now))
    app.include_router(confluence.routes(wiki, faults))
    app.include_router(jira.routes(story.tickets, clock.now))
    app.include_router(slack.routes(channels, Throttle(burst=options.slack_burst, ticks=ticks), clock.now))
    app.include_router(
        pages.routes(archive, wiki, channels, clock.now, index_page=options.index_page, told=real is None)
    )
    _add_controls(app, clock, faults)
    return app


def _add_controls(app: FastAPI, clock: Clock, faults: Faults) -> None:
    """The sandbox's own endpoints: health, clock, faults."""

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "ok", "now": _iso(clock.now())}

    @app.get("/clock")
    async def read_clock() -> dict[str, str]:
        return {"now": _iso(clock.now())}

    @app.post("/clock")
    async def advance_clock(request: Request) -> Response:
        try:
            now = clock.advance(parse_step(str((await _object(request)).get("advance"))))
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 422)
        return JSONResponse({"now": _iso(now)})

    @app.get("/faults")
    async def list_faults() -> Response:
        return JSONResponse({"rules": faults.describe()})

    @app.post("/faults")
    async def add_faults(request: Request) -> Response:
        try:
            faults.add(parse_faults(str((await _object(request)).get("rule") or "")))
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 422)
        return JSONResponse({"rules": faults.describe()})

    @app.delete("/faults")
    async def clear_faults() -> Response:
        faults.clear()
        return JSONResponse({"rules": []})


async def _object(request: Request) -> dict[str, object]:
    try:
        given = await request.json()
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
