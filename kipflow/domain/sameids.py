"""Different mails under one Message-ID.

An id is what a sender writes: a stranger can use one before the mail that it belongs to is read, on purpose or by a
client's fault. Neither mail may hide the other. The later one gets an id of its own that keeps the given one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace

from kipflow.domain.facts import Message
from kipflow.domain.senders import Authentication

#: What the ids begin with that kipflow gives to mails.
OURS = "<kipflow."
APART = f"{OURS}same."
_DIGITS = 16
_SHORT = "..."


def is_other_mail(one: Message, other: Message) -> bool:
    """Whether two mails under one id differ in who wrote, what about, or how they vote.

    Archives give one mail with different headers, footers and shortened addresses: such copies are one mail, and so
    is one that was cut off.
    """
    if one.digest == other.digest:
        return False
    if _about(one) != _about(other) or not _is_same_address(one.author_address, other.author_address):
        return True
    return not (one.unread or other.unread) and _says(one) != _says(other)


def name_apart(message: Message) -> Message:
    """The mail under an id of its own, the same one whenever and by whatever rules it is read again."""
    digest = hashlib.sha256(message.digest.encode()).hexdigest()[:_DIGITS]
    return replace(message, message_id=f"{APART}{digest}.{message.message_id.lstrip('<')}")


def find_given_id(message_id: str) -> str:
    """The id that the sender wrote.

    >>> find_given_id("<kipflow.same.0123456789abcdef.a@x.example>")
    '<a@x.example>'
    """
    return f"<{message_id[len(APART) + _DIGITS + 1 :]}" if message_id.startswith(APART) else message_id


def find_referred(mails: Iterable[Message], message: Message) -> Message:
    """Which of some mails under one id another mail answers: the one under its subject, else the first."""
    reading = message.reading

    def differs(mail: Message) -> tuple[object, ...]:
        same = mail.reading
        far = (same.numbers != reading.numbers, same.topic != reading.topic, same.kind != reading.kind)
        return *far, mail.arrived_at is None, str(mail.arrived_at), mail.message_id

    return min(mails, key=differs)


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
    (name, _, host), (other_name, _, other_host) = one.partition("@"), other.partition("@")
    return name == other_name and (host.startswith(_SHORT) or other_host.startswith(_SHORT))
