"""What the store and JSON accept, checked in whatever a reader found."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from kipflow.mail.quoting import MAX_OWN_TEXT

#: The longest fields, in characters; longer ones could not be stored or shown.
LONGEST = {"subject": 1_000, "raw_from": 500, "own_text": MAX_OWN_TEXT, "message_id": 1_000, "in_reply_to": 1_000}


def check_storable(value: Any, where: str) -> None:
    """Texts are bounded, without NUL and lone surrogates; times are in UTC."""
    if isinstance(value, str):
        assert len(value) <= LONGEST.get(where.rpartition(".")[2], 2_000), where
        assert "\x00" not in value, where
        value.encode()
    elif isinstance(value, datetime):
        assert value.tzinfo is UTC, where
    elif isinstance(value, dict):
        for name, inner in value.items():
            check_storable(inner, f"{where}.{name}")
    elif isinstance(value, list | tuple):
        for inner in value:
            check_storable(inner, where)
