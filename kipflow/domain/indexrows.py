"""What an index says of a proposal now: the rows of its newest reading. A number can stand there twice."""

from __future__ import annotations

from collections.abc import Iterable

from kipflow.domain.pages import IndexEntry


def find_newest_rows(entries: Iterable[IndexEntry]) -> tuple[IndexEntry, ...]:
    """The rows of the wiki's newest reading, or where it has none, of the newest import; by title."""
    held = tuple(entries)
    own = [e for e in held if e.origin == "page"] or held
    newest = max((e.seen_at for e in own), default=None)
    return tuple(sorted((e for e in own if e.seen_at == newest), key=lambda e: (e.title, e.section)))
