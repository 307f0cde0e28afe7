"""Mails and other facts for the store's tests, with everything that a test does not care about filled in."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from kipflow.domain.facts import ArchiveMonth, MailKind, Message, Ruling, SubjectReading
from kipflow.domain.pages import IndexEntry, PageVersion, StatusWord
from kipflow.domain.people import Person, Role
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster
from kipflow.domain.votes import Choice, Expression
from kipflow.services.assembly import CommunityRules

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LIST = "dev@project.example"


def make_message(name: str, *numbers: int, parent: str | None = None, **changes: Any) -> Message:
    """The mail `<name@mail.example>`, sent an hour after NOW for each letter of its name's position."""
    topic = changes.pop("topic", "")
    kind = changes.pop("kind", MailKind.DISCUSS if numbers else MailKind.OTHER)
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


#: Those who vote in these tests, each under the one name that their mails have.
VOTERS = ("kim@osei.example", "y@osei.example", "y@lind.example", *(f"v{n}@voters.example" for n in range(5)))


def make_rules(policy: Policy, **more: Any) -> CommunityRules:
    """A community's rules under which all of them bind."""
    people = (Person(id=a, name="Kim Osei", emails=(a,), roles=(Role(role="pmc"),)) for a in VOTERS)
    return CommunityRules(policy=policy, prefix="KIP", roster=Roster(people), **more)


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
