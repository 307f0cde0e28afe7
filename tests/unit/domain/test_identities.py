"""Who the writers of a vote's mails are: what merges, what is only asked, and what depends on the answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.identities import identify_all
from kipflow.domain.judging import MAX_SETTLEMENTS, count_settlements, judge, list_settlements, say_doubt
from kipflow.domain.people import Doubt, DoubtKind, IdentityVerdict, Mailbox, Person, Role, clean_address, say_mailbox
from kipflow.domain.policy import Policy
from kipflow.domain.proofs import Writing
from kipflow.domain.roster import Roster
from kipflow.domain.senders import AddressSource, Authentication, KnownBy, Senders
from kipflow.domain.tally import Outcome, count, depends_on_review, find_outcome, say_ways
from kipflow.domain.votes import BallotStatus, Choice, Vote
from tests.unit.domain import building

T0 = building.START
ROLES = frozenset({"pmc"})
POLICY = Policy(version="test-1", binding_roles=ROLES)


def person(id: str, name: str, *emails: str, since: datetime | None = None) -> Person:
    return Person(id=id, name=name, emails=emails or (f"{id}@apache.org",), roles=(Role(role="pmc", since=since),))


ROSTER = Roster([person("mlind", "Mara Lind"), person("kosei", "Kim Osei"), person("rberg", "Rune Berg")])


def mails(*boxes: str) -> list[Writing]:
    """Mails in order of time, each from "Name <address>"."""
    found = []
    for day, box in enumerate(boxes):
        name, _, address = box.rstrip(">").rpartition("<")
        found.append(
            Writing(message_id=f"<{day}@x.example>", name=name.strip(), address=address, at=T0 + timedelta(day))
        )
    return found


def voters(roster: Roster, *boxes: str) -> list[str]:
    return [v.id for v in identify_all(mails(*boxes), roster, POLICY).voters]


def doubts(roster: Roster, *boxes: str) -> list[Doubt]:
    return list(identify_all(mails(*boxes), roster, POLICY).doubts)


def verdict(
    one: str, other: str, *, same: bool, names: tuple[str, str] = ("", ""), day: float = 9, ruling: int = 1
) -> IdentityVerdict:
    boxes = Mailbox(key=one, name=names[0]), Mailbox(key=other, name=names[1])
    at = T0 + timedelta(days=day)
    return IdentityVerdict(same=same, one=boxes[0], other=boxes[1], by="ops", reason="asked both", at=at, ruling=ruling)


def poll(roster: Roster, *cast: tuple[str, Choice]) -> Vote:
    """A vote with a clear ballot for each "Name <address>"."""
    writings = mails(*(box for box, _ in cast))
    found = identify_all(writings, roster, POLICY)
    ballots = tuple(
        building.ballot(
            voter.id,
            choice=choice,
            name=voter.name,
            address=writing.address,
            binding=voter.holds(ROLES, writing.at),
            cast_at=writing.at,
            message_id=writing.message_id,
        )
        for writing, voter, (_, choice) in zip(writings, found.voters, cast, strict=True)
    )
    return building.poll(0, *ballots, doubts=found.doubts, crowded=found.crowded)


FOR, AGAINST = Choice.FOR, Choice.AGAINST
LATER = T0 + timedelta(days=30)


# -- what merges by itself -----------------------------------------------------------------------
def test_an_equal_full_name_is_one_voter_though_the_roster_knows_neither_address() -> None:
    assert voters(Roster(()), "Tom Fisk <tom@x.example>", "TOM  Fisk <t@y.example.INVALID>") == ["tom@x.example"] * 2


@pytest.mark.parametrize(
    "boxes",
    [
        ("T. Fisk <tom@x.example>", "T. Fisk <t@y.example>"),
        ("Tom <tom@x.example>", "Tom <t@y.example>"),
        ("Tom Fisk <tfisk@apache.org>", "Tom Fisk <tomf@apache.org>"),
        ("Tom Fisk <tfisk@apache.org>", "Tom Fisk <tomf@apache.org>", "Tom Fisk <t@y.example>"),
    ],
    ids=["initials", "one word", "two accounts", "two accounts and a third address"],
)
def test_a_name_that_may_be_two_peoples_merges_nobody(boxes: tuple[str, ...]) -> None:
    assert voters(Roster(()), *boxes) == [clean_address(b.partition("<")[2].rstrip(">")) for b in boxes]


def test_likely_people_count_apart_and_are_asked_about() -> None:
    boxes = "Jon Smith <jons@x.example>", "John Smith <john@y.example>"
    assert voters(Roster(()), *boxes) == ["jons@x.example", "john@y.example"]
    [doubt] = doubts(Roster(()), *boxes)
    assert say_doubt(doubt) == (
        "are Jon Smith <jons@x.example> and John Smith <john@y.example> the same person? (one letter away)"
    )
    assert doubt.subject == "john@y.example = jons@x.example"


def test_an_address_is_one_voter_whatever_names_it_goes_by() -> None:
    assert voters(ROSTER, "M. <home@x.example>", "Mara Lind <home@x.example>") == ["home@x.example"] * 2
    assert (
        voters(Roster(()), "Tom Fisk <a@x.example>", "Tom Fisk <b@x.example>", "tf <b@x.example>")
        == ["a@x.example"] * 3
    )


def test_an_address_under_two_names_of_the_roster_is_neithers_and_is_asked_about() -> None:
    boxes = "Mara Lind <one@x.example>", "Kim Osei <one@x.example>"
    assert voters(ROSTER, *boxes) == ["one@x.example"] * 2
    assert sorted(d.other.key for d in doubts(ROSTER, *boxes)) == ["kosei", "mlind"]


def test_two_people_of_the_roster_are_never_asked_about() -> None:
    roster = Roster([person("jon", "Jon Smith"), person("john", "John Smith")])
    assert doubts(roster, "Jon Smith <jon@apache.org>", "John Smith <john@apache.org>") == []


def test_who_looks_like_an_absent_person_of_the_roster_is_asked_about_where_it_would_bind() -> None:
    [doubt] = doubts(ROSTER, "M. Lind <mara@home.example>")
    assert (doubt.other.key, doubt.binds) == ("mlind", ("<0@x.example>",))
    not_yet = Roster([person("mlind", "Mara Lind", since=LATER)])
    assert doubts(not_yet, "M. Lind <mara@home.example>") == []


def test_a_crowd_of_lookalikes_costs_little_and_is_bounded() -> None:
    crowd = [f"Tom Fisk{'abcdefghij'[i % 10]} <tom{i}@x.example>" for i in range(600)]
    assert len(doubts(ROSTER, *crowd)) <= 200


# -- what a person ruled -------------------------------------------------------------------------
def test_a_merge_with_a_person_of_the_roster_gives_their_roles() -> None:
    roster = ROSTER.with_verdicts([verdict("mara@home.example", "mlind", same=True)])
    [voter] = identify_all(mails("M. Lind <mara@home.example>"), roster, POLICY).voters
    assert (voter.id, voter.holds(ROLES, T0)) == ("mlind", True)
    assert voter.ruled == "ruled to be one person by ops: asked both"


def test_a_merge_of_two_strangers_gives_them_one_id_in_every_vote() -> None:
    roster = Roster((), [verdict("jons@x.example", "john@y.example", same=True)])
    assert voters(roster, "Jon Smith <jons@x.example>", "John Smith <john@y.example>") == ["john@y.example"] * 2
    assert voters(roster, "Jon Smith <jons@x.example>") == ["john@y.example"]


def test_merges_in_a_chain_are_one_person() -> None:
    ruled = [
        verdict("a@x.example", "b@x.example", same=True),
        verdict("b@x.example", "c@x.example", same=True, ruling=2),
    ]
    assert voters(Roster((), ruled), "A <a@x.example>", "B <b@x.example>", "C <c@x.example>") == ["a@x.example"] * 3


def test_a_merge_holds_for_the_same_full_name_at_a_further_address() -> None:
    ruled = verdict("jons@x.example", "john@y.example", same=True, names=("Jon Smith", "John Smith"))
    assert voters(Roster((), [ruled]), "Jon Smith <third@z.example>", "J S <john@y.example>") == ["john@y.example"] * 2


def test_two_ids_of_one_person_have_the_roles_of_both() -> None:
    twice = Roster([Person(id="kim", name="K Osei", emails=("kim@x.example",)), person("kosei", "Kim Osei")])
    roster = twice.with_verdicts([verdict("kim", "kosei", same=True)])
    assert voters(roster, "K <kim@x.example>", "Kim <kosei@apache.org>") == ["kim", "kim"]
    assert roster.identify(name="K", address="kim@x.example").holds(ROLES, T0)


def test_a_split_undoes_what_an_equal_name_had_merged_and_the_name_then_merges_nobody() -> None:
    boxes = "Tom Fisk <tom@x.example>", "Tom Fisk <t@y.example>", "Tom Fisk <third@z.example>"
    assert voters(Roster(()), *boxes) == ["tom@x.example"] * 3
    ruled = verdict("tom@x.example", "t@y.example", same=False, names=("Tom Fisk", "Tom Fisk"))
    assert voters(Roster((), [ruled]), *boxes) == ["tom@x.example", "t@y.example", "third@z.example"]
    assert voters(Roster((), [ruled]), boxes[0], boxes[2]) == ["tom@x.example", "third@z.example"]


def test_a_split_from_a_person_of_the_roster_settles_that_it_is_a_stranger() -> None:
    [asked] = doubts(ROSTER, "Mara Lind <other@y.example>")
    assert (asked.kind, asked.other.key, asked.settled_at) == (DoubtKind.SENDER, "mlind", None)
    ruled = verdict("other@y.example", "mlind", same=False, names=("Mara Lind", "Mara Lind"))
    roster = ROSTER.with_verdicts([ruled])
    assert voters(roster, "Mara Lind <other@y.example>", "Mara Lind <mlind@apache.org>") == ["other@y.example", "mlind"]
    assert [d.settled_at for d in doubts(roster, "Mara Lind <other@y.example>")] == [ruled.at]
    assert [d.settled_at for d in doubts(ROSTER, "Mara Lind <other@y.example>")] == [None], "the roster is as before"


def test_a_merge_that_would_join_two_who_are_split_is_void() -> None:
    ruled = [
        verdict("a@x.example", "c@x.example", same=False),
        verdict("a@x.example", "b@x.example", same=True, ruling=2),
        verdict("b@x.example", "c@x.example", same=True, ruling=3),
    ]
    assert voters(Roster((), ruled), "A <a@x.example>", "B <b@x.example>", "C <c@x.example>") == [
        "a@x.example",
        "a@x.example",
        "c@x.example",
    ]


def test_what_the_roster_says_by_now_outweighs_an_earlier_split() -> None:
    listed = Roster([person("mlind", "Mara Lind", "mlind@apache.org", "mara@home.example")])
    roster = listed.with_verdicts([verdict("mara@home.example", "mlind", same=False, names=("Mara Lind", "Mara Lind"))])
    boxes = "Mara Lind <mara@home.example>", "Mara Lind <mlind@apache.org>"
    assert voters(roster, *boxes) == ["mlind"] * 2


# -- what depends on it ----------------------------------------------------------------------------
BINDING = (
    ("Mara Lind <mlind@apache.org>", FOR),
    ("Kim Osei <kosei@apache.org>", FOR),
    ("Rune Berg <rberg@apache.org>", FOR),
)
DOUBTFUL = (*BINDING, ("K. Osei <kim@y.example>", AGAINST))


def test_a_vote_is_not_passed_while_it_depends_on_who_is_who() -> None:
    vote = judge(poll(ROSTER, *DOUBTFUL), LATER)
    assert find_outcome(vote, POLICY, LATER) is Outcome.PASSING
    [doubt] = vote.doubts
    assert say_ways(vote, doubt, POLICY) == (
        "if one person: falls short with +2 -1",
        "if two people: passes with +3 -0",
    )


def test_a_vote_that_comes_to_the_same_either_way_does_not_wait() -> None:
    vote = judge(poll(ROSTER, *BINDING, ("K. Osei <kim@y.example>", FOR)), LATER)
    assert find_outcome(vote, POLICY, LATER) is Outcome.PASSED
    [doubt] = vote.doubts
    assert say_ways(vote, doubt, POLICY) == ()


@pytest.mark.parametrize(("same", "outcome"), [(True, Outcome.SHORT), (False, Outcome.PASSED)])
def test_a_verdict_settles_it_from_its_time_on(same: bool, outcome: Outcome) -> None:
    ruled = verdict("kim@y.example", "kosei", same=same, day=9)
    vote = poll(ROSTER.with_verdicts([ruled]), *DOUBTFUL)
    before, after = T0 + timedelta(days=8), T0 + timedelta(days=10)
    assert depends_on_review(judge(vote, before), POLICY)
    assert judge(vote, after).doubts == ()
    assert find_outcome(judge(vote, after), POLICY, after) is outcome


def test_what_was_never_in_doubt_is_counted_by_the_verdict_from_the_start() -> None:
    """Nobody asked about "coder": the roster's owner knows it is Kim's."""
    ruled = verdict("coder@y.example", "kosei", same=True, day=9)
    vote = poll(ROSTER.with_verdicts([ruled]), *BINDING, ("coder <coder@y.example>", AGAINST))
    early = judge(vote, T0 + timedelta(days=8))
    assert count(early.ballots).binding.as_dict() == {"+1": 2, "0": 0, "-1": 1}


def test_two_addresses_ruled_apart_are_not_both_the_person_of_their_name() -> None:
    """Which of them is the roster's Mara, if any, the name no longer says; neither binds by it."""
    roster = ROSTER.with_verdicts([verdict("m@b.example", "t@b.example", same=False)])
    boxes = ("Mara Lind <m@b.example>", "Mara Lind <t@b.example>", "M. Lind <m@b.example>", "M. Lind <t@b.example>")
    assert voters(roster, *boxes) == ["m@b.example", "t@b.example", "m@b.example", "t@b.example"]
    asked = {(d.one_voter, d.other_voter) for d in doubts(roster, *boxes) if d.settled_at is None}
    assert asked == {("m@b.example", "mlind"), ("t@b.example", "mlind")}


