"""One mail's bytes to one `Message`: everything that can be told from the mail alone.

The full reading of a body is spared for mails that no vote or proposal could hang on (a tracker's
notifications, unrelated openings of threads): most of a busy list's bytes. Whatever answers a mail is read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from hashlib import sha256

from kipflow.domain.facts import Kind, Message, SubjectReading, Unreadable
from kipflow.domain.proposals import UNSEEN
from kipflow.domain.roster import clean_address
from kipflow.domain.sameids import OURS
from kipflow.domain.senders import Authentication
from kipflow.domain.votes import Expression, Standing
from kipflow.mail import limits
from kipflow.mail.content.arrival import find_arrival, find_date
from kipflow.mail.content.authentication import find_authentication
from kipflow.mail.content.headers import (
    Headers,
    note_limits,
    parse_message_id,
    parse_message_ids,
    parse_references,
    read_text,
    split_mail,
)
from kipflow.mail.content.mime import find_text, find_texts
from kipflow.mail.content.senders import Sender, find_sender, parse_mailbox, split_mailboxes
from kipflow.mail.content.text import clean_lines
from kipflow.mail.late import MAX_KEPT, put_off
from kipflow.mail.limits import Unread
from kipflow.mail.quoting import Words, find_own_words, is_table_row
from kipflow.mail.results import find_cancel, may_announce, read_declared
from kipflow.mail.rounds.calls import is_call, read_called_numbers
from kipflow.mail.subjects import drop_repeated_marks, parse_subject
from kipflow.mail.trackers import is_from_program, parse_mirrored
from kipflow.mail.twins import ask_twins
from kipflow.mail.unread import ask_unread, points_at_attachment
from kipflow.mail.votes.reading import read_expressions, read_subject

# one of these makes a piece of text a mail
_MAIL_FIELDS = (
    *("from", "subject", "date", "message-id", "to", "sender", "received", "return-path", "list-id", "mime-version"),
    *("content-type", "in-reply-to", "references"),
)
# what no one can see, and a terminal or a page might obey; blanks are evened out apart
_CONTROL = re.compile(rf"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f{UNSEEN}]")
# what turns the order of what is seen: left in sight, so that no number is read across it
_TURNS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")


def read_message(
    data: bytes,
    *,
    source: str,
    list_id: str,
    month: str,
    prefix: str,
    list_from_headers: bool = False,
    receivers: Sequence[str] = (),
    unread: str = "",
    late: bool = False,
) -> Message | Unreadable:
    """Read one mail, envelope line allowed. Never raises on bad mail.

    Args:
        data: the mail as an archive holds it.
        source: where it was read, for evidence: "list/month#position".
        list_id: the list's address; with `list_from_headers` only where the mail names none.
        month: "2026-03"; empty: taken from the mail's own time.
        prefix: the community's prefix of proposal numbers, "KIP".
        receivers: the hosts that receive the list's mail, whose lines on top of it can be believed.
        unread: why these bytes may not be all that the mail says.
        late: a body that only a vote's thread can call for is read when it is asked for (`LateMessage`).
    """
    notes = Unread(unread)
    if len(data) > limits.MAIL.size:
        notes(limits.MAIL)
    mail = _even_line_ends(data[: limits.MAIL.size])
    if not mail or mail.isspace():
        return Unreadable(source=source, why="empty", list_id=list_id, month=month)
    headers, body = split_mail(mail)
    if not any(map(headers.raw, _MAIL_FIELDS)):
        return Unreadable(source=source, why="no mail headers", list_id=list_id, month=month)
    note_limits(mail, headers, notes)
    dated_at = find_date(headers)
    arrived_at, arrived_from = find_arrival(headers, mail, receivers, dated_at)
    found_list = _find_list(*map(headers.raw, _LIST_FIELDS))
    own_list = (found_list or list_id) if list_from_headers else list_id
    subject = _read_subject(headers, notes)
    sender = _find_author(headers, list_id.lower(), subject)
    reading = parse_subject(subject, prefix)
    parents = parse_message_ids(headers.text("in-reply-to"))
    references = parse_references(headers)
    digest = _digest(headers, body)
    message_id = parse_message_id(headers.text("message-id"))
    if not message_id or message_id.startswith(OURS):  # nobody else gives such ids
        message_id = f"<kipflow.{digest}@missing>"
    answers = bool(parents or references)
    if _is_automatic_answer(headers):
        reading = replace(reading, kind=Kind.OTHER, is_reply=False, numbers=(), topic=subject.lower())
        answers = False
    could_matter = _could_matter(reading, subject, answers=answers)
    is_late = late and could_matter and reading.kind not in _ENDING_KINDS and len(data) <= MAX_KEPT
    text, twins = find_texts(headers, body, notes) if could_matter and not is_late else ("", [])
    words = find_own_words(text, notes) if could_matter and not is_late else Words(own=())
    own_text = words.text
    reading = _settle_kind(reading, words, subject, prefix)
    reading = read_called_numbers(reading, own_text, prefix)
    ends = bool(words.own) and (reading.kind in _ENDING_KINDS or reading.is_reply or answers)
    by = sender.name or sender.address
    announced = {"by": by, "message_id": message_id, "subject": subject}
    declared = read_declared(words, reading, at=arrived_at, **announced) if ends else None
    announces = declared is not None and (not declared.unclear or (declared.corrects and reading.kind is Kind.RESULT))
    is_result = announces or (reading.kind is Kind.RESULT and not reading.is_reply)
    votes = _read_votes(words, reading, sender, subject, is_result=is_result) or _find_sealed(headers, words)
    if twins:
        read = partial(_read_votes, reading=reading, sender=sender, subject="", is_result=is_result)
        votes = ask_twins(votes, words, twins, read, notes)
    casts = any(e.standing is Standing.CLEAR for e in votes)
    if casts or (words.text and not points_at_attachment(words.text)):
        notes.forgive(limits.ATTACHED)
    found = Message(
        message_id=message_id,
        list_id=own_list,
        month=month or (f"{arrived_at.year}-{arrived_at.month:02}" if arrived_at is not None else ""),
        source=source,
        arrived_at=arrived_at,
        arrived_from=arrived_from,
        author_name=sender.name,
        author_address=sender.address,
        address_source=sender.source,
        raw_from=sender.raw[:500],
        subject=subject,
        reading=reading,
        in_reply_to=parents[0] if parents else None,
        references=references,
        own_text=own_text,
        expressions=ask_unread(votes, str(notes)),
        declared=declared,
        cancels=find_cancel(words, reading) if ends else None,
        digest=digest,
        dated_at=dated_at,
        # of a mail that no vote or proposal could depend on, nobody asks it
        authentication=(find_authentication(headers, receivers, sender) if could_matter else Authentication.UNKNOWN),
        unread=str(notes),
    )
    if not is_late:
        return found
    how = partial(read_message, source=source, list_id=list_id, month=month, prefix=prefix, receivers=receivers)
    return put_off(
        found,
        read=partial(how, data, list_from_headers=list_from_headers, unread=unread),
        may_announce=_may_announce(headers, body, reading),
    )


def _may_announce(headers: Headers, body: bytes, reading: SubjectReading) -> bool:
    """Whether a mail with a body that is put off may announce a result.

    Each mail of a proposal's discussion is asked that: a look at its text, quotes left out, spares most of the reading.
    """
    if reading.kind is not Kind.DISCUSS or not reading.numbers:
        return True
    lines = clean_lines(find_text(headers, body)) if reading.is_reply else []
    return may_announce([line for line in lines if line[:1] != ">"])


def _settle_kind(reading: SubjectReading, words: Words, subject: str, prefix: str) -> SubjectReading:
    """The reading of a subject that may show a vote's end ("[VOTE] Names passed"), settled by the mail's own text."""
    if reading.kind not in _ENDING_KINDS or reading.is_reply or reading.is_forward:
        return reading
    opened, ended = (parse_subject(subject, prefix, shows_end) for shows_end in (False, True))
    if opened.kind is ended.kind:
        return reading
    declared = read_declared(words, opened, by="", message_id="", at=None)
    announces = declared is not None or find_cancel(words, opened) is not None
    calls = is_call(words.text)
    if reading.kind is ended.kind:
        return ended if announces or not calls else opened
    return ended if announces and not calls else opened


#: Subjects under which a vote can end without the mail being an answer.
_ENDING_KINDS = frozenset({Kind.RESULT, Kind.CANCEL, Kind.VOTE})


def _even_line_ends(data: bytes) -> bytes:
    """The mail with "\\n" ending its lines, whatever ended them, from its first line that is not empty."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        if b"\r" in data and b"\n" not in data.strip():
            data = data.replace(b"\r", b"\n")
    return data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\n")


