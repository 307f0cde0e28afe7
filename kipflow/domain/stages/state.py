"""The state of a replay: an immutable value, replaced by the next one."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from kipflow.domain.clocks import VoteState, VoteTerms, after
from kipflow.domain.differences import find_differences
from kipflow.domain.events import Stage, Transition
from kipflow.domain.facts import ProposalFacts, Ruling, SilenceWarning, ThreadMessage
from kipflow.domain.judging import judge as judge_ballots
from kipflow.domain.numberdoubts import NumberDoubt, find_number_doubt
from kipflow.domain.ownpages import Requirements, find_late_change, find_requirements
from kipflow.domain.ownperiods import keep_open
from kipflow.domain.pages import StatusWord
from kipflow.domain.policy import Policy
from kipflow.domain.ruled import find_recast, rulings_in_force, with_ending_rulings, with_recast, with_rulings
from kipflow.domain.tally import count, depends_on_review, find_outcome
from kipflow.domain.votes import Vote


class State(NamedTuple):
    """A proposal at the moment `now`, by the `rulings` in force and the `warnings` known at `as_of`.

    A named tuple because one is made for every mail, and `dataclasses.replace` takes six times as long.
    """

    facts: ProposalFacts
    policy: Policy
    as_of: datetime
    rulings: tuple[Ruling, ...]
    warnings: tuple[SilenceWarning, ...]
    number_doubt: NumberDoubt | None
    now: datetime
    since: datetime
    stage: Stage | None = None
    history: tuple[Transition, ...] = ()
    running: Vote | None = None  # the poll whose end is awaited: the vote, or one on what was accepted already
    asleep: Vote | None = None  # the poll during which the proposal went dormant
    closed: frozenset[str] = frozenset()  # polls that rules have decided; only a person can put one back to a vote
    applied: frozenset[str] = frozenset()  # mails whose claimed end or opening was accepted and applied
    reopening: ThreadMessage | None = None  # a discussion that was started after the proposal had been settled
    kept_at: datetime | None = None  # when a person last said that the stage stays what it is
    page_word: StatusWord | None = None
    last_activity: datetime | None = None
    snoozed_until: datetime | None = None
    waits_for: str | None = None  # why a vote that could be closed by its ballots is not decided yet
    overtaken: bool = False  # a person ruled while rules waited for mail: the rules may have decided first

    @property
    def vote(self) -> Vote | None:
        """The poll that runs in stage Vote."""
        return self.running if self.stage is Stage.VOTE else None


def begin(facts: ProposalFacts, policy: Policy, as_of: datetime) -> State:
    """The state before any fact."""
    return State(
        facts=facts,
        policy=policy,
        as_of=as_of,
        rulings=rulings_in_force(facts.rulings, as_of),
        warnings=tuple(_as_known(w, as_of) for w in facts.warnings if w.as_of <= as_of),
        number_doubt=find_number_doubt(facts, as_of),
        now=as_of,
        since=as_of,
    )


def judge(state: State, vote: Vote) -> VoteState:
    """The vote as judged now: with the rulings made so far, and the care required for what its page touches."""
    policy, known, now = state.policy, [r for r in state.rulings if r.made_at <= state.now], state.now
    required = find_requirements(state.facts, vote.opened_at, policy, now)
    reviewers = max((care.reviewers for care in required.cares), default=0)
    terms = VoteTerms(
        quorum=max((policy.quorum, *(care.quorum or 0 for care in required.cares))),
        earliest_close=_find_close(state, vote, required),
        because=tuple(care.interface for care in required.cares),
        reviewers=reviewers,
        reviewed_by=required.reviewed_by if reviewers else (),
        late_change=find_late_change(state.facts, with_recast(vote, known), now),
    )
    policy = terms.apply_to(policy)
    judged = judge_ballots(with_rulings(vote, known), now, earliest_close=terms.earliest_close)
    return VoteState(
        vote=judged,
        terms=terms,
        tally=count(judged.ballots),
        outcome=find_outcome(judged, policy, now, earliest_close=terms.earliest_close),
        depends_on_review=depends_on_review(judged, policy),
        differences=find_differences(judged),
    )


def find_earliest_close(state: State, vote: Vote) -> datetime:
    """The first moment at which the vote may be closed, as known now."""
    return _find_close(state, vote, find_requirements(state.facts, vote.opened_at, state.policy, state.now))


def _find_close(state: State, vote: Vote, required: Requirements) -> datetime:
    periods = (care.voting_period for care in required.cares if care.voting_period)
    recast = find_recast(vote, (r for r in state.rulings if r.made_at <= state.now))
    begins = vote.opened_at if recast is None else max(vote.opened_at, recast.at)
    return keep_open(vote, after(begins, max((state.policy.voting_period, *periods))), state.now)


def is_same(one: Vote, other: Vote | None) -> bool:
    return other is not None and one.root_message_id == other.root_message_id


def is_contested(state: State, vote: Vote) -> bool:
    """Whether the round's doubtful opening is not accepted by now."""
    contested = with_ending_rulings(vote, state.rulings).contested
    return contested is not None and not (contested.accepted and contested.is_settled(state.now))


def _as_known(warning: SilenceWarning, as_of: datetime) -> SilenceWarning:
    """The warning as it was at `as_of`, perhaps not delivered yet."""
    is_later = warning.delivered_at is not None and warning.delivered_at > as_of
    return replace(warning, delivered_at=None) if is_later else warning
