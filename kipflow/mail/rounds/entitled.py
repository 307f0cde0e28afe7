"""Who may end a round: its caller from an address known as the caller's, and everybody whose vote binds, by address."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from kipflow.domain.facts import Message
from kipflow.domain.people import clean_address, fold_name
from kipflow.domain.policy import Policy
from kipflow.domain.proofs import Proof, prove_writer
from kipflow.domain.roster import Roster
from kipflow.domain.senders import AddressSource
from kipflow.mail.rounds.casting import as_writing
from kipflow.mail.rounds.rounds import Round


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """What authority somebody has over a round.

    `ruled_at` is when a ruling made them known, if that came after their mail: until then they were unknown.
    `waits`: they claim to be somebody who may end it.
    """

    is_caller: bool = False
    may_end: bool = False
    ruled_at: datetime | None = None
    why: str = ""
    waits: bool = False


class Entitled:
    """Who may end rounds, by a roster with its rulings and a policy. Operators have rulings of their own."""

    def __init__(self, roster: Roster, policy: Policy) -> None:
        self.roster, self.policy = roster, policy

    @property
    def knows_anybody(self) -> bool:
        return bool(self.roster.people)

    def judge_authority(self, round_: Round, message: Message, at: datetime) -> Authority:
        """The authority of a mail's writer over a round."""
        known = self._judge(round_, message, at, ruled=True)
        if known.may_end and self.roster.verdicts:
            before = self._judge(round_, message, at, ruled=False)
            ruled_at = None if before.may_end else self._find_ruling(round_.root, message)
            if ruled_at is not None and ruled_at > at:
                return Authority(ruled_at=ruled_at, why=before.why, waits=before.waits)
        return known

    def is_announcer(self, message: Message, at: datetime) -> bool:
        """Whether a mail is proven to be from the address of kipflow's own announcements: it knows their counts."""
        address = self.policy.announcer
        is_shown = message.address_source is AddressSource.FROM and clean_address(message.author_address) == address
        return bool(address) and is_shown and self._prove(message, at, ruled=False).whole

    def is_binding(self, message: Message, at: datetime) -> bool:
        """Whether a mail is proven to be from somebody whose vote binds."""
        return self._prove(message, at, ruled=True).voter.holds(self.policy.binding_roles, at)

    def counts_end(self, message: Message, at: datetime) -> bool:
        """The same; if nobody is known, everybody counts."""
        return not self.knows_anybody or self.is_binding(message, at)

    def _judge(self, round_: Round, message: Message, at: datetime, *, ruled: bool) -> Authority:
        root, writer = round_.root, self._prove(message, at, ruled=ruled)
        if not self.knows_anybody:
            alike = bool(message.author_name) and message.author_name.casefold() == root.author_name.casefold()
            alike = alike or _is_one_address(root, message)
            return Authority(is_caller=alike, may_end=alike, why=_NOBODY)
        caller = self._prove(root, round_.opened_at, ruled=ruled)
        same = _is_one_writer(caller, writer, root, message)
        if same or writer.voter.holds(self.policy.binding_roles, at):
            return Authority(is_caller=same, may_end=True)
        called_alike = bool(message.author_name) and fold_name(message.author_name) == fold_name(root.author_name)
        person = caller.voter.person
        claims = any(
            p.holds(self.policy.binding_roles, at) or (person is not None and p.id == person.id) for p in writer.people
        )
        if claims:
            return Authority(why=writer.why, waits=True)
        why = "writes under its caller's name from another address" if called_alike else _NOBODY
        return Authority(why=why, waits=called_alike)

    def _prove(self, message: Message, at: datetime, *, ruled: bool) -> Proof:
        return prove_writer(as_writing(message, at), self.roster, self.policy.senders, ruled=ruled)

    def _find_ruling(self, root: Message, message: Message) -> datetime | None:
        """When the ruling was made that identifies a mail's writer or the round's caller."""
        keys = [key for m in (message, root) for key in (m.message_id, clean_address(m.author_address)) if key]
        return next((at for key in keys if (at := self.roster.ruled_since(key)) is not None), None)


_NOBODY = "is neither its caller nor anybody whose vote binds"


def _is_one_writer(caller: Proof, writer: Proof, root: Message, message: Message) -> bool:
    """Whether a mail is from a round's caller: the same person of the roster, else the same address."""
    if not writer.whole:
        return False
    if caller.voter.person is not None or writer.voter.person is not None:
        return caller.voter.id == writer.voter.id
    return _is_one_address(root, message) or bool(writer.voter.ruled and caller.voter.id == writer.voter.id)


def _is_one_address(root: Message, message: Message) -> bool:
    """Whether two mails show one address; for a list's own address also one name, as anybody can set a Reply-To."""
    if not message.author_address or clean_address(message.author_address) != clean_address(root.author_address):
        return False
    hidden = message.address_source is AddressSource.RECOVERED
    return not hidden or fold_name(message.author_name) == fold_name(root.author_name)
