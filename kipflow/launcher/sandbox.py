"""The sandbox community as a service: its address, the moment its story stands at, and its time."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx

from kipflow.domain.errors import LaunchFailed
from kipflow.launcher.credentials import write_private
from kipflow.launcher.environment import LOCAL
from kipflow.launcher.layout import Layout
from kipflow.sandbox.story import build_story

SEED = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """How to start the sandbox, and what a community file must know of it."""

    url: str
    command: tuple[str, ...]
    variables: Mapping[str, str]


def plan_sandbox(layout: Layout, *, port: int, environment: Mapping[str, str], now: datetime) -> Sandbox:
    """The sandbox of this home at `port`. `KIPFLOW_SANDBOX_SPEED` lets its time run faster.

    The story is anchored at the moment of the first start and keeps that anchor: with another one every
    date would shift, and what is stored already would seem to have been said twice. Its time goes on
    where it was, if it ran ahead, so that no decision is ever older than one before it.

    Raises:
        LaunchFailed: `KIPFLOW_SANDBOX_SPEED` is no number.
    """
    speed = environment.get("KIPFLOW_SANDBOX_SPEED") or "1"
    try:
        float(speed)
    except ValueError:
        raise LaunchFailed(
            what="KIPFLOW_SANDBOX_SPEED", why=f"expected a number such as 60 (an hour a minute), got {speed!r}"
        ) from None
    anchor, reached = _load_times(layout) or (now, now)
    _save_times(layout, anchor, max(now, reached))
    url = f"http://{LOCAL}:{port}"
    first = build_story(seed=SEED, anchor=anchor).mails[0].arrives_at
    return Sandbox(
        url=url,
        command=(
            *(sys.executable, "-m", "kipflow.sandbox", "--port", str(port), "--seed", str(SEED)),
            *("--anchor", anchor.isoformat(), "--now", max(now, reached).isoformat(), "--speed", speed),
        ),
        variables={"KIPFLOW_SANDBOX_URL": url, "KIPFLOW_SANDBOX_SINCE": f"{first:%Y-%m}"},
    )


def save_reached_time(layout: Layout, url: str) -> None:
    """Note how far the running sandbox's time has come; one that does not answer is left."""
    times = _load_times(layout)
    try:
        answer = httpx.get(f"{url}/clock", timeout=5.0, trust_env=False).raise_for_status().json()
        reached = datetime.fromisoformat(answer["now"])
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return
    if times is not None:
        _save_times(layout, times[0], max(times[1], reached))


def _load_times(layout: Layout) -> tuple[datetime, datetime] | None:
    """The story's anchor and the time the sandbox had reached, or None before the first start."""
    try:
        kept = json.loads(layout.anchor.read_text(encoding="utf-8"))
        anchor, reached = (datetime.fromisoformat(kept[name]).astimezone(UTC) for name in ("anchor", "reached"))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return anchor, reached


def _save_times(layout: Layout, anchor: datetime, reached: datetime) -> None:
    times = {"anchor": anchor.isoformat(timespec="seconds"), "reached": reached.isoformat(timespec="seconds")}
    write_private(layout.anchor, json.dumps(times) + "\n")
