"""A person's word on what the rules leave open: a fact with author, reason and time, revocable.

A ruling that makes no sense is refused before anything is written. The same word twice is stored once: whoever
comes second gets the id of the first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kipflow.domain.care import find_owed, own_versions
from kipflow.domain.claims import ANSWERS, find_claim
from kipflow.domain.errors import KipflowError
from kipflow.domain.events import OPEN_STAGES, Stage
from kipflow.domain.facts import ProposalFacts, Ruling
from kipflow.domain.history import effective
from kipflow.domain.interfaces import INTERFACES
from kipflow.domain.pagechanges import name_version
from kipflow.domain.policy import Policy
from kipflow.domain.ruled import find_until
from kipflow.services.assembly import load_facts
from kipflow.services.ports import Session, Store

CHOICES = ("+1", "0", "-1", "none")
MAX_REASON = 2000
#: Questions whether a settled proposal is opened again; "no" is the stage that it has.
_REOPENINGS = frozenset({"new-vote", "reopening", "turned-vote", "retraction", "late-ballot"})


class BadRuling(KipflowError):
    """A ruling that says nothing the rules can use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The ruling that now says so; `is_new` is False where it was said before."""

    id: int
    is_new: bool


def rule(
    store: Store,
    *,
    number: int,
    kind: str,
    target: str,
    value: dict[str, Any],
    author: str,
    reason: str,
    at: datetime,
) -> int:
    """Record a ruling on proposal `number` and return its id.

    Raises:
        BadRuling: no reason or author, a value that the kind does not know, or nothing that it could be about.
    """
    return settle(store, number=number, kind=kind, target=target, value=value, author=author, reason=reason, at=at).id


def settle(
    store: Store,
    *,
    number: int,
    kind: str,
    target: str,
    value: dict[str, Any],
    author: str,
    reason: str,
    at: datetime,
    asked: Collection[str] | None = None,
    policy: Policy | None = None,
) -> Recorded:
    """Record a ruling on proposal `number`: of the kind "ballot", "stage", "snooze", "care", "page", "restore",
    "drift" or "number".

    `asked` are the kinds of the questions that are open on it; None: nobody looked. `policy` tells whether it owes
    a reviewer; None: whoever looked at it is noted in any case.

    Raises:
        BadRuling: as for `rule`.
    """
    by, why = check_words(author, reason)
    with store.begin() as session:
        facts = load_facts(session, number)  # raises UnknownProposal before anything is written
        _check_time(session, facts, at)
        standing = [
            r for r in session.rulings.load_all() if r.revoked_at is None and r.number == number and r.kind == kind
        ]
        match kind:
            case "ballot":
                target = _check_ballot(facts, target, value, standing)
            case "ending":
                target = _check_ending(facts, target, value, standing)
            case "stage":
                _check_stage(session, facts, value, standing, asked or ())
            case "snooze":
                _check_snooze(session, facts, value, at)
            case "care":
                value = _check_care(facts, value, policy, at)
            case "page":
                target, value = _check_page(facts, at), {"votes": "hold"}
            case "number":
                _check_number(facts, value, standing, at)
            case "drift":
                pass  # whoever asks for it knows that both sides say so
            case "restore":
                value = {"undoes": _find_newest_move(session, facts)}
            case _:
                raise BadRuling(f"{kind!r} is no kind of ruling on a proposal")
        same = next((r for r in standing if r.target == target and r.value == value), None)
        if same is not None and same.id is not None and kind not in {"stage", "care"}:
            return Recorded(id=same.id, is_new=False)
        if kind == "page" and asked is not None and "page" not in asked:
            raise BadRuling(f"nothing is asked about the page of {facts.key}: its votes hold as they are")
        ruling = Ruling(
            id=None, number=number, kind=kind, target=target, value=value, author=by, reason=why, made_at=at
        )
        return Recorded(id=session.rulings.save(ruling), is_new=True)


def revoke(store: Store, ruling_id: int, *, by: str, at: datetime, reason: str) -> Ruling:
    """Take a ruling back: it stays stored and stops counting from `at`. Gives the ruling as it was.

    Raises:
        BadRuling: nobody says so or says why, or the ruling is unknown or revoked already.
    """
    if not by.strip():
        raise BadRuling("a revocation needs its author: --by NAME")
    if not reason.strip():
        raise BadRuling("a revocation needs a reason, for it can take back what was decided: --reason TEXT")
    with store.begin() as session:
        found = session.rulings.load_all()
        ruling = next((r for r in found if r.id == ruling_id), None)
        if ruling is None:
            raise BadRuling(f"no ruling {ruling_id} is known; `kipflow review rulings` lists them")
        if ruling.revoked_at is not None:
            raise BadRuling(
                f"ruling {ruling_id} was revoked by {ruling.revoked_by} on {_say(ruling.revoked_at)} already"
            )
        if at < ruling.made_at:
            raise BadRuling(f"ruling {ruling_id} was made on {_say(ruling.made_at)}: it cannot end before it began")
        session.rulings.revoke(ruling_id, at=at, by=by.strip(), reason=reason.strip()[:MAX_REASON])
    return ruling


def check_words(author: str, reason: str) -> tuple[str, str]:
    """Author and reason in one line each.

    Raises:
        BadRuling: one of them is missing or too long.
    """
    by, why = " ".join(author.split()), " ".join(reason.split())
    if not by or not why:
        raise BadRuling("a ruling needs its author and a reason: --by NAME --reason TEXT")
    if len(by) > 200 or len(why) > MAX_REASON:
        raise BadRuling(f"a reason has at most {MAX_REASON:,} characters, an author's name 200")
    return by, why


# -- what makes no sense ----------------------------------------------------------------------------
def _check_time(session: Session, facts: ProposalFacts, at: datetime) -> None:
    """Refuse a word from before there was anything to rule on: typed wrong, it would rewrite the whole story."""
    moves = [t.at for t in session.history.load(facts.proposal.number)]
    began = min((*moves, *(m.arrived_at for m in facts.messages), *(p.saved_at for p in facts.pages)), default=None)
    if began is not None and at < began:
        raise BadRuling(f"{facts.key} began on {_say(began)}: nobody ruled on it by {_say(at)}")


def _check_ballot(facts: ProposalFacts, target: str, value: dict[str, Any], standing: Iterable[Ruling]) -> str:
    """The ballot's message id, in its angle brackets."""
    if value.get("choice") not in CHOICES:
        raise BadRuling(f"a ballot is settled as one of {', '.join(CHOICES)}, not {value.get('choice')!r}")
    asked = {target, f"<{target.strip('<> ')}>"}
    known = next((b.message_id for v in facts.votes for b in v.ballots if b.message_id in asked), None)
    if known is None:
        number = facts.proposal.number
        raise BadRuling(f"{target!r} is no ballot of {facts.key}; `kipflow status {number}` lists them by message")
    for ruling in standing:
        if ruling.target == known and ruling.value != value:
            said = ruling.value.get("choice")
            raise BadRuling(f"ruling {ruling.id} by {ruling.author} settles it as {said}; revoke that one first")
    return known


