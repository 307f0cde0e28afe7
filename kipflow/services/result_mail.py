"""The mail that announces a vote's result, drafted from the vote as counted.

A draft is only given if kipflow's own reader finds in it exactly the outcome and the counts that it was made from, and
no ballot: names and titles are other people's words, and could read as votes. Where they do, a plainer form is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from kipflow.domain.clocks import VoteState
from kipflow.domain.errors import KipflowError
from kipflow.domain.facts import Kind, Message
from kipflow.domain.tally import Outcome
from kipflow.domain.votes import Ballot, BallotStatus, Choice
from kipflow.mail.messages import read_message
from kipflow.services.board import ProposalView

_OUTCOMES = {Outcome.PASSED: "passed", Outcome.PASSING: "passed", Outcome.FAILED: "failed"}
_GROUPS = ((True, "binding"), (False, "non-binding"))
_LONGEST_NAME = 100
#: A mail's line may have 998 octets (RFC 5322); a longer one is encoded.
_LONGEST_LINE = 900
#: Message ids that can be written as they are, and how many of a long thread are: its first and its last ones.
_ID = re.compile(r"<[!-;=?-~]{3,500}>", re.ASCII)
_FIRST, _LAST = 5, 20


class NoDraft(KipflowError):
    """A result that cannot be announced: why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultDraft:
    """The mail: a reply to the vote's opening, from its caller, written at `at`. `text` has lines ended by "\\n".

    `references` are those of the mail that it answers. With a `message_id` it is sent as it is; without, it is a draft.
    """

    key: str
    number: int
    outcome: str
    binding: Mapping[str, int]
    non_binding: Mapping[str, int]
    subject: str
    sender: str
    sender_address: str
    list_id: str
    answers: str
    at: datetime
    text: str
    references: Sequence[str] = ()
    message_id: str = ""

    def as_bytes(self) -> bytes:
        """The mail in the form of RFC 5322; mail programs open it as a draft."""
        mail = EmailMessage(policy=SMTP)
        mail["From"] = _make_address(self.sender, self.sender_address)
        mail["To"] = self.list_id
        mail["Subject"] = self.subject
        mail["Date"] = format_datetime(self.at.astimezone(UTC))
        if not self.message_id:
            mail["X-Unsent"] = "1"
        is_plain = self.text.isascii() and max(map(len, self.text.split("\n"))) <= _LONGEST_LINE
        mail.set_content(self.text, cte="7bit" if is_plain else "quoted-printable")
        return self._render_ids() + mail.as_bytes()

    def _render_ids(self) -> bytes:
        """The headers that hold ids, an id a line: the email package would encode one that is longer than a line."""
        thread = [*self.references[:_FIRST], *self.references[_FIRST:][-_LAST:], self.answers]
        headers = {"Message-ID": [self.message_id], "In-Reply-To": [self.answers], "References": thread}
        fit = {name: list(filter(_ID.fullmatch, dict.fromkeys(ids))) for name, ids in headers.items()}
        return "".join(name + ": " + "\r\n ".join(ids) + "\r\n" for name, ids in fit.items() if ids).encode()

    def as_mbox(self) -> bytes:
        """The mail as the only one of an mbox file."""
        lines = self.as_bytes().replace(b"\r\n", b"\n").split(b"\n")
        quoted = (b">" + line if line.lstrip(b">").startswith(b"From ") else line for line in lines)
        return b"From kipflow " + f"{self.at:%a %b %d %H:%M:%S %Y}".encode() + b"\n" + b"\n".join(quoted) + b"\n"


def draft_result(view: ProposalView, now: datetime, references: tuple[str, ...] = ()) -> ResultDraft:
    """The announcement of the newest vote of the proposal; `references` are those of the mail that opened it.

    Raises:
        NoDraft: there is no vote to announce, it is not over, a question could turn it, its caller announced it
            already, or no form of the mail reads as what it means.
    """
    state = _find_state(view, now)
    for text in _render_forms(view, state):
        draft = replace(_make_draft(view, state, text, now), references=references)
        if reads_back(draft):
            return draft
    raise NoDraft(f"{view.key}: its title or a name reads like a vote: write its result by hand")


def _find_state(view: ProposalView, now: datetime) -> VoteState:
    if not view.votes or view.votes[-1].vote.ended_at is not None:
        raise NoDraft(f"{view.key} has no vote whose result could be announced")
    state = view.votes[-1]
    closes = state.terms.earliest_close
    refusals: tuple[tuple[bool, str], ...] = (
        (state.vote.declared is not None, "its result was announced already"),
        (state.outcome not in _OUTCOMES, f"its vote is {state.outcome}: there is no result yet"),
        (now < closes, f"its vote closes no earlier than {closes:%Y-%m-%d %H:%M} UTC"),
        (state.hangs or state.vote.is_held, "a person must settle first what could turn its outcome"),
    )
    for refused, why in refusals:
        if refused:
            raise NoDraft(f"{view.key}: {why}")
    return state


def find_draft(view: ProposalView, now: datetime) -> ResultDraft | None:
    """The announcement of the newest vote; None where there is nothing to announce, or no longer."""
    try:
        return draft_result(view, now)
    except NoDraft:
        return None


