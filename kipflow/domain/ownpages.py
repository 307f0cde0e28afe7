"""The pages of a proposal: which one is its own, the care that it requires, and what changed on it in substance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.facts import ProposalFacts
from kipflow.domain.judging import with_latest_standing
from kipflow.domain.pages import PageVersion
from kipflow.domain.policy import Care, Policy
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """The policy's cares that apply to one vote, and who has reviewed it for them."""

    cares: tuple[Care, ...] = ()
    reviewed_by: tuple[str, ...] = ()


def find_requirements(facts: ProposalFacts, opened_at: datetime, policy: Policy, at: datetime) -> Requirements:
    """The care that the policy requires of a vote opened at `opened_at`, as known at `at`.

    A page saved after the opening counts only if there was none before. Changes during the vote are shown (`kipflow
    diff`) but change no requirement. A ruling of kind "care" outranks the page.
    """
    if not policy.care:
        return Requirements()
    rulings = [r for r in rulings_in_force(facts.rulings, at) if r.kind == "care"]
    touched = _find_touched(facts, opened_at, at)
    for ruling in rulings:
        if isinstance(ruling.value.get("interfaces"), list | tuple):
            touched = frozenset(str(name) for name in ruling.value["interfaces"])
    reviewers = [str(r.value["reviewer"]).strip() for r in rulings if r.value.get("reviewer")]
    return Requirements(
        cares=tuple(care for care in policy.care if care.interface in touched),
        reviewed_by=tuple(dict.fromkeys(name for name in reviewers if name)),
    )


def find_own_page(pages: Iterable[PageVersion], number: int) -> str | None:
    """The proposal's own page: the first page that had its number; None if there is none.

    Where a number was taken twice, the other page must not affect this proposal. A page that was given another number
    remains the proposal's only while no other page has the number.
    """
    held = tuple(pages)
    if not held:
        return None
    if len({page.page_id for page in held}) == 1:  # the usual case; this runs at every save
        return held[0].page_id if any(is_of(page, number) for page in held) else None
    first: dict[str, tuple[bool, datetime]] = {}
    newest: dict[str, PageVersion] = {}
    for page in held:
        newest[page.page_id] = max(page, newest.get(page.page_id, page), key=lambda p: (p.saved_at, p.version))
        if is_of(page, number):
            named = (page.number != number, page.saved_at)
            first[page.page_id] = min(named, first.get(page.page_id, named))
    ranks = {page_id: (not is_of(newest[page_id], number), *first[page_id], page_id) for page_id in first}
    return min(ranks, key=lambda page_id: ranks[page_id], default=None)


def is_of(page: PageVersion, number: int) -> bool:
    """Whether a version belongs to the proposal: it has its number, or no number any more."""
    return page.number is None or page.number == number


def own_versions(pages: Iterable[PageVersion], number: int) -> tuple[PageVersion, ...]:
    """The versions of the proposal's own page, in the order given."""
    held = tuple(pages)
    own = find_own_page(held, number)
    return tuple(p for p in held if p.page_id == own and is_of(p, number))


def _find_touched(facts: ProposalFacts, opened_at: datetime, at: datetime) -> frozenset[str]:
    known = own_versions((p for p in facts.pages if p.saved_at <= at), facts.proposal.number)
    page = find_version_at(known, opened_at) or next(iter(known), None)
    return frozenset(page.interfaces) if page is not None else frozenset()
