"""kipflow reads the sandbox's mail and pages, and comes to what the answer sheet says.

The answers are written by hand from the story's intent. A difference is an error of the reader or of
the story, never of the sheet's arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kipflow.config.loading import load_community
from kipflow.config.roster import load_roster
from kipflow.domain.decisions import Decision, make_warning
from kipflow.domain.facts import Coverage, Message, ProposalFacts, SilenceWarning, ThreadMessage, Unreadable
from kipflow.domain.lifecycle import decide
from kipflow.domain.pages import PageAbsence, PageVersion, Substance, WikiPage
from kipflow.domain.policy import Policy
from kipflow.domain.proposals import Proposal
from kipflow.domain.votes import Vote
from kipflow.mail.messages import read_message
from kipflow.mail.rounds.linking import attribute_numbers
from kipflow.mail.threads import find_votes
from kipflow.sandbox.plans import EXPECTED
from kipflow.sandbox.story import Story, build_story
from kipflow.wiki.pages import parse_page
from kipflow.wiki.substance import read_substance

ROOT = Path(__file__).resolve().parents[3]
ANCHOR = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The whole story as kipflow reads it: facts by proposal, and what could not be read."""

    facts: Mapping[int, ProposalFacts]
    policy: Policy
    unreadable: list[Unreadable]

    def decide(self, number: int, at: datetime) -> Decision:
        facts = self.facts[number]
        # the story knows its future; nobody who reads it does
        seen = replace(facts, pages=tuple(p for p in facts.pages if p.saved_at <= at))
        if at > ANCHOR:
            # kipflow has been running since the anchor
            seen = replace(seen, followed_since=ANCHOR, warnings=self.warn(number))
        decision = decide(seen, self.policy, at)
        assert decision is not None
        return decision

    def warn(self, number: int) -> tuple[SilenceWarning, ...]:
        """What the first run, at the anchor, warned of, and delivered at once."""
        silence = self.decide(number, ANCHOR).unwarned
        if silence is None:
            return ()
        given = make_warning(silence, self.policy, as_of=ANCHOR, recorded_at=ANCHOR, followed_since=None)
        return (replace(given, delivered_at=ANCHOR),)


@pytest.fixture(scope="module")
def reading() -> Reading:
    story = build_story(ANCHOR)
    community = load_community("sandbox", ROOT / "config")
    roster = load_roster(ROOT / "config" / "rosters" / "sandbox.yaml")
    read = [
        read_message(m.raw, source=f"story#{n}", list_id="dev@sandbox.example", month=m.month, prefix="KIP")
        for n, m in enumerate(story.mails)
    ]
    messages = list({m.message_id: m for m in reversed(read) if isinstance(m, Message)}.values())[::-1]
    votes = find_votes(messages, roster, community.as_policy(), prefix="KIP")
    numbers = attribute_numbers(messages)
    coverage = Coverage(complete_through=ANCHOR + timedelta(days=30))
    facts = {
        number: ProposalFacts(
            key=f"KIP-{number}",
            proposal=Proposal(number=number, title=""),
            pages=tuple(pages_of(story, number)),
            absences=tuple(absences_of(story, number)),
            messages=tuple(thread_of(messages, numbers, number)),
            votes=tuple(votes_of(votes, number)),
            coverage=coverage,
        )
        for number in EXPECTED
    }
    unreadable = [m for m in read if isinstance(m, Unreadable)]
    return Reading(facts=facts, policy=community.as_policy(), unreadable=unreadable)


def absences_of(story: Story, number: int) -> list[PageAbsence]:
    page = next(p for p in story.pages if p.page_id == str(2000 + number))
    since = page.script[0].at
    return (
        [PageAbsence(page_id=page.page_id, since=since, until=None, why="restricted", asked_at=since)]
        if page.denied or page.gone
        else []
    )


