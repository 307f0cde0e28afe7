"""What an effect would say or change, in plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def read_text(payload: Mapping[str, Any]) -> str:
    """What an effect says as plain text: only a message for Slack is escaped."""
    text = str(payload.get("text") or "")
    if "blocks" not in payload:
        return text
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def say_payload(payload: Mapping[str, Any]) -> str:
    """What an effect would say, as far as one line goes."""
    moves = payload.get("moves")
    if isinstance(moves, Sequence) and not isinstance(moves, str):
        moved = [f"{move.get('number')} to {move.get('to')}" for move in moves if isinstance(move, Mapping)]
        return f"round-up brought up to date: {', '.join(moved) or 'no row moves'}"[:300]
    if text := read_text(payload):
        return " ".join(text.split())[:300]
    for key in ("title", "message", "page_id"):
        if isinstance(payload.get(key), str) and payload[key].strip():
            return " ".join(str(payload[key]).split())[:300]
    return ", ".join(sorted(str(key) for key in payload))[:300]
