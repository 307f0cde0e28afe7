"""The mail that announces a vote's result, drafted from the vote as counted.

A draft is valid only if kipflow's own reader finds in it exactly the outcome and counts that it was made from, and no
ballot: names and titles are other people's words, and could be read as votes. Then a plainer form is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from kipflow.domain.clocks import VoteState
from kipflow.domain.decisions import ReviewItem
from kipflow.domain.errors import KipflowError
from kipflow.domain.facts import MailKind, Message
from kipflow.domain.texts import as_printable
from kipflow.domain.times import say_moment
from kipflow.domain.votes import Choice
from kipflow.mail.messages import read_message
from kipflow.services.board import ProposalView
from kipflow.services.result_text import OUTCOMES, render_forms
from kipflow.services.settling import find_commands

#: A mail's line may have 998 octets (RFC 5322); a longer one is encoded.
_LONGEST_LINE = 900
#: Message ids that can be written unchanged, and how many References of a long thread are: the first and the last ones.
_ID = re.compile(r"<[!-;=?-~]{3,500}>", re.ASCII)
_FIRST, _LAST = 5, 20
#: Kinds of questions that affect neither a vote's outcome nor its subject. Any other question blocks the draft.
HARMLESS = frozenset({"unannounced", "dormancy", "reopening", "ruling"})


class NoDraft(KipflowError):
    """There is no result to announce; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultDraft:
    """The mail: a reply to the vote's opening, from its caller, written at `at`. `text` has lines ended by "\\n".

    `references` are those of the mail that it answers. With a `message_id` it is ready to send; without, it is a draft.
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
        mail["Subject"] = _make_line(self.subject)
        mail["Date"] = format_datetime(self.at.astimezone(UTC))
        if not self.message_id:
            mail["X-Unsent"] = "1"
        is_plain = self.text.isascii() and max(map(len, self.text.split("\n"))) <= _LONGEST_LINE
        mail.set_content(self.text, cte="7bit" if is_plain else "quoted-printable")
        return self._render_ids() + mail.as_bytes()

    def _render_ids(self) -> bytes:
        """The headers with ids, one id a line: the email package would encode a longer line."""
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
        NoDraft: there is no vote to announce, it is not over, an open question could change its outcome or subject, it
        was announced already, or the reader finds something else in every form of the mail.
    """
    state = _find_state(view, now)
    for text in render_forms(view, state):
        draft = replace(_make_draft(view, state, text, now), references=references)
        if reads_back(draft):
            return draft
    raise NoDraft(f"{view.key}: its title or a name reads like a vote: write its result by hand")


def _find_state(view: ProposalView, now: datetime) -> VoteState:
    state = view.newest_vote
    if state is None or state.vote.ended_at is not None:
        raise NoDraft(f"{view.key} has no vote whose result could be announced")
    asked = next((item for item in view.review if item.kind not in HARMLESS), None)
    closes = state.terms.earliest_close
    refusals: tuple[tuple[bool, str], ...] = (
        (state.vote.declared is not None, "its result was announced already"),
        (now < closes, f"its vote closes no earlier than {say_moment(closes)}"),
        (asked is not None, _say_question(view, asked)),
        (state.outcome not in OUTCOMES, f"its vote is {state.outcome}: there is no result yet"),
        (state.depends_on_review or state.vote.is_held, "a person must settle first what could turn its outcome"),
    )
    for refused, why in refusals:
        if refused:
            raise NoDraft(f"{view.key}: {why}")
    return state


def _say_question(view: ProposalView, asked: ReviewItem | None) -> str:
    if asked is None:
        return ""
    commands = " or ".join(f"`{command}`" for command in find_commands(view.proposal.number, asked))
    return f"a person must settle first: {asked.question}" + (f" It is settled by {commands}" if commands else "")


def find_draft(view: ProposalView, now: datetime) -> ResultDraft | None:
    """The announcement of the newest vote; None if there is none to make."""
    try:
        return draft_result(view, now)
    except NoDraft:
        return None


def reads_back(draft: ResultDraft) -> bool:
    """Whether kipflow's reader finds the draft's outcome and counts in it, and nothing else."""
    prefix, month = draft.key.rpartition("-")[0], f"{draft.at:%Y-%m}"
    mail = read_message(draft.as_bytes(), source="draft", list_id=draft.list_id, month=month, prefix=prefix)
    if not isinstance(mail, Message) or mail.declared is None or mail.cancels or mail.unread:
        return False
    if any(not vote.standing.is_tentative for vote in mail.votes):  # its sender, a voter like others, is listed by name
        return False
    declared = mail.declared
    return (
        mail.reading.kind is MailKind.RESULT
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
    title = _make_line(view.proposal.title)
    return ResultDraft(
        key=view.key,
        number=view.proposal.number,
        outcome=OUTCOMES[state.outcome],
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


def _make_line(text: str) -> str:
    """The text made safe for a header: the email package would decode an encoded word, with line breaks in it."""
    return " ".join(as_printable(text, " ").split()).replace("=?", "= ?")


def _make_address(name: str, address: str) -> Address | str:
    plain = _make_line(name)
    try:
        return Address(display_name=plain, addr_spec=_make_line(address))
    except (ValueError, IndexError, MessageError):
        return Address(display_name=plain or "caller of the vote", addr_spec="caller@invalid.example")