def _read_subject(headers: Headers, note: limits.Note) -> str:
    """The subject in one line; of one that is too long, each mark in front of it once."""
    subject = " ".join(_TURNS.sub("\ufffd", _CONTROL.sub("", headers.text("subject"))).split())
    if len(subject) <= limits.SUBJECT.size:
        return subject
    note(limits.SUBJECT)
    return drop_repeated_marks(subject)[:1000]


def _find_author(headers: Headers, list_id: str, subject: str) -> Sender:
    """The mail's writer; for a mirrored issue comment, who wrote it there."""
    sender = find_sender(headers, list_id)
    mirrored = parse_mirrored(subject) if not sender.address else None
    return sender if mirrored is None else Sender(name=mirrored.login, address="", raw=sender.raw, source=sender.source)


def _is_automatic_answer(headers: Headers) -> bool:
    """Whether a program answered in its owner's name, by its own word (RFC 3834): "I am out of the office"."""
    return (headers.raw("auto-submitted") or b"").lower().startswith(b"auto-replied")


def _could_matter(reading: SubjectReading, subject: str, *, answers: bool) -> bool:
    """Whether the body must be read: by the subject, or because an answer may stand in the thread of a vote.

    Which mail an answer answers is not known here, nor what its words come to before they are decoded and its
    quotes cut off: so every answer is read that a program did not send by itself.
    """
    if reading.kind is not Kind.OTHER or reading.numbers:
        return True
    return (reading.is_reply or answers) and not is_from_program(subject)


