"""Checks for each kind of ruling: its value must be valid, and its target must exist."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from kipflow.domain.errors import KipflowError
from kipflow.domain.events import OPEN_STAGES, Stage, effective
from kipflow.domain.facts import ProposalFacts, Ruling
from kipflow.domain.interfaces import INTERFACES
from kipflow.domain.numberdoubts import find_number_doubt
from kipflow.domain.ownpages import find_late_change, find_requirements, name_version, own_versions
from kipflow.domain.policy import Policy
from kipflow.domain.ruled import ANSWERS, CHOICES, RECAST, VOTES, find_time, list_ends, render_recast, with_recast
from kipflow.domain.times import say_moment
from kipflow.services.ports import Session

#: Questions whether to reopen a settled proposal; "no" is a ruling for its present stage.
_REOPENINGS = frozenset({"new-vote", "reopening", "turned-vote", "retraction", "late-ballot"})

#: A ruling's target and value, as they are stored.
Checked = tuple[str, dict[str, Any]]


class BadRuling(KipflowError):
    """A ruling that is refused; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingRequest:
    """A ruling that a person wants to make, with what it is checked against.

    `standing` are the rulings of its kind on the proposal that are in force; `asked` are the kinds of the open
    questions, None if not checked; `policy` says whether a reviewer is required, None: a reviewer is noted in any case.
    """

    session: Session
    facts: ProposalFacts
    target: str
    value: dict[str, Any]
    standing: Sequence[Ruling]
    asked: Collection[str] | None
    policy: Policy | None
    at: datetime

    @property
    def stage(self) -> Stage | None:
        """The proposal's stage as it was last decided."""
        history = effective(self.session.history.load(self.facts.proposal.number))
        return history[-1].target if history else None

    def refuse_another_word(self, target: str | None, field: str, says: str) -> None:
        """Refuse if a ruling in force says something else about the same target (None: about any)."""
        for ruling in self.standing:
            if target in (None, ruling.target) and ruling.value != self.value:
                said = ruling.value.get(field)
                raise BadRuling(f"ruling {ruling.id} by {ruling.author} {says} {said}; revoke that one first")


def check_time(request: RulingRequest) -> None:
    """Refuse a ruling dated before the proposal began: a mistyped date would change the whole history."""
    facts, at = request.facts, request.at
    moves = [t.at for t in request.session.history.load(facts.proposal.number)]
    began = min((*moves, *(m.arrived_at for m in facts.messages), *(p.saved_at for p in facts.pages)), default=None)
    if began is not None and at < began:
        raise BadRuling(f"{facts.key} began on {say_moment(began)}: nobody ruled on it by {say_moment(at)}")


def _check_ballot(request: RulingRequest) -> Checked:
    """A ballot's choice; the target becomes its message id in angle brackets."""
    facts, target, value = request.facts, request.target, request.value
    if value.get("choice") not in CHOICES:
        raise BadRuling(f"a ballot is settled as one of {', '.join(CHOICES)}, not {value.get('choice')!r}")
    known = _find_id(target, (b.message_id for v in facts.votes for b in v.ballots))
    if known is None:
        number = facts.proposal.number
        raise BadRuling(f"{target!r} is no ballot of {facts.key}; `kipflow status {number}` lists them by message")
    request.refuse_another_word(known, "choice", "settles it as")
    return known, value


def _check_ending(request: RulingRequest) -> Checked:
    """Whether a mail ended a vote; the target becomes its id in angle brackets."""
    facts, target, value = request.facts, request.target, request.value
    if value.get("ending") not in ANSWERS:
        raise BadRuling(f"an end is settled by one of {', '.join(ANSWERS)}, not {value.get('ending')!r}")
    known = _find_id(target, (end.message_id for vote in facts.votes for end in list_ends(vote)))
    if known is None:
        raise BadRuling(f"{target!r} ends no vote of {facts.key}, or needs nobody's word; `kipflow review` lists them")
    request.refuse_another_word(known, "ending", "says")
    return known, value


def _find_id(target: str, known: Iterable[str]) -> str | None:
    """The known message id for a target given with or without angle brackets."""
    asked = {target, f"<{target.strip('<> ')}>"}
    return next((message_id for message_id in known if message_id in asked), None)


def _check_stage(request: RulingRequest) -> Checked:
    value, key, stage = request.value, request.facts.key, request.stage
    if value.get("stage") not in set(Stage):
        raise BadRuling(f"a stage is one of {', '.join(Stage)}, not {value.get('stage')!r}")
    if stage is not None and stage == value["stage"] and _REOPENINGS.isdisjoint(request.asked or ()):
        last = next((r for r in reversed(request.standing) if r.value == value), None)
        because = f" (ruling {last.id} by {last.author})" if last is not None else ""
        raise BadRuling(f"{key} is in stage {stage} already{because}")
    return request.target, value


