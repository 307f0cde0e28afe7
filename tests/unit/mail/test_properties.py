"""What must hold for any mail: quoting adds no ballot, order changes nothing."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from kipflow.config.roster import load_roster
from kipflow.domain.facts import Message
from kipflow.domain.judging import judge
from kipflow.domain.policy import Policy
from kipflow.domain.tally import Tally, count
from kipflow.domain.votes import BallotStatus, Standing, Vote
from kipflow.mail.archive import read_path
from kipflow.mail.filereading import FileReading
from kipflow.mail.quoting import find_own_words
from kipflow.mail.rounds.linking import attribute_numbers
from kipflow.mail.threads import find_votes
from kipflow.mail.votes.reading import read_expressions
from tests.corpus import write_vote_cases
from tests.examples import examples, take_some
from tests.unit.mail.onemail import read_of_thread

pytestmark = pytest.mark.usefixtures("same_words_read_once")

CORPUS = Path(__file__).resolve().parents[2] / "data" / "votes"
PHRASES: dict[str, list[str]] = json.loads((CORPUS / "phrases.json").read_text(encoding="utf-8"))
VOTING = [p for kind in ("for", "against", "zero", "review", "withdrawn") for p in PHRASES[kind]]
ARCHIVES = sorted(write_vote_cases().glob("*.mbox"))
POLICY = Policy(version="test", binding_roles=frozenset({"committer"}))
ROSTER = load_roster(CORPUS / "roster.yaml")

mark = st.sampled_from(["> ", ">", ">> ", "> > ", "  > ", "| ", "JO> "])
attribution = st.sampled_from(
    [
        "On Tue, Mar 3, 2026 at 11:00 AM Jun Okafor <jun@okafor.example> wrote:",
        "Am 03.03.26 um 11:00 schrieb Jun Okafor:",
        "Le mar. 3 mars 2026 à 11:00, Jun Okafor <jun@okafor.example> a\nécrit :",
        "",
    ]
)
own = st.sampled_from(["Thanks, I will have a look.", "What about the docs?", ""])


@examples(300)
@given(quoted=st.lists(st.sampled_from(VOTING), min_size=1, max_size=4), mark=mark, attribution=attribution, own=own)
@example(quoted=["From -1 to +1 then!"], mark=">", attribution="Jun Okafor wrote:", own="")
def test_quoting_a_mail_never_adds_a_ballot(quoted: list[str], mark: str, attribution: str, own: str) -> None:
    lines = [line for text in quoted for line in text.split("\n")]
    # a lone ">From …" with nobody named above it is how archives escape an author's own "From …"
    assume(attribution or mark != ">" or not any(line.startswith("From ") for line in lines))
    quote = "\n".join(mark + line for line in lines)
    for body in (f"{own}\n\n{attribution}\n{quote}\n", f"{attribution}\n{quote}\n\n{own}\n"):
        # what speaks for or against matters only to who voted otherwise before
        assert {e.standing for e in read_expressions(find_own_words(body))} <= {Standing.LEANING, Standing.QUOTED}


@examples(200)
@given(
    vote=st.sampled_from(PHRASES["for"] + PHRASES["against"]), quoted=st.sampled_from(VOTING), attribution=attribution
)
@example(vote="I meant what I said. +1", quoted="+1", attribution="")
def test_a_vote_stays_the_same_over_a_quoted_one(vote: str, quoted: str, attribution: str) -> None:
    alone = read_expressions(find_own_words(vote), author="Mara Lind")
    quote = "\n".join(f"> {line}" for line in quoted.split("\n"))
    above = read_expressions(find_own_words(f"{vote}\n\n{attribution}\n{quote}\n"), author="Mara Lind")
    assert above == alone


def read_messages(path: Path) -> list[Message]:
    return [
        m
        for m in read_path(path, how=FileReading(list_id="dev@commons.example", month="", prefix="KIP"))
        if isinstance(m, Message)
    ]


def votes_of(messages: list[Message]) -> list[Vote]:
    return find_votes(messages, ROSTER, POLICY, prefix="KIP")


@pytest.mark.parametrize("path", take_some(ARCHIVES), ids=lambda p: p.stem)
def test_order_of_arrival_never_changes_a_vote(path: Path) -> None:
    messages = read_messages(path)
    expected, numbers = votes_of(messages), attribute_numbers(messages)
    shuffled = list(messages)
    for seed in range(6):
        random.Random(seed).shuffle(shuffled)  # noqa: S311 (a repeatable order)
        assert votes_of(shuffled) == expected
        assert attribute_numbers(shuffled) == numbers


START = datetime(2026, 3, 2, 10, tzinfo=UTC)
CALL = "I call a vote, open for 72 hours."
addresses = st.sampled_from(
    ["jun@okafor.example", "OKAFOR@commons.example", "jun@okafor.example.INVALID", "j@mobile.example"]
)
ballots = st.sampled_from(["+1", "-1", "0", "+1 (binding)", "+1 if renamed", "I withdraw my vote."])


@examples(150)
@given(cast=st.lists(st.tuples(addresses, ballots), min_size=1, max_size=8), seed=st.integers(0, 5))
def test_the_same_person_under_two_addresses_never_counts_twice(cast: list[tuple[str, str]], seed: int) -> None:
    mails = [read_of_thread(0, "Mara Lind <mara@lind.example>", CALL, START)]
    for number, (address, body) in enumerate(cast, 1):
        mails.append(read_of_thread(number, f"Jun Okafor <{address}>", body, START + timedelta(hours=number)))
    random.Random(seed).shuffle(mails)  # noqa: S311 (a repeatable order)
    (vote,) = votes_of(mails)
    judged = judge(vote, START + timedelta(days=9))
    assert sum(b.status is BallotStatus.COUNTED for b in judged.ballots) <= 1


@examples(100)
@given(cast=st.lists(st.tuples(st.integers(0, 3), ballots), max_size=10))
def test_a_tally_counts_each_voter_at_most_once_and_no_one_else(cast: list[tuple[int, str]]) -> None:
    mails = [read_of_thread(0, "Mara Lind <mara@lind.example>", CALL, START)]
    for number, (who, body) in enumerate(cast, 1):
        mails.append(read_of_thread(number, f"v{who}@voters.example", body, START + timedelta(hours=number)))
    (vote,) = votes_of(mails)
    tally: Tally = count(judge(vote, START + timedelta(days=9)).ballots)
    assert tally.binding.as_dict() == {"+1": 0, "0": 0, "-1": 0}
    assert sum(tally.non_binding.as_dict().values()) <= len({who for who, _ in cast})


def test_a_copy_with_another_source_is_the_same_mail() -> None:
    first = read_of_thread(0, "Mara Lind <mara@lind.example>", CALL, START)
    vote = read_of_thread(1, "Jun Okafor <jun@okafor.example>", "+1", START + timedelta(hours=1))
    copy = replace(vote, source="other#9", list_id="users@commons.example")
    (found,) = votes_of([first, vote, copy])
    assert len(found.ballots) == 1
