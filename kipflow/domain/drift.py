"""Drift: where wiki, index, announcement or ticket disagree with the facts. It is reported, never followed.

Each disagreement with the derived stage, or with another side, comes with its evidence and the edit that settles it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import takewhile

from kipflow.domain.clocks import VoteState
from kipflow.domain.decisions import Drift
from kipflow.domain.differences import find_name_differences
from kipflow.domain.events import OPEN_STAGES, PAGE_WORD, SECTION_OF_STAGE, STAGES_OF_WORD, Stage
from kipflow.domain.facts import ProposalFacts
from kipflow.domain.ownpages import own_versions
from kipflow.domain.pages import (
    IndexEntry,
    PageAbsence,
    PageVersion,
    StatusWord,
    TicketState,
    Work,
    find_ticket,
    find_work,
    name_versions,
)
from kipflow.domain.stages.closing import is_contradicted
from kipflow.domain.stages.state import State
from kipflow.domain.tally import Outcome
from kipflow.domain.texts import take_some
from kipflow.domain.times import say_day
from kipflow.domain.votes import Declared

#: Voters that a drift names; more are counted.
_NAMED = 3


def find_drift(state: State, stage: Stage, votes: Sequence[VoteState], awaited: Stage | None) -> tuple[Drift, ...]:
    """Every disagreement with the derived `stage` or between two sides.

    An acknowledged disagreement is left out until one side changes. `votes` are as judged now. `awaited` is the stage
    that only missing mail delays: a side that shows it already is right, kipflow is behind.
    """
    facts, as_of = state.facts, state.as_of
    pages = own_versions((p for p in facts.pages if p.saved_at <= as_of), facts.proposal.number)
    page = pages[-1] if pages else None
    rows = _find_rows(facts, as_of)
    tickets = [t for t in facts.tickets if t.seen_at <= as_of]
    ticket = find_ticket(tickets, page, rows)
    acknowledged = [(r.target, r.value) for r in state.rulings if r.kind == "drift"]
    # the proposal's threads may be older than the archive that was read
    has_mail = any(m.arrived_at <= as_of for m in facts.messages) or any(v.opened_at <= as_of for v in facts.votes)
    found = (
        *_compare_page(pages, stage, awaited, before_mail=not has_mail),
        *_compare_absence(facts, page, stage, as_of),
        *_compare_index(rows, stage, awaited),
        *_compare_result(votes, stage, as_of),
        *(_compare_ticket(ticket, stage) if ticket is not None else ()),
        *_compare_release(rows, ticket, stage),
        *_compare_ticket_names(page, rows),
    )
    return tuple(d for d in found if (d.side, d.as_ruled) not in acknowledged)


def _compare_page(
    pages: Sequence[PageVersion], stage: Stage, awaited: Stage | None, *, before_mail: bool
) -> Iterator[Drift]:
    page = pages[-1] if pages else None
    meant = STAGES_OF_WORD.get(page.status) if page is not None else None
    if page is None or meant is None or stage in meant or awaited in meant:
        return
    before_mail = before_mail and stage is Stage.DRAFT
    if before_mail and page.status is StatusWord.DISCUSSION:
        return  # `missing` asks for the thread already
    reopen = f', or reopen it by a ruling ("stage {Stage.DISCUSSION}")' if stage is Stage.DISCARDED else ""
    yield Drift(
        side="page",
        says=page.status_text or "nothing",
        derived=stage,
        evidence=f"version {page.version} by {page.saved_by}, {say_day(page.saved_at)}",
        fix=("read the mail of its time (`kipflow ingest`), or " if before_mail else "")
        + f'set "Current state" to "{PAGE_WORD[stage]}"{reopen}',
        # an edit elsewhere on the page does not state the stage anew
        said_at=[*takewhile(lambda p: p.status_text == page.status_text, reversed(pages))][-1].saved_at,
    )


def _compare_absence(facts: ProposalFacts, page: PageVersion | None, stage: Stage, as_of: datetime) -> Iterator[Drift]:
    """A page that was deleted, hidden or moved: its facts stay, and somebody should say what happened to it."""
    if stage in {Stage.DISCARDED, Stage.REJECTED}:
        return
    for absence in facts.absences:
        gone = absence.since <= as_of and (absence.until is None or absence.until > as_of)
        if not gone or (page is not None and absence.page_id != page.page_id):
            continue
        last = "never read" if page is None else f"version {page.version} by {page.saved_by} was the last"
        yield Drift(
            side="page",
            says=f"gone: {absence.why}",
            derived=stage,
            evidence=f"page {absence.page_id}: {last}, missing since {say_day(absence.since)}",
            fix=_say_fix(absence),
            said_at=absence.since,
        )


def _say_fix(absence: PageAbsence) -> str:
    if absence.why.startswith("restricted"):
        return "let the account that kipflow reads the wiki with see the page"
    restore = "move the page back below the index page" if absence.why.startswith("moved") else "restore the page"
    return f'{restore}, or discard the proposal by a ruling ("stage {Stage.DISCARDED}")'


def _find_rows(facts: ProposalFacts, as_of: datetime) -> list[IndexEntry]:
    """The rows of the newest reading of the wiki's index, which can list a number twice."""
    seen = [e for e in facts.index_entries if e.origin == "page" and e.seen_at <= as_of]
    newest = max((e.seen_at for e in seen), default=None)
    return [e for e in seen if e.seen_at == newest]


