"""Slack's methods for messages: checks, storage and rate limits."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from kipflow.sandbox.channels import Channels, Post, Throttle, channel_id, find_person, user_id
from kipflow.sandbox.parts import Now, TheChannels, TheThrottle, read_json
from kipflow.sandbox.people import PEOPLE

MAX_BLOCKS = 50
MAX_SECTION = 3_000
MAX_TEXT = 40_000

_TEAM = {"url": "/slack", "team": "Sandbox", "user": "kipflow", "team_id": "T0SANDBOX", "user_id": "U0KIPFLOW"}

router = APIRouter(prefix="/slack/api")


async def _read(request: Request) -> dict[str, Any]:
    """The arguments, sent as JSON or as a form (with blocks as JSON in a field); `error`: of the sender's token."""
    if "json" in request.headers.get("Content-Type", ""):
        read = await read_json(request)
        given: dict[str, Any] = read if isinstance(read, dict) else {}
    else:
        given = {**request.query_params, **await request.form()}
        if isinstance(given.get("blocks"), str):
            given["blocks"] = _parse(given["blocks"]) or "broken"
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    token = token if kind == "Bearer" else str(given.get("token") or "")
    return {**given, "error": None if token.startswith("xoxb-") else "invalid_auth" if token else "not_authed"}


def _parse(raw: str) -> Any:
    with suppress(ValueError):
        return json.loads(raw)


Given = Annotated[dict[str, Any], Depends(_read)]


@router.post("/auth.test")
async def auth_test(given: Given) -> Response:
    return _answer(given["error"], _TEAM)


@router.post("/chat.postMessage")
async def post_message(given: Given, channels: TheChannels, throttle: TheThrottle, now: Now) -> Response:
    return _say(given, channels, throttle, now)


@router.post("/chat.postEphemeral")
async def post_ephemeral(given: Given, channels: TheChannels, now: Now) -> Response:
    """Post a message that only one user sees, below another message."""
    person = find_person(str(given.get("user") or ""))
    error = given["error"] or find_error(given, []) or (None if person else "user_not_found")
    if error is not None:
        return _answer(error, {})
    name = next((p.channel for p in channels.find(str(given["channel"]))), str(given["channel"]))
    text, thread = f"_Only {PEOPLE[person or ''].name} sees this:_\n{given['text']}", str(given.get("thread_ts") or "")
    return _answer(None, {"message_ts": channels.add(name, text, [], now, thread=thread).ts})


@router.post("/chat.update")
async def update(given: Given, channels: TheChannels, throttle: TheThrottle) -> Response:
    return _say(given, channels, throttle, None)


# Slack's own client sends POST, others GET
@router.api_route("/users.lookupByEmail", methods=["GET", "POST"])
async def lookup_by_email(given: Given) -> Response:
    asked = str(given.get("email") or "").lower()
    found = next((who for who, person in PEOPLE.items() if asked in map(str.lower, person.emails)), None)
    error = given["error"] or (None if found else "users_not_found")
    return _answer(error, {"user": {"id": user_id(found or ""), "name": found}})


@router.api_route("/conversations.open", methods=["GET", "POST"])
async def open_direct(given: Given) -> Response:
    user = str(given.get("users") or "")
    error = given["error"] or (None if find_person(user) else "user_not_found")
    return _answer(error, {"channel": {"id": f"D{user[1:]}"}})


@router.api_route("/conversations.list", methods=["GET", "POST"])
async def conversations_list(given: Given, channels: TheChannels) -> Response:
    found = [{"id": channel_id(name), "name": name.removeprefix("#")} for name in channels.names()]
    return _answer(given["error"], {"channels": found})


@router.api_route("/conversations.history", methods=["GET", "POST"])
async def history(given: Given, channels: TheChannels) -> Response:
    found = [p for p in channels.find(str(given.get("channel") or "")) if not p.thread][::-1]
    return _answer(given["error"], _page(found, given))


@router.api_route("/conversations.replies", methods=["GET", "POST"])
async def replies(given: Given, channels: TheChannels) -> Response:
    thread = str(given.get("ts"))
    found = [p for p in channels.find(str(given.get("channel") or "")) if thread in {p.ts, p.thread}]
    return _answer(given["error"], _page(found, given))


def _say(given: dict[str, Any], channels: Channels, throttle: Throttle, at: datetime | None) -> Response:
    """Post a message at time `at`, or update one if `at` is None."""
    blocks = given.get("blocks") or []
    error = given["error"] or find_error(given, blocks)
    if error is not None:
        return _answer(error, {})
    channel, text = str(given["channel"]), str(given.get("text") or "")
    if not throttle.allows(channel):
        return JSONResponse({"ok": False, "error": "ratelimited"}, 429, headers={"Retry-After": "1"})
    if at is None:
        post = channels.update(channel, str(given.get("ts")), text, blocks)
    else:
        thread = str(given.get("thread_ts") or "")
        post = channels.add(channel, text, blocks, at, thread=thread, metadata=_find_metadata(given))
    if post is None:
        return _answer("message_not_found", {})
    return _answer(None, {"channel": channel_id(channel), "ts": post.ts, "message": _as_message(post)})


def _answer(error: str | None, found: dict[str, Any]) -> Response:
    return JSONResponse({"ok": False, "error": error} if error else {"ok": True, **found})


def _page(found: list[Post], given: dict[str, Any]) -> dict[str, Any]:
    """At most `limit` messages since `oldest`, starting at `cursor`."""
    oldest, start = _number(given.get("oldest")), int(_number(given.get("cursor")))
    recent = [post for post in found if float(post.ts) > oldest]
    limit = str(given.get("limit") or "")
    end = start + (int(limit) if limit.isdecimal() and len(limit) < 5 else 100)
    more = {"response_metadata": {"next_cursor": str(end)}} if end < len(recent) else {}
    return {"messages": [_as_message(p) for p in recent[start:end]], "has_more": bool(more), **more}


def _number(raw: Any) -> float:
    try:
        return float(raw or 0)
    except (TypeError, ValueError):
        return 0.0


def _as_message(post: Post) -> dict[str, Any]:
    user = f"U0{(post.user or 'kipflow').upper()}"
    message = {"type": "message", "user": user, "text": post.text, "blocks": list(post.blocks), "ts": post.ts}
    extra = {"thread_ts": post.thread, "metadata": post.metadata}
    return {**message, **{name: value for name, value in extra.items() if value}}


def _find_metadata(given: dict[str, Any]) -> dict[str, Any]:
    """The message's metadata; a form sends it as JSON in a field."""
    raw = given.get("metadata")
    found = _parse(raw) if isinstance(raw, str) else raw
    return found if isinstance(found, dict) else {}


def find_error(given: dict[str, Any], blocks: Any) -> str | None:
    """Slack's error code for an invalid message; None if it would be accepted."""
    channel, text = given.get("channel"), given.get("text")
    if not isinstance(channel, str) or not channel.startswith(("#", "C", "D")):
        return "channel_not_found"
    if not isinstance(blocks, list) or not all(isinstance(b, dict) and b.get("type") for b in blocks):
        return "invalid_blocks_format"
    if len(blocks) > MAX_BLOCKS or not all(map(_is_short, blocks)):
        return "invalid_blocks"
    if not text and not blocks:
        return "no_text"
    return "msg_too_long" if isinstance(text, str) and len(text) > MAX_TEXT else None


def _is_short(block: dict[str, Any]) -> bool:
    texts = [block.get("text"), *(block.get("fields") or [])]
    return all(0 < len(str(t.get("text", ""))) <= MAX_SECTION for t in texts if isinstance(t, dict))