def test_one_mailbox_is_one_persons_at_most() -> None:
    roster = Roster([person("jane", "Jane Doe"), person("john", "John Doe"), person("rberg", "Rune Berg")])
    vote = judge(
        poll(
            roster,
            ("Jane Doe <jane@apache.org>", FOR),
            ("John Doe <john@apache.org>", FOR),
            ("Rune Berg <rberg@apache.org>", FOR),
            ("J. Doe <jd@y.example>", AGAINST),
        ),
        LATER,
    )
    tallies = sorted(str(count(way.ballots).binding.as_dict()) for way in list_settlements(vote))
    assert tallies == ["{'+1': 2, '0': 0, '-1': 1}"] * 2 + ["{'+1': 3, '0': 0, '-1': 0}"]


def test_with_too_many_ways_to_try_the_vote_waits() -> None:
    crowd = tuple((f"K. Osei <kim{i}@y.example>", FOR) for i in range(9))
    vote = judge(poll(ROSTER, *BINDING, *crowd), LATER)
    assert count_settlements(vote) > MAX_SETTLEMENTS
    assert find_outcome(vote, POLICY, LATER) is Outcome.PASSING


def test_doubts_about_void_ballots_are_dropped() -> None:
    vote = poll(ROSTER, *DOUBTFUL)
    ended = replace(vote, ended_at=T0 + timedelta(days=9), ended_how="cancelled")
    assert judge(ended, LATER).doubts == ()


