"""Reads mails from Pony Mail's JSON: answers of thread.lua, email.lua and stats.lua, and dumps of its index.

Such answers are incomplete: a thread has the body of its first mail only, a listing has none. Nothing is read from a
mail without its body, because what it said is unknown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kipflow.domain.errors import UnreadableInput
from kipflow.mail.content.arrival import EPOCH_SENDER

#: The largest export that is read, in bytes, and its most nodes.
MAX_EXPORT = 64 * 1024 * 1024
MAX_NODES = 200_000
_NO_BODY = (
    "without its body, as answers of thread.lua and stats.lua are: fetch the month's mbox, or email.lua for this mail"
)
#: Keys under which a document has further mails.
_WRAPPERS = ("emails", "thread", "children", "email", "mails", "hits", "_source")


def read_export(path: Path) -> Iterator[bytes | str]:
    """Each mail of an export as bytes, or why one cannot be read.

    Of two copies of a mail the one with the body is used.

    Raises:
        UnreadableInput: the file is no JSON, holds no mails, or too many.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_EXPORT + 1)
        if len(data) > MAX_EXPORT:
            raise UnreadableInput(source=path.name, why=f"larger than {MAX_EXPORT:,} bytes: split it")
        mails = list(_find_mails(_parse(data.decode("utf-8-sig"))))
    except (ValueError, OSError, RecursionError) as error:
        raise UnreadableInput(source=path.name, why=f"not valid JSON: {error}") from None
    if not mails:
        raise UnreadableInput(source=path.name, why="no mails as Pony Mail's JSON has them")
    whole = {_id(mail) for mail in mails if _has_text(mail)}
    noted: set[str] = set()
    for mail in mails:
        if _has_text(mail):
            yield _as_mail(mail)
        elif _id(mail) not in whole | noted:
            noted.add(_id(mail))
            yield f"{_id(mail) or 'a mail'}: {_NO_BODY}"


def _parse(text: str) -> Any:
    """The document, or the documents of a dump that has one on each line."""
    try:
        return json.loads(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:
            raise
        return [json.loads(line) for line in lines]


def _find_mails(document: Any) -> Iterator[dict[str, Any]]:
    """The mails in a document, however they are wrapped."""
    stack = [document]
    for _ in range(MAX_NODES):
        if not stack:
            return
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(reversed(node))
        elif isinstance(node, dict):
            if ("subject" in node and ("from" in node or "body" in node)) or isinstance(node.get("source"), str):
                yield node
            stack.extend(reversed([v for k, v in node.items() if k in _WRAPPERS and v]))
    raise ValueError(f"more than {MAX_NODES:,} parts")


def _has_text(mail: dict[str, Any]) -> bool:
    return isinstance(mail.get("source"), str) or isinstance(mail.get("body"), str)


def _id(mail: dict[str, Any]) -> str:
    return str(mail.get("message-id") or mail.get("mid") or mail.get("id") or "")[:300]


def _as_mail(mail: dict[str, Any]) -> bytes:
    """Convert Pony Mail's JSON form of a mail back to the mail, as far as possible."""
    if isinstance(mail.get("source"), str):
        return str(mail["source"]).encode("utf-8", "surrogateescape")

    def line(value: object) -> str:
        return " ".join(str(value or "").split())

    fields = {
        "From": mail.get("from"),
        "Subject": mail.get("subject"),
        "Date": mail.get("date") or "",
        "Message-ID": mail.get("message-id") or mail.get("mid") or mail.get("id"),
        "In-Reply-To": mail.get("in-reply-to"),
        "References": mail.get("references"),
        "To": mail.get("to"),
        "Cc": mail.get("cc"),
        "List-Id": mail.get("list_raw") or mail.get("list"),
    }
    head = [f"{name}: {line(value)}" for name, value in fields.items() if line(value)]
    epoch = mail.get("epoch")
    if isinstance(epoch, int | float) and 0 < epoch < 4_000_000_000:
        # in an envelope line: a header of this name could be the sender's
        head.insert(0, f"From {EPOCH_SENDER} {datetime.fromtimestamp(int(epoch), tz=UTC):%Y-%m-%dT%H:%M:%SZ}")
    head.append("Content-Type: text/plain; charset=utf-8")
    return ("\n".join(head) + "\n\n" + str(mail.get("body") or "")).encode("utf-8", "replace")
