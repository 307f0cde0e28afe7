"""Mails and other facts for the store's tests, with everything that a test does not care about filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from kipflow.domain.facts import ArchiveMonth, Kind, Message, Ruling, SubjectReading
from kipflow.domain.pages import IndexEntry, PageVersion, StatusWord
from kipflow.domain.roster import Roster
from kipflow.domain.votes import Ballot, BallotStatus, Choice, Expression, Vote
from kipflow.services.assembly import CommunityRules

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LIST = "dev@project.example"


def make_message(name: str, *numbers: int, parent: str | None = None, **changes: Any) -> Message:
    """The mail `<name@mail.example>`, sent an hour after NOW for each letter of its name's position."""
    topic = changes.pop("topic", "")
    kind = changes.pop("kind", Kind.DISCUSS if numbers else Kind.OTHER)
    references = tuple(f"<{r}@mail.example>" for r in changes.pop("references", ()))
    plain = Message(
        message_id=f"<{name}@mail.example>",
        list_id=LIST,
        month="2026-03",
        source=f"{LIST}/2026-03#{name}",
        arrived_at=NOW,
        arrived_from="date",
        author_name="Kim Osei",
        author_address="kim@osei.example",
        raw_from="Kim Osei <kim@osei.example>",
        subject=f"[DISCUSS] KIP-{numbers[0]}: Tidy shelves" if numbers else "Re: shelves",
        reading=SubjectReading(
            kind=kind, is_reply=parent is not None, is_forward=False, numbers=numbers, round=None, topic=topic
        ),
        in_reply_to=f"<{parent}@mail.example>" if parent else None,
        references=references or ((f"<{parent}@mail.example>",) if parent else ()),
        own_text=f"The words of {name}.",
        digest=f"digest of {name}",
    )
    return replace(plain, **changes)


def attribute(messages: Sequence[Message]) -> Mapping[str, tuple[int, ...]]:
    """The rule in its simplest form: own subject, else the nearest known ancestor, else an equal topic."""
    by_id = {m.message_id: m for m in messages}
    topics: dict[str, tuple[int, ...]] = {}
    for m in sorted(messages, key=lambda m: (m.arrived_at or NOW, m.message_id)):
        if m.reading.numbers and m.reading.topic:
            topics.setdefault(m.reading.topic, m.reading.numbers)

    def find(m: Message, seen: frozenset[str]) -> tuple[int, ...]:
        if m.reading.numbers:
            return m.reading.numbers
        for ref in (m.in_reply_to, *reversed(m.references)):
            if ref in by_id and ref not in seen and (found := find(by_id[ref], seen | {m.message_id})):
                return found
        return topics.get(m.reading.topic, ())

    return {m.message_id: find(m, frozenset()) for m in messages}


def find_votes(messages: Sequence[Message]) -> list[Vote]:
    """A vote for each mail that opens one, with a ballot for each expression in a reply to it."""
    votes: list[Vote] = []
    for root in messages:
        if root.reading.kind is Kind.VOTE and not root.reading.is_reply and root.arrived_at is not None:
            ballots = tuple(
                make_ballot(m, m.expressions[0])
                for m in messages
                if m.in_reply_to == root.message_id and m.expressions and m.arrived_at is not None
            )
            votes.extend(make_vote(root, number, ballots) for number in root.reading.numbers)
    return votes


class PlainRules(CommunityRules):
    """Votes and numbers by the simplest rules: every ballot binds."""

    def find_votes(self, mails: Sequence[Message], roster: Roster) -> list[Vote]:
        return find_votes(mails)

    def attribute(self, messages: Sequence[Message]) -> Mapping[str, tuple[int, ...]]:
        return attribute(messages)


def make_vote(root: Message, number: int, ballots: tuple[Ballot, ...]) -> Vote:
    return Vote(
        key=f"KIP-{number}",
        proposal=number,
        round=1,
        list_id=root.list_id,
        subject=root.subject,
        root_message_id=root.message_id,
        opened_by=root.author_name,
        opened_by_address=root.author_address,
        opened_at=root.arrived_at or NOW,
        ballots=ballots,
    )


def make_ballot(message: Message, expression: Expression) -> Ballot:
    return Ballot(
        voter=message.author_address,
        name=message.author_name,
        address=message.author_address,
        choice=expression.choice,
        value=expression.value,
        binding=bool(expression.claimed_binding),
        claimed_binding=expression.claimed_binding,
        cast_at=message.arrived_at or NOW,
        message_id=message.message_id,
        line=expression.line,
        rule=expression.rule,
        status=BallotStatus.COUNTED,
    )


def make_expression(choice: Choice = Choice.FOR, **changes: Any) -> Expression:
    plain = Expression(
        choice=choice, value=choice.value, claimed_binding=True, line=f"{choice} (binding)", rule="plain"
    )
    return replace(plain, **changes)


def make_page(version: int = 1, number: int | None = 7, **changes: Any) -> PageVersion:
    plain = PageVersion(
        page_id="4711",
        version=version,
        saved_at=NOW + timedelta(days=version),
        saved_by="Mara Lind",
        title="Tidy shelves",
        number=number,
        status=StatusWord.DISCUSSION,
        status_text="Under Discussion",
        url="https://wiki.example/4711",
        jira="SHELF-12",
        body=f"<p>version {version}</p>",
        interfaces=("configuration",),
    )
    return replace(plain, **changes)


def make_entry(number: int = 7, **changes: Any) -> IndexEntry:
    plain = IndexEntry(number=number, title="Tidy shelves", section="discussion", seen_at=NOW, origin="page")
    return replace(plain, **changes)


def make_month(month: str = "2026-03", status: str = "complete", **changes: Any) -> ArchiveMonth:
    return replace(ArchiveMonth(list_id=LIST, month=month, status=status, fetched_at=NOW, mails=3), **changes)


def make_ruling(number: int | None = 7, **changes: Any) -> Ruling:
    plain = Ruling(
        id=None,
        number=number,
        kind="ballot",
        target="<a@mail.example>",
        value={"choice": "+1"},
        author="ops",
        reason="says so in plain words",
        made_at=NOW,
    )
    return replace(plain, **changes)
