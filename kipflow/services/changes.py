"""Changes of a proposal's page between two versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from kipflow.domain.errors import KipflowError
from kipflow.domain.events import Stage, Transition
from kipflow.domain.ownpages import find_changed_sections, find_version_at, own_versions
from kipflow.domain.pages import PageVersion
from kipflow.wiki.diffs import SectionChange, diff_pages


class Since(StrEnum):
    """The moment since which changes are shown."""

    DISCUSSION = "discussion"
    VOTE = "vote"


class NoSuchVersion(KipflowError):
    """A requested version is not stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageComparison:
    """Two versions of one page and the sections that differ; `substance` names those that differ in substance."""

    before: PageVersion
    after: PageVersion
    sections: tuple[SectionChange, ...]
    substance: tuple[str, ...]


def find_moment(history: Iterable[Transition], since: Since | None) -> datetime | None:
    """When the newest vote opened, or the first discussion; without `since` the former if there is one."""
    entries = [t for t in history if not t.retracts]
    votes = [t.at for t in entries if t.target is Stage.VOTE]
    if votes and since is not Since.DISCUSSION:
        return max(votes)
    # a cancelled vote leads back to the discussion, which did not open then
    discussions = [t.at for t in entries if t.target is Stage.DISCUSSION]
    return min(discussions) if discussions and since is not Since.VOTE else None


def find_versions_since(own: Sequence[PageVersion], moment: datetime) -> tuple[PageVersion, PageVersion] | None:
    """Of a page's versions, the one at `moment` and the newest; None if nothing was saved since.

    A page created after `moment` is compared with its first version.
    """
    before = find_version_at(own, moment) or own[0]
    return None if before.version == own[-1].version else (before, own[-1])


def find_versions(own: Sequence[PageVersion], first: int | None, last: int | None) -> tuple[PageVersion, PageVersion]:
    """Two of a page's versions by their numbers; None: the first and the last one that are held.

    Raises:
        NoSuchVersion: one of them is not held.
    """
    held = {p.version: p for p in own}
    first = own[0].version if first is None else first
    last = last or own[-1].version
    for number in (first, last):
        if number not in held:
            raise NoSuchVersion(f"the page has no version {number}; versions {min(held)} to {max(held)} are held")
    return held[first], held[last]


def find_own(pages: Iterable[PageVersion], number: int) -> list[PageVersion]:
    """The versions of the proposal's own page, in order."""
    return sorted(own_versions(pages, number), key=lambda p: p.version)


def compare_versions(
    before: PageVersion, after: PageVersion, load_body: Callable[[str, int], str | None]
) -> PageComparison:
    """What differs between two versions. `load_body` gives a version's storage format by page id and version.

    Raises:
        UnreadableInput: a body cannot be read.
    """
    old = load_body(before.page_id, before.version) or ""
    new = load_body(after.page_id, after.version) or ""
    return PageComparison(
        before=before,
        after=after,
        sections=diff_pages(old, new, source=f"page {after.page_id}"),
        substance=find_changed_sections(before, after),
    )
