"""Buttons below Slack messages, if an app is configured. `services.presses` performs them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from kipflow.services.effectrules import ANSWERS
from kipflow.services.settling import SNOOZE, Answer

#: Not an act: it records nothing, and only the person who presses it sees the draft.
DRAFT = "draft"
#: Slack's limits for a button's text and value, and the most buttons of a message; the board has all ways.
_LABEL, _VALUE, MOST_BUTTONS = 75, 2_000, 5
_REASON = "reason"


def offer(message: Mapping[str, Any], answers: Mapping[str, Answer]) -> dict[str, Any]:
    """The message with buttons for the answers; `EffectRules.address` drops them if there is no app."""
    pressed = {label: json.dumps([a.act, dict(a.values)], ensure_ascii=False) for label, a in answers.items()}
    buttons = [
        {
            "type": "button",
            "action_id": f"kipflow-{number}",
            "text": {"type": "plain_text", "text": label[:_LABEL]},
            "value": value,
        }
        for number, (label, value) in enumerate(pressed.items())
        if len(value) <= _VALUE
    ]
    if not buttons:
        return dict(message)
    asks = {
        "type": "input",
        "block_id": _REASON,
        "optional": True,
        "label": {"type": "plain_text", "text": "Reason"},
        "element": {"type": "plain_text_input", "action_id": _REASON, "max_length": 1_000},
    }
    reason = [asks] if any(answer.needs_reason for answer in answers.values()) else []
    return {**message, ANSWERS: [*reason, {"type": "actions", "elements": buttons[:MOST_BUTTONS]}]}


def offer_snooze(number: int, at: datetime) -> dict[str, Answer]:
    """The answer that snoozes a proposal for `SNOOZE`."""
    until = f"{at + SNOOZE:%Y-%m-%d}"
    return {f"snooze until {until}": Answer(act="snooze", values={"proposal": str(number), "until": until})}


def offer_draft(number: int) -> dict[str, Answer]:
    return {"draft the result": Answer(act=DRAFT, values={"proposal": str(number)}, needs_reason=False)}


def find_offered(payload: Mapping[str, Any]) -> frozenset[str]:
    """The values of the buttons below a message."""
    elements = (e for block in payload["blocks"] if block["type"] == "actions" for e in block["elements"])
    return frozenset(element["value"] for element in elements)
