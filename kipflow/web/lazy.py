"""An application that is built on its first request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class LazyApp:
    """An ASGI application that calls `build` on its first request and keeps the result.

    Airflow loads plugins in every process that it starts, those of tasks included. Only the API server serves
    the board, so only there its imports are worth their time.
    """

    def __init__(self, build: Callable[[], Application]) -> None:
        self._build = build
        self._app: Application | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._app is None:
            self._app = self._build()
        await self._app(scope, receive, send)
