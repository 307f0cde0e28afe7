"""The sandbox community as a service: its address, its story's start, and its time."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import httpx

from kipflow.adapters.private import write_private
from kipflow.config.settings import Settings
from kipflow.domain.errors import LaunchFailed
from kipflow.launcher.environment import LOCAL, SANDBOX_APP_TOKEN, SANDBOX_TOKEN
from kipflow.launcher.layout import Layout
from kipflow.sandbox.clock import check_speed
from kipflow.sandbox.story import build_story
from kipflow.wiring import connect


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """A sandbox to start: its story's anchor, the time to continue from, and the speed of its time.

    `mail_port` is its SMTP port. `memory` keeps what was saved to its wiki and posted to its channels over a restart,
    as kipflow's outbox has these as sent. `variables` are those that its community file needs.
    """

    port: int
    mail_port: int
    anchor: datetime
    start: datetime
    speed: float
    memory: Path
    variables: Mapping[str, str]

    @property
    def url(self) -> str:
        return f"http://{LOCAL}:{self.port}"

    @property
    def command(self) -> list[str]:
        return [
            *(sys.executable, "-m", "kipflow.sandbox", "--port", str(self.port)),
            *("--anchor", self.anchor.isoformat(), "--now", self.start.isoformat()),
            *("--memory", str(self.memory), "--mail-port", str(self.mail_port)),
        ]


def plan_sandbox(
    layout: Layout, *, port: int, mail_port: int, environment: Mapping[str, str], now: datetime
) -> Sandbox:
    """The sandbox of this home at `port`. `KIPFLOW_SANDBOX_SPEED` lets its time run faster.

    The story is anchored at the first start and keeps that anchor: another one would shift every date, and stored mails
    would seem to be sent twice.

    Raises:
        LaunchFailed: `KIPFLOW_SANDBOX_SPEED` is no number above 0.
    """
    text = environment.get("KIPFLOW_SANDBOX_SPEED") or "1"
    try:
        speed = check_speed(float(text))
    except ValueError:
        raise LaunchFailed(
            what="KIPFLOW_SANDBOX_SPEED", why=f"expected a number such as 60 (an hour a minute), got {text!r}"
        ) from None
    anchor, reached = _load_times(layout) or (now, now)
    # with fast time somebody wants to watch: continue where the story was left, however long ago
    start = reached if speed > 1 else max(now, reached)
    _save_times(layout, anchor, start)
    first = build_story(anchor).mails[0].arrives_at
    variables = {
        "KIPFLOW_SANDBOX_URL": f"http://{LOCAL}:{port}",
        "KIPFLOW_SANDBOX_MAIL": f"{LOCAL}:{mail_port}",
        "KIPFLOW_SANDBOX_SINCE": f"{first:%Y-%m}",
        # a real token has no business in the sandbox
        "KIPFLOW_SLACK_TOKEN": SANDBOX_TOKEN,
        "KIPFLOW_SLACK_APP_TOKEN": SANDBOX_APP_TOKEN,
    }
    if speed > 1:
        variables["KIPFLOW_EVERY"] = environment.get("KIPFLOW_EVERY") or "* * * * *"
    return Sandbox(
        port=port,
        mail_port=mail_port,
        anchor=anchor,
        start=start,
        speed=speed,
        memory=layout.sandbox_memory,
        variables=variables,
    )


def continue_after(sandbox: Sandbox, settings: Settings) -> Sandbox:
    """The sandbox with a start no earlier than the newest stored decision, or the newest fetch of mail.

    A crash may have lost how far its time had run. If the clock went back behind stored decisions, nothing would be
    decided until it had caught up.
    """
    overview = connect(settings).store.overview(sandbox.start)
    reached = [moment for moment in (overview.last_decision, overview.last_poll) if moment is not None]
    return replace(sandbox, start=max([sandbox.start, *reached]))


def set_speed(sandbox: Sandbox) -> None:
    """Set its speed once all has started, so that people can watch. Raises LaunchFailed if it does not answer."""
    if sandbox.speed == 1:
        return
    try:
        answer = httpx.post(f"{sandbox.url}/clock", json={"speed": sandbox.speed}, timeout=5.0, trust_env=False)
        answer.raise_for_status()
    except httpx.HTTPError as error:
        raise LaunchFailed(what="the sandbox's clock", why=str(error)) from None


def save_reached_time(layout: Layout, url: str) -> None:
    """Store the running sandbox's time, if it answers."""
    times = _load_times(layout)
    try:
        answer = httpx.get(f"{url}/clock", timeout=5.0, trust_env=False).raise_for_status().json()
        reached = datetime.fromisoformat(answer["now"])
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return
    if times is not None:
        _save_times(layout, times[0], max(times[1], reached))


def _load_times(layout: Layout) -> tuple[datetime, datetime] | None:
    """The story's anchor and the time that the sandbox had reached; None before the first start."""
    try:
        kept = json.loads(layout.anchor.read_text(encoding="utf-8"))
        anchor, reached = (datetime.fromisoformat(kept[name]).astimezone(UTC) for name in ("anchor", "reached"))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return anchor, reached


def _save_times(layout: Layout, anchor: datetime, reached: datetime) -> None:
    times = {"anchor": anchor.isoformat(timespec="seconds"), "reached": reached.isoformat(timespec="seconds")}
    write_private(layout.anchor, f"{json.dumps(times)}\n".encode())
