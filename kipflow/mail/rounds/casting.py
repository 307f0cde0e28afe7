"""Casts the expressions in a round's mails as ballots: who casts them, whether they bind, what a fraction is worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from kipflow.domain.arrivals import UNRECORDED, say_dated
from kipflow.domain.facts import Message
from kipflow.domain.identities import Identified, identify_all
from kipflow.domain.judging import states_outcome
from kipflow.domain.people import Voter
from kipflow.domain.policy import Fractions, Policy
from kipflow.domain.proofs import Writing
from kipflow.domain.roster import Roster
from kipflow.domain.senders import AddressSource
from kipflow.domain.votes import Ballot, BallotStatus, Choice, Expression, Standing
from kipflow.mail.content.mailboxes import find_shown
from kipflow.mail.rounds.questions import ask_of_answer, ask_of_place, ask_restarted, set_apart
from kipflow.mail.rounds.readings import read_mails, settle_crossed_box
from kipflow.mail.subjects import drop_answer_marks
from kipflow.mail.votes.doubts import may_take_back
from kipflow.mail.votes.values import is_fraction


def cast_all(
    mails: Iterable[tuple[Message, datetime]],
    roster: Roster,
    policy: Policy,
    *,
    since: datetime | None = None,
    call: Message | None = None,
) -> tuple[tuple[Ballot, ...], Identified]:
    """The ballots in a round's mails (each with its time), in order of time, unjudged; and their voters.

    One person behind several addresses is one voter by the roster; among strangers, by an exactly equal full name.
    An unclear expression that agrees with the voter's own current ballot adds nothing and is left out. A ballot
    from before `since`, when the caller restarted the vote, becomes a question unless its voter voted again.
    """
    ordered = sorted(mails, key=lambda pair: (pair[1], pair[0].message_id))
    root_id = ordered[0][0].message_id if ordered else ""
    said = read_mails([message for message, _ in ordered], call)
    voting = [(m, at) for m, at in ordered if said.get(m.message_id)]
    found = identify_all([as_writing(m, at) for m, at in voting], roster, policy)
    ballots: list[Ballot] = []
    record = _Record(root_id, {message.message_id: message.subject for message, _ in ordered})
    known = (name for person in roster.people for name in (person.name, *person.aliases))
    names = frozenset([*known, *(m.author_name for m, _ in ordered)])
    announcers = {m.author_address for m, _ in ordered if states_outcome(m.declared)}
    for (message, at), voter, known_by in zip(voting, found.voters, found.known_by, strict=True):
        opens = message.message_id == root_id and not message.reading.is_reply
        corrects = message.declared is not None and message.declared.corrects
        takes_result_back = corrects and message.author_address in announcers
        for expression in said[message.message_id]:
            if (opens and _is_of_call(expression)) or (at == since and expression.choice is None):
                continue
            if expression.standing is Standing.DOUBT and takes_result_back:
                continue
            if expression.standing is Standing.QUOTED:
                if record.repeats(expression.line, message):
                    continue
                # what a mail quotes that answers the call is the call: its crosses are the writer's
                if message.in_reply_to == root_id or not record.has_said(expression.line):
                    expression = settle_crossed_box(expression, message, call)
            ballot = replace(_cast(expression, message, voter, at, roster, policy), known_by=known_by)
            ballot = record.doubt(set_apart(ask_of_place(ballot, names)))
            ballot = ask_of_answer(ballot, message, record.find_against(message.in_reply_to))
            if not record.says_nothing_new(expression, ballot, message):
                record.add(expression, ballot)
                ballots.append(ballot)
    return tuple(ballots if since is None else ask_restarted(ballots, since)), found


def _is_of_call(expression: Expression) -> bool:
    """Whether words in a call are no ballot: its caller praises the proposal, says what was wrong before, or names a
    number below zero. What could be a vote in favour, or one of several values, stays a question."""
    if expression.standing.is_tentative:
        return True
    may_be_vote = expression.choice is Choice.FOR or (expression.choice is None and expression.value)
    return expression.standing is Standing.UNCLEAR and not may_be_vote


@dataclass(slots=True)
class _Record:
    """What has been cast in a round so far, by voter."""

    root_id: str
    #: by mail; a title may end with a value
    subjects: Mapping[str, str]
    standing: dict[str, Choice | None] = field(default_factory=dict)
    #: voters whose current vote binds: a new committer may repeat an earlier vote
    binding: set[str] = field(default_factory=set)
    #: voters with a current or withdrawn vote, which may be cast again, or with a question about one
    voted: set[str] = field(default_factory=set)
    #: voters whose current vote may be taken back: the same vote again is news
    doubted: set[str] = field(default_factory=set)
    #: voters already asked whether their vote stands, as later words lean the other way: once is enough
    leaning: set[str] = field(default_factory=set)
    #: by mail, the voter against in it
    against: dict[str, str] = field(default_factory=dict)
    #: by mail, what was read in it as a vote
    lines: dict[str, list[str]] = field(default_factory=dict)

    def doubt(self, ballot: Ballot) -> Ballot:
        """A question about a voter's own vote, which names that vote, leaves open whether it still stands."""
        asks = ballot.status is BallotStatus.REVIEW and self.standing.get(ballot.voter) is ballot.choice
        return replace(ballot, choice=None) if asks and may_take_back(ballot.line) else ballot

    def says_nothing_new(self, expression: Expression, ballot: Ballot, message: Message) -> bool:
        """Whether an earlier vote of the same voter makes a reading irrelevant: one that would be a question, or
        one in a result, which lists its author's vote."""
        held, standing = self.standing.get(ballot.voter), expression.standing
        agrees = ballot.voter in self.standing and held == ballot.choice
        agrees = agrees and (ballot.voter in self.binding or not ballot.binding) and ballot.voter not in self.doubted
        in_result = states_outcome(message.declared)
        if agrees and (in_result if ballot.status is BallotStatus.COUNTED else not message.unread):
            return True
        if standing in {Standing.HINT, Standing.QUOTED}:  # another choice is a question: "looks good now" after a -1
            asks = held is Choice.AGAINST and ballot.voter not in self.doubted
            return ballot.choice is None and not asks and ballot.voter in self.voted
        if standing is Standing.LEANING:
            return {held, ballot.choice} != {Choice.FOR, Choice.AGAINST} or ballot.voter in self.leaning
        return standing is Standing.DOUBT and ballot.voter not in self.voted

    def find_against(self, answered: str | None) -> str | None:
        """Who votes against in the mail that is answered, and still does."""
        voter = self.against.get(answered or "")
        return voter if voter is not None and self.standing.get(voter) is Choice.AGAINST else None

    def has_said(self, line: str) -> bool:
        """Whether an earlier mail of the round holds the line as a vote."""
        return any(line in lines for lines in self.lines.values())

    def repeats(self, line: str, message: Message) -> bool:
        """Whether a line is from a mail that this one answers: a quote casts no vote."""
        above = {self.root_id, message.in_reply_to or "", *message.references} - {message.message_id}
        said = (text for mail in above for text in (self.subjects.get(mail, ""), *self.lines.get(mail, ())))
        return any("".join(drop_answer_marks(text).split()) == "".join(line.split()) for text in said)

    def add(self, expression: Expression, ballot: Ballot) -> None:
        self.lines.setdefault(ballot.message_id, []).append(ballot.line)
        if expression.standing is Standing.LEANING:
            self.leaning.add(ballot.voter)
        if expression.standing is Standing.UNCLEAR and expression.choice is not None:
            self.voted.add(ballot.voter)
        if expression.standing is Standing.DOUBT:
            self.doubted.add(ballot.voter)
        if ballot.status in {BallotStatus.COUNTED, BallotStatus.WITHDRAWN}:
            self.voted.add(ballot.voter)
            self.leaning.discard(ballot.voter)
            self.doubted.discard(ballot.voter)
        if ballot.status is BallotStatus.COUNTED:
            if ballot.choice is Choice.AGAINST:
                self.against[ballot.message_id] = ballot.voter
            self.standing[ballot.voter] = ballot.choice
            (self.binding.add if ballot.binding else self.binding.discard)(ballot.voter)
        elif ballot.status is BallotStatus.WITHDRAWN:
            self.standing.pop(ballot.voter, None)


