"""A proposal's facts, assembled from its stored rows for `lifecycle.decide`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from kipflow.domain.facts import Message, ProposalFacts, ThreadMessage
from kipflow.domain.ownpages import own_versions
from kipflow.domain.pages import find_release
from kipflow.domain.policy import Policy
from kipflow.domain.proposals import KnownWriter, Proposal, format_key
from kipflow.domain.roster import Roster
from kipflow.domain.ruled import as_verdicts, find_concerned
from kipflow.domain.sameids import render_permalink
from kipflow.domain.texts import digest_text
from kipflow.domain.version import DECISION_RULES
from kipflow.domain.votes import Vote
from kipflow.mail.rounds.linking import attribute_numbers
from kipflow.mail.threads import find_votes
from kipflow.services.ports import ProposalRows, Session

#: The most characters of a title that are used.
MAX_TITLE = 300


@dataclass(frozen=True, kw_only=True)
class CommunityRules:
    """How a community's mail and pages are read (`ports.Rules`), by its present policy and roster.

    `permalink` is the address of a mail, with "{mid}"; "" if no archive is known. `keyed_by` is "number", or what else
    distinguishes votes.
    """

    prefix: str
    policy: Policy
    roster: Roster = field(default_factory=lambda: Roster(()))
    permalink: str = ""
    keyed_by: str = "number"
    aside: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()
    has_wiki: bool = False

    @cached_property
    def name(self) -> str:
        ways = " ".join([self.keyed_by, *sorted(self.aside), *sorted(self.lists), *(["wiki"] if self.has_wiki else [])])
        ways += f" {self.policy.announcer}".rstrip()
        people = digest_text(f"{ways}\n{self.roster.people!r}", 12)
        return f"{self.policy.version}/{people}/{DECISION_RULES}"

    def find_votes(self, mails: Sequence[Message], roster: Roster) -> list[Vote]:
        return find_votes(mails, roster, self.policy, prefix=self.prefix, keyed_by=self.keyed_by) if mails else []

    def with_roster(self, roster: Roster) -> CommunityRules:
        return replace(self, roster=roster)

    def attribute(self, messages: Sequence[Message]) -> Mapping[str, tuple[int, ...]]:
        return attribute_numbers(messages)

    def render_permalink(self, message_id: str) -> str:
        return render_permalink(self.permalink, message_id)

    def assemble(self, rows: ProposalRows) -> ProposalFacts:
        """The facts, in order of time.

        Mails without a believable time are left out of `messages`, which are ordered by time; the votes are found among
        all mails, and the board lists all.
        """
        number, verdicts = rows.number, as_verdicts(rows.identities)
        roster = self.roster.with_verdicts(verdicts) if verdicts else self.roster
        # a mail can belong to two proposals, each with a vote of its own
        found = self.find_votes([*rows.messages, *rows.rivals], roster)
        votes = tuple(v for v in found if v.proposal == number and v.list_id not in self.aside)
        rulings = (*rows.rulings, *find_concerned(rows.identities, votes))
        by_mail = not (any(v.number == number for v in rows.pages) or rows.index_entries or rows.absences)
        writers = tuple(_find_writers(rows.messages, roster)) if by_mail and rows.numbering.by_wiki else ()
        return ProposalFacts(
            key=format_key(self.prefix, number),
            proposal=_describe(rows, self.prefix),
            pages=rows.pages,
            absences=rows.absences,
            index_entries=rows.index_entries,
            messages=tuple(self._list_thread(rows.messages)),
            votes=votes,
            tickets=rows.tickets,
            rulings=tuple(sorted(rulings, key=lambda r: (r.made_at, r.id or 0))),
            warnings=rows.warnings,
            followed_since=rows.followed_since,
            coverage=rows.coverage,
            numbering=replace(rows.numbering, writers=writers),
        )

    def _list_thread(self, mails: Iterable[Message]) -> Iterator[ThreadMessage]:
        """The mails with a time, in the form for the timeline."""
        for found in mails:
            if found.arrived_at is not None:
                yield ThreadMessage(
                    message_id=found.message_id,
                    arrived_at=found.arrived_at,
                    kind=found.reading.kind,
                    is_reply=found.reading.is_reply,
                    author_name=found.author_name,
                    author_address=found.author_address,
                    subject=found.subject,
                    permalink=self.render_permalink(found.message_id),
                    cancels=found.cancels or "",
                )


def load_facts(session: Session, number: int) -> ProposalFacts:
    """The proposal's facts, for a decision within the same transaction.

    Raises:
        UnknownProposal: no stored fact mentions the number.
    """
    return session.rules.assemble(session.history.load_rows(number))


def _find_writers(mails: Iterable[Message], roster: Roster) -> Iterator[KnownWriter]:
    """The writers known to the roster by address, each with the time of their first mail."""
    found: set[str] = set()
    for mail in mails:
        author = roster.identify(name=mail.author_name, address=mail.author_address)
        name = "" if author.person is None or author.by_name else author.person.name
        if name and name not in found and mail.arrived_at is not None:
            found.add(name)
            yield KnownWriter(name=name, at=mail.arrived_at)


def _describe(rows: ProposalRows, prefix: str) -> Proposal:
    """A proposal's title, author and links: from its page, else the index, else its first mail."""
    number, entries = rows.number, rows.index_entries
    versions = own_versions(rows.pages, number)
    newest = versions[-1] if versions else None
    entry = entries[-1] if entries else None
    first = next((v for v in versions if v.version == 1), None)
    opener = _find_opener(number, prefix, rows.messages)
    titled = newest or entry
    title = titled.title if titled is not None else opener.subject if opener is not None else ""
    author = first.saved_by if first else _first_of(e.author for e in reversed(entries))
    created = first.saved_at if first else min((e.created_at for e in entries if e.created_at), default=None)
    jira = (newest.jira if newest else None) or _first_of(e.jira for e in reversed(entries))
    ticket = next((t for t in reversed(rows.tickets) if t.key == jira), None)
    release, in_progress = find_release(entry, ticket)
    return Proposal(
        number=number,
        title=strip_key(title, prefix),
        author=author or (opener.author_name if opener and not versions else None) or None,
        created_at=created,
        page_id=newest.page_id if newest else None,
        page_url=(newest.url if newest else None) or _first_of(e.url for e in reversed(entries)),
        jira=jira,
        release=release,
        in_progress=in_progress,
    )


