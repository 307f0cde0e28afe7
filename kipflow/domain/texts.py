"""Texts: digests, and what is written alike everywhere."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

_LONGEST_ADDRESS = 2_000


def digest_text(text: str, length: int) -> str:
    """The first `length` hexadecimal digits of the text's SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:length]


def say_count(n: int, what: str) -> str:
    """ "1 month", "2 months"."""
    return f"{n:,} {what}{'s' if n != 1 else ''}"


def list_some(items: Sequence[str], most: int) -> str:
    """The first `most` items, and how many more there are: "Kim, Jun and 3 more"."""
    return ", ".join(items[:most]) + (f" and {len(items) - most} more" if len(items) > most else "")


def take_some(items: Iterable[str], most: int, more: str = "and {} more") -> list[str]:
    """The first `most` items, and as a last one how many more there are."""
    found = list(items)
    return found if len(found) <= most else [*found[:most], more.format(len(found) - most)]


def cut(text: str, most: int) -> str:
    """The text, cut to `most` characters if it is longer; the last one is then "…"."""
    return text if len(text) <= most else text[: most - 1] + "…"


def as_printable(text: str, instead: str) -> str:
    """The text with `instead` of each control and format character, line breaks too: none may start a line or control
    a terminal.
    """
    return "".join(c if c.isprintable() else instead for c in text)


def is_web_address(text: str) -> bool:
    """Whether it is an http(s) address, and so safe to show as a link: javascript: and data: are not."""
    return len(text) <= _LONGEST_ADDRESS and text.lower().startswith(("http://", "https://"))
