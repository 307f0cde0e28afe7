"""Which mails open a vote or a round of it: calls, but not ballots, copies, reminders or results under its subject."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cached_property

from kipflow.domain.facts import MailKind, Message
from kipflow.domain.judging import states_outcome
from kipflow.domain.proposals import find_references
from kipflow.domain.votes import Standing
from kipflow.mail.results import is_thought
from kipflow.mail.rounds.book import Book
from kipflow.mail.rounds.calls import find_beginnings, is_call, starts_vote
from kipflow.mail.rounds.rounds import Earlier
from kipflow.mail.rounds.topics import find_unversioned

_BY_TITLE = "names no proposal, only mails of others under its title do"
_RESTARTED = re.compile(r"[(\[][^()\[\]]*\b(?:re-?started|new vote|re-?vote)\b[^()\[\]]*[)\]]", re.IGNORECASE)
_UNKNOWN_TAG = "its tag is none that is known, while others vote in its thread"


def has_unknown_tag(message: Message) -> bool:
    """Whether a mail begins a thread on a proposal under a tag that is not one for votes, results or discussions."""
    reading = message.reading
    begins = bool(reading.numbers) and not reading.is_reply and not reading.is_forward
    return reading.kind is MailKind.OTHER and begins and message.subject.lstrip().startswith(("[", "【"))


def begins_with_vote(message: Message) -> bool:
    """Whether the first of a mail's own lines is a vote that is clear."""
    clear = [e.line.strip() for e in message.votes if e.standing is Standing.CLEAR and e.choice is not None]
    first = next((line.strip() for line in message.own_text.splitlines() if line.strip()), "")
    return any(first.startswith(line) for line in clear)


def says_restarted(message: Message, earlier: Sequence[Earlier]) -> bool:
    """Whether a caller's subject says that it begins the vote again: "[VOTE] KIP-7: Shorter names (restarted)"."""
    declared = message.declared
    is_end = declared is not None and declared.outcome not in {None, "cancelled"}
    is_caller = any(message.author_address in e.callers for e in earlier)
    return is_caller and not is_end and _RESTARTED.search(message.subject) is not None


