"""One mail read from its text, as most tests of the reader want it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kipflow.domain.facts import Message
from kipflow.mail.messages import read_message


def read_one(mail: str | bytes, *, list_id: str = "dev@x.example", source: str = "x#0", **place: Any) -> Message:
    """The mail, which must be readable; `place` are further values of a `Place`."""
    data = mail.encode() if isinstance(mail, str) else mail
    found = read_message(data, source=source, list_id=list_id, **{"month": "", "prefix": "KIP"} | place)
    assert isinstance(found, Message)
    return found


def read_of_thread(number: int, sender: str, body: str, at: datetime) -> Message:
    """A mail in the thread of a vote on KIP-7, which the mail with number 0 opens."""
    subject = "[VOTE] KIP-7: Shorter names"
    thread = f"In-Reply-To: <0@mail.example>\nSubject: Re: {subject}" if number else f"Subject: {subject}"
    head = f"From: {sender}\n{thread}\nMessage-ID: <{number}@mail.example>"
    raw = f"{head}\nDate: {at:%a, %d %b %Y %H:%M:%S} +0000\n\n{body}\n"
    return read_one(raw, source=f"x#{number}", list_id="dev@commons.example")
