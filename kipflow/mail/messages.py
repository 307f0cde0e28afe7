"""Reads one mail's bytes into one `Message`: everything that can be read from the mail alone.

Bodies are not read in full if no vote or proposal could depend on them (a tracker's notifications, unrelated
openings of threads): most of a busy list's bytes. Every reply is read.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any

from kipflow.domain.facts import MailKind, Message, SubjectReading, Unreadable
from kipflow.domain.proposals import find_references
from kipflow.domain.votes import Declared, Expression, Standing, states_end
from kipflow.mail import limits
from kipflow.mail.alternatives import ask_about_alternatives
from kipflow.mail.content.authentication import find_authentication
from kipflow.mail.content.mime import find_texts
from kipflow.mail.content.senders import Sender
from kipflow.mail.heads import Head, Place, read_head
from kipflow.mail.programs import ask_of_program
from kipflow.mail.quoting import Words, find_own_words
from kipflow.mail.relevance import fold_case, has_any
from kipflow.mail.results import ask_beside_result, ask_of_counts, find_cancel, read_declared, weigh_in_result
from kipflow.mail.rounds.calls import is_call, read_called_numbers
from kipflow.mail.subjects import parse_subject
from kipflow.mail.trackers import is_from_program
from kipflow.mail.votes.ownrows import read_rows
from kipflow.mail.votes.reading import read_expressions
from kipflow.mail.votes.subjectline import read_subject

#: Most proposals that one reply to a digest can vote on; each such vote is a question.
_MOST_NAMED = 20


def read_message(data: bytes, *, source: str, unread: str = "", **place: Any) -> Message | Unreadable:
    """Read one mail: see `read_mail`; `place` are the values of a `Place`."""
    return read_mail(data, Place(**place), source=source, unread=unread)


def read_mail(data: bytes, place: Place, *, source: str, unread: str = "") -> Message | Unreadable:
    """Read one mail, envelope line allowed. Never raises on bad mail.

    Args:
        data: the mail as an archive holds it.
        place: where it was found.
        source: where it was read, for evidence: "list/month#position".
        unread: why these bytes may not be all that the mail says.
    """
    head = read_head(data, place, unread)
    return place.refuse(source, head) if isinstance(head, str) else read_whole(head, read_kind(head), source)


def read_kind(head: Head) -> SubjectReading:
    """The purpose of the mail, from its subject."""
    reading = parse_subject(head.subject, head.place.prefix, own=head.place.tags)
    if head.is_automatic:
        return replace(reading, kind=MailKind.OTHER, is_reply=False, numbers=(), topic=head.subject.lower())
    return reading


def read_whole(head: Head, reading: SubjectReading, source: str) -> Message:
    """The mail with the content of its body, as far as that could matter."""
    read = _read_body if could_matter(reading, head) else _read_unopened
    return read(head, reading, source)


def _read_unopened(head: Head, reading: SubjectReading, source: str) -> Message:
    """A mail whose body is not read: only its subject may vote."""
    votes = read_subject(head.subject) if reading.kind is not MailKind.DISCUSS else ()
    votes = votes or ((_SEALED,) if head.is_sealed else ())
    unread = str(head.notes)
    asked = _ask_unread(votes, unread)
    return Message(**head.find_facts(), source=source, reading=reading, own_text="", expressions=asked, unread=unread)


def _read_body(head: Head, reading: SubjectReading, source: str) -> Message:
    prefix, notes = head.place.prefix, head.notes
    text, alternatives = find_texts(head.headers, head.body, notes)
    words = find_own_words(text, notes, address=head.sender.address)
    own_text = words.text
    reading = _settle_kind(reading, words, head)
    reading = read_called_numbers(reading, own_text, prefix)
    ends = bool(words.own) and (reading.kind in ENDING_KINDS or reading.is_reply or head.answers or _names(reading))
    declared = _read_declared(head, words, reading) if ends else None
    votes, is_result = _read_beside(words, reading, head, declared)
    if not votes and head.is_sealed and not own_text:
        votes = (_SEALED,)
    if alternatives:
        read = partial(_read_votes, reading=reading, sender=head.sender, subject="", is_result=is_result)
        votes = ask_about_alternatives(votes, words, alternatives, read, notes)
    if votes and answers_digest(reading):
        reading = replace(reading, numbers=find_references(own_text, prefix)[:_MOST_NAMED])
    votes = ask_of_program(votes, head, words)
    casts = any(e.standing is Standing.CLEAR for e in votes)
    if casts or (own_text and not _points_at_attachment(own_text)):
        notes.forgive(limits.ATTACHED)
    return Message(
        **head.find_facts(),
        source=source,
        reading=reading,
        own_text=own_text,
        expressions=_ask_unread(votes, str(notes)),
        declared=declared,
        cancels=find_cancel(words, reading) if ends else None,
        unread=str(notes),
        authentication=find_authentication(head.headers, head.place.receivers, head.sender),
    )


def _read_beside(
    words: Words, reading: SubjectReading, head: Head, declared: Declared | None
) -> tuple[tuple[Expression, ...], bool]:
    """The votes of a mail beside its announcement, and whether it lists the votes of others."""
    announces = declared is not None and (
        not declared.unclear or (declared.corrects and reading.kind is MailKind.RESULT)
    )
    is_tagged = reading.kind is MailKind.RESULT and not reading.is_reply
    # a mail that only says that the vote passed, and lists nobody, may vote like any other
    is_result = is_tagged or (announces and declared is not None and (declared.counts or bool(declared.names)))
    votes = _read_votes(words, reading, head.sender, head.subject, is_result=is_result)
    if is_result and not is_tagged and all(vote.standing.is_tentative for vote in votes):
        free = _read_votes(words, reading, head.sender, "", is_result=False)
        votes = tuple(ask_beside_result(free, words, head.sender.name)) or votes
    if not is_result and declared is not None and (declared.counts or declared.names):
        votes = tuple(ask_of_counts(votes, head.sender.name))
    if states_end(declared):  # the people it lists have voted elsewhere
        votes = tuple(weigh_in_result(votes, head.sender.name))
    return votes, is_result


def _names(reading: SubjectReading) -> bool:
    """Whether a subject without a tag names a proposal: under any title the mail may announce a result."""
    return reading.kind is MailKind.OTHER and bool(reading.numbers)


def _read_declared(head: Head, words: Words, reading: SubjectReading) -> Declared | None:
    by = head.sender.name or head.sender.address
    return read_declared(words, reading, at=head.arrived_at, by=by, message_id=head.message_id, subject=head.subject)


def _settle_kind(reading: SubjectReading, words: Words, head: Head) -> SubjectReading:
    """The reading of a subject that may show a vote's end ("[VOTE] Names passed"), settled by the mail's own text."""
    if is_sure(reading):
        return reading
    opened, ended = (parse_subject(head.subject, head.place.prefix, end, head.place.tags) for end in (False, True))
    if opened.kind is ended.kind:
        return reading
    declared = read_declared(words, opened, by="", message_id="", at=None)
    announces = states_end(declared) or find_cancel(words, opened) is not None
    calls = is_call(words.text)
    if reading.kind is ended.kind:
        return ended if announces or not calls else opened
    return ended if announces and not calls else opened


def is_sure(reading: SubjectReading) -> bool:
    """Whether the subject alone shows a mail's purpose and proposals."""
    if answers_digest(reading):
        return False
    return reading.kind not in ENDING_KINDS or reading.is_reply or reading.is_forward


