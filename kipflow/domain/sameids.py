"""Different mails with one Message-ID, and permalinks of mails.

Senders choose Message-IDs: a stranger's mail can have another mail's id, on purpose or by a client's fault, and be read
first. Neither mail may hide the other, so the later one gets a new id that contains the given one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from urllib.parse import quote

from kipflow.domain.facts import MailKind, Message, SubjectReading
from kipflow.domain.senders import Authentication
from kipflow.domain.texts import digest_text

#: Prefix of ids that kipflow assigns to mails.
OURS = "<kipflow."
APART = f"{OURS}same."
_DIGITS = 16
#: What archives write instead of an address's host.
_MASK = "@..."

#: Numbers, topic and kind, which distinguish mails with one id; None for any.
Subject = tuple[tuple[int, ...] | None, str | None, MailKind | None]


def is_other_mail(one: Message, other: Message) -> bool:
    """Whether two mails with one id differ in author, subject or votes.

    Copies from archives differ in headers, footers and shortened addresses: these are one mail. So is a truncated copy,
    if both have the same full address.
    """
    if one.digest == other.digest:
        return False
    if _about(one) != _about(other) or not _is_same_address(one.author_address, other.author_address):
        return True
    address = one.author_address
    whole = "@" in address and not address.endswith(_MASK) and address == other.author_address
    return not (whole and (one.unread or other.unread)) and _says(one) != _says(other)


def name_apart(message: Message) -> Message:
    """The mail with a new id, which is the same whenever the mail is read again."""
    digest = digest_text(message.digest, _DIGITS)
    return replace(message, message_id=f"{APART}{digest}.{message.message_id.lstrip('<')}")


def find_given_id(message_id: str) -> str:
    """The id that the sender wrote.

    >>> find_given_id("<kipflow.same.0123456789abcdef.a@x.example>")
    '<a@x.example>'
    """
    return f"<{message_id[len(APART) + _DIGITS + 1 :]}" if message_id.startswith(APART) else message_id


def list_references(message: Message) -> list[str]:
    """The ids that a mail refers to, each once: In-Reply-To, then the references from the last to the first."""
    return list(dict.fromkeys([*filter(None, [message.in_reply_to]), *reversed(message.references)]))


def index_by_subject(mails: Iterable[Message]) -> dict[Subject, Message]:
    """Index of mails with one id, for `find_referred`: the first mail of each subject, and of each part of it."""
    found: dict[Subject, Message] = {}
    for mail in sorted(mails, key=lambda m: (m.arrived_at is None, str(m.arrived_at), m.message_id)):
        for subject in _list_subjects(mail.reading):
            found.setdefault(subject, mail)
    return found


def find_referred(indexed: Mapping[Subject, Message], message: Message) -> Message:
    """Which of the mails with one id another mail answers: the one with the most similar subject, else the first."""
    return next(indexed[subject] for subject in _list_subjects(message.reading) if subject in indexed)


def _list_subjects(reading: SubjectReading) -> Iterator[Subject]:
    """A subject and similar ones, the most similar first: numbers weigh most, then the topic, then the kind."""
    return itertools.product((reading.numbers, None), (reading.topic, None), (reading.kind, None))


def _about(message: Message) -> tuple[object, ...]:
    reading = message.reading
    failed = message.authentication is Authentication.FAILED
    return reading.kind, reading.numbers, reading.round, reading.topic, reading.is_reply, failed


def _says(message: Message) -> tuple[object, ...]:
    votes = tuple((e.choice, e.standing) for e in message.expressions)
    return votes, message.declared and message.declared.outcome, message.cancels is None


def _is_same_address(one: str, other: str) -> bool:
    if one == other:
        return True
    name, other_name = one.partition("@")[0], other.partition("@")[0]
    return name == other_name and f"{name}{_MASK}" in (one, other)


#: Ids that kipflow made for mails with no id, or with one that is too long: no archive knows them.
_OWN = ("@missing>", "@long>")


def render_permalink(template: str, message_id: str) -> str:
    """The permalink of a mail by `template` (with "{mid}"); empty if no archive can have it.

    >>> render_permalink("https://lists.x.example/thread/{mid}", "<a/b?c#d@x.example>")
    'https://lists.x.example/thread/a%2Fb%3Fc%23d@x.example'
    >>> render_permalink("https://lists.x.example/thread/{mid}", "<kipflow.9f86d0@missing>")
    ''
    """
    name = find_given_id(message_id.strip())
    if not template or not name.strip("<>") or name.endswith(_OWN):
        return ""
    return template.replace("{mid}", quote(name.strip("<>"), safe="@", errors="replace"))
