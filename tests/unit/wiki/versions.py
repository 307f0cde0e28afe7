"""Versions of one page, for tests of what changed between them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from kipflow.domain.pagechanges import find_changed_sections
from kipflow.domain.pages import PageVersion, StatusWord, Substance
from kipflow.wiki.substance import read_substance


def version(number: int, substance: Substance) -> PageVersion:
    """A version of a page saved on that day of March."""
    return PageVersion(
        page_id="7",
        version=number,
        saved_at=datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=number),
        saved_by="Ann",
        title="KIP-7: Seven",
        number=7,
        status=StatusWord.DRAFT,
        status_text="Draft",
        substance=substance,
    )


def changed_between(*bodies: str) -> tuple[str, ...]:
    """The sections of substance that differ between the first and the last of a page's versions."""
    read: list[Substance] = []
    for position, body in enumerate(bodies):
        before = (bodies[position - 1], read[-1]) if position else None
        read.append(read_substance(body, before=before))
    return find_changed_sections(version(1, read[0]), version(len(read), read[-1]))
