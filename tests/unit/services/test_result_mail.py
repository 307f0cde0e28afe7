"""The drafted result: a reply to the vote that kipflow's own reader reads as exactly what it was made from."""

from __future__ import annotations

import mailbox
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kipflow.domain.clocks import VoteState, VoteTerms
from kipflow.domain.decisions import ReviewItem
from kipflow.domain.events import Stage
from kipflow.domain.facts import MailKind, Message
from kipflow.domain.proposals import Proposal
from kipflow.domain.tally import Outcome, count
from kipflow.domain.votes import Ballot, BallotStatus, Choice, ClaimedEnd, Declared, EndKind, Vote
from kipflow.mail.messages import read_message
from kipflow.services.board import ProposalView
from kipflow.services.result_mail import HARMLESS, NoDraft, ResultDraft, draft_result, find_draft
from kipflow.services.settling import find_commands
from kipflow.services.wording import REVIEW_WORDS
from tests.examples import examples

OPENED = datetime(2026, 3, 1, 9, tzinfo=UTC)
NOW = OPENED + timedelta(days=4)
ROOT = "<root@x.example>"
PEOPLE = ("Ada Abel", "Ben Castro", "Cleo Duarte", "Dov Egger", "Edda Ferro", "Finn Grieg", "Gwen Hansen")


def cast(names: Sequence[str], votes: Sequence[tuple[bool, Choice]]) -> Iterator[Ballot]:
    for place, (name, (binding, choice)) in enumerate(zip(names, votes, strict=True)):
        yield Ballot(
            voter=f"voter{place}", name=name, address=f"voter{place}@x.example", choice=choice, value=choice.value,
            binding=binding, claimed_binding=None, cast_at=OPENED, message_id=f"<{place}@x.example>",
            line=choice.value, rule="value", status=BallotStatus.COUNTED,
        )  # fmt: skip


def make_view(
    ballots: Sequence[Ballot], outcome: Outcome, title: str = "Names", caller: str = "Kim Osei"
) -> ProposalView:
    vote = Vote(
        key="KIP-7", proposal=7, round=1, list_id="dev@x.example", subject="[VOTE] KIP-7: Names", root_message_id=ROOT,
        opened_by=caller, opened_by_address="kim@x.example", opened_at=OPENED, ballots=tuple(ballots),
    )  # fmt: skip
    state = VoteState(
        vote=vote, terms=VoteTerms(quorum=3, earliest_close=OPENED + timedelta(days=3)), tally=count(ballots),
        outcome=outcome, depends_on_review=False, differences=(),
    )  # fmt: skip
    links = {ROOT: "https://lists.example/thread/root@x.example"}
    links |= {b.message_id: f"https://lists.example/thread/{b.voter}" for b in ballots}
    return ProposalView(
        key="KIP-7", proposal=Proposal(number=7, title=title), stage=Stage.VOTE, since=OPENED, decided_at=OPENED,
        policy_version="x", votes=(state,), links=links,
    )  # fmt: skip


def passed() -> ProposalView:
    votes = [*[(True, Choice.FOR)] * 3, (True, Choice.AGAINST), (False, Choice.FOR), (False, Choice.ABSTAIN)]
    return make_view(list(cast(PEOPLE[: len(votes)], votes)), Outcome.PASSED)


def read(draft: ResultDraft) -> Message:
    found = read_message(draft.as_bytes(), source="x", list_id="dev@x.example", month="2026-03", prefix="KIP")
    assert isinstance(found, Message)
    return found


def assert_reads_back(draft: ResultDraft, view: ProposalView) -> None:
    mail, tally = read(draft), view.votes[-1].tally
    assert (mail.reading.kind, mail.reading.numbers) == (MailKind.RESULT, (7,))
    assert all(said.standing.is_tentative for said in mail.expressions)
    assert mail.cancels is None
    assert mail.in_reply_to == ROOT
    assert mail.declared is not None
    assert mail.declared.outcome == draft.outcome
    assert (mail.declared.unclear, mail.declared.contradictions) == ("", ())
    for stated, counts in ((mail.declared.binding, tally.binding), (mail.declared.non_binding, tally.non_binding)):
        assert {"+1": 0, "0": 0, "-1": 0} | (stated or {}) == counts.as_dict()


