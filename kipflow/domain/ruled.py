"""Effects of rulings: on ballots, on ends of votes announced by somebody not entitled to, on a replay, on who is who.

Unusable rulings have none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import Ruling
from kipflow.domain.people import IdentityVerdict, Mailbox, clean_address, fold_name, say_mailbox
from kipflow.domain.votes import Ballot, BallotStatus, Choice, ClaimedEnd, Declared, EndKind, Vote

#: What a ruling on a number or on a claimed end can say.
ANSWERS = ("accept", "refuse")
#: What a ruling on a ballot can say.
CHOICES = ("+1", "0", "-1", "none")


def rulings_in_force(rulings: Iterable[Ruling], at: datetime) -> tuple[Ruling, ...]:
    """The rulings that were made by `at` and not revoked by then."""
    return tuple(r for r in rulings if r.made_at <= at and (r.revoked_at is None or r.revoked_at > at))


def find_choice_of_stage(ruling: Ruling, history: Sequence[Transition]) -> Stage | None:
    """The stage that an override sets, or to which a restore returns: the one before the present one."""
    if ruling.kind == "restore":
        last = next((t for t in reversed(history) if t.source is not t.target), None)
        return last.source if last is not None else None
    word = str(ruling.value.get("stage", ""))
    return Stage(word) if ruling.kind == "stage" and word in set(Stage) else None


def find_time(value: Mapping[str, Any], field: str) -> datetime | None:
    """The time in a ruling's value, UTC if it names no zone; None if it names no time."""
    try:
        found = datetime.fromisoformat(str(value.get(field)))
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def say_care(value: Mapping[str, Any]) -> str:
    """A ruling on care in a few words."""
    if value.get("reviewer"):
        return f"reviewed by {value['reviewer']} for the care required"
    named = ", ".join(str(name) for name in value.get("interfaces") or ())
    return f"touches {named}" if named else "touches nothing that requires care"


