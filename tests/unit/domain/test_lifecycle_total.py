"""Whatever the facts are, `decide` answers, the same each time and in whatever order they come."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from kipflow.domain.facts import Coverage, MailKind, ProposalFacts, Ruling, ThreadMessage
from kipflow.domain.lifecycle import decide
from kipflow.domain.pages import IndexEntry, PageAbsence, PageVersion, StatusWord, TicketState
from kipflow.domain.policy import Care, Fractions, Policy, VotingRule
from kipflow.domain.proposals import Proposal
from kipflow.domain.votes import Ballot, BallotStatus, Choice, Declared, Vote
from tests.examples import examples
from tests.unit.domain.building import POLICY, at, facts, poll, ruling

words = st.text(max_size=12)
#: Few moments, so that many facts share one; and both ends of the calendar.
moments = st.one_of(
    st.integers(0, 12).map(lambda n: datetime(2026, 3, 2, 9, tzinfo=UTC) + timedelta(days=n * 9)),
    st.sampled_from([datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]),
    st.datetimes(timezones=st.just(UTC)),
)
spans = st.sampled_from([timedelta(0), timedelta(hours=72), timedelta(days=30), timedelta(days=99_999), timedelta.max])
numbers = st.sampled_from([7, 7, 7, 8, None])
ids = st.sampled_from(["<a@x>", "<b@x>", "<c@x>", "p1", "p2", ""])
interfaces = st.lists(st.sampled_from(["log-format", "protocol", "other", "?"]), max_size=2).map(tuple)

pages = st.builds(
    PageVersion,
    page_id=ids,
    version=st.integers(-1, 5),
    saved_at=moments,
    saved_by=words,
    title=words,
    number=numbers,
    status=st.sampled_from(list(StatusWord)),
    status_text=words,
    jira=st.sampled_from([None, "SHED-1", "SHED-2"]),
    interfaces=interfaces,
)
entries = st.builds(
    IndexEntry,
    number=st.just(7),
    title=words,
    section=st.sampled_from(["accepted", "rejected", "discussion", "dormant", "discarded", "unknown", "?"]),
    seen_at=moments,
    origin=st.sampled_from(["page", "import", "?"]),
    release=st.sampled_from([None, "", "3.1", "3.1, 3.2"]),
    in_progress=st.booleans(),
    created_at=st.none() | moments,
    changed_at=st.none() | moments,
    jira=st.sampled_from([None, "SHED-1", "SHED-2"]),
)
messages = st.builds(
    ThreadMessage,
    message_id=ids,
    arrived_at=moments,
    kind=st.sampled_from(list(MailKind)),
    is_reply=st.booleans(),
    author_name=words,
    author_address=words,
    subject=words,
)
ballots = st.builds(
    Ballot,
    voter=st.sampled_from(["ada", "bo", "cy"]),
    name=words,
    address=words,
    choice=st.sampled_from([None, *Choice]),
    value=words,
    binding=st.booleans(),
    claimed_binding=st.none() | st.booleans(),
    cast_at=moments,
    message_id=ids,
    line=words,
    rule=words,
    status=st.sampled_from(list(BallotStatus)),
)
announcements = st.builds(
    Declared,
    by=words,
    message_id=ids,
    announced_at=st.none() | moments,
    outcome=st.sampled_from([None, "passed", "failed", "cancelled", "?"]),
    binding=st.none() | st.dictionaries(st.sampled_from(["+1", "0", "-1"]), st.integers(-1, 9)),
)
polls = st.builds(
    Vote,
    key=words,
    proposal=numbers,
    round=st.integers(-1, 4),
    list_id=words,
    subject=words,
    root_message_id=ids,
    opened_by=words,
    opened_by_address=words,
    opened_at=moments,
    ballots=st.lists(ballots, max_size=4).map(tuple),
    declared=st.none() | announcements,
    ended_at=st.none() | moments,
    ended_how=st.sampled_from([None, "cancelled", "replaced"]),
    root_missing=st.booleans(),
)
tickets = st.builds(
    TicketState,
    key=st.sampled_from(["SHED-1", "SHED-2"]),
    status=words,
    resolution=st.sampled_from([None, "", "Fixed", "Won't Fix", "?"]),
    fix_versions=st.lists(st.sampled_from(["", "3.1", "v3.1.0", "next"]), max_size=2).map(tuple),
    seen_at=moments,
)
values = st.dictionaries(
    st.sampled_from(["stage", "until", "choice", "interfaces", "reviewer", "undoes"]),
    st.one_of(
        st.sampled_from(["Vote", "Accepted", "+1", "none", "2026-05-01", "2026-05-01T00:00:00+00:00", "", "?"]),
        st.none(),
        st.integers(),
        st.lists(words, max_size=2),
    ),
    max_size=3,
)
rulings = st.builds(
    Ruling,
    id=st.none() | st.integers(0, 4),
    number=numbers,
    kind=st.sampled_from(["ballot", "stage", "snooze", "restore", "care", "merge", "?"]),
    target=ids,
    value=values,
    author=words,
    reason=words,
    made_at=moments,
    revoked_at=st.none() | moments,
)
absences = st.builds(PageAbsence, page_id=ids, since=moments, why=words, asked_at=moments, until=st.none() | moments)
policies = st.builds(
    Policy,
    version=words,
    binding_roles=st.just(frozenset({"committer"})),
    rule=st.sampled_from(list(VotingRule)),
    quorum=st.integers(0, 3),
    voting_period=spans,
    clock_after=st.none() | spans,
    fractions=st.sampled_from(list(Fractions)),
    dormant_after=st.none() | spans,
    grace=spans,
    dormancy_by_person=st.booleans(),
    care=st.lists(
        st.builds(
            Care,
            interface=st.sampled_from(["log-format", "other"]),
            voting_period=st.none() | spans,
            quorum=st.none() | st.integers(0, 5),
            reviewers=st.integers(0, 2),
        ),
        max_size=2,
    ).map(tuple),
)
coverages = st.builds(
    Coverage,
    complete_through=st.none() | moments,
    gaps=st.lists(st.tuples(st.sampled_from(["2026-03", "2026-05", "0001-01", ""]), words), max_size=2).map(tuple),
)
known = st.builds(
    ProposalFacts,
    key=words,
    proposal=st.builds(Proposal, number=st.just(7), title=words, created_at=st.none() | moments),
    pages=st.lists(pages, max_size=3).map(tuple),
    absences=st.lists(absences, max_size=2).map(tuple),
    index_entries=st.lists(entries, max_size=2).map(tuple),
    messages=st.lists(messages, max_size=4).map(tuple),
    votes=st.lists(polls, max_size=3).map(tuple),
    tickets=st.lists(tickets, max_size=2).map(tuple),
    rulings=st.lists(rulings, max_size=3).map(tuple),
    coverage=coverages,
)


@examples(100, *HealthCheck)
@given(known=known, policy=policies, as_of=moments, shuffle=st.randoms())
def test_any_facts_in_any_order_give_one_answer(
    known: ProposalFacts, policy: Policy, as_of: datetime, shuffle: Random
) -> None:
    decision = decide(known, policy, as_of)
    kinds = ("pages", "absences", "index_entries", "messages", "votes", "tickets", "rulings")
    mixed: dict[str, Any] = {
        kind: tuple(shuffle.sample(getattr(known, kind), len(getattr(known, kind)))) for kind in kinds
    }
    mixed["votes"] = tuple(replace(v, ballots=tuple(shuffle.sample(v.ballots, len(v.ballots)))) for v in mixed["votes"])
    assert decide(replace(known, **mixed), policy, as_of) == decision


def test_a_stage_that_is_ruled_before_anything_is_known_stands() -> None:
    decision = decide(facts(rulings=(ruling(1, "stage", stage="Vote"),)), POLICY, at(2))
    assert (decision.stage, decision.missing) == ("Vote", ("a vote: [VOTE] KIP-7",))


def test_a_vote_that_is_announced_twice_is_one() -> None:
    twice = decide(facts(votes=(poll(1), poll(1))), POLICY, at(2))
    assert [t.rule for t in twice.history] == ["number-taken", "vote-thread"]
