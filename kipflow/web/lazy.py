"""An application that is built when it is first asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class LazyApp:
    """An ASGI application that calls `build` for its first request and keeps what that gives.

    Airflow loads plugins in every process that it starts, each task's included; only the API server ever
    serves the board, and only there its imports are worth their time.
    """

    def __init__(self, build: Callable[[], Application]) -> None:
        self._build = build
        self._app: Application | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._app is None:
            self._app = self._build()
        await self._app(scope, receive, send)
