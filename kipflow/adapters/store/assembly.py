"""All that is known of one proposal, put together for `lifecycle.decide`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import sqlalchemy as sa

from kipflow.adapters.store import absences, messages, numbering, pages, rulings, warnings
from kipflow.adapters.store.decisions import is_known, lock_proposal
from kipflow.domain.care import own_versions
from kipflow.domain.errors import UnknownProposal
from kipflow.domain.facts import (
    Coverage,
    IndexEntry,
    Message,
    PageVersion,
    ProposalFacts,
    ThreadMessage,
    TicketState,
)
from kipflow.domain.permalinks import render_permalink
from kipflow.domain.proposals import Proposal, format_key
from kipflow.domain.releases import find_release
from kipflow.domain.roster import Roster, Verdict
from kipflow.domain.votes import Vote

#: Characters of a title that are looked at and shown.
MAX_TITLE = 300

FindVotes = Callable[[Sequence[Message], Sequence[Verdict]], list[Vote]]
#: A mail's author, where the roster knows the address.
FindKnown = Callable[[Message, Sequence[Verdict]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Community:
    """What the store must know of a community to put its facts together.

    `permalink` is a template with `{mid}`; `rules` names policy and roster, so that decisions under others
    are known to be out of date. `has_wiki`: numbers come from its wiki, also before that was read. Mails on the
    lists `aside` give way to the same mails on others.
    """

    prefix: str
    permalink: str
    rules: str
    find_votes: FindVotes
    find_known: FindKnown
    attribute: messages.Attribute
    aside: frozenset[str] = frozenset()
    has_wiki: bool = False
    roster: Roster = field(default_factory=lambda: Roster(()))

    def render_permalink(self, message_id: str) -> str:
        """Where a mail can be read; empty for a mail that no archive has (it came without a Message-ID)."""
        return render_permalink(self.permalink, message_id)


def load_facts(
    connection: sa.Connection, number: int, community: Community, coverage: Coverage, *, locks: bool = True
) -> ProposalFacts:
    """The proposal's facts, in order of time.

    With `locks` its row is locked until the transaction ends, so that two decisions on it come one after
    the other.
    Mails without a believable time are left out of `messages`, whose order they can't join; the votes
    are found among all mails, and the board lists them.

    Raises:
        UnknownProposal: no stored fact mentions the number.
    """
    if not (lock_proposal if locks else is_known)(connection, number):
        raise UnknownProposal(number)
    mails = messages.load_messages(connection, number)
    versions = pages.load_pages(connection, number)
    entries = pages.load_index_entries(connection, number)
    keys = {v.jira for v in versions if v.jira} | {e.jira for e in entries if e.jira}
    tickets = pages.load_tickets(connection, keys)
    identities = rulings.load_identities(connection)
    # a mail can belong to two proposals; each has its own vote
    verdicts = rulings.as_verdicts(identities)
    found = community.find_votes([*mails, *messages.load_rivals(connection, mails)], verdicts)
    votes = tuple(v for v in found if v.proposal == number)
    bearing = (*rulings.load_rulings(connection, number), *rulings.find_bearing(identities, votes))
    gone = absences.load_absences(connection, number)
    strangers = () if any(v.number == number for v in versions) or entries or gone else mails
    return ProposalFacts(
        key=format_key(community.prefix, number),
        proposal=describe(number, community.prefix, versions, entries, mails, tickets),
        pages=versions,
        absences=gone,
        index_entries=entries,
        messages=tuple(as_thread(mails, community)),
        votes=votes,
        tickets=tickets,
        rulings=tuple(sorted(bearing, key=lambda r: (r.made_at, r.id or 0))),
        warnings=tuple(warnings.load_warnings(connection, number)),
        followed_since=warnings.find_followed_since(connection, number),
        coverage=coverage,
        numbering=numbering.load_numbering(
            connection,
            number,
            strangers,
            lambda mail: community.find_known(mail, verdicts),
            wiki_configured=community.has_wiki,
        ),
    )


def as_thread(mails: Iterable[Message], community: Community) -> Iterable[ThreadMessage]:
    """The mails that have a time, as the timeline needs them."""
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
                permalink=community.render_permalink(found.message_id),
                cancels=found.cancels or "",
            )


def describe(
    number: int,
    prefix: str,
    versions: Sequence[PageVersion],
    entries: Sequence[IndexEntry],
    mails: Sequence[Message],
    tickets: Sequence[TicketState],
) -> Proposal:
    """What a proposal is called and who wrote it: from its page, else the index, else its first mail."""
    versions = own_versions(versions, number)
    newest = versions[-1] if versions else None
    entry = entries[-1] if entries else None
    first = next((v for v in versions if v.version == 1), None)
    opener = _find_opener(number, prefix, mails)
    author = first.saved_by if first else _first_of(e.author for e in reversed(entries))
    created = first.saved_at if first else min((e.created_at for e in entries if e.created_at), default=None)
    jira = (newest.jira if newest else None) or _first_of(e.jira for e in reversed(entries))
    ticket = next((t for t in reversed(tickets) if t.key == jira), None)
    release, in_progress = find_release(entry, ticket)
    return Proposal(
        number=number,
        title=strip_key(_find_title(newest, entry, opener), prefix),
        author=author or (opener.author_name if opener and not versions else None) or None,
        created_at=created,
        page_id=newest.page_id if newest else None,
        page_url=(newest.url if newest else None) or _first_of(e.url for e in reversed(entries)),
        jira=jira,
        release=release,
        in_progress=in_progress,
    )


def _find_opener(number: int, prefix: str, mails: Sequence[Message]) -> Message | None:
    """The first mail under the title that most people write: anybody can write first, under any title."""
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
    """
    plain = " ".join(title[:MAX_TITLE].split())
    return _key_pattern(prefix).sub("", plain, count=1) or plain


@lru_cache(maxsize=32)
def _key_pattern(prefix: str) -> re.Pattern[str]:
    marks = r"(?:(?:\[[^\]]{0,60}\]|(?:re|aw|fwd?|sv|antw):) ?)*"
    key = rf"(?:{re.escape(prefix)} ?[-_:#\u2010-\u2015]? ?[0-9]{{1,5}}(?![0-9]) ?[-:.,\u2010-\u2015]* ?)?"
    return re.compile(rf"^{marks}{key}", re.IGNORECASE)


def _find_title(newest: PageVersion | None, entry: IndexEntry | None, opener: Message | None) -> str:
    if newest is not None:
        return newest.title
    if entry is not None:
        return entry.title
    return opener.subject if opener is not None else ""


def _first_of(values: Iterable[str | None]) -> str | None:
    return next((v for v in values if v), None)
