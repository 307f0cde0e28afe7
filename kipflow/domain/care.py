"""Care required of a vote: by the interfaces that its page touched when it opened, or by a ruling."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.facts import ProposalFacts
from kipflow.domain.pages import PageVersion
from kipflow.domain.policy import Care, Policy
from kipflow.domain.ruled import rulings_in_force


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
    before = [p for p in known if p.saved_at <= opened_at]
    page = before[-1] if before else next(iter(known), None)
    return frozenset(page.interfaces) if page is not None else frozenset()