def _find_opener(number: int, prefix: str, mails: Sequence[Message]) -> Message | None:
    """The first mail with the title used by most people, as anybody can be the first to write, with any title."""
    writers: dict[str, set[str]] = {}
    first: dict[str, Message] = {}
    for found in mails:
        if number in found.reading.numbers:
            title = strip_key(found.subject, prefix).casefold()
            writers.setdefault(title, set()).add(found.author_address)
            first.setdefault(title, found)
    most = max(first, key=lambda title: len(writers[title]), default=None)
    return first[most] if most is not None else next(iter(mails), None)


def strip_key(title: str, prefix: str) -> str:
    """A page's title or a mail's subject without tags, reply marks, prefix and number.

    >>> strip_key("Re: [DISCUSS] KIP-12 - Tidy  shelves", "KIP")
    'Tidy shelves'
    >>> strip_key("Vote: KIP-12: Tidy shelves", "KIP")
    'Tidy shelves'
    """
    plain = " ".join(title[:MAX_TITLE].split())
    return _key_pattern(prefix).sub("", plain, count=1) or plain


@lru_cache(maxsize=32)
def _key_pattern(prefix: str) -> re.Pattern[str]:
    bare = rf"(?:vote|discuss(?:ion)?) ?: ?(?={re.escape(prefix)}[ -]?[0-9])"
    marks = rf"(?:(?:\[[^\]]{{0,60}}\]|(?:re|aw|fwd?|sv|antw):|{bare}) ?)*"
    key = rf"(?:{re.escape(prefix)} ?[-_:#\u2010-\u2015]? ?[0-9]{{1,5}}(?![0-9]) ?[-:.,\u2010-\u2015]* ?)?"
    return re.compile(rf"^{marks}{key}", re.IGNORECASE)


def _first_of(values: Iterable[str | None]) -> str | None:
    return next((v for v in values if v), None)
