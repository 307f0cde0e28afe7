"""The kinds of message that people get: when each is written, and for whom. A community chooses among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from kipflow.domain.events import Stage, Transition


class Readers(StrEnum):
    """The channel that a kind goes to if the community's file names none for it.

    `ASKED`: the operators' channel, else everybody's. `OPERATORS`: only the operators' channel; without one it is not
    sent.
    """

    EVERYBODY = "everybody"
    ASKED = "asked"
    OPERATORS = "operators"


@dataclass(frozen=True, slots=True)
class MessageKind:
    """When a message of this kind is written, for whom, and the mark that it begins with."""

    when: str
    icon: str
    readers: Readers = Readers.EVERYBODY


MESSAGE_KINDS: Mapping[str, MessageKind] = {
    "new-proposal": MessageKind("a page was created, or a number taken", ":pencil2:"),
    "discussion": MessageKind("a [DISCUSS] thread was started", ":speech_balloon:"),
    "vote": MessageKind("a vote was opened; kept up to date in place until its outcome", ":ballot_box_with_ballot:"),
    "vote-news": MessageKind("a binding vote is new, changed or unclear: in the thread of its vote", ""),
    "period-over": MessageKind("a voting period is over but the vote is not decided", ":alarm_clock:"),
    "result": MessageKind("a vote was decided", ""),
    "stage": MessageKind("a proposal moved in any other way", ""),
    "correction": MessageKind("an announced move no longer holds", ":leftwards_arrow_with_hook:"),
    "page-changed": MessageKind("a page changed after votes were cast", ":pencil2:", Readers.ASKED),
    "lint": MessageKind("a page was saved with faults: in the thread of its proposal", ":wrench:"),
    "dormancy": MessageKind("a proposal will become dormant unless somebody writes", ":hourglass:"),
    "question": MessageKind("a person must settle something", ":mag:", Readers.ASKED),
    "drift": MessageKind("wiki, index or ticket contradict the facts", ":scales:", Readers.OPERATORS),
    "approval": MessageKind("an effect waits for a person's approval", ":raised_hand:", Readers.OPERATORS),
    "failure": MessageKind(
        "a task failed for good: once an hour for each cause", ":rotating_light:", Readers.OPERATORS
    ),
    "condition": MessageKind(
        "something keeps kipflow from working: each time it begins", ":warning:", Readers.OPERATORS
    ),
    "digest": MessageKind("once a week, if the community configured it", ":newspaper:"),
}
#: Kinds that cannot be switched off: people act on them.
ALWAYS_SENT = frozenset({"correction"})

ICONS = {
    Stage.DRAFT: ":pencil2:",
    Stage.DISCUSSION: ":speech_balloon:",
    Stage.VOTE: ":ballot_box_with_ballot:",
    Stage.ACCEPTED: ":white_check_mark:",
    Stage.REJECTED: ":x:",
    Stage.DORMANT: ":zzz:",
    Stage.DISCARDED: ":wastebasket:",
}
_OF_RULE = {"page-created": "new-proposal", "number-taken": "new-proposal", "discuss-thread": "discussion"}


def find_move_kind(move: Transition) -> str:
    """The kind of message that announces a move."""
    if move.target is Stage.VOTE and move.source is not Stage.VOTE:
        return "vote"
    decided = move.source is Stage.VOTE and move.target in {Stage.ACCEPTED, Stage.REJECTED}
    return "result" if decided or move.source is move.target else _OF_RULE.get(move.rule, "stage")