def reads_back(draft: ResultDraft) -> bool:
    """Whether kipflow's reader finds the draft's outcome and counts in it, and nothing else."""
    prefix, month = draft.key.rpartition("-")[0], f"{draft.at:%Y-%m}"
    mail = read_message(draft.as_bytes(), source="draft", list_id=draft.list_id, month=month, prefix=prefix)
    if not isinstance(mail, Message) or mail.declared is None or mail.expressions or mail.cancels or mail.unread:
        return False
    declared = mail.declared
    return (
        mail.reading.kind is Kind.RESULT
        and mail.reading.numbers == (draft.number,)
        and declared.outcome == draft.outcome
        and not declared.unclear
        and not declared.contradictions
        and _fill(declared.binding) == draft.binding
        and _fill(declared.non_binding) == draft.non_binding
    )


def _fill(counts: Mapping[str, int] | None) -> dict[str, int]:
    return {choice.value: (counts or {}).get(choice.value, 0) for choice in Choice}


def _make_draft(view: ProposalView, state: VoteState, text: str, now: datetime) -> ResultDraft:
    vote = state.vote
    title = " ".join(_make_plain(view.proposal.title).split())
    return ResultDraft(
        key=view.key,
        number=view.proposal.number,
        outcome=_OUTCOMES[state.outcome],
        binding=state.tally.binding.as_dict(),
        non_binding=state.tally.non_binding.as_dict(),
        subject=f"[RESULT] [VOTE] {view.key}: {title}",
        sender=vote.opened_by,
        sender_address=vote.opened_by_address,
        list_id=vote.list_id,
        answers=vote.root_message_id,
        at=now,
        text=text,
    )


def _render_forms(view: ProposalView, state: VoteState) -> Iterator[str]:
    """The mail's text, from the fullest form to the plainest."""
    lead = _render_lead(view, state)
    more = _render_period(state) + _render_links(view, state)
    settled = _render_settled(view, state)
    named, counted = _render_tally(state, _say_names), _render_tally(state, lambda _: "")
    yield lead + named + settled + more + _render_mails(view, state)
    yield lead + named + settled + more
    yield lead + named + more
    yield lead + counted + more
    yield lead + counted


def _render_lead(view: ProposalView, state: VoteState) -> str:
    return f"The vote on {view.key} has {_OUTCOMES[state.outcome]}.\n\n"


def _render_tally(state: VoteState, say: Callable[[list[Ballot]], str]) -> str:
    """A line for each choice and group, with who voted so."""
    lines = []
    for is_binding, group in _GROUPS:
        counts = state.tally.binding if is_binding else state.tally.non_binding
        for choice in Choice:
            cast = [b for b in _counted(state) if b.binding is is_binding and b.choice is choice]
            lines.append(f"{counts.as_dict()[choice.value]} {group} {choice.value} votes{say(cast)}")
    return "\n".join(lines) + "\n\n"


def _counted(state: VoteState) -> list[Ballot]:
    return [b for b in state.vote.ballots if b.status is BallotStatus.COUNTED]


def _say_names(cast: list[Ballot]) -> str:
    names = ", ".join(_say_name(b) for b in cast)
    return f" ({names})" if names else ""


def _say_name(ballot: Ballot) -> str:
    """Without what would end the list of names, and never an address."""
    name = " ".join(_make_plain(ballot.name).replace("(", " ").replace(")", " ").replace(",", " ").split())
    shown = name if "@" not in name else ballot.voter if "@" not in ballot.voter else ""
    return shown[:_LONGEST_NAME] or "without a name"


def _render_settled(view: ProposalView, state: VoteState) -> str:
    """What was asked of a person: the mails, where they can be read."""
    ruled = [b for b in state.vote.ballots if b.is_ruled]
    places = [view.links.get(b.message_id, "") or _say_name(b) for b in ruled]
    return (
        "Settled by a person, as the mail was unclear:\n" + "".join(f"  {p}\n" for p in places) + "\n" if places else ""
    )


def _render_period(state: VoteState) -> str:
    start, end = state.vote.opened_at, state.terms.earliest_close
    return f"Voting period: {start:%Y-%m-%d %H:%M} UTC to {end:%Y-%m-%d %H:%M} UTC\n"


def _render_links(view: ProposalView, state: VoteState) -> str:
    links = (("Thread", view.links.get(state.vote.root_message_id, "")), ("Proposal", view.proposal.page_url or ""))
    return "".join(f"{name}: {' '.join(_make_plain(url).split())}\n" for name, url in links if url)


def _render_mails(view: ProposalView, state: VoteState) -> str:
    places = [url for b in _counted(state) if (url := view.links.get(b.message_id, ""))]
    return "\nThe mails that were counted:\n" + "".join(f"  {url}\n" for url in places) if places else ""


def _make_plain(text: str) -> str:
    """The text without control and format characters: none may start a header, a line or a direction."""
    return "".join(c if c.isprintable() else " " for c in text)


def _make_address(name: str, address: str) -> Address | str:
    plain = " ".join(_make_plain(name).split())
    try:
        return Address(display_name=plain, addr_spec=address)
    except (ValueError, IndexError):
        return Address(display_name=plain or "caller of the vote", addr_spec="caller@invalid.example")
