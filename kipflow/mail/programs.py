"""Votes in mails that a program wrote by itself: they may be nobody's."""

from __future__ import annotations

from kipflow.domain.votes import Expression
from kipflow.mail.heads import Head
from kipflow.mail.quoting import Words
from kipflow.mail.trackers import is_of_issue


def ask_of_program(votes: tuple[Expression, ...], head: Head, words: Words) -> tuple[Expression, ...]:
    """The votes of a mail, as questions if a program wrote it: a gateway may pass on a person's, a builder never does.

    A vote that is held in a tracker's issue is the exception: its mirrored comments are its votes.
    """
    shows = "Auto-Submitted" if head.is_generated else ""
    if not shows and not is_of_issue(head.subject):
        shows = "by its sender" if head.sender.is_robot else "by its footer" if words.is_automated else ""
    if not shows:
        return votes
    why = f"a program wrote this mail by itself ({shows}): is it a person's vote?"
    return tuple(vote.as_question("auto-generated", why) for vote in votes)
