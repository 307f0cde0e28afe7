"""The parts of the running sandbox as FastAPI dependencies."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, Request

from kipflow.sandbox.channels import Channels, Throttle
from kipflow.sandbox.clock import Clock
from kipflow.sandbox.faults import Faults
from kipflow.sandbox.mailarchive import MailArchive
from kipflow.sandbox.socketmode import Sockets
from kipflow.sandbox.tickets import Tickets
from kipflow.sandbox.wikistate import WikiState


def _part(name: str) -> Any:
    async def find(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(find)


async def _read_time(request: Request) -> datetime:
    now: Callable[[], datetime] = request.app.state.clock.now
    return now()


async def read_json(request: Request) -> Any:
    """The request's body as JSON; anything else counts as an empty object."""
    try:
        return await request.json()
    except ValueError:
        return {}


TheArchive = Annotated[MailArchive, _part("archive")]
TheWiki = Annotated[WikiState, _part("wiki")]
TheTickets = Annotated[Tickets, _part("tickets")]
TheChannels = Annotated[Channels, _part("channels")]
TheThrottle = Annotated[Throttle, _part("throttle")]
TheSockets = Annotated[Sockets, _part("sockets")]
TheFaults = Annotated[Faults, _part("faults")]
TheClock = Annotated[Clock, _part("clock")]
Now = Annotated[datetime, Depends(_read_time)]
Json = Annotated[Any, Depends(read_json)]
