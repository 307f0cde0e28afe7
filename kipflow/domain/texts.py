"""Texts by their digests."""

from __future__ import annotations

import hashlib


def digest_text(text: str, length: int) -> str:
    """So many hexadecimal digits that depend on nothing but `text`."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:length]
