"""One pass over a proposal's facts in order of time, with the clock striking between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum

from kipflow.domain.clocks import VoteState, VoteTerms, find_terms, is_covered, judge_vote
from kipflow.domain.errors import IllegalTransition
from kipflow.domain.events import Actor, Evidence, Stage, Transition
from kipflow.domain.facts import IndexEntry, Kind, PageVersion, ProposalFacts, Ruling, StatusWord, ThreadMessage
from kipflow.domain.policy import Policy
from kipflow.domain.stages import OPEN_STAGES, STAGE_OF_SECTION, TABLE
from kipflow.domain.tally import Outcome
from kipflow.domain.votes import BallotStatus, Vote


class _Order(IntEnum):
    """Order of facts that share one moment: an end before a beginning, words before a ruling on them."""

    PAGE = 0
    INDEX = 1
    VOTE_ENDED = 2
    MESSAGE = 3
    VOTE_OPENED = 4
    BALLOT = 5
    RESULT = 6
    RULING = 7


@dataclass(order=True)
class _Moment:
    at: datetime
    order: _Order
    tie: str
    what: object = field(compare=False)


def _moments(facts: ProposalFacts) -> Iterator[_Moment]:
    if facts.proposal.created_at is not None:
        yield _Moment(facts.proposal.created_at, _Order.PAGE, "", facts.proposal)
    for page in facts.pages:
        yield _Moment(page.saved_at, _Order.PAGE, f"{page.page_id}@{page.version:09d}", page)
    for entry in facts.index_entries:
        at = entry.seen_at if entry.origin == "page" else entry.changed_at or entry.created_at or entry.seen_at
        yield _Moment(at, _Order.INDEX, entry.section, entry)
    for message in facts.messages:
        yield _Moment(message.sent_at, _Order.MESSAGE, message.message_id, message)
    for vote in facts.votes:
        yield _Moment(vote.opened_at, _Order.VOTE_OPENED, vote.root_message_id, vote)
        if vote.ended_at is not None:
            yield _Moment(vote.ended_at, _Order.VOTE_ENDED, vote.root_message_id, vote)
        for ballot in vote.ballots:
            yield _Moment(ballot.cast_at, _Order.BALLOT, ballot.message_id, ballot)
        if vote.declared is not None and vote.declared.announced_at is not None:
            yield _Moment(vote.declared.announced_at, _Order.RESULT, vote.declared.message_id, vote.declared)
    for ruling in facts.rulings:
        yield _Moment(ruling.made_at, _Order.RULING, f"{ruling.id or 0:09d}", ruling)


class Replay:
    """One pass over a proposal's facts in order of time. Used once, then thrown away."""

    def __init__(self, *, facts: ProposalFacts, policy: Policy, as_of: datetime) -> None:
        self.facts, self.policy, self.as_of = facts, policy, as_of
        self.stage: Stage | None = None
        self.since = as_of
        self.history: list[Transition] = []
        self.vote: Vote | None = None
        self.last_activity: datetime | None = None
        self.snoozed_until: datetime | None = None
        self.waits_for: str | None = None  # why a vote that is ripe by its ballots is not decided yet
        self.rulings = tuple(
            r for r in facts.rulings if r.made_at <= as_of and (r.revoked_at is None or r.revoked_at > as_of)
        )
        self.applied: set[int | None] = set()

    # -- the loop ------------------------------------------------------------------------------
    def run(self) -> None:
        pending = sorted(m for m in _moments(self.facts) if m.at <= self.as_of)
        asked: set[datetime] = set()
        index = 0
        while True:
            fact = pending[index] if index < len(pending) else None
            limit = fact.at if fact is not None else self.as_of
            clock = next((t for t in self.clock_moments() if t not in asked and t <= limit), None)
            # facts of the very moment a clock strikes are heard first
            if clock is not None and (fact is None or clock < fact.at):
                asked.add(clock)
                self.strike(clock)
            elif fact is not None:
                index += 1
                self.take(fact)
            else:
                return

    def clock_moments(self) -> list[datetime]:
        """The moments at which time alone may change the stage, from the state reached so far."""
        moments: list[datetime] = []
        if self.stage is Stage.VOTE and self.vote is not None:
            terms = self.terms(self.vote)
            moments.append(terms.earliest_close)
            if self.policy.clock_after is not None:
                moments.append(terms.earliest_close + self.policy.clock_after)
        dormant_at = self.dormant_at()
        if dormant_at is not None and not self.policy.dormancy_by_person:
            moments.append(dormant_at)
        return sorted(moments)

    def terms(self, vote: Vote) -> VoteTerms:
        return find_terms(self.facts, vote, self.policy)

    def silent_at(self) -> datetime | None:
        """When the silence becomes long enough to warn the author."""
        if self.stage not in {Stage.DISCUSSION, Stage.VOTE} or self.policy.dormant_after is None:
            return None
        start = max(self.last_activity or self.since, self.since)
        if self.snoozed_until is not None and self.snoozed_until > start:
            return self.snoozed_until
        return start + self.policy.dormant_after

    def dormant_at(self) -> datetime | None:
        silent = self.silent_at()
        return None if silent is None else silent + self.policy.grace

    def strike(self, at: datetime) -> None:
        if self.stage is Stage.VOTE:
            self.try_to_close(at)
        dormant_at = self.dormant_at()
        if dormant_at is not None and dormant_at <= at and not self.policy.dormancy_by_person:
            last = self.last_activity or self.since
            self.move(Stage.DORMANT, at, "silence", Actor.CLOCK, Evidence(kind="clock", ref=last.isoformat()))

    # -- facts ---------------------------------------------------------------------------------
    def take(self, moment: _Moment) -> None:
        match moment.order:
            case _Order.PAGE:
                self.take_page(moment)
            case _Order.INDEX:
                self.take_index(moment)
            case _Order.MESSAGE if isinstance(moment.what, ThreadMessage):
                self.take_message(moment.what)
            case _Order.VOTE_OPENED if isinstance(moment.what, Vote):
                self.take_vote(moment.what)
            case _Order.VOTE_ENDED if isinstance(moment.what, Vote):
                self.take_end(moment.what)
            case _Order.RULING if isinstance(moment.what, Ruling):
                self.take_ruling(moment.what)
            case _:
                if self.stage is Stage.VOTE:
                    self.try_to_close(moment.at)

    def take_page(self, moment: _Moment) -> None:
        page = moment.what
        if self.stage is None:
            evidence = (
                Evidence(kind="page", ref=f"{page.page_id}@{page.version}", line=page.title, url=page.url)
                if isinstance(page, PageVersion)
                else Evidence(kind="page", ref=self.facts.key)
            )
            self.move(Stage.DRAFT, moment.at, "page-created", Actor.PAGE, evidence)
        if isinstance(page, PageVersion):
            self.last_activity = moment.at
            if page.status is StatusWord.DISCARDED and self.stage in OPEN_STAGES:
                line = f"Current state: {page.status_text}"
                evidence = Evidence(kind="page", ref=f"{page.page_id}@{page.version}", line=line, url=page.url)
                self.move(Stage.DISCARDED, moment.at, "page-discarded", Actor.PAGE, evidence)

    def take_index(self, moment: _Moment) -> None:
        entry = moment.what
        if not isinstance(entry, IndexEntry) or (entry.origin == "page" and self.stage is not None):
            return  # the wiki's row is a baseline only where nothing else is known; elsewhere it can drift
        rule = "index-import" if entry.origin == "import" else "index-row"
        target = STAGE_OF_SECTION.get(entry.section)
        # an import is the baseline of what no mail tells; where a vote was seen, the vote speaks
        if self.facts.votes or target in (None, self.stage):
            target = None
        evidence = Evidence(kind="index", ref=self.facts.key, line=entry.title, url=entry.url or "")
        actor = Actor.IMPORT  # known from somebody's list, at a time that says nothing of the event itself
        if target is not None and (self.stage, target) in TABLE[rule]:
            self.move(target, moment.at, rule, actor, evidence)
        elif self.stage is None:
            self.move(Stage.DRAFT, moment.at, "number-taken", actor, evidence)

    def take_message(self, message: ThreadMessage) -> None:
        evidence = Evidence(kind="message", ref=message.message_id, line=message.subject, url=message.permalink)
        if self.stage is None:
            self.move(Stage.DRAFT, message.sent_at, "number-taken", Actor.MAIL, evidence)
        self.last_activity = message.sent_at
        if self.stage is Stage.DRAFT and message.kind is Kind.DISCUSS:
            self.move(Stage.DISCUSSION, message.sent_at, "discuss-thread", Actor.MAIL, evidence)
        elif self.stage is Stage.DORMANT:
            self.move(Stage.DISCUSSION, message.sent_at, "revived", Actor.MAIL, evidence)

    def take_vote(self, vote: Vote) -> None:
        evidence = Evidence(kind="message", ref=vote.root_message_id, line=vote.subject)
        if self.stage is None:
            self.move(Stage.DRAFT, vote.opened_at, "number-taken", Actor.MAIL, evidence)
        self.last_activity = vote.opened_at
        if self.stage not in {Stage.DRAFT, Stage.DISCUSSION, Stage.DORMANT}:
            return  # a vote on a settled proposal moves nothing by itself; `explain` asks a person
        if self.stage is Stage.DORMANT:
            self.move(Stage.DISCUSSION, vote.opened_at, "revived", Actor.MAIL, evidence)
        note = "no discussion was seen" if self.stage is Stage.DRAFT else ""
        self.vote = vote
        self.move(Stage.VOTE, vote.opened_at, "vote-thread", Actor.MAIL, evidence, note=note)

    def take_end(self, vote: Vote) -> None:
        if self.stage is Stage.VOTE and self.is_current(vote) and vote.ended_at is not None:
            rule = "vote-replaced" if vote.ended_how == "replaced" else "vote-cancelled"
            evidence = Evidence(kind="message", ref=vote.ended_message_id or vote.root_message_id, line=vote.subject)
            self.move(Stage.DISCUSSION, vote.ended_at, rule, Actor.MAIL, evidence)
            self.vote = None

    def take_ruling(self, ruling: Ruling) -> None:
        if ruling not in self.rulings:
            return
        self.last_activity = ruling.made_at
        evidence = Evidence(kind="ruling", ref=str(ruling.id), line=ruling.reason)
        if ruling.kind == "snooze":
            self.snoozed_until = datetime.fromisoformat(str(ruling.value["until"]))
        elif ruling.kind == "stage":
            target = Stage(str(ruling.value["stage"]))
            if target is not self.stage:
                self.move(target, ruling.made_at, "override", Actor.OPERATOR, evidence, note=f"by {ruling.author}")
        elif self.stage is Stage.VOTE:
            self.try_to_close(ruling.made_at)

    # -- closing a vote ------------------------------------------------------------------------
    def try_to_close(self, at: datetime) -> None:
        """Accept or reject the current vote if, at `at`, every condition for it is met."""
        if self.vote is None:
            return
        self.waits_for = None
        terms = self.terms(self.vote)
        state = judge_vote(self.vote, terms, self.policy, self.rulings, at)
        if at < terms.earliest_close:
            return
        declared = state.vote.declared
        announced = declared is not None and declared.outcome == "passed"
        ripe = self.policy.clock_after is not None and at >= terms.earliest_close + self.policy.clock_after
        refused = declared is not None and declared.outcome == "failed"
        untold = declared is None or declared.outcome is None
        accepts = state.outcome is Outcome.PASSED and (announced or (ripe and untold))
        if not (accepts or refused or state.outcome is Outcome.FAILED):
            return
        gap = is_covered(self.facts.coverage, self.vote.opened_at, at)
        if gap is not None:
            self.waits_for = gap
            return
        evidence = self.closing_evidence(state)
        if state.outcome is Outcome.FAILED:
            self.move(Stage.REJECTED, at, "voted-down", Actor.CLOCK, *evidence)
        elif refused:
            self.move(Stage.REJECTED, at, "result-rejects", Actor.MAIL, *evidence)
        elif announced:
            self.move(Stage.ACCEPTED, at, "result-agrees", Actor.MAIL, *evidence)
        else:
            self.move(Stage.ACCEPTED, at, "clock-accepts", Actor.CLOCK, *evidence)

    def closing_evidence(self, state: VoteState) -> list[Evidence]:
        found: list[Evidence] = []
        if state.vote.declared is not None:
            declared = state.vote.declared
            found.append(Evidence(kind="message", ref=declared.message_id, line=declared.line))
        else:
            found.append(Evidence(kind="message", ref=state.vote.root_message_id, line=state.vote.subject))
        found.extend(
            Evidence(kind="ballot", ref=b.message_id, line=f"{b.name}: {b.line}")
            for b in state.vote.ballots
            if b.binding and b.status is BallotStatus.COUNTED
        )
        return found

    def is_current(self, vote: Vote) -> bool:
        return self.vote is not None and self.vote.root_message_id == vote.root_message_id

    def move(self, target: Stage, at: datetime, rule: str, actor: Actor, *evidence: Evidence, note: str = "") -> None:
        if rule != "override" and (self.stage, target) not in TABLE[rule]:
            raise IllegalTransition(number=self.facts.proposal.number, source=self.stage or "nothing", target=target)
        self.history.append(
            Transition(
                number=self.facts.proposal.number,
                source=self.stage,
                target=target,
                at=at,
                rule=rule,
                actor=actor,
                policy_version=self.policy.version,
                evidence=evidence,
                note=note,
            )
        )
        self.stage, self.since = target, at
        if target is not Stage.VOTE:
            self.vote = None