def _read_votes(
    words: Words, reading: SubjectReading, sender: Sender, subject: str, *, is_result: bool
) -> tuple[Expression, ...]:
    if reading.kind is Kind.CANCEL:
        return ()
    discussed = reading.kind is Kind.DISCUSS
    if discussed and "bind" not in words.text.lower():
        return ()  # agreement, in a discussion; who claims to bind may mean the vote in whose thread this stands
    # rows of a table sum up; who votes in one writes no table of bars
    nobodys = {index for index, line in enumerate(words.own) if is_table_row(line.text)}
    if nobodys:
        own = (replace(line, text="") if index in nobodys else line for index, line in enumerate(words.own))
        words = replace(words, own=tuple(own))
    found = read_expressions(words, author=sender.name, is_result=is_result)
    if not found and not is_result:
        found = read_subject(subject)
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


def _find_sealed(headers: Headers, words: Words) -> tuple[Expression, ...]:
    """An encrypted mail: it may be a vote, and nobody here can read it."""
    kind = (headers.raw("content-type") or b"").lower()
    sealed = kind.startswith(b"multipart/encrypted") or b"enveloped-data" in kind
    return (_SEALED,) if sealed and not words.text else ()


#: The fields that name a list, in the order of `_find_list`.
_LIST_FIELDS = ("list-post", "list-id", "from", "to")


@lru_cache(maxsize=2048)
def _find_list(list_post: bytes | None, list_id: bytes | None, from_: bytes | None, to: bytes | None) -> str | None:
    """The list's address from List-Post, List-Id or To; None if they name none. One list's mails say the same."""
    post = read_text(list_post).lower()
    if "mailto:" in post:
        address = parse_mailbox(post.replace("mailto:", "").split("?")[0])[1]
        if "@" in address:
            return clean_address(address)
    listed = read_text(list_id)
    if listed:
        name = parse_mailbox(listed)[1] or listed.strip().strip("<>")
        name = name.strip().lower()
        if "@" in name:
            return clean_address(name)
        if "." in name and " " not in name:
            local, _, domain = name.partition(".")
            return f"{local}@{domain}"
    name, written = parse_mailbox(read_text(from_))
    writer = "" if " via " in name else clean_address(written)
    for mailbox in split_mailboxes(read_text(to)):
        address = clean_address(parse_mailbox(mailbox)[1])
        if address.split("@")[0] in {"dev", "private", "general", "users", "user", "discuss"} and address != writer:
            return address
    return None


def _digest(headers: Headers, body: bytes) -> str:
    """A fingerprint of what was sent, equal across archives that add headers of their own."""
    parts = [b" ".join((headers.raw(name) or b"").split()) for name in ("from", "date", "subject")]
    content = body.translate(None, b" \t\r\n")  # archives differ in line ends and trailing blanks
    return sha256(b"\0".join((*parts, content))).hexdigest()
