"""What changed in substance on a proposal's page, between two versions and since people voted on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.care import own_versions
from kipflow.domain.facts import ProposalFacts
from kipflow.domain.judging import with_latest_standing
from kipflow.domain.pages import PageVersion
from kipflow.domain.ruled import HOLD, rulings_in_force
from kipflow.domain.texts import list_some
from kipflow.domain.votes import BallotStatus, Vote


@dataclass(frozen=True, slots=True, kw_only=True)
class LateChange:
    """A change of substance after the first ballot: people voted on `before`; `after` brought the present text.

    Versions since `after` changed nothing of substance and raise no new question.
    """

    before: PageVersion
    after: PageVersion
    sections: tuple[str, ...]

    @property
    def subject(self) -> str:
        """The subject of a ruling on it: the version that brought the present text."""
        return name_version(self.after)


def name_version(page: PageVersion) -> str:
    """ "PAGE@VERSION"."""
    return f"{page.page_id}@{page.version}"


def find_late_change(facts: ProposalFacts, vote: Vote, at: datetime) -> LateChange | None:
    """The change of substance of the page between the first counted vote and the announcement (or `at`).

    None where there is none, or if a ruling in force of kind "page" on the version says that the votes hold.
    Changes before the first ballot or after the announcement do not concern this vote. Whoever votes again has seen the
    change.
    """
    known = with_latest_standing(b for b in vote.ballots if b.cast_at <= at) if facts.pages else ()
    cast = [ballot.cast_at for ballot in known if ballot.status is BallotStatus.COUNTED]
    if not cast:
        return None
    announced_at = vote.declared.closes_at if vote.declared is not None else None
    until = at if announced_at is None else min(at, announced_at)
    versions = own_versions((p for p in facts.pages if p.saved_at <= until), facts.proposal.number)
    before = find_version_at(versions, min(cast))
    if before is None:
        return None
    alike = _find_alike(versions)
    change = LateChange(before=before, after=alike[0], sections=find_changed_sections(before, alike[0]))
    settled = {
        r.target for r in rulings_in_force(facts.rulings, at) if r.kind == "page" and r.value.get("votes") == HOLD
    }
    is_settled = any(name_version(version) in settled for version in alike)
    return None if not change.sections or is_settled else change


def _find_alike(versions: Sequence[PageVersion]) -> Sequence[PageVersion]:
    """The newest version and those directly before it with the same substance, in order."""
    start = len(versions) - 1
    newest = versions[start]
    while start > 0 and versions[start - 1].substance and not find_changed_sections(versions[start - 1], newest):
        start -= 1
    return versions[start:]


def say_sections(titles: Iterable[str]) -> str:
    """The titles of sections as a list for readers, at most four."""
    return list_some([title or "top of the page" for title in titles], 4)


def find_changed_sections(before: PageVersion, after: PageVersion) -> tuple[str, ...]:
    """The titles of the sections that differ in substance, removed ones last; "" is the text above all headings.

    A section that only got another heading did not change. Empty if either version's text is not known.
    """
    if not before.substance or not after.substance:
        return ()
    old, new = dict(before.substance), dict(after.substance)
    kept = set(old.values()) & set(new.values())
    changed = [title for title, digest in new.items() if old.get(title) != digest and digest not in kept]
    gone = [title for title, digest in old.items() if title not in new and digest not in kept]
    return (*changed, *gone)


def find_version_at(pages: Sequence[PageVersion], moment: datetime) -> PageVersion | None:
    """The version at `moment`, of `pages` in order of time; None if there was none yet."""
    return next((p for p in reversed(pages) if p.saved_at <= moment), None)
