"""Slack's methods for messages: what they check, what they store, and when they ask to wait."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

MAX_BLOCKS = 50
MAX_SECTION = 3_000
MAX_TEXT = 40_000
#: Channels that there are before anything is posted.
CHANNELS = ("#proposals", "#proposals-ops")


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A message in a channel. `ts` is Slack's name for it; `edited` counts its updates.

    `thread` is the `ts` of the message that it answers; empty for one that stands in the channel itself.
    `metadata` is what its sender attached, for programs.
    """

    channel: str
    ts: str
    text: str
    blocks: tuple[dict[str, Any], ...]
    at: datetime
    edited: int = 0
    thread: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


class Throttle:
    """About one message per second and channel, after a burst (a bucket that refills by real time)."""

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
    """What was posted, in order."""

    def __init__(self) -> None:
        self.posts: list[Post] = []

    def add(
        self,
        channel: str,
        text: str,
        blocks: list[dict[str, Any]],
        at: datetime,
        *,
        thread: str = "",
        metadata: dict[str, Any] | None = None,
    ) -> Post:
        ts = f"{int(at.timestamp())}.{len(self.posts) + 1:06d}"
        kept = metadata or {}
        post = Post(channel=channel, ts=ts, text=text, blocks=tuple(blocks), at=at, thread=thread, metadata=kept)
        self.posts.append(post)
        return post

    def update(self, channel: str, ts: str, text: str, blocks: list[dict[str, Any]]) -> Post | None:
        for position, post in enumerate(self.posts):
            if post.ts == ts and channel_id(post.channel) == channel_id(channel):
                changed = replace(post, text=text, blocks=tuple(blocks), edited=post.edited + 1)
                self.posts[position] = changed
                return changed
        return None

    def export(self) -> list[dict[str, Any]]:
        """Every post, as JSON can hold it."""
        return [{**asdict(post), "at": post.at.isoformat()} for post in self.posts]

    def restore(self, kept: list[dict[str, Any]]) -> None:
        """Take over what `export` gave. Raises KeyError, TypeError or ValueError where it is something else."""
        self.posts = [
            Post(**{**raw, "at": datetime.fromisoformat(raw["at"]), "blocks": tuple(raw["blocks"])}) for raw in kept
        ]


def channel_id(channel: str) -> str:
    """The id that Slack answers with for a channel's name."""
    name = channel.removeprefix("#")
    return name if name.startswith("C0") else "C0" + name.upper().replace("-", "")


def routes(channels: Channels, throttle: Throttle, now: Callable[[], datetime]) -> APIRouter:
    """The endpoints under /slack/api."""
    router = APIRouter(prefix="/slack/api")

    @router.post("/auth.test")
    async def auth_test(request: Request) -> Response:
        refusal = _find_token_error(request, {})
        team = {
            "ok": True,
            "url": "/slack",
            "team": "Sandbox",
            "user": "kipflow",
            "team_id": "T0SANDBOX",
            "user_id": "U0KIPFLOW",
        }
        return JSONResponse({"ok": False, "error": refusal} if refusal else team)

    @router.post("/chat.postMessage")
    async def post_message(request: Request) -> Response:
        return await _say(request, update=False)

    @router.post("/chat.update")
    async def update(request: Request) -> Response:
        return await _say(request, update=True)

    # Slack's own client asks by POST, others by GET
    @router.api_route("/conversations.list", methods=["GET", "POST"])
    async def conversations_list(request: Request) -> Response:
        names = sorted({*CHANNELS, *(post.channel for post in channels.posts)})
        found = [{"id": channel_id(name), "name": name.removeprefix("#")} for name in names]
        return _list(request, await _read(request), {"channels": found})

    @router.api_route("/conversations.history", methods=["GET", "POST"])
    async def history(request: Request) -> Response:
        given = await _read(request)
        found = [p for p in _find_posts(channels, given) if not p.thread][::-1]
        return _list(request, given, _page(found, given))

    @router.api_route("/conversations.replies", methods=["GET", "POST"])
    async def replies(request: Request) -> Response:
        given = await _read(request)
        found = [p for p in _find_posts(channels, given) if str(given.get("ts")) in {p.ts, p.thread}]
        return _list(request, given, _page(found, given))

    async def _say(request: Request, *, update: bool) -> Response:
        given = await _read(request)
        blocks = given.get("blocks") or []
        error = _find_token_error(request, given) or find_error(given, blocks)
        if error is not None:
            return JSONResponse({"ok": False, "error": error})
        channel, text = str(given["channel"]), str(given.get("text") or "")
        if not throttle.allows(channel):
            return JSONResponse({"ok": False, "error": "ratelimited"}, 429, headers={"Retry-After": "1"})
        post = (
            channels.update(channel, str(given.get("ts")), text, blocks)
            if update
            else channels.add(
                channel, text, blocks, now(), thread=str(given.get("thread_ts") or ""), metadata=_find_metadata(given)
            )
        )
        if post is None:
            return JSONResponse({"ok": False, "error": "message_not_found"})
        return JSONResponse({"ok": True, "channel": channel_id(channel), "ts": post.ts, "message": _as_message(post)})

    return router