HOLD, RECAST = "hold", "recast"
#: What a ruling of kind "page" can say about votes cast on an earlier text.
VOTES = (HOLD, RECAST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recast:
    """Ballots cast before `before` no longer count, and the voting period begins again at `at`."""

    before: datetime
    at: datetime
    why: str


def render_recast(vote: Vote, before: datetime) -> dict[str, str]:
    """The value of a ruling that ballots cast in this round before `before` must be cast again."""
    return {"votes": RECAST, "round": vote.root_message_id, "before": before.isoformat()}


def find_recast(vote: Vote, rulings: Iterable[Ruling]) -> Recast | None:
    """The newest ruling that votes of this round must be cast again; None if there is none."""
    found = None
    for ruling in rulings:
        if ruling.kind != "page" or ruling.value.get("round") != vote.root_message_id:
            continue
        before = find_time(ruling.value, "before")
        if before is not None and (found is None or ruling.made_at > found.at):
            why = f"the page changed since: to be cast again, ruled by {ruling.author}: {ruling.reason}"
            found = Recast(before=before, at=ruling.made_at, why=why)
    return found


def with_recast(vote: Vote, rulings: Iterable[Ruling]) -> Vote:
    """The vote without ballots that must be cast again, and without announcements of their result."""
    recast = find_recast(vote, rulings)
    if recast is None:
        return vote
    return replace(
        vote,
        ballots=tuple(
            replace(b, status=BallotStatus.VOID, why=recast.why) if b.cast_at < recast.before else b
            for b in vote.ballots
        ),
        declared=_find_announced_since(vote.declared, recast.at),
        claimed_ends=tuple(e for e in vote.claimed_ends if e.kind is not EndKind.CLOSED or e.at > recast.at),
    )


def _find_announced_since(declared: Declared | None, moment: datetime) -> Declared | None:
    if declared is None or declared.as_of(moment) is declared:
        return None
    return replace(declared, before=_find_announced_since(declared.before, moment))


def list_ends(vote: Vote) -> tuple[ClaimedEnd, ...]:
    """The claimed ends of a vote, then its contested opening."""
    return vote.claimed_ends if vote.contested is None else (*vote.claimed_ends, vote.contested)


def with_ending_rulings(vote: Vote, rulings: Iterable[Ruling]) -> Vote:
    """The vote with the rulings on its claimed ends applied."""
    said = {r.target: r for r in rulings if r.kind == "ending" and r.value.get("ending") in ANSWERS}
    if not said or not list_ends(vote):
        return vote

    def settle(end: ClaimedEnd) -> ClaimedEnd:
        ruling = said.get(end.message_id)
        if ruling is None:
            return end
        return replace(end, settled_at=ruling.made_at, accepted=ruling.value["ending"] == "accept")

    contested = None if vote.contested is None else settle(vote.contested)
    return replace(vote, claimed_ends=tuple(settle(end) for end in vote.claimed_ends), contested=contested)


def find_accepted(vote: Vote, at: datetime) -> tuple[ClaimedEnd, ...]:
    """The claimed ends that a ruling had accepted by `at`."""
    return tuple(e for e in vote.claimed_ends if e.accepted and e.is_settled(at))


def find_open_ends(vote: Vote) -> tuple[ClaimedEnd, ...]:
    """The claimed ends that wait for a ruling. A second round called meanwhile is asked about with that round."""
    kinds = {EndKind.CANCELLED} if vote.declared is not None else {EndKind.CANCELLED, EndKind.CLOSED}
    return tuple(end for end in vote.claimed_ends if end.settled_at is None and end.kind in kinds)


def say_end(end: ClaimedEnd) -> str:
    """The question about a claimed end, with what is missing."""
    who = say_mailbox(Mailbox(key=end.address, name=end.by)) if end.address else end.by or "a mail without a sender"
    outcome = end.declared.outcome if end.declared is not None else None
    if end.declared is not None and end.declared.only_denies:
        return f"{who} lets the vote run on, and {end.why}: does it?"
    said, question = _SAID[end.kind]
    return f"{who} {said}{f' ({outcome})' if outcome else ''}, and {end.why}: {question}"


_SAID = {
    EndKind.CLOSED: ("announces a result", "does it close the vote?"),
    EndKind.CANCELLED: ("calls the vote off", "is it called off?"),
    EndKind.REPLACED: ("calls a vote beside this one", "does it replace the one that runs?"),
    EndKind.CALLED: ("may call a vote", "is it a vote?"),
}


def with_rulings(vote: Vote, rulings: Iterable[Ruling]) -> Vote:
    """The vote with rulings on ballots and claimed ends applied: a ruled choice counts, "none" is no ballot. A ballot
    that must be cast again is void, whatever was ruled on it."""
    rulings = tuple(rulings)
    settled = {r.target: r for r in rulings if r.kind == "ballot" and _find_choice(r) in CHOICES}

    def settle(ballot: Ballot) -> Ballot:
        ruling = settled.get(ballot.message_id)
        if ruling is None:
            return ballot
        choice = _find_choice(ruling)
        why = f"ruled by {ruling.author}: {ruling.reason}"
        if choice == "none":
            return replace(ballot, status=BallotStatus.VOID, why=why)
        return replace(ballot, status=BallotStatus.COUNTED, choice=Choice(choice), value=choice, why=why, is_ruled=True)

    vote = with_ending_rulings(vote, rulings)
    if settled:
        vote = replace(vote, ballots=tuple(map(settle, vote.ballots)))
    return with_recast(vote, rulings)


def _find_choice(ruling: Ruling) -> str:
    return str(ruling.value.get("choice", "none"))


#: Kinds of ruling on who is who: they name no proposal and apply to all.
IDENTITY = ("merge", "split")


def as_verdicts(found: Iterable[Ruling]) -> tuple[IdentityVerdict, ...]:
    """The rulings that are not revoked, as verdicts for the roster.

    They apply to all mail, whenever they were made, or from the day that they name on: like an address in the roster.
    """
    return tuple(
        IdentityVerdict(
            same=r.kind == "merge",
            one=_mailbox(r.value, "one"),
            other=_mailbox(r.value, "other"),
            by=r.author,
            reason=r.reason,
            at=r.made_at,
            ruling=r.id,
            since=datetime.fromisoformat(r.value["since"]) if r.value.get("since") else None,
        )
        for r in found
        if r.revoked_at is None
    )


def find_concerned(found: Iterable[Ruling], votes: Iterable[Vote]) -> tuple[Ruling, ...]:
    """The rulings that name somebody who voted in these votes, called one or announced an end."""
    rulings = tuple(found)
    if not rulings:
        return ()
    seen = {key for vote in votes for key in _find_writers(vote)}
    return tuple(r for r in rulings if concerns(r.value, seen))


def concerns(value: Mapping[str, Any], seen: Collection[str]) -> bool:
    """Whether a ruling on who is who names one of these voters, by id, address or folded name."""
    return any(key in seen for key in find_ruled_keys(value))


def find_ruled_keys(value: Mapping[str, Any]) -> set[str]:
    """The keys and names by which a ruling is found: those of the strangers among the two, else of both."""
    boxes = [_mailbox(value, side) for side in ("one", "other")]
    # the side that is not in the roster wrote the mail
    strangers = [box for box in boxes if "@" in box.key or " " in box.key]
    names = {key for box in strangers for key in (box.key, fold_name(box.name)) if key}
    return names or {box.key for box in boxes}


def _find_writers(vote: Vote) -> Iterator[str]:
    """The keys that rulings may use for authors of a vote's mails."""
    yield clean_address(vote.opened_by_address)
    yield vote.root_message_id
    for cast in vote.ballots:
        yield from (clean_address(cast.address), cast.voter, fold_name(cast.name), cast.message_id)
    for end in vote.claimed_ends:
        yield from (clean_address(end.address), fold_name(end.by), end.message_id)


def _mailbox(value: Mapping[str, Any], side: str) -> Mailbox:
    raw = value.get(side) or {}
    return Mailbox(key=str(raw.get("key", "")), name=str(raw.get("name", "")))