class Openings:
    """Finds the openings among mails in order of time, and opens their rounds in a book."""

    def __init__(self, book: Book) -> None:
        self.book = book
        #: Why an opening may not be one, by its id.
        self.doubts: dict[str, str] = {}

    def find(self) -> None:
        for message in self.book.ordered:
            if self.is_opening(message):
                is_guessed = message.message_id in self.book.attribution.guessed
                self.book.open(message, doubt=self.doubts.get(message.message_id, _BY_TITLE if is_guessed else ""))
            elif len(self.voters.get(message.message_id, ())) > 1 and self.book.earlier.keys().isdisjoint(
                self.book.keys_of(message)
            ):
                self.book.open(message, doubt=_UNKNOWN_TAG)

    def is_opening(self, message: Message) -> bool:
        reading = message.reading
        if reading.kind is MailKind.VOTE and reading.is_reply and self.restarts(message):
            return True
        if reading.kind is not MailKind.VOTE or reading.is_reply or reading.is_forward:
            return False
        keys = self.book.keys_of(message)
        earlier = [self.book.earlier[key] for key in keys if key in self.book.earlier]
        if not earlier:
            return is_call(message.own_text) or not self.is_stray_ballot(message)
        is_resent = any(e.is_resent(message, self.book.time_of(message)) for e in earlier)
        is_restart = says_restarted(message, earlier)
        if is_resent or (states_outcome(message.declared) and not is_restart):
            return False
        if reading.round is not None and all(reading.round not in e.markers for e in earlier):
            return True
        if any(not e.topics.isdisjoint(find_unversioned(reading.topic)) for e in earlier):
            return True
        # a ballot without "Re:": a reply from a client that drops the mark
        votes = any(e.choice is not None for e in message.votes)
        within = self.has_ancestor(message, keys)
        calls = is_call(message.own_text) or is_restart
        if votes and within and not any(message.author_address in e.callers for e in earlier):
            self.doubts[message.message_id] = "votes, in answer to another call: a vote on that one?"
            return calls
        is_bump = self.is_bump(message, earlier)
        if calls and is_bump and not starts_vote(message.own_text):
            self.doubts[message.message_id] = "calls under the same subject while a vote runs: a reminder?"
        return calls or not (votes or within or is_bump)

    @cached_property
    def voters(self) -> dict[str, set[str]]:
        """For each mail on a proposal under an unknown tag, who answers it with a plain vote in the first line."""
        found: dict[str, set[str]] = {m.message_id: set() for m in self.book.ordered if has_unknown_tag(m)}
        for message in self.book.ordered if found else ():
            if message.reading.kind is MailKind.OTHER and message.reading.is_reply:
                asked = [found[m.message_id] for m in self.book.ancestors(message) if m.message_id in found]
                for voters in asked if asked and begins_with_vote(message) else ():
                    voters.add(message.author_address)
        return found

    def restarts(self, message: Message) -> bool:
        """Whether a mail restarts, or may restart, the vote of its thread; only the vote's caller can."""
        found = find_beginnings(message.own_text)
        above = next((m for m in self.book.ancestors(message) if m.message_id in self.book.by_root), None)
        if not found or above is None or not self.is_caller(message, above):
            return False
        # a restart alone is read as a thought of not going on, or as an end that is not understood
        declared = message.declared
        is_end = declared is not None and not (declared.only_denies or is_thought(declared.unclear))
        if declared is not None and is_end and (declared.outcome is not None or not find_beginnings(declared.unclear)):
            return False
        if message.cancels is not None and not starts_vote(message.own_text):
            return False  # "I cancel this vote, all votes so far are void": nothing follows yet
        others = set(find_references(message.own_text, self.book.prefix)) - set(self.book.numbers[above.message_id])
        if others or not any(found):
            self.doubts[message.message_id] = "says that something begins anew, which may be no vote"
        return True

    def is_caller(self, message: Message, root: Message) -> bool:
        """Whether a mail is from the vote's caller: the same address, or the same person."""
        if not message.author_address or message.author_address == root.author_address:
            return bool(message.author_address)
        return any(self.book.is_from_caller(message, round_) for round_ in self.book.by_root[root.message_id])

    def is_bump(self, message: Message, earlier: Sequence[Earlier]) -> bool:
        """Whether the caller writes again under the same subject, without a new call, while the vote runs."""
        found = max(earlier, key=lambda e: e.last.opened_at)
        last = found.last
        one, other = (" ".join(m.subject.casefold().split()) for m in (message, last.root))
        if message.author_address != last.root.author_address or one != other:
            return False
        if not found.knows_ends:
            # by somebody who opened a vote on it, or whose vote binds: a stranger makes no reminder a new round
            ends = filter(self.ends_vote, self.about.get(last.key, ()))
            times = ((m, self.book.time_of(m)) for m in ends)
            found.note_ends((at, m.author_address, self.book.entitled.counts_end(m, at)) for m, at in times)
        return not found.ended_before(self.book.time_of(message))

    @cached_property
    def about(self) -> dict[str, list[Message]]:
        """Mails by the votes that they are about."""
        found: dict[str, list[Message]] = {}
        for message in self.book.ordered:
            for key in self.book.keys_of(message):
                found.setdefault(key, []).append(message)
        return found

    @staticmethod
    def ends_vote(message: Message) -> bool:
        """Whether a mail announces a result or calls something off."""
        if message.reading.kind in {MailKind.RESULT, MailKind.CANCEL} or message.cancels is not None:
            return True
        return message.declared is not None and not message.declared.unclear

    def is_stray_ballot(self, message: Message) -> bool:
        """A ballot whose subject lost its "Re:", before any opening is known: it answers an unseen mail."""
        answers = message.in_reply_to is not None or bool(message.references)
        return answers and any(e.choice is not None for e in message.votes)

    def has_ancestor(self, message: Message, keys: Collection[str]) -> bool:
        above = (r for m in self.book.ancestors(message) for r in self.book.by_root.get(m.message_id, ()))
        return any(r.key in keys for r in above)