def pages_of(story: Story, number: int) -> list[PageVersion]:
    page = next(p for p in story.pages if p.page_id == str(2000 + number))
    if page.denied or page.gone:
        return []
    found: list[PageVersion] = []
    before: tuple[str, Substance] | None = None
    for position, version in enumerate(page.script, start=1):
        raw = WikiPage(
            page_id=page.page_id,
            version=position,
            title=page.title,
            body=version.body,
            saved_at=version.at,
            saved_by=version.who,
        )
        parsed = parse_page(raw, "KIP")
        parsed = replace(parsed, substance=read_substance(parsed.body, before=before))
        before = (parsed.body, parsed.substance)
        found.append(parsed)
    return found


def thread_of(messages: list[Message], numbers: Mapping[str, tuple[int, ...]], number: int) -> list[ThreadMessage]:
    found = [m for m in messages if number in numbers.get(m.message_id, ()) and m.arrived_at is not None]
    return [
        ThreadMessage(
            message_id=m.message_id,
            arrived_at=m.arrived_at,
            kind=m.reading.kind,
            is_reply=m.reading.is_reply,
            author_name=m.author_name,
            author_address=m.author_address,
            subject=m.subject,
        )
        for m in sorted(found, key=lambda m: m.arrived_at or ANCHOR)
        if m.arrived_at is not None
    ]


def votes_of(votes: list[Vote], number: int) -> list[Vote]:
    return sorted((v for v in votes if v.proposal == number), key=lambda v: v.opened_at)


@pytest.mark.parametrize("number", EXPECTED)
def test_a_proposal_comes_to_what_the_story_means(number: int, reading: Reading) -> None:
    answer = EXPECTED[number]
    decision = reading.decide(number, ANCHOR)
    assert decision.stage is answer.stage
    assert len(decision.votes) == answer.rounds
    assert any(d.side == "page" for d in decision.drift) is answer.page_drift
    if not answer.rounds:
        return
    newest = decision.votes[-1]
    assert newest.outcome is answer.outcome
    assert tuple(newest.tally.binding.as_dict().values()) == answer.binding
    assert answer.other is None or tuple(newest.tally.non_binding.as_dict().values()) == answer.other
    assert newest.depends_on_review is answer.depends_on_review


@pytest.mark.parametrize("number", EXPECTED)
def test_ten_days_later_the_story_has_moved_on(number: int, reading: Reading) -> None:
    wanted = EXPECTED[number].later or EXPECTED[number].stage
    assert reading.decide(number, ANCHOR + timedelta(days=10)).stage is wanted


@pytest.mark.parametrize("number", [n for n, answer in EXPECTED.items() if answer.asleep])
def test_who_was_warned_at_the_anchor_sleeps_when_the_grace_is_over(number: int, reading: Reading) -> None:
    assert len(reading.warn(number)) == 1
    assert reading.decide(number, ANCHOR + timedelta(days=13)).stage is EXPECTED[number].stage
    assert reading.decide(number, ANCHOR + timedelta(days=15)).stage is EXPECTED[number].asleep


def test_a_month_later_nothing_is_left_to_read(reading: Reading) -> None:
    assert len(reading.unreadable) == 2
    assert {u.source for u in reading.unreadable} == {u.source for u in reading.unreadable if u.why}


def test_few_ballots_wait_for_who_sent_them(reading: Reading) -> None:
    votes = [state.vote for number in EXPECTED for state in reading.decide(number, ANCHOR).votes]
    ballots = sum(len(vote.ballots) for vote in votes)
    assert [(vote.key, len(vote.doubted_mails)) for vote in votes if vote.doubted_mails] == [("KIP-83", 1)]
    assert sum(len(vote.doubted_mails) for vote in votes) <= 0.02 * ballots


def test_two_announcements_differ_from_the_ballots(reading: Reading) -> None:
    differing = {number for number in EXPECTED for s in reading.decide(number, ANCHOR).votes[-1:] if s.differences}
    assert {65, 75} <= differing
    assert differing <= {65, 68, 75}
