"""Digests of texts."""

from __future__ import annotations

import hashlib


def digest_text(text: str, length: int) -> str:
    """The first `length` hexadecimal digits of the text's SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:length]