def as_writing(message: Message, at: datetime) -> Writing:
    """The facts that show who wrote a mail."""
    return Writing(
        message_id=message.message_id,
        name=message.author_name,
        address=message.author_address,
        at=at,
        source=message.address_source,
        authentication=message.authentication,
        shown=find_shown(message.raw_from) if message.address_source is AddressSource.AMBIGUOUS else (),
    )


#: The status of a ballot by the standing of its reading; any other becomes a question.
_STATUS_OF = {Standing.CLEAR: BallotStatus.COUNTED, Standing.WITHDRAWAL: BallotStatus.WITHDRAWN}


def _cast(
    expression: Expression, message: Message, voter: Voter, at: datetime, roster: Roster, policy: Policy
) -> Ballot:
    status = _STATUS_OF.get(expression.standing, BallotStatus.REVIEW)
    choice, why = expression.choice, expression.why
    if not voter.id:
        # a mail without a sender is nobody's vote until a person says whose
        voter = Voter(id=message.message_id, name="", address="")
        status, why = BallotStatus.REVIEW, "the mail names no sender: whose vote is it?"
    if message.reading.is_forward and not message.reading.is_reply and status is BallotStatus.COUNTED:
        # "Fwd: Re: [VOTE] …" is how some answer; a plain "Fwd: [VOTE] …" may carry somebody else's words
        status, why = BallotStatus.REVIEW, "in a forwarded mail: whose words?"
    if expression.value and choice is not None and is_fraction(expression.value):
        if policy.fractions is Fractions.ABSTAIN:
            choice = Choice.ABSTAIN
        elif policy.fractions is Fractions.REVIEW and status is BallotStatus.COUNTED:
            status, why = BallotStatus.REVIEW, "a fraction: what is it worth?"
    binding = voter.holds(policy.binding_roles, at)
    standing = _say_standing(voter, binding=binding, claimed=expression.claimed_binding, known=bool(roster.people))
    # the time that the sender claims, if the archive recorded another one
    claim = "" if message.arrived_from in UNRECORDED else say_dated(at, message.dated_at)
    return Ballot(
        voter=voter.id,
        name=voter.name,
        address=message.author_address,
        choice=choice,
        value=expression.value,
        binding=binding,
        claimed_binding=expression.claimed_binding,
        cast_at=at,
        message_id=message.message_id,
        line=expression.line,
        rule=expression.rule,
        status=status,
        why="; ".join(filter(None, (why or standing, claim))),
        dated_at=message.dated_at,
        arrived_from=message.arrived_from,
    )


def _say_standing(voter: Voter, *, binding: bool, claimed: bool | None, known: bool) -> str:
    """The note for readers on a voter's binding force: the roster decides, and the note shows if it had to.

    If nobody is `known`, there is no roster that a claim could contradict.
    """
    notes = [voter.ruled] if voter.ruled else []
    if binding and voter.by_name:
        notes.append("known by name alone: the roster does not have this address")
    if known and claimed is True and not binding:
        notes.append("claims to bind; the roster does not say so")
    if claimed is False and binding:
        notes.append("does not claim to bind; the roster says so")
    return "; ".join(notes)
