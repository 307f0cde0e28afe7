"""Visitors' changes and the sandbox's time, saved in a file so that they survive a restart."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from kipflow.sandbox.clock import Clock


class Part(Protocol):
    """A part of the sandbox that visitors can change. `restore` raises for anything but the result of `export`."""

    def export(self) -> Any: ...
    def restore(self, kept: Any) -> None: ...


_WRITES = frozenset({"POST", "PUT", "DELETE"})


class Memory:
    """Saved pages, posted messages, sent mails, resolved tickets and the clock's time, in one JSON file."""

    def __init__(self, path: Path, clock: Clock, **parts: Part) -> None:
        self._path, self._clock, self._parts = path, clock, parts

    def load(self) -> None:
        """Restore what the file holds, if there is one. Raises ValueError if it is no sandbox's memory."""
        if not self._path.exists():
            return
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            for name in self._parts.keys() & kept.keys():
                self._parts[name].restore(kept[name])
            if "now" in kept:
                self._clock.reach(datetime.fromisoformat(kept["now"]))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"{self._path} is not a sandbox's memory; remove it ({error})") from None

    def save(self) -> None:
        """Replace the file. Readers see the old or the new one, never a part."""
        kept: dict[str, Any] = {name: part.export() for name, part in self._parts.items()}
        kept["now"] = self._clock.now().isoformat()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")
        os.replace(fresh, self._path)


class MemoryMiddleware:
    """Saves the memory after every request that may have changed something."""

    def __init__(self, app: ASGIApp, *, memory: Memory) -> None:
        self.app, self.memory = app, memory

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)
        changes = scope["type"] == "http" and scope["method"] in _WRITES
        if changes and not str(scope["path"]).startswith("/faults"):
            self.memory.save()