def _check_ending(facts: ProposalFacts, target: str, value: dict[str, Any], standing: Iterable[Ruling]) -> str:
    """The id of the mail that says of a vote that it ended, in its angle brackets."""
    if value.get("ending") not in ANSWERS:
        raise BadRuling(f"an end is settled by one of {', '.join(ANSWERS)}, not {value.get('ending')!r}")
    asked = {target, f"<{target.strip('<> ')}>"}
    known = next((e.message_id for v in facts.votes for e in v.claimed_ends if e.message_id in asked), None)
    if known is None:
        raise BadRuling(f"{target!r} ends no vote of {facts.key}, or needs nobody's word; `kipflow review` lists them")
    for ruling in standing:
        if ruling.target == known and ruling.value != value:
            said = ruling.value.get("ending")
            raise BadRuling(f"ruling {ruling.id} by {ruling.author} says {said}; revoke that one first")
    return known


def _check_stage(
    session: Session,
    facts: ProposalFacts,
    value: dict[str, Any],
    standing: Sequence[Ruling],
    asked: Collection[str],
) -> None:
    if value.get("stage") not in set(Stage):
        raise BadRuling(f"a stage is one of {', '.join(Stage)}, not {value.get('stage')!r}")
    stage = _find_stage(session, facts)
    if stage is not None and stage == value["stage"] and _REOPENINGS.isdisjoint(asked):
        last = next((r for r in reversed(standing) if r.value == value), None)
        because = f" (ruling {last.id} by {last.author})" if last is not None else ""
        raise BadRuling(f"{facts.key} is in stage {stage} already{because}")


