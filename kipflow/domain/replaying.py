"""One pass over a proposal's facts in order of time, with the clock striking between them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from kipflow.domain.arrivals import say_dated
from kipflow.domain.care import find_own_page, is_of, standing
from kipflow.domain.claims import find_claim
from kipflow.domain.clocks import VoteState, VoteTerms, after, find_terms, is_covered, judge_vote
from kipflow.domain.closing import find_closing, find_ending, is_contradicted
from kipflow.domain.ends import find_accepted, with_ending_rulings
from kipflow.domain.errors import IllegalTransition
from kipflow.domain.events import Actor, Evidence, Stage, Transition
from kipflow.domain.facts import (
    IndexEntry,
    Kind,
    PageVersion,
    ProposalFacts,
    Ruling,
    SilenceWarning,
    StatusWord,
    ThreadMessage,
)
from kipflow.domain.moments import Moment, Order, find_moments
from kipflow.domain.policy import PageChanges, Policy
from kipflow.domain.ruled import find_choice_of_stage, find_until
from kipflow.domain.silence import Silence
from kipflow.domain.stages import BY_PERSON, OPEN_STAGES, STAGE_OF_SECTION, TABLE
from kipflow.domain.tally import Outcome
from kipflow.domain.votes import EndKind, Vote

#: Stages that nothing but a person leaves again.
SETTLED_STAGES = frozenset({Stage.ACCEPTED, Stage.REJECTED, Stage.DISCARDED})


class Replay:
    """One pass over a proposal's facts (`moments.in_order`). Used once, then thrown away.

    `vote` is the poll that runs in stage Vote, `amendment` one on a proposal that was accepted already,
    `asleep` one during which the proposal went dormant. `closed` are the polls that rules have decided: an
    operator who puts one back to a vote has the last word on it. `reopening` is a discussion that was
    started after the proposal had been settled.
    """

    def __init__(self, *, facts: ProposalFacts, policy: Policy, as_of: datetime) -> None:
        self.facts, self.policy, self.as_of = facts, policy, as_of
        self.rulings = standing(facts.rulings, as_of)
        self.warnings = tuple(_as_known(w, as_of) for w in facts.warnings if w.as_of <= as_of)
        self.now = as_of
        self.stage: Stage | None = None
        self.since = as_of
        self.history: list[Transition] = []
        self.vote: Vote | None = None
        self.amendment: Vote | None = None
        self.asleep: Vote | None = None
        self.closed: set[str] = set()
        self.obeyed: set[str] = set()  # mails whose claim that a vote ended was made good
        self.reopening: ThreadMessage | None = None
        self.kept_at: datetime | None = None  # when a person last said that the stage stays what it is
        self.page_word: StatusWord | None = None
        self.last_activity: datetime | None = None
        self.snoozed_until: datetime | None = None
        self.waits_for: str | None = None  # why a vote that is ripe by its ballots is not decided yet
        self.claim = find_claim(facts, as_of)
        self.overtaken = False  # a person ruled while rules waited for mail: once it is read, they may have come first

    # -- the loop ------------------------------------------------------------------------------
    def run(self) -> None:
        pending = sorted(m for m in find_moments(self.facts) if m.at <= self.as_of)
        self.now = pending[0].at if pending else self.as_of
        asked: set[datetime] = set()
        index = 0
        while True:
            fact = pending[index] if index < len(pending) else None
            limit = fact.at if fact is not None else self.as_of
            clock = next((t for t in self.clock_moments() if t not in asked and self.now <= t <= limit), None)
            # facts of the very moment a clock strikes are heard first
            if clock is not None and (fact is None or clock < fact.at):
                asked.add(clock)
                self.now = clock
                self.strike()
            elif fact is not None:
                index += 1
                self.now = fact.at
                self.take(fact)
            else:
                self.now = self.as_of
                return

    def clock_moments(self) -> list[datetime]:
        """The moments at which time alone may change something, from the state reached so far."""
        moments: list[datetime] = []
        running = self.running()
        if running is not None and running.root_message_id not in self.closed:
            earliest = self.terms(running).earliest_close
            moments.append(earliest)
            if self.policy.clock_after is not None:
                moments.append(after(earliest, self.policy.clock_after))
        dormant_at = self.dormant_at()
        if dormant_at is not None and not self.policy.dormancy_by_person:
            moments.append(dormant_at)
        return sorted(moments)

    def running(self) -> Vote | None:
        """The poll whose end is awaited: the vote itself, or one on an amendment."""
        return self.vote or self.amendment

    def terms(self, vote: Vote) -> VoteTerms:
        return find_terms(self.facts, vote, self.policy, self.now)

    def judge(self, vote: Vote) -> VoteState:
        """The vote as it stands at the moment that the replay has reached."""
        return judge_vote(vote, self.terms(vote), self.policy, self.rulings, self.now)

    # -- silence -------------------------------------------------------------------------------
    def quiet_since(self) -> datetime:
        return max(self.last_activity or self.since, self.since)

    def silent_at(self) -> datetime | None:
        """When the silence becomes long enough to warn the author."""
        if self.stage not in {Stage.DISCUSSION, Stage.VOTE} or self.policy.dormant_after is None:
            return None
        silent = after(self.quiet_since(), self.policy.dormant_after)
        return silent if self.snoozed_until is None else max(silent, self.snoozed_until)

    def silence(self) -> Silence | None:
        """What the silence of this moment comes to, if nothing ends it."""
        silent = self.silent_at()
        if silent is None:
            return None
        return Silence(
            quiet_since=self.quiet_since(),
            silent_at=silent,
            snoozed_until=self.snoozed_until,
            followed_since=self.facts.followed_since or self.as_of,
        )

    def warning(self) -> SilenceWarning | None:
        """The warning of this silence, if one was written."""
        silence = self.silence()
        return None if silence is None else silence.find_warning(self.warnings, self.policy)

    def told_at(self) -> datetime | None:
        """When its author learned of this silence; None: nobody was warned yet."""
        silence, warning = self.silence(), self.warning()
        if silence is None or warning is None:
            return None
        told = silence.find_told(warning, self.policy)
        return None if told is None or told > self.now else told

    def dormant_at(self) -> datetime | None:
        """When this silence makes dormant; None also where its author must be warned first."""
        silence = self.silence()
        return None if silence is None else silence.find_dormancy(self.warning(), self.policy)

    def find_unwarned(self) -> Silence | None:
        """The silence that its author must be warned of now: long enough, proved, and about to end something."""
        silence = self.silence()
        if self.claim is not None and not self.claim.is_real:
            return None  # who made a number up is warned of nothing
        if silence is None or not silence.owes_warning(self.warning(), self.policy, self.now):
            return None
        if self.silence_unproven(silence.silent_at) is not None or self.waits_for_a_word():
            return None
        return silence

    def silence_unproven(self, until: datetime) -> str | None:
        """Why it can't be said that nobody wrote until then: mail is missing, or the silence is not over."""
        return is_covered(self.facts.coverage, self.quiet_since(), until)

    def strike(self) -> None:
        self.try_to_close()
        dormant_at = self.dormant_at()
        if dormant_at is None or dormant_at > self.now or self.policy.dormancy_by_person:
            return
        if self.silence_unproven(dormant_at) is not None:
            return
        if self.waits_for_a_word():
            return
        evidence = Evidence(kind="clock", ref=(self.last_activity or self.since).isoformat())
        self.move(Stage.DORMANT, "silence", Actor.CLOCK, evidence)

    def waits_for_a_word(self) -> bool:
        """Whether the vote passed, or its announcement says the opposite of the ballots: silence ends neither.

        What has passed is owed its announcement, what was announced otherwise an answer: `explain` asks a person.
        """
        if self.vote is None:
            return False
        state = self.judge(self.vote)
        return state.outcome is Outcome.PASSED or is_contradicted(state, self.now)

    # -- facts ---------------------------------------------------------------------------------
    def take(self, moment: Moment) -> None:
        match moment.order, moment.what:
            case Order.PAGE, page:
                self.take_page(page)
            case Order.INDEX, IndexEntry() as entry:
                self.take_index(entry)
            case Order.MESSAGE, ThreadMessage() as message:
                self.take_message(message)
            case Order.VOTE_OPENED, Vote() as vote:
                self.take_vote(vote)
            case Order.VOTE_ENDED, Vote() as vote:
                self.take_end(vote)
            case Order.RULING, Ruling() as ruling:
                self.take_ruling(ruling)
            case _, (Vote() as vote, _):
                self.take_word_in(vote)

    def take_page(self, page: object) -> None:
        if not isinstance(page, PageVersion):
            if self.stage is None:
                self.move(Stage.DRAFT, "page-created", Actor.PAGE, Evidence(kind="page", ref=self.facts.key))
            return
        if not is_of(page, self.facts.proposal.number):
            return  # before the page bore this number, or after it was given another
        ref = f"{page.page_id}@{page.version}"
        if self.stage is None:
            evidence = Evidence(kind="page", ref=ref, line=page.title, url=page.url)
            self.move(Stage.DRAFT, "page-created", Actor.PAGE, evidence)
        known = (p for p in self.facts.pages if p.saved_at <= self.now)
        if page.page_id != find_own_page(known, self.facts.proposal.number):
            return  # a number taken twice: `explain` asks a person
        self.last_activity = self.now
        # saved again with the same word, it says nothing new: an operator may have restored the proposal since
        said_before, self.page_word = self.page_word, page.status
        if page.status is StatusWord.DISCARDED is not said_before and self.stage in OPEN_STAGES:
            evidence = Evidence(kind="page", ref=ref, line=f"Current state: {page.status_text}", url=page.url)
            self.move(Stage.DISCARDED, "page-discarded", Actor.PAGE, evidence)
        if self.policy.page_changes is PageChanges.ASK:
            self.try_to_close()  # what kept the vote open may have been taken back

    def take_index(self, entry: IndexEntry) -> None:
        if entry.origin == "page" and self.stage is not None:
            return  # the wiki's row is a baseline only where nothing else is known; elsewhere it can drift
        rule = "index-import" if entry.origin == "import" else "index-row"
        target = STAGE_OF_SECTION.get(entry.section)
        # an import is the baseline of what no mail tells; where a vote was seen by then, the vote speaks
        known_by = max(entry.seen_at, self.now)
        if any(v.opened_at <= known_by for v in self.facts.votes) or target in (None, self.stage):
            target = None
        evidence = Evidence(kind="index", ref=self.facts.key, line=entry.title, url=entry.url or "")
        actor = Actor.IMPORT  # known from somebody's list, at a time that says nothing of the event itself
        if target is not None and (self.stage, target) in TABLE[rule]:
            self.move(target, rule, actor, evidence)
        elif self.stage is None:
            self.move(Stage.DRAFT, "number-taken", actor, evidence)

    def take_message(self, message: ThreadMessage) -> None:
        evidence = Evidence(kind="message", ref=message.message_id, line=message.subject, url=message.permalink)
        if self.stage is None:
            self.move(Stage.DRAFT, "number-taken", Actor.MAIL, evidence)
        self.last_activity = self.now
        if self.stage is Stage.DRAFT and message.kind is Kind.DISCUSS:
            self.move(Stage.DISCUSSION, "discuss-thread", Actor.MAIL, evidence)
        elif self.stage is Stage.DORMANT:
            self.move(Stage.DISCUSSION, "revived", Actor.MAIL, evidence)
        elif self.stage in SETTLED_STAGES and message.kind is Kind.DISCUSS and not message.is_reply:
            self.reopening = message
        if message.kind in {Kind.VOTE, Kind.RESULT} and message.is_reply and self.asleep is not None:
            self.resume(self.asleep, evidence)

    def take_vote(self, vote: Vote) -> None:
        evidence = Evidence(kind="message", ref=vote.root_message_id, line=vote.subject)
        if self.stage is None:
            self.move(Stage.DRAFT, "number-taken", Actor.MAIL, evidence)
        self.last_activity = self.now
        if self.is_contested(vote):
            return  # beside a round that runs, by nobody who may replace it: `questions` asks a person
        if vote.ended_at is not None and vote.ended_at <= vote.opened_at:
            return  # clocks of mail programs go wrong: a round that ended before it began never ran
        if vote.root_message_id in self.closed or is_same(vote, self.running()):
            return
        if vote.root_missing and self.stage in {Stage.VOTE, *SETTLED_STAGES}:
            return  # a stray answer whose thread is not held is no new round
        if self.stage is Stage.ACCEPTED:
            self.amendment = vote
            return
        if self.stage in SETTLED_STAGES:
            return  # a vote on a settled proposal moves nothing by itself; `explain` asks a person
        if self.stage is Stage.DORMANT:
            self.move(Stage.DISCUSSION, "revived", Actor.MAIL, evidence)
        if self.stage is Stage.VOTE and self.vote is None:
            self.vote = vote  # an operator said Vote before there was one
            return
        if self.stage is Stage.VOTE:
            self.move(Stage.DISCUSSION, "vote-replaced", Actor.MAIL, evidence)
        unseen = "no discussion was seen" if self.stage is Stage.DRAFT else ""
        note = "; ".join(filter(None, (unseen, say_dated(vote.opened_at, vote.dated_at))))
        self.vote = vote
        self.move(Stage.VOTE, "vote-thread", Actor.MAIL, evidence, note=note)

    def is_contested(self, vote: Vote) -> bool:
        """Whether nobody's word has made good by now that a round takes the place of one that runs."""
        contested = with_ending_rulings(vote, self.rulings).contested
        if contested is None:
            return False
        return not contested.accepted or contested.settled_at is None or contested.settled_at > self.now

    def obey_accepted_ends(self) -> None:
        """Call off and replace what a person's word has made good by now."""
        for vote in self.facts.votes:
            for end in find_accepted(with_ending_rulings(vote, self.rulings), self.now):
                if end.kind is EndKind.CLOSED or end.message_id in self.obeyed:
                    continue
                self.obeyed.add(end.message_id)
                self.take_end(replace(vote, ended_how=str(end.kind), ended_message_id=end.message_id))
                for later in (v for v in self.facts.votes if v.root_message_id == end.message_id):
                    self.take_vote(later)

    def take_end(self, vote: Vote) -> None:
        if is_same(vote, self.asleep):
            self.asleep = None
        if is_same(vote, self.amendment):
            self.amendment = self.waits_for = None
        elif self.stage is Stage.VOTE and is_same(vote, self.vote):
            rule = "vote-replaced" if vote.ended_how == "replaced" else "vote-cancelled"
            self.move(Stage.DISCUSSION, rule, Actor.MAIL, find_ending(vote, self.facts))

    def take_word_in(self, vote: Vote) -> None:
        """A ballot or an announcement in `vote`: it can wake it, and it can end it."""
        self.last_activity = max(self.last_activity or self.now, self.now)
        evidence = Evidence(kind="message", ref=vote.root_message_id, line=vote.subject)
        if self.stage is Stage.DORMANT:
            self.move(Stage.DISCUSSION, "revived", Actor.MAIL, evidence)
        if is_same(vote, self.asleep):
            self.resume(vote, evidence)
        if is_same(vote, self.running()):
            self.try_to_close()

    def resume(self, vote: Vote, evidence: Evidence) -> None:
        """A vote that slept goes on: it was never ended, so its ballots still count."""
        if self.stage is Stage.DISCUSSION:
            self.vote = vote
            self.move(Stage.VOTE, "vote-resumed", Actor.MAIL, evidence)

    def take_ruling(self, ruling: Ruling) -> None:
        if ruling not in self.rulings:
            return
        self.overtaken = self.overtaken or self.is_waiting_for_mail()
        target = find_choice_of_stage(ruling, self.history)
        if ruling.kind == "snooze":
            self.snoozed_until = find_until(ruling) or self.snoozed_until
        elif target is not None:
            self.last_activity = self.now
            self.overrule(target, ruling)
        self.obey_accepted_ends()
        self.try_to_close()

    def is_waiting_for_mail(self) -> bool:
        """Whether the rules could have spoken by now, had the mail of that time been read."""
        dormant_at = None if self.policy.dormancy_by_person else self.dormant_at()
        asleep = dormant_at is not None and dormant_at <= self.now and self.silence_unproven(dormant_at) is not None
        return asleep or self.waits_for is not None

    def overrule(self, target: Stage, ruling: Ruling) -> None:
        if target is self.stage:
            self.kept_at, self.reopening = self.now, None
            return
        if target in SETTLED_STAGES and self.vote is not None:
            self.closed.add(self.vote.root_message_id)
        if target is Stage.VOTE:
            self.vote = self.find_open_vote(decided_too=True)
        evidence = Evidence(kind="ruling", ref=str(ruling.id), line=ruling.reason)
        rule = "restored" if ruling.kind == "restore" else "override"
        self.move(target, rule, Actor.OPERATOR, evidence, note=f"by {ruling.author}")

    def find_open_vote(self, *, decided_too: bool = False) -> Vote | None:
        """The newest vote that was opened by now and neither called off, replaced nor (unless asked) decided."""
        for vote in reversed(self.facts.votes):
            if vote.opened_at > self.now or (vote.ended_at is not None and vote.ended_at <= self.now):
                continue
            if (decided_too or vote.root_message_id not in self.closed) and not self.is_contested(vote):
                return vote
        return None

    # -- closing a vote ------------------------------------------------------------------------
    def try_to_close(self) -> None:
        """Accept or reject the running vote if every condition for it is met now."""
        vote = self.running()
        if vote is None or vote.root_message_id in self.closed or (self.claim is not None and self.claim.holds):
            return
        self.waits_for = None
        if self.now < after(vote.opened_at, self.policy.voting_period):
            return  # no care shortens the period: thousands of ballots within it need no judging each
        closing = find_closing(self.judge(vote), self.policy, self.now)
        if closing is None:
            return
        gap = is_covered(self.facts.coverage, vote.opened_at, self.now)
        if gap is not None:
            self.waits_for = gap
            return
        self.closed.add(vote.root_message_id)
        if self.vote is None:
            rule = "amended" if closing.passes else "amendment-failed"
            self.amendment = None
            self.move(Stage.ACCEPTED, rule, closing.actor, *closing.evidence, note=closing.note)
        else:
            target = Stage.ACCEPTED if closing.passes else Stage.REJECTED
            self.move(target, closing.rule, closing.actor, *closing.evidence, note=closing.note)

    def move(self, target: Stage, rule: str, actor: Actor, *evidence: Evidence, note: str = "") -> None:
        if rule not in BY_PERSON and (self.stage, target) not in TABLE[rule]:
            raise IllegalTransition(number=self.facts.proposal.number, source=self.stage or "nothing", target=target)
        self.history.append(
            Transition(
                number=self.facts.proposal.number,
                source=self.stage,
                target=target,
                at=self.now,
                rule=rule,
                actor=actor,
                policy_version=self.policy.version,
                evidence=evidence,
                note=note,
            )
        )
        if target is not self.stage:
            # silence in discussion after that lets the vote go for good
            self.asleep = self.vote if target is Stage.DORMANT else self.asleep
            self.stage, self.since = target, self.now
            self.waits_for = self.reopening = None
        if target is not Stage.VOTE:
            self.vote = None
        if target not in {Stage.DORMANT, Stage.DISCUSSION} or (rule in BY_PERSON and target is Stage.DISCUSSION):
            self.asleep = None
        if target is not Stage.ACCEPTED:
            self.amendment = None


def _as_known(warning: SilenceWarning, as_of: datetime) -> SilenceWarning:
    """The warning as it was at `as_of`, perhaps not delivered yet."""
    is_later = warning.delivered_at is not None and warning.delivered_at > as_of
    return replace(warning, delivered_at=None) if is_later else warning


def is_same(one: Vote, other: Vote | None) -> bool:
    return other is not None and one.root_message_id == other.root_message_id
