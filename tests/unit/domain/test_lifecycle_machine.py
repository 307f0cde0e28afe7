"""Facts in any order and at any time, decisions taken in between: the history stays lawful, grows only, and replays.

The machine plays an archive that is late and mended, a wiki that is saved, operators who rule and revoke, and a
scheduler that decides whenever it likes, dies before it has stored anything, and is started again.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, precondition, rule

from kipflow.domain.clocks import is_covered
from kipflow.domain.decisions import PROMPT, Decision, make_warning
from kipflow.domain.events import Stage, Transition, effective, reconcile
from kipflow.domain.facts import Coverage, MailKind, ProposalFacts, SilenceWarning
from kipflow.domain.lifecycle import decide
from kipflow.domain.pages import IndexEntry, PageAbsence, StatusWord, TicketState
from kipflow.domain.policy import Care, Policy, VotingRule
from kipflow.domain.stages.table import BY_PERSON, TABLE
from kipflow.domain.votes import Ballot, BallotStatus, Choice, Declared, Vote
from tests.examples import examples
from tests.unit.domain.building import START, ballot, facts, mail, page, poll, ruling

BY_VOTE = {"result-agrees", "clock-accepts", "amended"}

policies = st.builds(
    Policy,
    version=st.just("drawn-1"),
    binding_roles=st.just(frozenset({"committer"})),
    rule=st.sampled_from(list(VotingRule)),
    quorum=st.integers(0, 3),
    voting_period=st.sampled_from([timedelta(0), timedelta(days=3)]),
    clock_after=st.sampled_from([None, timedelta(0), timedelta(days=7)]),
    dormant_after=st.sampled_from([None, timedelta(days=20)]),
    grace=st.sampled_from([timedelta(0), timedelta(days=5)]),
    dormancy_by_person=st.booleans(),
    care=st.sampled_from([(), (Care(interface="log-format", voting_period=timedelta(days=5), quorum=4, reviewers=1),)]),
)
#: How far back a fact lies when it comes to be known, in hours; most are seen as they happen.
ages = st.one_of(st.just(0), st.integers(0, 12), st.integers(0, 24 * 60))


class Proposal(RuleBasedStateMachine):
    """One proposal, the archive and wiki that mention it, and what kipflow has stored."""

    votes = Bundle("votes")
    rulings = Bundle("rulings")

    def __init__(self) -> None:
        super().__init__()
        self.policy = Policy(version="drawn-0", binding_roles=frozenset({"committer"}))
        self.hour = 24 * 100
        self.serial = 0
        self.known: dict[str, Any] = {
            "pages": [],
            "absences": [],
            "index_entries": [],
            "messages": [],
            "tickets": [],
            "rulings": [],
        }
        self.polls: dict[str, Vote] = {}
        self.gaps: set[str] = set()
        self.read_at = self.now()
        self.stored: tuple[Transition, ...] = ()
        self.decided_at: datetime | None = None
        self.warnings: list[SilenceWarning] = []
        self.followed_since: datetime | None = None
        self.reached: set[Stage] = set()

    # -- time and what is known --------------------------------------------------------------------
    def now(self) -> datetime:
        return START + timedelta(hours=self.hour)

    def when(self, age: int) -> datetime:
        return self.now() - timedelta(hours=age)

    def day(self, age: int) -> float:
        return (self.hour - age) / 24

    def next(self) -> int:
        self.serial += 1
        return self.serial

    def facts(self) -> ProposalFacts:
        coverage = Coverage(
            complete_through=self.read_at, gaps=tuple((month, "dev: truncated") for month in sorted(self.gaps))
        )
        return facts(
            coverage=coverage,
            votes=tuple(self.polls.values()),
            warnings=tuple(self.warnings),
            followed_since=self.followed_since,
            **{name: tuple(values) for name, values in self.known.items()},
        )

    # -- facts come -----------------------------------------------------------------------------------
    @rule(policy=policies)
    def change_policy(self, policy: Policy) -> None:
        self.policy = policy

    @rule(hours=st.one_of(st.integers(0, 6), st.integers(0, 24 * 40)))
    def pass_time(self, hours: int) -> None:
        self.hour += hours

    @rule()
    def read_archive(self) -> None:
        self.read_at = self.now()

    @rule(months=st.integers(0, 2))
    def break_month(self, months: int) -> None:
        self.gaps.add(f"{self.now() - timedelta(days=30 * months):%Y-%m}")

    @rule()
    def complete_months(self) -> None:
        self.gaps.clear()

    @rule(age=ages, kind=st.sampled_from(list(MailKind)), reply=st.booleans())
    def send_mail(self, age: int, kind: MailKind, reply: bool) -> None:
        sent = replace(mail(self.day(age), kind, reply=reply), message_id=f"<m{self.next()}@x.example>")
        self.known["messages"].append(sent)

    @rule(
        age=ages,
        status=st.sampled_from(list(StatusWord)),
        page_id=st.sampled_from(["p7", "p7", "p8"]),
        touched=st.sampled_from([(), ("log-format",)]),
    )
    def save_page(self, age: int, status: StatusWord, page_id: str, touched: tuple[str, ...]) -> None:
        version = replace(page(self.day(age), status, version=self.next(), interfaces=touched), page_id=page_id)
        self.known["pages"].append(version)

    @rule(age=ages, back=st.booleans())
    def lose_page(self, age: int, back: bool) -> None:
        gone = PageAbsence(
            page_id="p7",
            since=self.when(age),
            why="not found",
            asked_at=self.now(),
            until=self.now() if back else None,
        )
        self.known["absences"].append(gone)

    @rule(age=ages, section=st.sampled_from(["accepted", "discussion", "dormant", "discarded", "unknown"]))
    def list_in_index(self, age: int, section: str) -> None:
        entry = IndexEntry(number=7, title="Faster fences", section=section, seen_at=self.when(age), origin="page")
        self.known["index_entries"].append(entry)

    @rule(age=ages, resolution=st.sampled_from([None, "Fixed", "Won't Fix"]))
    def move_ticket(self, age: int, resolution: str | None) -> None:
        ticket = TicketState(
            key="SHED-1", status="Any", resolution=resolution, fix_versions=("4.1",), seen_at=self.when(age)
        )
        self.known["tickets"].append(ticket)

    @rule(target=votes, age=ages, missing=st.sampled_from([False, False, False, True]))
    def open_vote(self, age: int, missing: bool) -> str:
        number = self.next()
        vote = poll(self.day(age), round=number, root_missing=missing)
        self.polls[vote.root_message_id] = vote
        return vote.root_message_id

    @rule(
        vote=votes,
        age=ages,
        voter=st.sampled_from(["ada", "bo", "cy", "di"]),
        choice=st.sampled_from([Choice.FOR, Choice.FOR, Choice.FOR, Choice.ABSTAIN, Choice.AGAINST]),
        status=st.sampled_from([BallotStatus.COUNTED] * 5 + [BallotStatus.REVIEW, BallotStatus.WITHDRAWN]),
        binding=st.sampled_from([True, True, True, False]),
    )
    def cast(self, vote: str, age: int, voter: str, choice: Choice, status: BallotStatus, binding: bool) -> None:
        found = self.polls[vote]
        cast_at = max(self.when(age), found.opened_at)
        new = replace(
            ballot(voter, 0, choice, binding=binding, status=status),
            cast_at=cast_at,
            message_id=f"<b{self.next()}@x.example>",
        )
        self.polls[vote] = replace(found, ballots=(*found.ballots, new))

    @rule(vote=votes)
    def cast_three(self, vote: str) -> None:
        for voter in ("ada", "bo", "cy"):
            self.cast(vote, 0, voter, Choice.FOR, BallotStatus.COUNTED, True)

    @rule(target=votes, choice=st.sampled_from([Choice.FOR, Choice.FOR, Choice.AGAINST]), is_stated=st.booleans())
    def hold_vote(self, choice: Choice, is_stated: bool) -> str:
        """A whole vote at once, opened eight days ago."""
        vote = str(self.open_vote(24 * 8, False))
        for voter in ("ada", "bo", "cy", "di"):
            self.cast(vote, 24 * 6, voter, choice, BallotStatus.COUNTED, True)
        if is_stated:
            self.announce(vote, 0, "passed" if choice is Choice.FOR else "failed")
        return vote

    @rule(vote=votes, age=ages, outcome=st.sampled_from(["passed", "passed", "failed", "cancelled", None]))
    def announce(self, vote: str, age: int, outcome: str | None) -> None:
        said = Declared(
            by="Nia", message_id=f"<r{self.next()}@x.example>", announced_at=self.when(age), outcome=outcome
        )
        self.polls[vote] = replace(self.polls[vote], declared=said)

    @rule(vote=consumes(votes), age=ages, how=st.sampled_from(["cancelled", "replaced"]))
    def end_vote(self, vote: str, age: int, how: str) -> None:
        self.polls[vote] = replace(self.polls[vote], ended_at=self.when(age), ended_how=how)

    @rule(
        target=rulings,
        kind=st.sampled_from(["stage", "stage", "snooze", "restore", "care", "ballot"]),
        stage=st.sampled_from(list(Stage)),
        choice=st.sampled_from(["+1", "-1", "none"]),
        pick=st.integers(0, 20),
    )
    def make_ruling(self, kind: str, stage: Stage, choice: str, pick: int) -> int:
        ballots = [b for v in self.polls.values() for b in v.ballots]
        value: Any = {
            "stage": {"stage": stage.value},
            "snooze": {"until": (self.now() + timedelta(days=30)).isoformat()},
            "restore": {},
            "care": [{"interfaces": ["log-format"]}, {"interfaces": []}, {"reviewer": "Bo"}][pick % 3],
            "ballot": {"choice": choice},
        }[kind]
        about = ballots[pick % len(ballots)].message_id if kind == "ballot" and ballots else "KIP-7"
        made = replace(ruling(0, kind, id=self.next(), target=about, **value), made_at=self.now())
        self.known["rulings"].append(made)
        return made.id or 0

    @rule(made=consumes(rulings))
    def revoke(self, made: int) -> None:
        self.known["rulings"] = [
            replace(r, revoked_at=self.now()) if r.id == made else r for r in self.known["rulings"]
        ]

    # -- decisions are taken --------------------------------------------------------------------------
    def decide(self, as_of: datetime | None = None) -> Decision | None:
        decision = decide(self.facts(), self.policy, as_of or self.now())
        if decision is not None:
            check_law(decision, self.facts(), self.policy)
        return decision

    @rule(behind=st.sampled_from([0, 0, 0, 5, 24 * 30]))
    def decide_and_store(self, behind: int) -> None:
        """A run, on time or for a past date, that warns first where the decision says that a warning is required."""
        as_of = max(self.when(behind), self.decided_at or self.when(behind))
        decision, before = self.decide(as_of), self.stored
        if decision is not None and decision.unwarned is not None:
            self.warn(decision, as_of)
            decision = self.decide(as_of)
        derived = decision.history if decision is not None else ()
        if decision is None and not before:
            return
        self.stored = (*before, *reconcile(before, derived))
        self.decided_at, self.followed_since = as_of, self.followed_since or self.now()
        assert self.stored[: len(before)] == before, "entries are only ever added"
        assert [replace(t, repeat=0).id for t in effective(self.stored)] == [t.id for t in derived]
        assert len({t.id for t in self.stored}) == len(self.stored), "every entry has a name of its own"
        assert reconcile(self.stored, derived) == (), "running again adds nothing"
        self.reached |= {t.target for t in derived}

    def warn(self, decision: Decision, as_of: datetime) -> None:
        assert decision.unwarned is not None
        given = make_warning(
            decision.unwarned, self.policy, as_of=as_of, recorded_at=self.now(), followed_since=self.followed_since
        )
        assert given.silent_at not in {w.silent_at for w in self.warnings}, "each silence is warned of once"
        self.warnings.append(given)
        after = decide(self.facts(), self.policy, as_of)
        assert after is not None
        assert after.unwarned is None

    @rule()
    def deliver_warnings(self) -> None:
        """What is not history by now reaches its author."""
        since = self.followed_since or self.now()
        self.warnings = [
            replace(w, delivered_at=self.now()) if w.delivered_at is None and (w.due_at or since) >= since else w
            for w in self.warnings
        ]

    @rule()
    def decide_and_die(self) -> None:
        self.decide()

    @rule()
    def stay_away_and_come_back(self) -> None:
        """Nobody decides for longer than any silence needs, and all mail is there at the end."""
        self.gaps.clear()
        self.decide_and_store(0)
        self.hour += 24 * 60
        self.read_archive()
        self.decide_and_store(0)

    @rule(shuffle=st.randoms())
    def hand_facts_over_in_another_order(self, shuffle: Random) -> None:
        known = self.facts()

        def mixed(values: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(shuffle.sample(values, len(values)))

        others: dict[str, Any] = {name: mixed(getattr(known, name)) for name in self.known}
        other = replace(
            known,
            votes=mixed(tuple(replace(v, ballots=mixed(v.ballots)) for v in known.votes)),
            warnings=mixed(known.warnings),
            **others,
        )
        assert decide(other, self.policy, self.now()) == decide(known, self.policy, self.now())

    @precondition(lambda self: not any(r.revoked_at for r in self.known["rulings"]))
    @rule(hours=st.integers(0, 24 * 60))
    def look_back(self, hours: int) -> None:
        now, then = self.decide(), decide(self.facts(), self.policy, self.now() - timedelta(hours=hours))
        if now is not None and then is not None:
            assert then.history == now.history[: len(then.history)], "the past is the beginning of the present"

    @rule(share=st.floats(0, 1, exclude_max=True))
    def wait_for_the_deadline(self, share: float) -> None:
        decision = self.decide()
        if decision is None or decision.next_deadline is None or decision.next_deadline <= self.now():
            return
        moment = self.now() + (decision.next_deadline - self.now()) * share
        if moment < decision.next_deadline:
            before = decide(self.facts(), self.policy, moment)
            assert before is not None
            assert before.history == decision.history, "nothing changes before the deadline that was announced"
            assert before.review == decision.review
            assert before.warned_at == decision.warned_at

    @invariant()
    def a_stored_acceptance_was_lawful(self) -> None:
        standing = effective(self.stored)
        assert all(a.target is b.source for a, b in itertools.pairwise(standing))


def check_law(decision: Decision, known: ProposalFacts, policy: Policy) -> None:
    """The history goes by the table, forward in time, and every acceptance by vote had its quorum then."""
    at: datetime | None = None
    stage: Stage | None = None
    for move in decision.history:
        assert move.source is stage
        assert move.rule in BY_PERSON or (move.source, move.target) in TABLE[move.rule]
        assert at is None or at <= move.at <= decision.as_of
        assert move.evidence
        assert move.policy_version == policy.version
        if move.rule in BY_VOTE:
            check_acceptance(move, known, policy)
        if move.rule == "silence":
            check_dormancy(move, known, policy, decision.as_of)
        at, stage = move.at, move.target
    assert stage is decision.stage
    assert decision.next_deadline is None or decision.next_deadline >= decision.as_of
    assert all(line and line == " ".join(line.split()) for line in decision.missing)


def check_dormancy(move: Transition, known: ProposalFacts, policy: Policy, as_of: datetime) -> None:
    """It fell due before anybody followed the proposal, or a warning was recorded the whole grace before."""
    if move.at <= (known.followed_since or as_of):
        return
    kept = [w for w in known.warnings if w.recorded_at + policy.grace <= move.at + PROMPT]
    assert any(w.due_at is None or w.due_at <= move.at for w in kept)
    spoken = [m.arrived_at for m in known.messages if m.arrived_at < move.at]
    assert all(w.as_of >= max(spoken, default=w.as_of) for w in kept[-1:]), "nobody wrote after the warning"


def check_acceptance(move: Transition, known: ProposalFacts, policy: Policy) -> None:
    """Counted again by other means: the votes of that moment, and whether all mail up to it is held."""
    leads = {move.evidence[0].ref}
    vote = next(v for v in known.votes if {v.root_message_id, v.declared.message_id if v.declared else ""} & leads)
    counted = count_by_hand(vote, policy, known, move.at)
    assert counted[0] >= policy.quorum
    majority = {VotingRule.LAZY_CONSENSUS: counted[1] == 0, VotingRule.TWO_THIRDS: counted[0] >= max(1, 2 * counted[1])}
    assert majority.get(policy.rule, counted[0] > counted[1])
    assert is_covered(known.coverage, vote.opened_at, move.at) is None
    assert move.at >= vote.opened_at + policy.voting_period
    assert vote.ended_at is None or vote.ended_at > move.at or vote.ended_at <= vote.opened_at


def count_by_hand(vote: Vote, policy: Policy, known: ProposalFacts, at: datetime) -> tuple[int, int]:
    """Binding +1 and -1 that stood at `at`: of each voter the newest, a person's word before the reading's."""
    said = {
        r.target: str(r.value["choice"])
        for r in sorted(known.rulings, key=lambda r: (r.made_at, r.id or 0))
        if r.kind == "ballot" and r.made_at <= at and (r.revoked_at is None)
    }
    stands: dict[str, Choice | None] = {}
    for cast in sorted((b for b in vote.ballots if b.cast_at <= at), key=lambda b: (b.cast_at, b.message_id)):
        word = said.get(cast.message_id)
        if word == "none" or (word is None and cast.status is BallotStatus.REVIEW) or not cast.binding:
            continue
        stands[cast.voter] = None if word is None and cast.status is BallotStatus.WITHDRAWN else read(cast, word)
    return sum(c is Choice.FOR for c in stands.values()), sum(c is Choice.AGAINST for c in stands.values())


def read(cast: Ballot, word: str | None) -> Choice | None:
    return Choice(word) if word is not None else cast.choice


TestProposal = Proposal.TestCase
TestProposal.settings = settings(
    examples(60, HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much),
    stateful_step_count=40,
)
