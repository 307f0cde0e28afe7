"""The sandbox community as a service: its command, its address, and the moment its story stands at."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

from kipflow.launcher.layout import Layout

SEED = 7


def sandbox_command(layout: Layout, *, port: int, environment: Mapping[str, str], now: datetime) -> list[str]:
    """How to start the sandbox. `KIPFLOW_SANDBOX_SPEED` lets its time run faster.

    The story is anchored at the moment of the first start and keeps that anchor: with another one every
    date would shift, and what is stored already would seem to have been said twice.
    """
    anchor = _load_anchor(layout, now)
    speed = environment.get("KIPFLOW_SANDBOX_SPEED", "1")
    return [
        *(sys.executable, "-m", "kipflow.sandbox"),
        *("--port", str(port), "--seed", str(SEED), "--now", anchor, "--speed", speed),
    ]


def _load_anchor(layout: Layout, now: datetime) -> str:
    try:
        anchor = str(json.loads(layout.anchor.read_text(encoding="utf-8"))["now"])
        datetime.fromisoformat(anchor)
    except (OSError, ValueError, KeyError, TypeError):
        anchor = now.astimezone(UTC).isoformat(timespec="seconds")
        layout.anchor.write_text(json.dumps({"now": anchor}) + "\n", encoding="utf-8")
    return anchor
