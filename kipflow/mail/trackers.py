"""Recognizes subjects that programs write: trackers, builders and automatic answers, and mirrors of issue trackers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kipflow.mail import limits
from kipflow.mail.announcements.tokens import join_words

_LONGEST = limits.SUBJECT.size

_ROBOT = re.compile(
    r"^\s*(?:re:\s*)?\[pr\]|^\s*\[(?:jira|jenkins|confluence|bugzilla)\]|"
    # "Re: [apache/kafka] Rename the metrics (PR #19)"
    r"^\s*(?:re:\s*)?\[[\w.-]{1,60}/[\w.-]{1,60}\] .*\((?:pr |issue |discussion )?#\d+\)\s*$|"
    rf"^\s*(?:{join_words('robot')}|absence\b|ooo\b)",
    re.IGNORECASE,
)


def is_from_program(subject: str) -> bool:
    """Whether a subject is one that a program writes by itself: a tracker's, a builder's, an automatic answer's."""
    return _ROBOT.match(subject[:_LONGEST]) is not None


# "[GitHub] [names] mlind commented on issue #12: [VOTE] …", "[GitHub] mlind opened a new issue, #12: …"
_MIRRORED = re.compile(
    r"^(?:re:\s*)?\[git(?:hub|box)?\]\s*(?:\[[\w.-]{1,60}\]\s*)?(?P<login>[\w-]{1,40})(?:\[bot\])?\s+"
    r"(?P<deed>opened a new|opened|commented on|closed|edited a comment on|edited a|reopened|"
    r"merged)\b[^:]{0,60}:\s*(?P<rest>.*)$",
    re.IGNORECASE,
)


# "[I] [VOTE] …": the same as its subjects begin by now
_OF_ISSUE = re.compile(r"\s*(?:re:\s*)*\[i\]", re.IGNORECASE)


def is_of_issue(subject: str) -> bool:
    """Whether a subject is that of an issue that a tracker mirrors to the list: the mail holds what was said there."""
    return parse_mirrored(subject) is not None or _OF_ISSUE.match(subject[:_LONGEST]) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class MirroredSubject:
    """The subject of a mail that mirrors an issue tracker: who acted there, and the issue's title."""

    login: str
    subject: str
    opens: bool


def parse_mirrored(subject: str) -> MirroredSubject | None:
    """A GitHub notification's subject taken apart; None for any other mail."""
    match = _MIRRORED.match(subject[:_LONGEST])
    if match is None:
        return None
    opens = match.group("deed").lower().startswith("opened")
    return MirroredSubject(login=match.group("login"), subject=match.group("rest"), opens=opens)
