"""The sandbox community as a service: its address, the moment its story stands at, and its time."""

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
    """A sandbox to start: its story's anchor, the time it goes on from, how fast its time runs once all is up.

    `mail_port` is where it takes mail. `memory` keeps what was saved to its wiki and posted to its channels over a
    restart: kipflow's outbox knows these as done. `variables` are what its community file must know of it.
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

    The story is anchored at the moment of the first start and keeps that anchor: with another one every
    date would shift, and what is stored already would seem to have been said twice.

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
    # who lets time run fast wants to watch: the story goes on from where it was left, however long ago that is
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
    """The sandbox with a start no earlier than the newest decision stored, or the newest mail fetched.

    Its time may have run ahead and a crash may have lost where it was; what was seen and decided then is stored, and
    a clock that went back would leave every proposal alone, or refuse to decide, until it had caught up.
    """
    overview = connect(settings).store.overview(sandbox.start)
    reached = [moment for moment in (overview.last_decision, overview.last_poll) if moment is not None]
    return replace(sandbox, start=max([sandbox.start, *reached]))


def let_time_run(sandbox: Sandbox) -> None:
    """Let its time run as fast as was asked for, counted from now: nobody could watch while everything started.

    Raises:
        LaunchFailed: it does not answer.
    """
    if sandbox.speed == 1:
        return
    try:
        answer = httpx.post(f"{sandbox.url}/clock", json={"speed": sandbox.speed}, timeout=5.0, trust_env=False)
        answer.raise_for_status()
    except httpx.HTTPError as error:
        raise LaunchFailed(what="the sandbox's clock", why=str(error)) from None


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
    write_private(layout.anchor, f"{json.dumps(times)}\n".encode())