def _find_posts(channels: Channels, given: dict[str, Any]) -> list[Post]:
    asked = channel_id(str(given.get("channel") or ""))
    return [post for post in channels.posts if channel_id(post.channel) == asked]


def _page(found: list[Post], given: dict[str, Any]) -> dict[str, Any]:
    """The messages since `oldest`, from `cursor` on, at most `limit` of them."""
    oldest, start = _number(given.get("oldest")), int(_number(given.get("cursor")))
    recent = [post for post in found if float(post.ts) > oldest]
    end = start + _limit(given)
    more = {"response_metadata": {"next_cursor": str(end)}} if end < len(recent) else {}
    return {"messages": [_as_message(p) for p in recent[start:end]], "has_more": bool(more), **more}


def _number(raw: Any) -> float:
    try:
        return float(raw or 0)
    except (TypeError, ValueError):
        return 0.0


def _limit(given: dict[str, Any]) -> int:
    raw = str(given.get("limit") or "")
    return int(raw) if raw.isdecimal() and len(raw) < 5 else 100


def _list(request: Request, given: dict[str, Any], found: dict[str, Any]) -> Response:
    refusal = _find_token_error(request, given)
    return JSONResponse({"ok": False, "error": refusal} if refusal else {"ok": True, **found})


def _as_message(post: Post) -> dict[str, Any]:
    message: dict[str, Any] = {
        "type": "message",
        "user": "U0KIPFLOW",
        "text": post.text,
        "blocks": list(post.blocks),
        "ts": post.ts,
    }
    if post.thread:
        message["thread_ts"] = post.thread
    if post.metadata:
        message["metadata"] = post.metadata
    return message


def _find_metadata(given: dict[str, Any]) -> dict[str, Any]:
    """What the sender attached; a form sends it as JSON in a field."""
    raw = given.get("metadata")
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except ValueError:
            return {}
    return raw if isinstance(raw, dict) else {}


def find_error(given: dict[str, Any], blocks: Any) -> str | None:
    """Slack's name for what is wrong with a message; None if it would take it."""
    channel = given.get("channel")
    if not isinstance(channel, str) or not channel.startswith(("#", "C")):
        return "channel_not_found"
    if not isinstance(blocks, list) or not all(isinstance(b, dict) and b.get("type") for b in blocks):
        return "invalid_blocks_format"
    if len(blocks) > MAX_BLOCKS:
        return "invalid_blocks"
    for block in blocks:
        texts = [block.get("text"), *(block.get("fields") or [])]
        if any(isinstance(t, dict) and not 0 < len(str(t.get("text", ""))) <= MAX_SECTION for t in texts):
            return "invalid_blocks"
    text = given.get("text")
    if not text and not blocks:
        return "no_text"
    return "msg_too_long" if isinstance(text, str) and len(text) > MAX_TEXT else None


def _find_token_error(request: Request, given: dict[str, Any]) -> str | None:
    header = request.headers.get("Authorization", "")
    token = header.removeprefix("Bearer ") if header.startswith("Bearer ") else str(given.get("token") or "")
    if not token:
        return "not_authed"
    return None if token.startswith("xoxb-") else "invalid_auth"


async def _read(request: Request) -> dict[str, Any]:
    """The arguments, sent as JSON or as a form (where blocks are JSON in a field)."""
    if "json" in request.headers.get("Content-Type", ""):
        try:
            given = await request.json()
        except ValueError:
            return {}
        return given if isinstance(given, dict) else {}
    found: dict[str, Any] = {**request.query_params, **await request.form()}
    if isinstance(found.get("blocks"), str):
        try:
            found["blocks"] = json.loads(found["blocks"])
        except ValueError:
            found["blocks"] = "broken"
    return found