def _compare_index(rows: Sequence[IndexEntry], stage: Stage, awaited: Stage | None) -> Iterator[Drift]:
    section = SECTION_OF_STAGE[stage]
    for row in rows:
        if row.section in {section, "unknown", SECTION_OF_STAGE.get(awaited or stage)}:
            continue
        doubled = any(other.section == section for other in rows)
        yield Drift(
            side="index",
            says=row.section,
            derived=stage,
            evidence=f'"{row.title}", seen {say_day(row.seen_at)}',
            fix=f'remove this row: another stands in "{section}"' if doubled else f'move the row to "{section}"',
            said_at=row.seen_at,
        )


def _compare_result(votes: Sequence[VoteState], stage: Stage, as_of: datetime) -> Iterator[Drift]:
    state = next((s for s in reversed(votes) if s.outcome is not Outcome.CANCELLED and s.vote.is_proper), None)
    if state is None or state.vote.declared is None:
        return
    declared, counts = state.vote.declared, state.tally.binding
    said_at = declared.revised_at or declared.announced_at
    counted = f"{state.outcome} with binding +{counts.plus} -{counts.minus}"
    where = f"announced by {declared.by}" + (f", {say_day(declared.announced_at)}" if declared.announced_at else "")
    if is_contradicted(state, as_of):
        yield Drift(
            side="result",
            says=declared.outcome or "nothing",
            derived=f"{stage}: {counted}",
            evidence=where,
            fix="answer in the vote's thread with the right count, or settle the ballots that were read otherwise",
            said_at=said_at,
        )
        return
    said = {word: n for word, n in (declared.binding or {}).items() if counts.as_dict().get(word) != n}
    if said:
        counted_as = ", ".join(f"{word}: {counts.as_dict().get(word, 0)}" for word in sorted(said))
        yield Drift(
            side="result",
            says="binding " + ", ".join(f"{word}: {n}" for word, n in sorted(said.items())),
            derived="; ".join([f"counted {counted_as}", *_name_voters(declared, state, said.keys())]),
            evidence=where,
            fix="check the roster and the ballots listed with the vote; if they are right, answer with the count",
            said_at=said_at,
        )


def _name_voters(declared: Declared, state: VoteState, choices: Collection[str]) -> list[str]:
    """Binding voters of these choices that are only in the announcement, or only in the count."""
    found = [line.partition(": ") for line in find_name_differences(declared, state.vote.ballots)]
    binding = [who for label, _, who in found if label.split()[-1] in choices and not label.startswith("non-binding")]
    return take_some(binding, _NAMED, "{} more")


def _compare_ticket(ticket: TicketState, stage: Stage) -> Iterator[Drift]:
    work = find_work(ticket)
    says = f"{ticket.status}, {ticket.resolution}" if ticket.resolution else ticket.status
    if work is Work.DONE and stage is not Stage.ACCEPTED:
        settle = "call its vote" if stage in OPEN_STAGES else "reopen it by a ruling"
        fix = f"{settle}, or correct the resolution of {ticket.key}"
    elif work is Work.DROPPED and stage in {Stage.ACCEPTED, Stage.VOTE}:
        fix = f"reopen {ticket.key}, name the ticket that replaces it, or discard the proposal by a ruling"
    elif work is Work.OPEN and stage in {Stage.REJECTED, Stage.DISCARDED} and ticket.fix_versions:
        says = f"planned for {', '.join(ticket.fix_versions)}"
        fix = f"resolve {ticket.key}, or take the fix version off it"
    else:
        return
    evidence = f"{ticket.key}, seen {say_day(ticket.seen_at)}"
    yield Drift(side="ticket", says=says, derived=stage, evidence=evidence, fix=fix, said_at=ticket.seen_at)


def _compare_release(rows: Sequence[IndexEntry], ticket: TicketState | None, stage: Stage) -> Iterator[Drift]:
    """Compare the release in the index with the ticket's fix versions. Only an accepted proposal has a release."""
    if stage is not Stage.ACCEPTED or ticket is None or not ticket.fix_versions:
        return
    work, versions = find_work(ticket), name_versions(", ".join(ticket.fix_versions))
    for row in rows:
        if row.section != "accepted":
            continue
        evidence = f'"{row.title}", seen {say_day(row.seen_at)}; {ticket.key}, seen {say_day(ticket.seen_at)}'
        said, said_at = name_versions(row.release or ""), max(row.seen_at, ticket.seen_at)
        if said and work is not Work.DROPPED and not said & versions:
            yield Drift(
                side="release",
                says=row.release or "",
                derived=f"fixed in {', '.join(ticket.fix_versions)}",
                evidence=evidence,
                fix=f'set the row\'s release to "{", ".join(ticket.fix_versions)}"',
                said_at=said_at,
            )
        if row.in_progress and work is Work.DONE:
            yield Drift(
                side="release",
                says="(WIP)",
                derived=f"{ticket.status}, {ticket.resolution}",
                evidence=evidence,
                fix='take "(WIP)" off the row',
                said_at=said_at,
            )


def _compare_ticket_names(page: PageVersion | None, rows: Sequence[IndexEntry]) -> Iterator[Drift]:
    row = next((r for r in rows if r.jira), None)
    if page is None or not page.jira or row is None or row.jira == page.jira:
        return
    yield Drift(
        side="ticket",
        says=f"{page.jira} on the page",
        derived=f"{row.jira} in the index",
        evidence=f'version {page.version} by {page.saved_by}, {say_day(page.saved_at)}; "{row.title}"',
        fix="name the same ticket on the page and in the index",
        said_at=max(page.saved_at, row.seen_at),
    )
