"""A cache of rendered pages."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

#: The most cached bodies, of about 100 kB each.
_MOST = 16


class PageCache:
    """The newest bodies by what they depend on. Concurrent requests wait, so that each body is rendered once."""

    def __init__(self) -> None:
        self._bodies: OrderedDict[Hashable, str] = OrderedDict()
        self._lock = Lock()

    def find_or_render(self, key: Hashable, render: Callable[[], str]) -> str:
        with self._lock:
            body = self._bodies.get(key)
            if body is None:
                body = self._bodies[key] = render()
                if len(self._bodies) > _MOST:
                    self._bodies.popitem(last=False)
            return body
