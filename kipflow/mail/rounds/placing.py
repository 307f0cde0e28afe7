"""Which rounds a mail belongs to: by its thread, else by its subject; if that is uncertain, a person decides."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from datetime import datetime
from functools import cached_property

from kipflow.domain.facts import MailKind, Message
from kipflow.domain.proposals import find_references, format_key
from kipflow.domain.votes import Standing
from kipflow.mail.rounds.book import Book, find_last, find_lost_id
from kipflow.mail.rounds.rounds import Round
from kipflow.mail.rounds.topics import drop_key, is_same_topic, names_release
from kipflow.mail.votes.lexicon import fold, speaks_of_votes


class Placing:
    """Places mails in the rounds of a book; a vote whose opening is missing is opened on the way."""

    def __init__(self, book: Book) -> None:
        self.book = book

    def place(self, message: Message) -> list[Round]:
        """The rounds that a mail belongs to."""
        reading = message.reading
        at = self.book.time_of(message)
        if reading.kind is MailKind.DISCUSS:
            return self.find_announced(message, at)
        roots = self.find_roots(message)
        if len(roots) > 1:
            return []  # a person says which it is about
        for root in roots:
            rounds = [r for r in self.book.by_root[root.message_id] if self.fits(message, r)]
            if rounds or not self.names_other_vote(message):
                return [self.pick_running(self.pick_marked(r, message), at) for r in rounds]
        if reading.kind is MailKind.OTHER:
            return self.find_announced(message, at)
        if self.is_torn(message) or self.begins_anew(message) or (self.find_titled(message) and message.votes):
            return []
        if self.is_lost(message) and (lost := self.find_lost(message)) is not None:
            return lost
        found = []
        for key in self.book.keys_of(message):
            rounds = self.book.rounds.get(key) or self.book.find_similar(message)
            if not rounds and reading.kind is MailKind.VOTE and not reading.is_forward:
                self.book.open(message, missing=True)
                return []
            opened = [r for r in rounds if r.opened_at <= at] or rounds[:1]
            opened = [r for r in opened if r.root.list_id == message.list_id] or opened
            marked = [r for r in opened if r.marker == reading.round] or opened
            found.extend(self.leave_contested(marked)[-1:])
        return found

    def find_roots(self, message: Message) -> list[Message]:
        """The openings of the votes in whose threads a mail is: one, unless its parent is uncertain.

        A stranger can reuse a mail's id, or write between a vote and its answers: then all mails that this one
        names count. Its own subject decides if it can.
        """
        roots = list(self.book.roots[message.message_id].values())
        if len(roots) > 1:
            numbers = set(message.reading.numbers)
            named = [m for m in roots if numbers and numbers.intersection(self.book.numbers.get(m.message_id, ()))]
            keys = {key for m in roots for key in self.book.keys_of(m)}
            roots = named[:1] or (roots[:1] if len(keys) == 1 else roots)
        return roots

    def find_lost(self, message: Message) -> list[Round] | None:
        """The rounds with a missing opening that a mail answers; a vote opens one if there is none yet."""
        lost = self.book.lost.get(find_lost_id(message))
        if lost is None and message.reading.kind is MailKind.VOTE:
            self.book.open(message, missing=True)
            return []
        return lost

    def is_lost(self, message: Message) -> bool:
        """Whether a mail, like others, answers a missing opening, and all known openings are by strangers.

        A single reply may answer a private mail.
        """
        lost = find_lost_id(message)
        if not lost or self.book.links.named[message.message_id] or len(self.answering.get(lost, ())) < 2:
            return False
        rounds = [r for key in self.book.keys_of(message) for r in self.book.rounds.get(key, ())]
        return all(r.root_missing or not self.book.entitled.counts_end(r.root, r.opened_at) for r in rounds)

    @cached_property
    def answering(self) -> dict[str, set[str]]:
        """Who answers each unknown id, in a mail that names no known one."""
        found: dict[str, set[str]] = {}
        for message in self.book.ordered:
            if message.reading.kind is MailKind.VOTE and not self.book.links.named[message.message_id]:
                found.setdefault(find_lost_id(message), set()).add(message.author_address)
        return found

    def is_torn(self, message: Message) -> bool:
        """Whether a mail is in no thread, and its subject is that of votes on several proposals."""
        if message.reading.numbers or not message.reading.topic:
            return False
        opened = [self.book.rounds[key][0] for key in self.book.keys_of(message) if key in self.book.rounds]
        return len({r.root.message_id for r in opened}) > 1

    def begins_anew(self, message: Message) -> bool:
        """Whether a vote under the subject of somebody else's vote answers none of its mails and may call a new one.

        Besides its vote it mentions a proposal or voting; a reply that only lost its "Re:" and thread does not.
        """
        if message.reading.is_reply or message.reading.kind is not MailKind.VOTE:
            return False
        if (message.in_reply_to or message.references) and message.message_id not in self.book.parents:
            return False
        rounds = [r for key in self.book.keys_of(message) for r in self.book.rounds.get(key, ())]
        if not rounds or any(r.root.author_address == message.author_address for r in rounds):
            return False
        lines = {e.line.strip() for e in message.votes}
        rest = " ".join(line for line in message.own_text.splitlines() if line.strip() not in lines)
        return bool(lines) and bool(find_references(rest, self.book.prefix) or speaks_of_votes(fold(rest)))

    def find_titled(self, message: Message) -> list[Round]:
        """The round with the title of a reply that names no number and answers no known mail."""
        reading = message.reading
        if reading.kind is not MailKind.VOTE or not reading.is_reply or reading.numbers or self.find_roots(message):
            return []
        if any(key in self.book.rounds for key in self.book.keys_of(message)):
            return []
        found = self.find_last_opened(self.book.titled.get(reading.topic, ()), self.book.time_of(message))
        return found if message.declared is None and message.cancels is None else []

    def find_announced(self, message: Message, at: datetime) -> list[Round]:
        """The rounds whose result is announced by a mail without a vote's subject."""
        discussed = self.find_discussed(message, at)
        return discussed if discussed and message.declared is not None else []

    def find_discussed(self, message: Message, at: datetime) -> list[Round]:
        """The rounds of the proposals that a subject names: the last one opened before."""
        return self.find_last_opened(self.book.keys_of(message), at) if message.reading.numbers else []

    def find_named(self, message: Message) -> list[Round]:
        """The rounds of the proposals that a vote names in its own words, such as a reply to a digest."""
        named = find_references(message.own_text, self.book.prefix) if message.votes else ()
        return self.find_last_opened((format_key(self.book.prefix, n) for n in named), self.book.time_of(message))

    def find_last_opened(self, keys: Iterable[str], at: datetime) -> list[Round]:
        """Of each of these votes the round that was opened last before `at`."""
        opened = ([r for r in self.book.rounds.get(key, ()) if r.opened_at <= at] for key in keys)
        return [self.leave_contested(rounds)[-1] for rounds in opened if rounds]

    def leave_contested(self, rounds: list[Round]) -> list[Round]:
        """The rounds that entitled people opened; if there are none, all of these."""
        return [r for r in rounds if r.root.message_id not in self.book.contested] or rounds

    def names_other_vote(self, message: Message) -> bool:
        """Whether a mail's own subject names another known vote: then it answered the wrong mail."""
        return message.reading.kind is MailKind.VOTE and any(
            key in self.book.rounds for key in self.book.keys_of(message)
        )

    def find_strayed_from(self, message: Message) -> list[Round]:
        """The rounds in whose thread a mail votes under a subject that is not the vote's.

        Right below a mail about the vote a written vote counts under any subject (a number mistyped, "+1" as the
        subject), and anywhere under that of a vote that nobody called. Further down, and for praise, only a "Re:"
        without a tag counts, unless its subject began a thread and no vote claims to be binding or non-binding.
        Under a discussion's subject only such claims count.
        """
        reading = message.reading
        if reading.kind in {MailKind.RESULT, MailKind.CANCEL}:
            return []
        roots = self.find_roots(message)
        if not roots and reading.kind is MailKind.DISCUSS:
            found = self.find_discussed(message, self.book.time_of(message))
            return found if found and message.votes else []
        if len(roots) > 1:
            return [r for each in roots for r in self.book.by_root[each.message_id]] if message.votes else []
        if not roots and reading.is_reply and "digest" in reading.topic:
            return self.find_named(message)
        if not roots and (titled := self.find_titled(message)):
            return titled if message.votes else []
        if not roots:
            # the mail's votes are checked last: that may read its body
            asked = (self.is_torn(message) or self.begins_anew(message)) and message.votes
            keys = self.book.keys_of(message) if asked else []
            return [self.book.rounds[key][-1] for key in keys if key in self.book.rounds]
        return self.find_strayed_below(message, roots[0])

    def find_strayed_below(self, message: Message, root: Message) -> list[Round]:
        """The same for a mail in the thread of one vote."""
        reading = message.reading
        rounds = self.book.by_root[root.message_id]
        ancestors = self.book.ancestors(message)
        ancestors = ancestors if any(above is root for above in ancestors) else [root]
        right_below = [r for r in rounds if ancestors[0] is root or self.fits(ancestors[0], r)]
        talks = all(e.standing.is_tentative for e in message.votes)
        casts = any(e.standing is not Standing.DOUBT for e in message.votes) and not talks
        if casts and right_below:
            return right_below
        if casts and reading.kind is MailKind.VOTE and reading.is_reply and not self.names_other_vote(message):
            # somebody above mistyped the number, and the answers keep it
            topics = (drop_key(m.reading.topic, self.book.prefix) for m in (message, root))
            return rounds if is_same_topic(*topics) else []
        claims = any(e.claimed_binding is not None for e in message.votes)
        if claims and reading.kind is MailKind.DISCUSS and reading.is_reply:
            return rounds  # "+1 to that. And my vote on KIP-7 itself is +1 (binding)"
        if reading.kind is not MailKind.OTHER or not reading.is_reply or reading.numbers:
            return []
        if talks or claims:
            return right_below if talks else rounds
        between = itertools.takewhile(lambda m: m is not root, ancestors)
        return [] if any(m.reading.topic and not m.reading.is_reply for m in between) else rounds

    def fits(self, message: Message, round_: Round) -> bool:
        """Whether a mail in the round's thread is still about its vote, by the mail's own subject."""
        reading = message.reading
        if not reading.topic:
            return True
        if round_.number is not None and reading.numbers:
            return round_.number in reading.numbers
        if round_.number is not None and reading.is_reply and reading.kind is not MailKind.OTHER:
            return True
        topics = (reading.topic, round_.root.reading.topic)
        return is_same_topic(*topics) or (reading.kind is MailKind.RESULT and names_release(*topics))

    def pick_running(self, round_: Round, at: datetime) -> Round:
        """The round that was running at `at`, if its caller began a new one within its own thread."""
        last = find_last(self.leave_contested(self.book.rounds[round_.key]), at) or round_
        is_later = last.begins_anew and round_.opened_at < last.opened_at < at
        return last if is_later and self.book.is_within(last.root, round_.root) else round_

    def pick_marked(self, round_: Round, message: Message) -> Round:
        """A subject that names its round, or repeats that of a later one, outweighs a reply to the wrong mail."""
        marker, others = message.reading.round, self.book.rounds[round_.key]
        if marker is not None and marker != round_.marker:
            return next((r for r in others if r.marker == marker), round_)
        if len(others) < 2 or round_.repeats_title(message):
            return round_
        last = find_last((r for r in others if r.repeats_title(message)), self.book.time_of(message))
        return last if last is not None and last.opened_at > round_.opened_at else round_
