"""Pages that were rendered before, kept for readers who would be shown the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

#: Bodies of about 100 kB: one for each connection of the store and each kind of reader.
_MOST = 16


class KeptBodies:
    """The newest bodies by what they depend on. Of readers who ask for the same at once, one waits for the other."""

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
