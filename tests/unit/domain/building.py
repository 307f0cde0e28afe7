"""Builders of one proposal's facts, in days since a Monday morning."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from kipflow.domain.decisions import Decision, make_warning
from kipflow.domain.events import Stage
from kipflow.domain.facts import Coverage, MailKind, ProposalFacts, Ruling, ThreadMessage
from kipflow.domain.lifecycle import decide
from kipflow.domain.pages import PageVersion, StatusWord
from kipflow.domain.policy import Policy
from kipflow.domain.proposals import Proposal
from kipflow.domain.votes import Ballot, BallotStatus, Choice, Declared, Vote

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
POLICY = Policy(version="test-1", binding_roles=frozenset({"committer"}))
#: As POLICY, and silence makes dormant.
SLEEPY = replace(POLICY, dormant_after=timedelta(days=90), grace=timedelta(days=14))
WHOLE = Coverage(complete_through=START + timedelta(days=1_000))


def at(days: float) -> datetime:
    return START + timedelta(days=days)


def page(day: float, status: StatusWord = StatusWord.DISCUSSION, *, version: int = 1, **more: Any) -> PageVersion:
    return PageVersion(
        page_id="p7",
        version=version,
        saved_at=at(day),
        saved_by="Nia Holt",
        title="KIP-7: Faster fences",
        number=7,
        status=status,
        status_text=status.value.title(),
        **more,
    )


def mail(day: float, kind: MailKind = MailKind.OTHER, *, reply: bool = False) -> ThreadMessage:
    return ThreadMessage(
        message_id=f"<{kind}-{day}@x.example>",
        arrived_at=at(day),
        kind=kind,
        is_reply=reply,
        author_name="Nia Holt",
        author_address="nia@x.example",
        subject=f"[{kind.upper()}] KIP-7: Faster fences",
    )


def ballot(
    voter: str, day: float = 0.1, choice: Choice | None = Choice.FOR, *, status: str = "counted", **more: Any
) -> Ballot:
    plain = Ballot(
        voter=voter,
        name=voter.title(),
        address=f"{voter}@x.example",
        choice=choice,
        value=choice or "",
        binding=True,
        claimed_binding=None,
        cast_at=at(day),
        message_id=f"<{voter}-{day}@x.example>",
        line=choice or "",
        rule="bare",
        status=BallotStatus(status),
    )
    return replace(plain, **more)


def poll(day: float, *ballots: Ballot, round: int = 1, **more: Any) -> Vote:
    return Vote(
        key="KIP-7",
        proposal=7,
        round=round,
        list_id="dev@x.example",
        subject="[VOTE] KIP-7: Faster fences",
        root_message_id=f"<vote-{round}@x.example>",
        opened_by="Nia Holt",
        opened_by_address="nia@x.example",
        opened_at=at(day),
        ballots=ballots,
        **more,
    )


def result(day: float, outcome: str = "passed") -> Declared:
    return Declared(
        by="Nia Holt", message_id="<result@x.example>", announced_at=at(day), outcome=outcome, line="passes"
    )


def facts(**more: Any) -> ProposalFacts:
    return ProposalFacts(key="KIP-7", proposal=Proposal(number=7, title="Faster fences"), **{"coverage": WHOLE, **more})


def decided(known: ProposalFacts, policy: Policy, day: float) -> Decision:
    decision = decide(known, policy, at(day))
    assert decision is not None
    return decision


def followed(known: ProposalFacts, policy: Policy, *days: float, lag: timedelta = timedelta(0)) -> ProposalFacts:
    """The facts after runs as of these days, each `lag` late, that wrote the warnings and delivered them at once."""
    for day in days:
        as_of, recorded_at = at(day), at(day) + lag
        decision = decide(known, policy, as_of)
        if decision is None:
            continue
        if decision.unwarned is not None:
            since = known.followed_since
            given = make_warning(decision.unwarned, policy, as_of=as_of, recorded_at=recorded_at, followed_since=since)
            # of what was over before anybody followed it nobody is notified
            is_past = given.due_at is not None and given.due_at <= (since or recorded_at)
            given = replace(given, delivered_at=None if is_past else recorded_at)
            known = replace(known, warnings=(*known.warnings, given))
        known = replace(known, followed_since=known.followed_since or recorded_at)
    return known


def ruling(day: float, kind: str, id: int = 1, target: str = "KIP-7", **value: Any) -> Ruling:
    return Ruling(
        id=id, number=7, kind=kind, target=target, value=value, author="ops", reason="asked around", made_at=at(day)
    )


YES = (ballot("ada", 4.1), ballot("bo", 4.2), ballot("cy", 4.3))
ACCEPTED = poll(4, *YES, declared=result(8))
TALKED = {"pages": (page(0),), "messages": (mail(1, MailKind.DISCUSS), mail(4, MailKind.VOTE))}


def stages(decision: Any) -> list[Stage]:
    return [t.target for t in decision.history]