# -- who only claims to be somebody --------------------------------------------------------------
def cast_as(name: str, address: str, **known: Any) -> Writing:
    return Writing(message_id="<claim@x.example>", name=name, address=address, at=T0, **known)


HELD, RECOVERED = "mlind@apache.org", AddressSource.RECOVERED


@pytest.mark.parametrize(
    ("writing", "asked"),
    [
        (cast_as("Mara Lind", HELD), ""),
        (cast_as("", HELD), ""),
        (cast_as("ml at work", HELD), ""),
        (cast_as("Mara Lind", "m@evil.example"), "under the name of Mara Lind from an address that is not known"),
        (cast_as("MÁRA  lind", "m@evil.example"), "under the name of Mara Lind from an address that is not known"),
        (cast_as("Mara Lind", ""), "under the name of Mara Lind and shows no address"),
        (cast_as("Kim Osei", HELD), "an address of Mara Lind under the name of Kim Osei"),
        (cast_as("Mara Lind", HELD, source=RECOVERED), ""),
        (cast_as("MÁRA  lind", HELD, source=RECOVERED), ""),
        (cast_as("M. Lind", HELD, source=RECOVERED), "behind the list's own, under another name"),
        (cast_as("Marа Lind", HELD, source=RECOVERED), "behind the list's own, under another name"),
        (cast_as("mlind", HELD, source=RECOVERED), ""),
        (cast_as("Tom Fisk", HELD, source=RECOVERED), "behind the list's own, under another name"),
        (cast_as("", HELD, source=RECOVERED), "behind the list's own, under another name"),
        (cast_as("Mara Lind", "m@evil.example", source=RECOVERED), "from an address that is not known"),
        (cast_as("Mara Lind", HELD, authentication=Authentication.FAILED), "found not to be authentic"),
        (cast_as("Mara Lind", HELD, authentication=Authentication.PASSED), ""),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_address_proves_who_it_is_and_whatever_speaks_against_it_is_asked(writing: Writing, asked: str) -> None:
    found = identify_all([writing], ROSTER, POLICY)
    if not asked:
        assert ([v.id for v in found.voters], found.doubts) == (["mlind"], ())
        return
    assert found.voters[0].person is None
    assert {d.kind for d in found.doubts} == {DoubtKind.SENDER}
    assert "mlind" in {d.other.key for d in found.doubts}
    assert asked in found.doubts[0].why
    assert all(d.binds == ("<claim@x.example>",) for d in found.doubts)


def test_a_strict_community_asks_where_the_receiving_host_vouches_for_nobody() -> None:
    strict, lax = (replace(POLICY, senders=senders) for senders in (Senders.AUTHENTICATED, Senders.NAMES))
    plain, passed = cast_as("Mara Lind", HELD), cast_as("Mara Lind", HELD, authentication=Authentication.PASSED)
    assert [d.other.key for d in identify_all([plain], ROSTER, strict).doubts] == ["mlind"]
    assert identify_all([passed], ROSTER, strict).doubts == ()
    assert [v.id for v in identify_all([cast_as("Mara Lind", "m@y.example")], ROSTER, lax).voters] == ["mlind"]


def test_how_a_sender_is_known_is_reported_for_each_mail() -> None:
    cases = {
        KnownBy.AUTHENTICATED: cast_as("Mara Lind", HELD, authentication=Authentication.PASSED),
        KnownBy.ADDRESS: cast_as("Mara Lind", HELD),
        KnownBy.RECOVERED: cast_as("Mara Lind", HELD, source=RECOVERED),
        KnownBy.NAME: cast_as("Mara Lind", "m@y.example"),
        KnownBy.UNKNOWN: cast_as("Tom Fisk", "tom@y.example"),
    }
    found = {known_by: identify_all([w], ROSTER, POLICY).known_by for known_by, w in cases.items()}
    assert found == {known_by: (known_by,) for known_by in cases}


def test_who_claims_a_name_counts_for_nobody_and_supersedes_nobody_until_somebody_says_who_it_is() -> None:
    forged = ("Rune Berg <r@evil.example>", AGAINST)
    vote = judge(poll(ROSTER, *BINDING, forged), LATER)
    assert [(b.voter, b.status, b.binding) for b in vote.ballots][2:] == [
        ("rberg", BallotStatus.COUNTED, True),
        ("r@evil.example", BallotStatus.REVIEW, False),
    ]
    assert find_outcome(vote, POLICY, LATER) is Outcome.PASSING
    [doubt] = vote.doubts
    assert say_doubt(doubt) == (
        "Rune Berg <r@evil.example> writes under the name of Rune Berg from an address that is not known as theirs: "
        "is this Rune Berg?"
    )
    assert say_ways(vote, doubt, POLICY) == (
        "if one person: falls short with +2 -1",
        "if two people: passes with +3 -0",
    )
    for same, outcome in ((True, Outcome.SHORT), (False, Outcome.PASSED)):
        roster = ROSTER.with_verdicts([verdict("r@evil.example", "rberg", same=same)])
        assert find_outcome(judge(poll(roster, *BINDING, forged), LATER), POLICY, LATER) is outcome


def test_forged_names_under_several_addresses_are_each_a_question() -> None:
    vote = judge(poll(ROSTER, *((f"{n} <{i}@evil.example>", FOR) for i, n in enumerate(("Mara Lind",) * 3))), LATER)
    assert [b.status for b in vote.ballots] == [BallotStatus.REVIEW] * 3
    assert count(vote.ballots).binding.plus == count(vote.ballots).non_binding.plus == 0
    assert len({b.voter for b in vote.ballots}) == 3


def test_an_address_ruled_to_be_somebodys_from_a_day_on_binds_from_that_day_only() -> None:
    ruled = replace(verdict("m@home.example", "mlind", same=True), since=T0 + timedelta(days=1))
    boxes = ("Mara Lind <m@home.example>", FOR), ("Mara Lind <m@home.example>", AGAINST)
    vote = judge(poll(ROSTER.with_verdicts([ruled]), *boxes), LATER)
    assert [(b.voter, b.status, b.binding) for b in vote.ballots] == [
        ("m@home.example", BallotStatus.REVIEW, False),
        ("mlind", BallotStatus.COUNTED, True),
    ]
    assert [d.mails for d in vote.doubts] == [("<0@x.example>",)]


def test_a_word_on_a_single_mail_says_nothing_of_the_next_one() -> None:
    ruled = verdict("<0@x.example>", "mlind", same=True)
    first, second = mails("Mara Lind <>", "Mara Lind <>")
    found = identify_all([first, second], ROSTER.with_verdicts([ruled]), POLICY)
    assert [v.id for v in found.voters] == ["mlind", "mara lind"]
    assert [d.one.key for d in found.doubts if d.settled_at is None] == ["<1@x.example>"]


def test_a_ruling_on_one_address_gives_its_name_to_no_other() -> None:
    ruled = verdict("m@home.example", "mlind", same=True, names=("Mara L Lind", "Mara Lind"))
    assert voters(ROSTER.with_verdicts([ruled]), "Mara L Lind <m@evil.example>") == ["m@evil.example"]


def test_a_flood_of_names_hides_no_question() -> None:
    crowd = [f"Tom Fisk <tom{i}@x.example>" for i in range(400)]
    asked = doubts(ROSTER, *crowd, "Mara Lind <last@evil.example>")
    assert asked[0].other.key == "mlind"


def test_more_questions_than_anybody_can_list_hold_the_vote() -> None:
    crowd = [(f"Mara Lind <mara{i}@evil.example>", FOR) for i in range(300)]
    later = T0 + timedelta(days=400)
    vote = judge(poll(ROSTER, *BINDING, *crowd), later)
    assert (len(vote.doubts), vote.crowded) == (200, "more than 200 senders may be people whose votes bind")
    assert find_outcome(vote, POLICY, later) is Outcome.PASSING


# -- properties ----------------------------------------------------------------------------------
box = st.tuples(
    st.sampled_from(["Mara Lind", "M. Lind", "Mara Lund", "Kim Osei", "K Osei", "Tom Fisk", ""]),
    st.sampled_from(
        ["mlind@apache.org", "m@a.example", "m@b.example", "kosei@apache.org", "t@a.example", "t@b.example"]
    ),
    st.sampled_from([FOR, AGAINST]),
)
pairs = st.lists(
    st.tuples(
        st.sampled_from(["m@a.example", "m@b.example", "t@a.example", "mlind"]),
        st.sampled_from(["t@b.example", "kosei"]),
        st.booleans(),
    ),
    max_size=4,
)


@given(cast=st.lists(box, max_size=7), ruled=pairs)
def test_one_person_never_counts_twice_and_every_way_is_within_the_extremes(
    cast: list[tuple[str, str, Choice]], ruled: list[tuple[str, str, bool]]
) -> None:
    verdicts = [verdict(a, b, same=same, ruling=i, day=i) for i, (a, b, same) in enumerate(ruled)]
    roster = ROSTER.with_verdicts(verdicts)
    vote = judge(poll(roster, *((f"{name} <{address}>", choice) for name, address, choice in cast)), LATER)
    counted = [b.voter for b in vote.ballots if b.status is BallotStatus.COUNTED]
    assert len(counted) == len(set(counted))
    for way in list_settlements(vote):
        standing = [b.voter for b in way.ballots if b.status is BallotStatus.COUNTED]
        assert len(standing) == len(set(standing))
    # by the roster or a ruling
    held = {b.address for b in vote.ballots if roster.identify(name="", address=b.address).person is not None}
    addresses = {b.address: b.voter for b in vote.ballots if b.address not in held}
    for ballot in vote.ballots:
        if ballot.address in held:  # somebody else's name there is a question of its own
            assert ballot.voter in {roster.identify(name="", address=ballot.address).id, ballot.address}
        else:
            assert ballot.voter == addresses[ballot.address], "an address is one voter, whatever its names"


@pytest.mark.parametrize(
    ("mailbox", "shown"),
    [
        (Mailbox(key="<m@x.example>", name="Tim Bo", address="tim bo"), "Tim Bo"),
        (Mailbox(key="tim bo", name="Tim Bo"), "Tim Bo"),
        (Mailbox(key="tim@bo.example", name="Tim Bo"), "Tim Bo <tim@bo.example>"),
        (Mailbox(key="tbo", name="Tim Bo"), "Tim Bo <tbo>"),
    ],
    ids=["a mail without an address", "a name alone", "an address", "an id of the roster"],
)
def test_a_mailbox_shows_only_what_is_known_of_it(mailbox: Mailbox, shown: str) -> None:
    assert say_mailbox(mailbox) == shown
