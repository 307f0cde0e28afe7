"""How another roster would change stored votes: shown before it is saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.decisions import Decision
from kipflow.domain.events import Stage
from kipflow.domain.lifecycle import decide
from kipflow.domain.likeness import find_keys
from kipflow.domain.policy import Policy
from kipflow.domain.proposals import format_key
from kipflow.domain.roster import Roster
from kipflow.domain.ruled import as_verdicts
from kipflow.domain.texts import list_some
from kipflow.domain.votes import BallotStatus
from kipflow.services.board import BoardStore, VoterRow
from kipflow.services.desk import VoteChange
from kipflow.services.ports import Session
from kipflow.services.rulings import compare_votes

#: The most proposals that are decided while somebody waits; running votes first.
MAX_DECIDED = 150
#: The most proposals that are listed.
_LISTED = 20
#: The most people who are named with a vote.
_NAMED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedProposal:
    """A proposal with a vote that changes under another roster. `votes` are the changed rounds, `binds` and `unbinds`
    are people whose ballots start and stop to bind; a stage is None if nothing has begun."""

    number: int
    before: Stage | None
    after: Stage | None
    votes: tuple[VoteChange, ...]
    binds: tuple[str, ...]
    unbinds: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterImpact:
    """The proposals that a roster affects, and how many possibly affected ones were not checked."""

    found: tuple[AffectedProposal, ...]
    left: int


def find_roster_impact(store: BoardStore, roster: Roster, *, policy: Policy, at: datetime) -> RosterImpact:
    """The proposals whose votes would change under this roster, as known at `at`. Nothing is recorded."""
    rows = store.voters()
    with store.read() as session:
        verdicts = as_verdicts(r for r in session.rulings.load_all() if r.number is None and r.revoked_at is None)
        old, new = session.rules.roster.with_verdicts(verdicts), roster.with_verdicts(verdicts)
        touched = _find_touched(rows, old, new)
        found = [_compare(session, number, roster, policy, at) for number in touched[:MAX_DECIDED]]
    return RosterImpact(
        found=tuple(turned for turned in found if turned is not None), left=max(0, len(touched) - MAX_DECIDED)
    )


def _find_touched(rows: Sequence[VoterRow], old: Roster, new: Roster) -> list[int]:
    """The proposals with a ballot by somebody who differs between the rosters, or who looks like such a person: running
    votes first, then the newest."""
    changed = [p for p in (*old.people, *new.people) if old.by_id.get(p.id) != new.by_id.get(p.id)]
    alike = {
        key
        for person in changed
        for name in (person.name, *person.aliases)
        for address in (*person.emails, "")
        for key in find_keys(name, address)
    }

    def is_touched(row: VoterRow) -> bool:
        was, now = (roster.identify(name=row.name, address=row.address) for roster in (old, new))
        return was != now or not alike.isdisjoint(find_keys(row.name, row.address))

    touched = {(not row.is_running, -row.number) for row in rows if is_touched(row)} if changed else set()
    return [-number for _, number in sorted(touched)]


def _compare(session: Session, number: int, roster: Roster, policy: Policy, at: datetime) -> AffectedProposal | None:
    rows = session.history.load_rows(number)
    rules = session.rules
    before, after = (decide(r.assemble(rows), policy, at) for r in (rules, rules.with_roster(roster)))
    if before is None or after is None:
        return None
    votes = compare_votes(*({state.vote.root_message_id: state for state in d.votes} for d in (before, after)))
    was, now = _find_binding(before), _find_binding(after)
    turned = AffectedProposal(
        number=number,
        before=before.stage,
        after=after.stage,
        votes=tuple(votes),
        binds=tuple(sorted({now[mail] for mail in now.keys() - was.keys()})),
        unbinds=tuple(sorted({was[mail] for mail in was.keys() - now.keys()})),
    )
    return turned if turned.votes or turned.binds or turned.unbinds or turned.before is not turned.after else None


def _find_binding(decision: Decision) -> dict[str, str]:
    """Mail of each counted binding ballot → its voter's name."""
    return {
        ballot.message_id: ballot.name
        for state in decision.votes
        for ballot in state.vote.ballots
        if ballot.binding and ballot.status is BallotStatus.COUNTED
    }


def say_roster_impact(turning: RosterImpact, prefix: str) -> Iterator[str]:
    """The impact of a roster, in lines."""
    if not turning.found:
        yield "no vote there is would count otherwise"
    for turned in turning.found[:_LISTED]:
        said = [f"round {v.round}: {v.before} → {v.after}" for v in turned.votes]
        for names, verb in ((turned.binds, "start"), (turned.unbinds, "stop")):
            said += [f"ballots of {list_some(names, _NAMED)} {verb} to bind"] if names else []
        said += [f"{turned.before} → {turned.after}"] if turned.before is not turned.after else []
        yield f"{format_key(prefix, turned.number)}, {'; '.join(said)}"
    more = len(turning.found) - _LISTED
    if more > 0:
        yield f"and {more:,} more whose votes count otherwise"
    if turning.left:
        yield f"{turning.left:,} older proposals with such people's votes were not looked at; the next run decides them"