def _check_snooze(session: Session, facts: ProposalFacts, value: dict[str, Any], at: datetime) -> None:
    text = value.get("until")
    until = find_until(
        Ruling(id=None, number=None, kind="snooze", target="", value=value, author="", reason="", made_at=at)
    )
    if until is None:
        raise BadRuling(f"a snooze ends at an ISO time, not {text!r}")
    if datetime.fromisoformat(str(text)).tzinfo is None:
        raise BadRuling("a snooze ends at a time with its zone, such as 2026-03-02T00:00:00+00:00")
    if until <= at:
        raise BadRuling(f"a snooze ends in the future; {_say(until)} is not after {_say(at)}")
    stage = _find_stage(session, facts)
    if stage is not None and stage not in OPEN_STAGES:
        raise BadRuling(f"{facts.key} is {stage}: it cannot go dormant, so there is nothing to put off")


def _check_care(facts: ProposalFacts, value: dict[str, Any], policy: Policy | None, at: datetime) -> dict[str, Any]:
    """Either the interfaces that a proposal touches, whatever its page says, or somebody who reviewed it for them."""
    reviewer = " ".join(str(value.get("reviewer") or "").split())
    if reviewer:
        opened_at = facts.votes[-1].opened_at if facts.votes else at
        if policy is not None and not any(c.reviewers for c in find_owed(facts, opened_at, policy, at).cares):
            raise BadRuling(f"{facts.key} owes no review: the policy asks for none where it touches what this one does")
        return {"reviewer": reviewer[:200]}
    named = list(dict.fromkeys(str(name) for name in value.get("interfaces") or ()))
    unknown = [name for name in named if name not in INTERFACES]
    if unknown:
        raise BadRuling(f"an interface is one of {', '.join(INTERFACES)}, not {unknown[0]!r}")
    return {"interfaces": named}


def _check_page(facts: ProposalFacts, at: datetime) -> str:
    """The version of the page for which the votes are said to hold: the one that stands now."""
    versions = own_versions((p for p in facts.pages if p.saved_at <= at), facts.proposal.number)
    if not versions or not facts.votes:
        raise BadRuling(f"{facts.key} has no page or no vote: there is nothing that votes could hold for")
    return name_version(versions[-1])


def _check_number(facts: ProposalFacts, value: dict[str, Any], standing: Sequence[Ruling], at: datetime) -> None:
    """Accept or refuse, where there is a doubt; what was said is revoked before the other is."""
    if value.get("number") not in ANSWERS:
        raise BadRuling(f"a number is settled as one of {', '.join(ANSWERS)}, not {value.get('number')!r}")
    for ruling in standing:
        if ruling.value != value:
            said = ruling.value.get("number")
            raise BadRuling(f"ruling {ruling.id} by {ruling.author} says {said}; revoke that one first")
    if not standing and find_claim(facts, at) is None:
        raise BadRuling(f"nothing is doubtful about the number of {facts.key}")


def _find_newest_move(session: Session, facts: ProposalFacts) -> str:
    """The id of the move that a restoring undoes: the newest one that stands."""
    history = [t for t in effective(session.history.load(facts.proposal.number)) if t.source is not t.target]
    if not history or history[-1].source is None:
        raise BadRuling(f"{facts.key} has not moved since it began: there is nothing to restore")
    if history[-1].rule == "restored":
        ruling = next((e.ref for e in history[-1].evidence if e.kind == "ruling"), "?")
        raise BadRuling(f"{facts.key} was restored by ruling {ruling} already; revoke that one to take it back")
    return history[-1].id


def _find_stage(session: Session, facts: ProposalFacts) -> Stage | None:
    history = effective(session.history.load(facts.proposal.number))
    return history[-1].target if history else None


def _say(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
