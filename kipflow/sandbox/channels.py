"""Slack's channels: their messages and their rate limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from kipflow.sandbox.people import PEOPLE

#: Channels that exist before anything is posted.
CHANNELS = ("#proposals", "#proposals-ops")


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A message in a channel. `ts` is Slack's id for it; `edited` counts its updates.

    `thread` is the `ts` of the message that it answers; empty for a message outside of threads. `metadata` is
    machine-readable data from the sender; `user` is the resident who wrote it, empty for kipflow.
    """

    channel: str
    ts: str
    text: str
    blocks: tuple[dict[str, Any], ...]
    at: datetime
    edited: int = 0
    thread: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    user: str = ""

    @property
    def buttons(self) -> list[dict[str, Any]]:
        return [e for block in self.blocks for e in block.get("elements", ()) if e.get("type") == "button"]


class Throttle:
    """A rate limit of about one message per second and channel, after a burst (token bucket in real time)."""

    def __init__(self, *, burst: int, ticks: Callable[[], float]) -> None:
        self._burst, self._ticks = burst, ticks
        self._full: dict[str, tuple[float, float]] = {}

    def allows(self, channel: str) -> bool:
        moment = self._ticks()
        left, at = self._full.get(channel, (float(self._burst), moment))
        left = min(float(self._burst), left + moment - at)
        self._full[channel] = (left - 1 if left >= 1 else left, moment)
        return left >= 1


class Channels:
    """All posts, in order."""

    def __init__(self) -> None:
        self.posts: list[Post] = []

    def add(self, channel: str, text: str, blocks: list[dict[str, Any]], at: datetime, **more: Any) -> Post:
        """Add a post; `more` are its `thread`, `metadata` and `user`, if it has any."""
        ts = f"{int(at.timestamp())}.{len(self.posts) + 1:06d}"
        post = Post(channel=channel, ts=ts, text=text, blocks=tuple(blocks), at=at, **more)
        self.posts.append(post)
        return post

    def update(self, channel: str, ts: str, text: str, blocks: list[dict[str, Any]]) -> Post | None:
        for position, post in enumerate(self.posts):
            if post.ts == ts and channel_id(post.channel) == channel_id(channel):
                changed = replace(post, text=text, blocks=tuple(blocks), edited=post.edited + 1)
                self.posts[position] = changed
                return changed
        return None

    def find(self, channel: str) -> list[Post]:
        """The posts of a channel, given by name or id, oldest first."""
        return [post for post in self.posts if channel_id(post.channel) == channel_id(channel)]

    def names(self) -> list[str]:
        return sorted({*CHANNELS, *(post.channel for post in self.posts)})

    def export(self) -> Any:
        """Every post as JSON-compatible data."""
        return _POSTS.dump_python(self.posts, mode="json")

    def restore(self, kept: Any) -> None:
        """Restore the result of `export`. Raises ValueError for anything else."""
        self.posts = _POSTS.validate_python(kept)


_POSTS = TypeAdapter(list[Post])


def channel_id(channel: str) -> str:
    """Slack's id of a channel, from its name."""
    name = channel.removeprefix("#")
    return name if name.startswith(("C0", "D0")) else "C0" + name.upper().replace("-", "")


def user_id(who: str) -> str:
    """Slack's id of a resident."""
    return f"U0{who.upper()}"


def find_person(user: str) -> str | None:
    """The resident with this user id, or with this direct channel's id."""
    return next((who for who in PEOPLE if user_id(who)[1:] == user[1:]), None)