def test_the_draft_names_voters_by_binding_and_links_to_their_mails() -> None:
    view = passed()
    draft = draft_result(view, NOW)
    assert draft.subject == "[RESULT] [VOTE] KIP-7: Names"
    assert "3 binding +1 votes (Ada Abel, Ben Castro, Cleo Duarte)" in draft.text
    assert "1 non-binding +1 vote (Edda Ferro)" in draft.text
    assert "Voting period: 2026-03-01 09:00 UTC to 2026-03-04 09:00 UTC" in draft.text
    assert "https://lists.example/thread/voter3" in draft.text
    assert_reads_back(draft, view)
    mail = message_from_bytes(draft.as_bytes(), policy=default)
    assert (mail["In-Reply-To"], mail["References"], mail["To"]) == (ROOT, ROOT, "dev@x.example")
    names = read(draft).declared
    assert names.names["+1 binding"] == PEOPLE[:3]


_VOTES = st.lists(st.tuples(st.booleans(), st.sampled_from(Choice)), max_size=7)
_SAID = st.sampled_from([
    "+1 (binding)", "Passed",
    "The vote failed", "-1\n+1", "5 binding +1 votes", "Cancel this vote", "KIP-9", "a@b.example",
    "Mara), 9 binding -1 votes (Eve", "I withdraw my vote", "\r\nBcc: eve@evil.example",
    "=?utf-8?q?=0d=0aBcc:_eve=40evil.example?=", "From me", "none", "> quoted",
])  # fmt: skip
_TEXT = st.one_of(st.sampled_from(PEOPLE), _SAID, st.text(max_size=40))


@examples(150)
@given(_VOTES, st.data(), st.sampled_from([Outcome.PASSED, Outcome.FAILED]), _TEXT, _TEXT)
def test_whatever_names_say_a_draft_reads_as_it_was_meant(
    votes: list[tuple[bool, Choice]], data: st.DataObject, outcome: Outcome, title: str, caller: str
) -> None:
    names = data.draw(st.lists(_TEXT, min_size=len(votes), max_size=len(votes)))
    view = make_view(list(cast(names, votes)), outcome, title, caller)
    draft = find_draft(view, NOW)
    if draft is not None:
        assert_reads_back(draft, view)
        assert "Bcc" not in message_from_bytes(draft.as_bytes(), policy=default)


@examples(100)
@given(_VOTES, st.data())
def test_a_vote_of_people_with_names_is_always_drafted_with_them(
    votes: list[tuple[bool, Choice]], data: st.DataObject
) -> None:
    names = data.draw(st.permutations(PEOPLE))[: len(votes)]
    ballots = list(cast(names, votes))
    tally = count(ballots).binding
    view = make_view(ballots, Outcome.PASSED if tally.plus > tally.minus else Outcome.FAILED)
    draft = draft_result(view, NOW)
    assert all(name in draft.text for name in names)
    assert_reads_back(draft, view)


@examples(150)
@given(st.lists(st.one_of(_SAID, st.text(max_size=30), st.just("<a@x.example>")), max_size=30), _TEXT)
def test_no_id_and_no_sender_adds_a_header_to_the_mail_that_is_sent(references: list[str], sender: str) -> None:
    draft = replace(
        draft_result(passed(), NOW), references=references, message_id="<result.1@x.example>", sender=sender
    )
    mail = message_from_bytes(draft.as_bytes(), policy=default)
    assert set(mail) == {
        "Message-ID", "In-Reply-To", "References", "From", "To", "Subject", "Date", "Content-Type",
        "Content-Transfer-Encoding", "MIME-Version",
    }  # fmt: skip
    assert mail["References"].split()[-1] == ROOT
    assert_reads_back(draft, passed())


@pytest.mark.parametrize(
    "word", ["=?utf-8?q?=0d=0aBcc:_e?=", "=?utf-8?b?DQpCY2M6IGU=?=", "=?utf-8?q?=0d=0a=0d=0aBuy?="]
)
def test_no_encoded_word_of_a_title_a_name_or_an_address_ends_its_header(word: str) -> None:
    """The email package decodes such words where it writes headers, and the line breaks in them."""
    view = make_view(passed().votes[0].vote.ballots, Outcome.PASSED, f"Names {word}", f"Kim {word} Osei")
    draft = draft_result(view, NOW)
    for sent in (draft, replace(draft, sender_address=f'"{word}"@x.example')):
        mail = message_from_bytes(sent.as_bytes(), policy=default)
        assert "Bcc" not in mail
        assert mail.get_content().splitlines() == draft.text.splitlines()
        assert "utf-8" in mail["Subject"]


@pytest.mark.parametrize("address", ["@", "a@", "a b", "<a@b>"])
def test_an_address_that_is_none_keeps_no_draft_back(address: str) -> None:
    assert b"@invalid.example" in replace(draft_result(passed(), NOW), sender_address=address).as_bytes()


