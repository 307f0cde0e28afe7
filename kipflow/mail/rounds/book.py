"""The mails of a community with the rounds found in them so far, and the openings that each mail leads to."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property

from kipflow.domain.facts import MailKind, Message
from kipflow.domain.policy import Policy
from kipflow.domain.proposals import find_references, format_key
from kipflow.domain.roster import Roster
from kipflow.domain.sameids import find_given_id
from kipflow.mail.announcements.others import drop_successor
from kipflow.mail.rounds.entitled import Entitled
from kipflow.mail.rounds.linking import Attribution, Links, find_times
from kipflow.mail.rounds.rounds import Earlier, Round
from kipflow.mail.rounds.topics import drop_key, is_same_topic, names_release


class Book:
    """What is known while mails are grouped into votes.

    Args:
        ordered: each mail once.
        roster: who is who.
        policy: whose votes bind.
        prefix: of proposal keys, "KIP".
        keyed_by: "number", or "subject" for communities whose votes have no numbers.
    """

    def __init__(self, ordered: list[Message], roster: Roster, policy: Policy, *, prefix: str, keyed_by: str) -> None:
        self.prefix, self.keyed_by = prefix, keyed_by
        self.by_id = {m.message_id: m for m in ordered}
        self.links = Links(ordered)
        self.parents = self.links.parents
        self.times = find_times(ordered, self.parents)
        self.ordered = sorted(ordered, key=lambda m: (self.times[m.message_id], m.message_id))
        self.attribution = Attribution(ordered, self.links)
        self.numbers = self.attribution.numbers
        self.rounds: dict[str, list[Round]] = {}
        self.by_root: dict[str, list[Round]] = {}
        #: The openings that each mail leads to, the likeliest first.
        self.roots: dict[str, dict[str, Message]] = {}
        #: The rounds whose opening is missing, by the id that their mails answer.
        self.lost: dict[str, list[Round]] = {}
        self.earlier: dict[str, Earlier] = {}
        self.entitled = Entitled(roster, policy)
        #: Openings of rounds that would replace a running one, by people who may not do that.
        self.contested: set[str] = set()

    def all_rounds(self) -> list[Round]:
        return [round_ for rounds in self.rounds.values() for round_ in rounds]

    def keys_of(self, message: Message) -> list[str]:
        numbers = self.numbers.get(message.message_id, ()) if self.keyed_by == "number" else ()
        if numbers:
            return [format_key(self.prefix, n) for n in numbers]
        return [message.reading.topic or message.message_id]

    def open(self, root: Message, *, missing: bool = False, doubt: str = "") -> None:
        numbers = self.numbers.get(root.message_id, ()) if self.keyed_by == "number" else ()
        for key, number in zip(self.keys_of(root), numbers or (None,), strict=False):
            round_ = Round(key, number, root, self.time_of(root), root.reading.round, root_missing=missing, doubt=doubt)
            rounds = self.rounds.setdefault(key, [])
            # votes on two lists under one subject (a project's, its mentors') are not rounds of one vote
            previous = next((r.round for r in reversed(rounds) if r.root.list_id == root.list_id), 0)
            round_.round = max(previous + 1, round_.marker or 0)
            rounds.append(round_)
            self.earlier.setdefault(key, Earlier(round_)).add(round_)
            self.by_root.setdefault(root.message_id, []).append(round_)
            if missing and (lost := find_lost_id(root)):
                self.lost.setdefault(lost, []).append(round_)
        if missing:
            self.spread(root)

    def time_of(self, message: Message) -> datetime:
        """When a mail was sent, as far as the mails around it confirm that."""
        return self.times[message.message_id]

    def find_answered(self, message: Message) -> Message | None:
        """The mail that a mail answers, if it is known."""
        return self.by_id.get(self.parents.get(message.message_id, ""))

    def ancestors(self, message: Message) -> list[Message]:
        found: list[Message] = []
        seen = {message.message_id}
        current = self.parents.get(message.message_id)
        while current is not None and current not in seen and len(found) < 500:
            seen.add(current)
            found.append(self.by_id[current])
            current = self.parents.get(current)
        return found

    def is_within(self, message: Message, root: Message) -> bool:
        """Whether a mail is in the thread that another one began."""
        return any(m is root for m in self.ancestors(message))

    def find_before(self, anew: Round) -> Round | None:
        """The round that was running when its caller began a new one in its thread."""
        before = find_last(self.rounds[anew.key], anew.opened_at)
        ran = before is not None and (before.begins_anew or self.is_within(anew.root, before.root))
        return before if ran else None

    @cached_property
    def titled(self) -> dict[str, set[str]]:
        """The votes on numbered proposals that somebody called, by their titles without the number."""
        found: dict[str, set[str]] = {}
        for round_ in self.all_rounds():
            title = drop_key(round_.root.reading.topic, self.prefix)
            if round_.number is not None and not round_.root_missing and title:
                found.setdefault(title, set()).add(round_.key)
        return found

    def is_from_caller(self, message: Message, round_: Round) -> bool:
        """Whether a mail is from the round's caller; a name alone that the roster does not know proves nothing."""
        if not self.entitled.knows_anybody and message.author_address != round_.root.author_address:
            return False
        return self.entitled.judge_authority(round_, message, self.time_of(message)).is_caller

    def find_similar(self, message: Message) -> list[Round]:
        """The rounds of votes without a number that a result or cancellation names in other words.

        Its topic is like theirs, or a result of their caller names the release of which they give only the version.
        """
        if message.reading.kind not in {MailKind.RESULT, MailKind.CANCEL}:
            return []
        topic, free = message.reading.topic, [r for r in self.all_rounds() if r.number is None]
        alike = [r for r in free if is_same_topic(topic, r.root.reading.topic)]
        if not alike and message.reading.kind is MailKind.RESULT:
            released = [r for r in free if names_release(topic, r.root.reading.topic)]
            alike = [r for r in released if self.is_from_caller(message, r)]
        return sorted(alike, key=lambda r: (r.opened_at, r.root.message_id))

    def names_other(self, round_: Round, line: str) -> bool:
        """Whether a line names proposals, and not the round's own."""
        named = find_references(drop_successor(line), self.prefix)
        return round_.number is not None and bool(named) and round_.number not in named

    def find_all_roots(self) -> None:
        """Find the openings that each mail leads to: in one pass over all mails, along their links."""
        led: dict[str, dict[str, Message]] = {}
        for name in self.links.order:
            for message in self.links.held[name]:
                self.roots[message.message_id] = self.lead_up(message, led)
            led[name] = {}
            for message in self.links.held[name]:
                led[name].update(self.lead_to(message))

    def lead_to(self, message: Message) -> dict[str, Message]:
        """A mail's own opening if it is one, else those that it leads to."""
        if message.message_id in self.by_root:
            return {message.message_id: message}
        return self.roots.get(message.message_id, {})

    def lead_up(self, message: Message, led: Mapping[str, dict[str, Message]]) -> dict[str, Message]:
        """The openings that a mail leads to by what it answers; if that is uncertain, by all mails that it names."""
        if not self.links.named[message.message_id]:
            return {}
        parent = self.find_answered(message)
        found = dict(self.lead_to(parent)) if parent is not None else {}
        nearest = list(itertools.islice(self.links.find_mails(message), 2))
        if len(nearest) > 1 and nearest[0].message_id not in found:
            for name in self.links.named[message.message_id]:
                found.update(led.get(name, {}))
        return found

    def spread(self, root: Message) -> None:
        """Let the mails below an opening that was found late lead to it, if they lead nowhere."""
        below = [find_given_id(root.message_id)]
        while below:
            for message in self.links.naming.get(below.pop(), ()):
                if not self.roots[message.message_id] and message.message_id not in self.by_root:
                    self.roots[message.message_id] = {root.message_id: root}
                    below.append(find_given_id(message.message_id))


def find_last(rounds: Iterable[Round], moment: datetime) -> Round | None:
    """The last round that was opened before a moment, of those with a known opening: the others are found late."""
    held = [r for r in rounds if not r.root_missing]
    place = bisect_left(held, moment, key=lambda r: r.opened_at)
    return held[place - 1] if place else None


def find_lost_id(message: Message) -> str:
    """The id of the mail that began a mail's thread, as the mail names it; "": it answers none."""
    return message.references[0] if message.references else (message.in_reply_to or "")
