"""What speaks against a count: an announcement that disagrees, and late ballots that are dated before the end."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from kipflow.domain.arrivals import say_both
from kipflow.domain.judging import is_dated_in_time, with_latest_standing
from kipflow.domain.people import fold_name
from kipflow.domain.policy import Policy
from kipflow.domain.tally import Counts, count, is_turned, say_counts
from kipflow.domain.votes import Ballot, BallotStatus, Declared, Vote


def find_differences(vote: Vote) -> tuple[str, ...]:
    """Where the closing announcement and the counted ballots disagree, one line each."""
    declared = vote.declared
    if declared is None:
        return ()
    tally = count(vote.ballots)
    found = list(declared.contradictions)
    for label, said, counted in (
        ("binding", declared.binding, tally.binding.as_dict()),
        ("non-binding", declared.non_binding, tally.non_binding.as_dict()),
        (
            "in all",
            declared.total,
            {c: tally.binding.as_dict()[c] + tally.non_binding.as_dict()[c] for c in ("+1", "0", "-1")},
        ),
    ):
        for choice, number in (said or {}).items():
            if counted[choice] != number:
                found.append(f"{label} {choice}: announced {number}, counted {counted[choice]}")
    against = tally.binding.minus
    if against and not any("-1" in said for said in _find_choices(declared)) and any(_find_choices(declared)):
        found.append(f"binding -1: not announced, counted {against}")
    found.extend(find_name_differences(declared, vote.ballots))
    return tuple(found)


def _find_choices(declared: Declared) -> tuple[tuple[str, ...], ...]:
    """The choices that an announcement mentions, for each place where it gives numbers or names."""
    counted = (declared.binding or {}, declared.non_binding or {}, declared.total or {})
    return (*(tuple(said) for said in counted), tuple(key.split()[0] for key in declared.names))


def find_name_differences(declared: Declared, ballots: Iterable[Ballot]) -> list[str]:
    """Voters announced without a counted ballot, and counted ballots that are not announced."""
    found: list[str] = []
    counted = [b for b in ballots if b.status is BallotStatus.COUNTED]
    for key, names in declared.names.items():
        choice, _, group = key.partition(" ")
        cast = [b for b in counted if b.choice == choice and (not group or b.binding == (group == "binding"))]
        named = [declared.by if name == "myself" else name for name in names]
        label = f"{group} {choice}".strip()
        for name in named:
            if any(is_named(name, b) for b in cast):
                continue
            other = next((b for b in counted if is_named(name, b)), None)
            how = "no counted ballot" if other is None else f"counted as {_say_ballot(other)}"
            found.append(f"{label}: {name} is announced, {how}")
        found.extend(
            f"{label}: {b.name or b.voter} is counted, not announced"
            for b in cast
            if not any(is_named(name, b) for name in named)
        )
    return found


def _say_ballot(ballot: Ballot) -> str:
    return f"{'binding' if ballot.binding else 'non-binding'} {ballot.value or ballot.choice or '?'}"


def is_named(name: str, ballot: Ballot) -> bool:
    """Whether an announcement's `name` ("Jun", "J. Okafor", "jokafor", "jun@x.example") can mean the ballot's voter."""
    said, known = fold_name(name).split(), fold_name(ballot.name).split()
    ids = {fold_name(ballot.voter), fold_name(ballot.address), fold_name(ballot.address.partition("@")[0])}
    if not said or " ".join(said) in ids or set(said) <= set(known):
        return bool(said)
    if len(said) < 2 or len(known) < 2 or said[-1] != known[-1]:
        return "".join(said) == "".join(known)
    short, long = sorted((said[0], known[0]), key=len)  # "J. Okafor" and "Jun Okafor"
    return len(short) == 1 and long.startswith(short)


def compare_without_roster(vote: Vote) -> Iterator[str]:
    """Differences in the totals: without a roster it is unknown who binds, which one line says."""
    declared = vote.declared
    if declared is None:
        return
    binding, other = declared.binding or {}, declared.non_binding or {}
    if binding or any("binding" in key for key in declared.names):
        yield "the roster has none of the voters: whose votes bind is not known"
    total = {choice: binding[choice] + other[choice] for choice in binding.keys() & other.keys()}
    names = {
        choice: (*declared.names.get(f"{choice} binding", ()), *declared.names.get(f"{choice} non-binding", ()))
        for choice in ("+1", "0", "-1")
        if {f"{choice} binding", f"{choice} non-binding"} <= declared.names.keys()
    }
    names.update({choice: listed for choice, listed in declared.names.items() if "binding" not in choice})
    together = replace(declared, binding=None, non_binding=None, total={**total, **(declared.total or {})}, names=names)
    yield from find_differences(replace(vote, declared=together))


@dataclass(frozen=True, slots=True, kw_only=True)
class LateBallot:
    """A late ballot that could turn the vote, with both possible results."""

    ballot: Ballot
    outcomes: tuple[str, str]

    @property
    def question(self) -> str:
        b = self.ballot
        dated = say_both(b.cast_at, b.dated_at or b.cast_at)
        return f"{b.name}: {b.value or b.choice}, {dated}: the vote was over when it arrived. Was it cast in time?"


def find_late_ballots(
    vote: Vote, close: datetime, policy: Policy, *, settled: Collection[str] = ()
) -> tuple[LateBallot, ...]:
    """The late binding ballots, not `settled` by a person, that would turn the vote closed at `close` if they
    counted."""
    claims = [
        b
        for b in vote.ballots
        if b.binding and b.choice is not None and b.message_id not in settled and is_dated_in_time(b, close)
    ]
    stood, together = _count_with(vote, (), close), _count_with(vote, claims, close)
    alone = [b for b in claims if is_turned(stood, _count_with(vote, (b,), close), policy)]
    if not alone and not is_turned(stood, together, policy):
        return ()
    not_so = f"if not: {say_counts(stood, policy)}"
    found = [(b, _count_with(vote, (b,), close) if alone else together) for b in alone or claims]
    return tuple(LateBallot(ballot=b, outcomes=(f"if it counts: {say_counts(so, policy)}", not_so)) for b, so in found)


def _count_with(vote: Vote, claims: Sequence[Ballot], close: datetime) -> Counts:
    """The binding counts at the close, these ballots counted as cast at their Date."""
    stood = [b for b in vote.ballots if b.cast_at <= close and b.status is BallotStatus.COUNTED]
    counted = [replace(b, status=BallotStatus.COUNTED, cast_at=b.dated_at or b.cast_at) for b in claims]
    return count(with_latest_standing((*stood, *counted))).binding