def answers_digest(reading: SubjectReading) -> bool:
    """Whether a mail answers a digest, not a single mail: its own words may name the proposals that it votes on."""
    return reading.is_reply and not reading.numbers and "digest" in reading.topic


#: Subjects under which a vote can end without the mail being an answer.
ENDING_KINDS = frozenset({MailKind.RESULT, MailKind.CANCEL, MailKind.VOTE})


def could_matter(reading: SubjectReading, head: Head) -> bool:
    """Whether the body must be read: because of the subject, or because a reply may be in the thread of a vote.

    The parent of a reply is not known here, nor are its own words before decoding and without its quotes. So
    every reply is read, unless a program sent it by itself.
    """
    if reading.kind is not MailKind.OTHER or reading.numbers:
        return True
    return (reading.is_reply or head.answers) and not is_from_program(head.subject)


def _read_votes(
    words: Words, reading: SubjectReading, sender: Sender, subject: str, *, is_result: bool
) -> tuple[Expression, ...]:
    if reading.kind is MailKind.CANCEL:
        return ()
    discussed = reading.kind is MailKind.DISCUSS
    if discussed and "bind" not in words.text.lower():
        return ()  # agreement, in a discussion; with a claim to bind it may mean the vote of this thread
    rows = read_rows(words.own, sender.name, reading.numbers)
    words = replace(words, own=rows.lines)
    found = read_expressions(words, author=sender.name, is_result=is_result, topic=reading.topic)
    found = tuple(replace(e, line=rows.own.get(e.line, e.line)) for e in found)
    if rows.reports:
        why = "a table of values stands beside it, as a program's report has one: is it a person's vote?"
        found = tuple(
            e if e.claimed_binding is not None or e.standing.is_tentative else e.as_question("beside-a-table", why)
            for e in found
        )
    if not is_result and all(e.standing.is_tentative for e in found):
        beside = read_subject(subject)
        if any(e.standing is Standing.UNCLEAR for e in beside):
            found = beside
        elif all(e.standing is not Standing.HINT for e in found):
            found = (*beside, *found)
    return tuple(e for e in found if e.claimed_binding is not None) if discussed else found


_SEALED = Expression(
    choice=None,
    value="",
    claimed_binding=None,
    line="",
    rule="encrypted",
    standing=Standing.UNCLEAR,
    why="encrypted: what it says, its author must tell",
)


_ATTACHED_VOTE = re.compile(
    r"\b(?:vote|ballot|veto|objection|opinion|answer|reply)s?\b[^.\n]{0,60}\b(?:attach|enclos)"
    r"|\b(?:attached|enclosed)\b[^.\n]{0,60}\b(?:vote|ballot|veto|objection|opinion|answer|reply)s?\b",
    re.IGNORECASE,
)


def _points_at_attachment(text: str) -> bool:
    """Whether a mail says that its vote is attached: attachments are not read."""
    return has_any(("attach", "enclos"), fold_case(text)) and _ATTACHED_VOTE.search(text) is not None


def _ask_unread(found: tuple[Expression, ...], unread: str) -> tuple[Expression, ...]:
    """The votes in the part that was read, as questions; one general question if there are none."""
    if not unread:
        return found
    rule, why = "not-read-to-its-end", f"not read to its end: {unread}"
    silent = Expression(choice=None, value="", claimed_binding=None, line="", rule=rule)
    # without a choice: the rest may say anything, so every outcome must be considered
    return tuple(replace(e.as_question(rule, why), choice=None) for e in found or (silent,))
