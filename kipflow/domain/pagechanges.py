"""What changed in substance between two versions of a proposal's page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from kipflow.domain.facts import PageVersion


def find_changed_sections(before: PageVersion, after: PageVersion) -> tuple[str, ...]:
    """The titles of the sections that differ in substance, those that went last; "" is the text above all headings.

    A section that only got another heading did not change. Empty where either version's text is not known.
    """
    if not before.substance or not after.substance:
        return ()
    old, new = dict(before.substance), dict(after.substance)
    kept = set(old.values()) & set(new.values())
    changed = [title for title, digest in new.items() if old.get(title) != digest and digest not in kept]
    gone = [title for title, digest in old.items() if title not in new and digest not in kept]
    return (*changed, *gone)


def find_version_at(pages: Sequence[PageVersion], moment: datetime) -> PageVersion | None:
    """The version that stood at `moment`, of `pages` in order of time; None if there was none yet."""
    return next((p for p in reversed(pages) if p.saved_at <= moment), None)