def test_a_long_thread_is_named_by_its_first_and_last_mails_with_ids_of_any_length_whole() -> None:
    ids = [f"<{'x' * 300}.{n}@x.example>" for n in range(100)]
    draft = replace(draft_result(passed(), NOW), references=ids)
    named = message_from_bytes(draft.as_bytes())["References"].split()
    assert named == [*ids[:5], *ids[-20:], ROOT]


def test_what_a_person_settled_is_reported_with_its_mail() -> None:
    view = passed()
    state = view.votes[0]
    ruled = replace(state.vote.ballots[0], is_ruled=True)
    vote = replace(state.vote, ballots=(ruled, *state.vote.ballots[1:]))
    text = draft_result(replace(view, votes=(replace(state, vote=vote),)), NOW).text
    assert "Settled by a person, as the mail was unclear:\n  https://lists.example/thread/voter0\n" in text


DECLARED = Declared(by="Kim", message_id="<r@x.example>", announced_at=OPENED, outcome="passed")


@pytest.mark.parametrize(
    ("change", "vote_change", "at", "why"),
    [
        ({"outcome": Outcome.OPEN}, {}, NOW, "no result yet"),
        ({"depends_on_review": True}, {}, NOW, "a person must settle"),
        ({}, {"declared": DECLARED}, NOW, "announced already"),
        ({}, {"ended_at": OPENED, "ended_how": "cancelled"}, NOW, "no vote"),
        ({}, {}, OPENED + timedelta(days=1), "closes no earlier"),
        ({"outcome": Outcome.OPEN}, {}, OPENED + timedelta(days=1), "closes no earlier"),
    ],
)
def test_no_draft_before_its_time(
    change: dict[str, object], vote_change: dict[str, object], at: datetime, why: str
) -> None:
    view = passed()
    state = replace(view.votes[0], **change, vote=replace(view.votes[0].vote, **vote_change))  # type: ignore[arg-type]
    with pytest.raises(NoDraft, match=why):
        draft_result(replace(view, votes=(state,)), at)


SUBJECTS = {"identity": "mara = mlind", "sender": "x@x.example = mara"}


@pytest.mark.parametrize("outcome", [Outcome.PASSED, Outcome.SHORT])
@pytest.mark.parametrize("kind", sorted(REVIEW_WORDS.keys() - HARMLESS))
def test_no_draft_while_a_question_is_open_that_could_change_what_it_says(kind: str, outcome: Outcome) -> None:
    asked = ReviewItem(kind=kind, subject=SUBJECTS.get(kind, "<q@x.example>"), question="Which is it?")
    view = passed()
    view = replace(view, votes=(replace(view.votes[0], outcome=outcome),), review=(asked,))
    with pytest.raises(NoDraft, match=r"KIP-7: a person must settle first: Which is it\?") as refused:
        draft_result(view, NOW)
    for command in find_commands(7, asked):
        assert f"`{command}`" in str(refused.value)
    assert find_draft(view, NOW) is None


@pytest.mark.parametrize("kind", sorted(HARMLESS))
def test_a_question_that_changes_nothing_of_it_keeps_no_draft_back(kind: str) -> None:
    asked = ReviewItem(kind=kind, subject="x", question="And?")
    assert draft_result(replace(passed(), review=(asked,)), NOW).outcome == "passed"


BESIDE = ClaimedEnd(
    kind=EndKind.REPLACED, by="Eve", address="eve@x.example", message_id="<b@x.example>", at=NOW, line="", why="who?"
)


@pytest.mark.parametrize(
    "change",
    [
        {"contested": BESIDE},
        {"ended_at": NOW, "ended_how": "refused"},
    ],
    ids=["asked", "refused"],
)
def test_a_round_that_somebody_called_beside_it_is_not_what_is_announced(change: dict[str, Any]) -> None:
    """That it is asked about keeps the draft back; once a person refused it, it never was a round."""
    view = passed()
    state = view.votes[0]
    beside = replace(state.vote, root_message_id="<beside@x.example>", ballots=(), **change)
    both = replace(view, votes=(state, replace(state, vote=beside, outcome=Outcome.OPEN)))
    assert draft_result(both, NOW).answers == ROOT


def test_as_mbox_it_is_one_mail(tmp_path: Path) -> None:
    path = tmp_path / "draft.mbox"
    draft = draft_result(passed(), NOW)
    path.write_bytes(draft.as_mbox())
    (mail,) = mailbox.mbox(path)
    assert mail["Subject"] == draft.subject
