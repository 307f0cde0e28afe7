"""How rounds end: announced, called off by who may, or replaced by the next round or candidate."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from kipflow.domain.facts import Kind, Message
from kipflow.domain.policy import Policy
from kipflow.domain.proposals import find_references
from kipflow.domain.roster import Roster
from kipflow.mail.results import is_wish
from kipflow.mail.rounds.rounds import Round
from kipflow.mail.rounds.topics import split_candidate

# "I am withdrawing this KIP, KIP-9 solves it" is about the vote in whose thread it stands
_THIS = re.compile(r"\b(?:this|my)\s+(?:\w+\s+)?(?:vote|voting|kip|proposal|thread)\b", re.IGNORECASE)


class Endings:
    """The ends of all rounds in some mails; `find` writes them into the rounds.

    Args:
        rounds: the rounds of each vote, in order of opening, with their mails.
        times: when each mail was sent, by its id.
        roster: who may end a vote besides its caller: people whose role binds.
        policy: the roles that bind.
        prefix: of proposal keys.
        answered: the mail that each mail answers, as far as it is held, by the answer's id.
    """

    def __init__(
        self,
        rounds: Iterable[list[Round]],
        times: Mapping[str, datetime],
        roster: Roster,
        policy: Policy,
        *,
        prefix: str,
        answered: Mapping[str, Message],
    ) -> None:
        self.votes, self.times = list(rounds), times
        self.roster, self.policy, self.prefix, self.answered = roster, policy, prefix, answered

    def find(self) -> None:
        for rounds in self.votes:
            self.close(rounds)
        for rounds in self.group_candidates():
            self.replace_earlier(rounds)

    def close(self, rounds: list[Round]) -> None:
        for round_ in rounds:
            for message in round_.messages:
                self.take_end(round_, message)
        for list_id in {r.root.list_id for r in rounds}:
            self.replace_earlier([r for r in rounds if r.root.list_id == list_id])

    def group_candidates(self) -> list[list[Round]]:
        """The candidates of each release in order: a later one takes the place of one that nobody closed."""
        releases: dict[tuple[str, str], list[tuple[int, Round]]] = {}
        for round_ in sorted(itertools.chain.from_iterable(self.votes), key=lambda r: r.opened_at):
            if round_.number is None:
                release, candidate = split_candidate(round_.root.reading.topic)
                releases.setdefault((round_.root.list_id, release), []).append((candidate, round_))
        return [
            [r for _, r in rounds]
            for rounds in releases.values()
            if len(rounds) > 1 and all(one < other for (one, _), (other, _) in itertools.pairwise(rounds))
        ]

    @staticmethod
    def replace_earlier(rounds: list[Round]) -> None:
        """Each round that still runs when the next one is opened ends there."""
        for earlier, later in itertools.pairwise(rounds):
            open_still = earlier.ended_at is None or earlier.ended_at > later.opened_at
            announced = earlier.declared is not None and (
                earlier.declared.announced_at is None or earlier.declared.announced_at <= later.opened_at
            )
            if open_still and not announced:
                earlier.ended_at, earlier.ended_how = later.opened_at, "replaced"
                earlier.ended_message_id = later.root.message_id

    def take_end(self, round_: Round, message: Message) -> None:
        at = self.times[message.message_id]
        if self.calls_off(round_, message):
            before = round_.declared is None or (round_.declared.announced_at or at) > at
            if round_.ended_at is None and before:
                round_.ended_at, round_.ended_how, round_.ended_message_id = at, "cancelled", message.message_id
        declared = message.declared
        if declared is None or round_.ended_at is not None:
            return
        tagged = message.reading.kind is Kind.RESULT
        if not tagged and self.names_other(round_, declared.line):
            return
        # where nobody is known, a tag is taken at its word; a stranger's word does not close a known community's vote
        if not (self.may_end(round_, message) or (tagged and not self.roster.people)):
            return
        # a tagged announcement outweighs a plain one; a later tagged one corrects an earlier
        if round_.declared is None or (tagged and (not round_.declared_tagged or not message.reading.is_reply)):
            first = round_.declared.announced_at if round_.declared is not None else at
            round_.declared = replace(declared, announced_at=min(first or at, at))
            round_.declared_tagged = tagged

    def calls_off(self, round_: Round, message: Message) -> bool:
        """Whether a mail ends the round without a result, by its words or by a tag that it adds to the subject."""
        if message.cancels is None:
            above = self.answered.get(message.message_id)
            adds_tag = message.reading.kind is Kind.CANCEL and above is not None and above.reading.kind is Kind.VOTE
            return adds_tag and self.is_caller(round_, message)
        other = self.names_other(round_, message.cancels) and _THIS.search(message.cancels) is None
        if other or not self.may_end(round_, message):
            return False
        return self.is_caller(round_, message) or not is_wish(message.cancels)

    def names_other(self, round_: Round, line: str) -> bool:
        """Whether a line names proposals, and not the round's own."""
        named = find_references(line, self.prefix)
        return round_.number is not None and bool(named) and round_.number not in named

    def may_end(self, round_: Round, message: Message) -> bool:
        """Whether the writer may close or cancel: who opened the round, or a person whose role binds."""
        voter = self.roster.identify(name=message.author_name, address=message.author_address)
        return self.is_caller(round_, message) or self.roster.is_binding(
            voter, roles=self.policy.binding_roles, at=self.times[message.message_id]
        )

    def is_caller(self, round_: Round, message: Message) -> bool:
        """Whether the writer is who opened the round."""
        voter = self.roster.identify(name=message.author_name, address=message.author_address)
        opener = self.roster.identify(name=round_.root.author_name, address=round_.root.author_address)
        same_name = bool(message.author_name) and message.author_name.casefold() == round_.root.author_name.casefold()
        return voter.id == opener.id or same_name