def _check_snooze(request: RulingRequest) -> Checked:
    value, at, stage = request.value, request.at, request.stage
    text = value.get("until")
    until = find_time(value, "until")
    if until is None:
        raise BadRuling(f"a snooze ends at an ISO time, not {text!r}")
    if datetime.fromisoformat(str(text)).tzinfo is None:
        raise BadRuling("a snooze ends at a time with its zone, such as 2026-03-02T00:00:00+00:00")
    if until <= at:
        raise BadRuling(f"a snooze ends in the future; {say_moment(until)} is not after {say_moment(at)}")
    if stage is Stage.DORMANT:
        restore = f'`kipflow review restore {request.facts.proposal.number} --reason "…"`'
        raise BadRuling(f"{request.facts.key} is dormant already: a mail in its thread revives it, or {restore}")
    if stage is not None and stage not in OPEN_STAGES:
        raise BadRuling(f"{request.facts.key} is {stage}: it cannot go dormant, so there is nothing to put off")
    if request.policy is not None and request.policy.dormant_after is None:
        raise BadRuling("no proposal goes dormant here (policy.dormant_after is left out): there is nothing to put off")
    return request.target, value


def _check_care(request: RulingRequest) -> Checked:
    """Either the interfaces that a proposal touches, overruling its page, or somebody who reviewed it."""
    facts, value, policy, at = request.facts, request.value, request.policy, request.at
    reviewer = " ".join(str(value.get("reviewer") or "").split())
    if reviewer:
        opened_at = facts.votes[-1].opened_at if facts.votes else at
        if policy is not None and not any(c.reviewers for c in find_requirements(facts, opened_at, policy, at).cares):
            raise BadRuling(
                f"{facts.key} requires no review: the policy asks for none where it touches what this one does"
            )
        return request.target, {"reviewer": reviewer[:200]}
    named = list(dict.fromkeys(str(name) for name in value.get("interfaces") or ()))
    unknown = [name for name in named if name not in INTERFACES]
    if unknown:
        raise BadRuling(f"an interface is one of {', '.join(INTERFACES)}, not {unknown[0]!r}")
    return request.target, {"interfaces": named}


def _check_page(request: RulingRequest) -> Checked:
    """Whether the votes hold for the present page, or those cast on an earlier text must be cast again."""
    facts, at, said = request.facts, request.at, request.value.get("votes")
    if said not in VOTES:
        raise BadRuling(f"of the votes a person says one of {', '.join(VOTES)}, not {said!r}")
    versions = own_versions((p for p in facts.pages if p.saved_at <= at), facts.proposal.number)
    rounds = [v for v in facts.votes if v.opened_at <= at and v.is_proper]
    if not versions or not rounds:
        raise BadRuling(f"{facts.key} has no page or no vote: there is nothing that votes could hold for")
    vote = with_recast(rounds[-1], request.standing)
    change = find_late_change(replace(facts, rulings=()), vote, at)
    if change is None and request.standing:
        last = request.standing[-1]
        target, value = last.target, last.value if last.value.get("votes") == said else request.value
    elif change is None:
        target, value = name_version(versions[-1]), request.value
    else:
        target = change.subject
        value = render_recast(vote, change.after.saved_at) if said == RECAST else request.value
    replace(request, value=value).refuse_another_word(target, "votes", "says of these votes:")
    return target, value


def _check_number(request: RulingRequest) -> Checked:
    """Accept or refuse a doubtful number; an opposite ruling must be revoked first."""
    facts, value = request.facts, request.value
    if value.get("number") not in ANSWERS:
        raise BadRuling(f"a number is settled as one of {', '.join(ANSWERS)}, not {value.get('number')!r}")
    request.refuse_another_word(None, "number", "says")
    if not request.standing and find_number_doubt(facts, request.at) is None:
        raise BadRuling(f"nothing is doubtful about the number of {facts.key}")
    return request.target, value


def _check_restore(request: RulingRequest) -> Checked:
    """A restore undoes the newest effective move."""
    key = request.facts.key
    moves = effective(request.session.history.load(request.facts.proposal.number))
    history = [t for t in moves if t.source is not t.target]
    if not history or history[-1].source is None:
        raise BadRuling(f"{key} has not moved since it began: there is nothing to restore")
    if history[-1].rule == "restored":
        ruling = next((e.ref for e in history[-1].evidence if e.kind == "ruling"), "?")
        raise BadRuling(f"{key} was restored by ruling {ruling} already; revoke that one to take it back")
    return request.target, {"undoes": history[-1].id}


#: Kind of ruling on a proposal → its check, which returns target and value to store.
CHECKS: Mapping[str, Callable[[RulingRequest], Checked]] = {
    "ballot": _check_ballot,
    "ending": _check_ending,
    "stage": _check_stage,
    "snooze": _check_snooze,
    "care": _check_care,
    "page": _check_page,
    "number": _check_number,
    "restore": _check_restore,
    "drift": lambda request: (request.target, request.value),  # its caller has checked that it exists
}
