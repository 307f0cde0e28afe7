"""Mails to votes: which mail answers which, rounds, ballots, announcements and cancellations.

Mails belong together by Message-ID, In-Reply-To and References; where headers are missing or point
nowhere, by subject: proposal number or topic, and the round that it names.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property

from kipflow.domain.facts import Kind, Message
from kipflow.domain.policy import Policy
from kipflow.domain.proposals import find_references, format_key
from kipflow.domain.roster import Roster
from kipflow.domain.sameids import find_given_id
from kipflow.domain.votes import Standing, Vote
from kipflow.mail.rounds.calls import is_call, starts_vote
from kipflow.mail.rounds.casting import cast_all
from kipflow.mail.rounds.earlier import Earlier
from kipflow.mail.rounds.endings import Endings
from kipflow.mail.rounds.entitled import Entitled
from kipflow.mail.rounds.linking import Attribution, Links, attribute_numbers, dedupe, find_parents, find_times
from kipflow.mail.rounds.rounds import Round
from kipflow.mail.rounds.topics import find_unversioned, is_same_topic
from kipflow.mail.votes.lexicon import fold, speaks_of_votes
from kipflow.mail.votes.shares import read_share

__all__ = ["attribute_numbers", "dedupe", "find_parents", "find_times", "find_votes"]


def find_votes(
    messages: Sequence[Message], roster: Roster, policy: Policy, *, prefix: str, keyed_by: str = "number"
) -> list[Vote]:
    """Every round of every vote in `messages`, ballots unjudged, in order of opening.

    Args:
        messages: mails in any order, copies allowed.
        roster: who is who; decides whose word can cancel and whose ballot binds when cast.
        policy: binding roles, and what becomes of fractions.
        prefix: of proposal keys, "KIP".
        keyed_by: "number", or "subject" for communities whose votes have no numbers.
    """
    ordered = dedupe(messages)
    return _Assembly(ordered, roster, policy, prefix=prefix, keyed_by=keyed_by).run()


def _doubt(message: Message) -> Message:
    """A mail whose votes are put to a person because what they are about is not sure."""
    anew = message.reading.kind is Kind.VOTE and not message.reading.is_reply
    asked = "begins anew under the vote's subject: a vote on this, or a call for one?"
    why = asked if anew else "answers in the vote's thread under another subject: a vote on this?"
    return replace(
        message,
        expressions=tuple(
            replace(e, standing=Standing.UNCLEAR, rule="other-subject", why=why) for e in message.expressions
        ),
    )


class _Assembly:
    """One pass over mails in order of time."""

    def __init__(self, ordered: list[Message], roster: Roster, policy: Policy, *, prefix: str, keyed_by: str) -> None:
        self.roster, self.policy = roster, policy
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
        #: The rounds whose opening is not held, by the id that their mails answer.
        self.lost: dict[str, list[Round]] = {}
        self.earlier: dict[str, Earlier] = {}
        self.entitled = Entitled(roster, policy)
        #: Openings of rounds that would replace one that runs, by nobody who may.
        self.contested: set[str] = set()
        #: Why openings may be none, by their ids.
        self.doubts: dict[str, str] = {}

    def run(self) -> list[Vote]:
        for message in self.ordered:
            if self.is_opening(message):
                self.open(message, doubt=self.doubts.get(message.message_id, self.doubt_number(message)))
        self.find_all_roots()
        self.fill_rounds()
        while contested := {r.root.message_id for r in self.all_rounds() if r.contested is not None} - self.contested:
            # mails that name no thread speak to the round that runs, not to one that a stranger put beside it
            self.contested |= contested
            for round_ in self.all_rounds():
                round_.forget()
            self.fill_rounds()
        found = [self.build(r) for r in self.all_rounds()]
        return sorted(found, key=lambda v: (v.opened_at, v.root_message_id, v.key))

    def all_rounds(self) -> list[Round]:
        return [round_ for rounds in self.rounds.values() for round_ in rounds]

    def fill_rounds(self) -> None:
        """Give each round its mails, and find how it ends."""
        for message in self.ordered:
            if message.message_id not in self.by_root:
                placed = self.place(message)
                for round_ in placed:
                    round_.take(message)
                for round_ in () if placed else self.find_strayed_from(message):
                    round_.astray.append(message)
        answered = {child: self.by_id[parent] for child, parent in self.parents.items()}
        Endings(self.rounds.values(), self.times, self.entitled, prefix=self.prefix, answered=answered).find()

    # -- openings ------------------------------------------------------------------------------
    def is_opening(self, message: Message) -> bool:
        reading = message.reading
        if reading.kind is not Kind.VOTE or reading.is_reply or reading.is_forward:
            return False
        keys = self.keys_of(message)
        earlier = [self.earlier[key] for key in keys if key in self.earlier]
        if not earlier:
            return is_call(message.own_text) or not self.is_stray_ballot(message)
        if any(e.is_resent(message, self.time_of(message)) for e in earlier) or self.announces(message):
            return False
        if reading.round is not None and all(reading.round not in e.markers for e in earlier):
            return True
        if any(not e.topics.isdisjoint(find_unversioned(reading.topic)) for e in earlier):
            return True
        # without "Re:" yet a ballot: a reply from a client that drops the mark
        votes = any(e.choice is not None for e in message.expressions)
        within = self.has_ancestor(message, keys)
        calls = is_call(message.own_text)
        if votes and within and not any(message.author_address in e.callers for e in earlier):
            self.doubts[message.message_id] = "votes, in answer to another call: a vote on that one?"
            return calls
        is_bump = self.is_bump(message, earlier)
        if calls and is_bump and not starts_vote(message.own_text):
            self.doubts[message.message_id] = "calls under the same subject while a vote runs: a reminder?"
        return calls or not (votes or within or is_bump)

    def doubt_number(self, message: Message) -> str:
        """Why an opening may be of another matter than the proposal that it is taken for; "": it is not."""
        if message.message_id not in self.attribution.guessed:
            return ""
        return "names no proposal, only mails of others under its title do"

    @staticmethod
    def announces(message: Message) -> bool:
        """Whether a mail under a vote's subject tells an outcome: it opens no vote where there is one."""
        return message.declared is not None and message.declared.outcome is not None

    def is_bump(self, message: Message, earlier: Sequence[Earlier]) -> bool:
        """The caller once more under the same subject, without calling anew, while the vote still runs: a reminder."""
        found = max(earlier, key=lambda e: e.last.opened_at)
        last = found.last
        one, other = (" ".join(m.subject.casefold().split()) for m in (message, last.root))
        if message.author_address != last.root.author_address or one != other:
            return False
        if not found.knows_ends:
            # by somebody who opened a vote on it, or whose vote binds: a stranger's word makes no reminder a new round
            ends = filter(self.ends_vote, self.about.get(last.key, ()))
            times = ((m, self.time_of(m)) for m in ends)
            found.note_ends((at, m.author_address, self.entitled.is_heard(m, at)) for m, at in times)
        return not found.ended_before(self.time_of(message))

    @cached_property
    def about(self) -> dict[str, list[Message]]:
        """Mails by the votes that they are about."""
        found: dict[str, list[Message]] = {}
        for message in self.ordered:
            for key in self.keys_of(message):
                found.setdefault(key, []).append(message)
        return found

    @staticmethod
    def ends_vote(message: Message) -> bool:
        """Whether a mail announces a result or calls something off."""
        if message.reading.kind in {Kind.RESULT, Kind.CANCEL} or message.cancels is not None:
            return True
        return message.declared is not None and not message.declared.unclear

    def is_stray_ballot(self, message: Message) -> bool:
        """A ballot whose subject lost its "Re:", before any opening is known: it answers an unseen mail."""
        answers = message.in_reply_to is not None or bool(message.references)
        return answers and any(e.choice is not None for e in message.expressions)

    def has_ancestor(self, message: Message, keys: Collection[str]) -> bool:
        above = (r for m in self.ancestors(message) for r in self.by_root.get(m.message_id, ()))
        return any(r.key in keys for r in above)

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
            # votes on two lists under one subject (a project's, its mentors') are not rounds of one
            previous = next((r.round for r in reversed(rounds) if r.root.list_id == root.list_id), 0)
            round_.round = max(previous + 1, round_.marker or 0)
            rounds.append(round_)
            self.earlier.setdefault(key, Earlier(round_)).add(round_)
            self.by_root.setdefault(root.message_id, []).append(round_)
            if missing and (lost := find_lost_id(root)):
                self.lost.setdefault(lost, []).append(round_)

    def time_of(self, message: Message) -> datetime:
        """When a mail was sent, as far as the mails around it bear that out."""
        return self.times[message.message_id]

    def ancestors(self, message: Message) -> list[Message]:
        found: list[Message] = []
        seen = {message.message_id}
        current = self.parents.get(message.message_id)
        while current is not None and current not in seen and len(found) < 500:
            seen.add(current)
            found.append(self.by_id[current])
            current = self.parents.get(current)
        return found

    # -- placing -------------------------------------------------------------------------------
    def place(self, message: Message) -> list[Round]:
        """The rounds that a mail speaks to."""
        reading = message.reading
        at = self.time_of(message)
        if reading.kind is Kind.DISCUSS:
            return self.find_told_of(message, at)
        roots = self.find_roots(message)
        if len(roots) > 1:
            return []  # a person says which it is about
        for root in roots:
            rounds = [r for r in self.by_root[root.message_id] if self.fits(message, r)]
            if rounds or not self.names_other_vote(message):
                return [self.pick_marked(r, message) for r in rounds]
        if reading.kind not in {Kind.VOTE, Kind.RESULT, Kind.CANCEL}:
            return []
        if self.is_torn(message) or self.begins_anew(message):
            return []
        if self.is_lost(message):
            lost = self.lost.get(find_lost_id(message), [])
            if not lost and reading.kind is Kind.VOTE:
                self.open(message, missing=True)
                self.spread(message)
            if lost or reading.kind is Kind.VOTE:
                return lost
        found = []
        for key in self.keys_of(message):
            rounds = self.rounds.get(key) or self.similar(message)
            if not rounds and reading.kind is Kind.VOTE and not reading.is_forward:
                self.open(message, missing=True)
                self.spread(message)
                return []
            opened = [r for r in rounds if r.opened_at <= at] or rounds[:1]
            opened = [r for r in opened if r.root.list_id == message.list_id] or opened
            marked = [r for r in opened if r.marker == reading.round] or opened
            found.extend(self.leave_contested(marked)[-1:])
        return found

    def find_roots(self, message: Message) -> list[Message]:
        """The openings of the votes in whose threads a mail stands: one, but where what it answers is not sure.

        A stranger can use an id that somebody has, or write between a vote and its answers: then all mails count
        that this one names. Its own subject decides if it can.
        """
        roots = list(self.roots[message.message_id].values())
        if len(roots) > 1:
            numbers = set(message.reading.numbers)
            told = [m for m in roots if numbers and numbers.intersection(self.numbers.get(m.message_id, ()))]
            keys = {key for m in roots for key in self.keys_of(m)}
            roots = told[:1] or (roots[:1] if len(keys) == 1 else roots)
        return roots

    def find_all_roots(self) -> None:
        """For each mail the openings that it leads to: once for all of them, along their links."""
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
        """The openings that a mail leads to by what it answers; where that is not sure, by all mails that it names."""
        parent = self.by_id.get(self.parents.get(message.message_id, ""))
        found = dict(self.lead_to(parent)) if parent is not None else {}
        nearest = list(itertools.islice(self.links.find_mails(message), 2))
        if len(nearest) > 1 and nearest[0].message_id not in found:
            for name in self.links.named[message.message_id]:
                found.update(led.get(name, {}))
        return found

    def spread(self, root: Message) -> None:
        """Have the mails below an opening that became known late lead to it, if they lead nowhere."""
        below = [find_given_id(root.message_id)]
        while below:
            for message in self.links.naming.get(below.pop(), ()):
                if not self.roots[message.message_id] and message.message_id not in self.by_root:
                    self.roots[message.message_id] = {root.message_id: root}
                    below.append(find_given_id(message.message_id))

    def is_lost(self, message: Message) -> bool:
        """Whether a mail answers an opening that is not held, as others do, where only strangers opened one.

        One alone may have answered a private mail.
        """
        lost = find_lost_id(message)
        if not lost or self.links.named[message.message_id] or len(self.answering.get(lost, ())) < 2:
            return False
        rounds = [r for key in self.keys_of(message) for r in self.rounds.get(key, ())]
        return all(r.root_missing or not self.entitled.is_heard(r.root, r.opened_at) for r in rounds)

    @cached_property
    def answering(self) -> dict[str, set[str]]:
        """Who answers each id that is not held, in a mail that names none that is."""
        found: dict[str, set[str]] = {}
        for message in self.ordered:
            if message.reading.kind is Kind.VOTE and not self.links.named[message.message_id]:
                found.setdefault(find_lost_id(message), set()).add(message.author_address)
        return found

    def is_torn(self, message: Message) -> bool:
        """Whether a mail stands in no thread, and its subject is that of votes on several proposals."""
        if message.reading.numbers or not message.reading.topic:
            return False
        opened = [self.rounds[key][0] for key in self.keys_of(message) if key in self.rounds]
        return len({r.root.message_id for r in opened}) > 1

    def begins_anew(self, message: Message) -> bool:
        """Whether a vote under a vote's subject, opened by somebody else, answers none of its mails and may call one.

        Beside its vote it speaks of a proposal or of voting; a client that drops "Re:" and the thread does not.
        """
        if message.reading.is_reply:
            return False
        if (message.in_reply_to or message.references) and message.message_id not in self.parents:
            return False
        rounds = [r for key in self.keys_of(message) for r in self.rounds.get(key, ())]
        if not rounds or any(r.root.author_address == message.author_address for r in rounds):
            return False
        lines = {e.line.strip() for e in message.expressions}
        rest = " ".join(line for line in message.own_text.splitlines() if line.strip() not in lines)
        return bool(lines) and bool(find_references(rest, self.prefix) or speaks_of_votes(fold(rest)))

    def find_told_of(self, message: Message, at: datetime) -> list[Round]:
        """The rounds whose result a discussion is told: by number, the last one opened before."""
        if not message.reading.numbers:
            return []
        opened = ([r for r in self.rounds.get(key, ()) if r.opened_at <= at] for key in self.keys_of(message))
        told = [self.leave_contested(rounds)[-1] for rounds in opened if rounds]
        return told if told and message.declared is not None else []

    def leave_contested(self, rounds: list[Round]) -> list[Round]:
        """The rounds that somebody opened who may, if there are any."""
        return [r for r in rounds if r.root.message_id not in self.contested] or rounds

    def names_other_vote(self, message: Message) -> bool:
        """Whether a mail's own subject names another known vote: then it answered the wrong mail."""
        return message.reading.kind is Kind.VOTE and any(key in self.rounds for key in self.keys_of(message))

    def find_strayed_from(self, message: Message) -> list[Round]:
        """The rounds in whose thread a mail votes under a subject that is not the vote's.

        Right below a mail about the vote a written vote counts as such whatever its subject (a number
        mistyped, "+1" as the subject). Further down, and for praise without a number, only a "Re:" under
        a subject without a tag does, unless that subject began a thread and no vote claims to bind or not. Under a
        discussion's subject only votes are read that do.
        """
        reading, ancestors = message.reading, self.ancestors(message)
        if reading.kind in {Kind.RESULT, Kind.CANCEL}:
            return []
        roots = self.find_roots(message)
        if len(roots) > 1:
            return [r for each in roots for r in self.by_root[each.message_id]] if message.expressions else []
        if not roots:
            # what a mail votes is asked last: that may read its body
            asked = (self.is_torn(message) or self.begins_anew(message)) and message.expressions
            keys = self.keys_of(message) if asked else []
            return [self.rounds[key][-1] for key in keys if key in self.rounds]
        root = roots[0]
        rounds = self.by_root[root.message_id]
        ancestors = ancestors if root in ancestors else [root]
        right_below = [r for r in rounds if ancestors[0] is root or self.fits(ancestors[0], r)]
        votes = (e.standing is not Standing.DOUBT for e in message.expressions)
        talks = all(e.standing in {Standing.HINT, Standing.DOUBT} for e in message.expressions)
        if any(votes) and not talks and right_below:
            return right_below
        if reading.kind is not Kind.OTHER or not reading.is_reply or reading.numbers:
            return []
        if talks:
            return right_below
        if any(e.claimed_binding is not None for e in message.expressions):
            return rounds
        between = itertools.takewhile(lambda m: m is not root, ancestors)
        return [] if any(m.reading.topic and not m.reading.is_reply for m in between) else rounds

    def fits(self, message: Message, round_: Round) -> bool:
        """Whether a mail in the round's thread is still about its vote, by the mail's own subject."""
        reading = message.reading
        if not reading.topic:
            return True
        if round_.number is not None and reading.numbers:
            return round_.number in reading.numbers
        if round_.number is not None and reading.is_reply and reading.kind is not Kind.OTHER:
            return True
        return is_same_topic(reading.topic, round_.root.reading.topic)

    def pick_marked(self, round_: Round, message: Message) -> Round:
        """A subject that names its round outweighs a reply to the wrong mail."""
        marker = message.reading.round
        if marker is None or marker == round_.marker:
            return round_
        return next((r for r in self.rounds[round_.key] if r.marker == marker), round_)

    def similar(self, message: Message) -> list[Round]:
        """Votes without a number whose subject an announcement repeats in other words."""
        if message.reading.kind not in {Kind.RESULT, Kind.CANCEL}:
            return []
        alike = [
            round_
            for rounds in self.rounds.values()
            for round_ in rounds
            if round_.number is None and is_same_topic(message.reading.topic, round_.root.reading.topic)
        ]
        return sorted(alike, key=lambda r: (r.opened_at, r.root.message_id))

    # -- values ---------------------------------------------------------------------------------
    def build(self, round_: Round) -> Vote:
        root = round_.root
        siblings = self.numbers.get(root.message_id, ()) if round_.number is not None else ()
        mails = [(self.find_share(m, round_.number, siblings), self.time_of(m)) for m in round_.messages]
        mails.extend((_doubt(m), self.time_of(m)) for m in round_.astray if m.expressions)
        if not round_.root_missing or root.expressions:
            mails.append((self.find_share(root, round_.number, siblings), round_.opened_at))
        ballots, found = cast_all(mails, self.roster, self.policy)
        opened_by = "" if round_.root_missing else root.author_name
        return Vote(
            key=round_.key,
            proposal=round_.number,
            round=round_.round,
            list_id=root.list_id,
            subject=root.subject,
            root_message_id=self.find_root_id(round_),
            opened_by=opened_by or ("" if round_.root_missing else root.author_address),
            opened_by_address="" if round_.root_missing else root.author_address,
            opened_at=round_.opened_at,
            ballots=ballots,
            doubts=found.doubts,
            crowded=found.crowded,
            declared=round_.declared,
            ended_at=round_.ended_at,
            ended_how=round_.ended_how,
            ended_message_id=round_.ended_message_id,
            last_message_at=max((at for _, at in mails), default=round_.opened_at),
            root_missing=round_.root_missing,
            claimed_ends=tuple(round_.claimed_ends),
            contested=round_.contested,
            opened_from=root.arrived_from,
            dated_at=None if round_.root_missing else root.dated_at,
            declared_dated_at=round_.declared_dated_at,
        )

    def find_share(self, message: Message, number: int | None, siblings: Collection[int]) -> Message:
        """The mail as it speaks to the vote on `number`; one that was not read to its end speaks to all."""
        return message if message.unread else read_share(message, number, siblings, prefix=self.prefix)

    def find_root_id(self, round_: Round) -> str:
        """A vote whose opening mail is not held goes by the id that its mails refer to."""
        root = round_.root
        return (find_lost_id(root) if round_.root_missing else "") or root.message_id


def find_lost_id(message: Message) -> str:
    """The id of the mail that began a mail's thread, as the mail says it; "": it answers none."""
    return message.references[0] if message.references else (message.in_reply_to or "")
