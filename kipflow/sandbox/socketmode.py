"""Slack's Socket Mode: an app opens a connection and receives button presses over it."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import Any

from fastapi import APIRouter, Request, WebSocket
from starlette.responses import JSONResponse, Response
from starlette.websockets import WebSocketDisconnect

from kipflow.sandbox.channels import Post, channel_id, user_id

router = APIRouter()


class Sockets:
    """The connections of apps. A ticket opens one connection, once."""

    def __init__(self) -> None:
        self._tickets: set[str] = set()
        self._open: list[WebSocket] = []

    def issue(self) -> str:
        ticket = secrets.token_urlsafe(16)
        self._tickets.add(ticket)
        return ticket

    def redeem(self, ticket: str) -> bool:
        known = ticket in self._tickets
        self._tickets.discard(ticket)
        return known

    async def serve(self, socket: WebSocket) -> None:
        """Greet an app and receive its acknowledgements until it disconnects."""
        await socket.accept()
        await socket.send_json({"type": "hello", "num_connections": len(self._open) + 1})
        self._open.append(socket)
        try:
            while True:
                await socket.receive_text()
        except WebSocketDisconnect:
            if socket in self._open:
                self._open.remove(socket)

    async def drop(self) -> None:
        """Close every connection, as Slack does after some hours."""
        while self._open:
            with suppress(WebSocketDisconnect):  # the app may close it at the same moment
                await self._open.pop().close(1001)

    async def send_event(self, payload: dict[str, Any]) -> bool:
        """Send an interaction to the app that connected last; False if there is none."""
        envelope = {"envelope_id": secrets.token_hex(8), "type": "interactive", "payload": payload}
        return await self.send({**envelope, "accepts_response_payload": False})

    async def send(self, envelope: Any) -> bool:
        """Send an envelope as it is; False if no app is connected."""
        with suppress(IndexError, WebSocketDisconnect):
            await self._open[-1].send_json(envelope)
            return True
        return False


def write_press(post: Post, button: dict[str, Any], who: str, reason: str) -> dict[str, Any]:
    """The payload that Slack sends to an app for a pressed button."""
    action = {key: button[key] for key in ("action_id", "value", "type") if key in button}
    return {
        "type": "block_actions",
        "user": {"id": user_id(who)},
        "container": {"type": "message", "channel_id": channel_id(post.channel), "message_ts": post.ts},
        "actions": [action],
        "state": {"values": {"reason": {"reason": {"type": "plain_text_input", "value": reason}}}},
    }


@router.post("/slack/api/apps.connections.open")
async def open_connection(request: Request) -> Response:
    _, _, token = request.headers.get("Authorization", "").partition(" ")
    if not token.startswith("xapp-"):
        return JSONResponse({"ok": False, "error": "invalid_auth"})
    sockets: Sockets = request.app.state.sockets
    return JSONResponse({"ok": True, "url": f"ws://{request.url.netloc}/slack/socket?ticket={sockets.issue()}"})


@router.post("/slack/socket")
async def hand_over(request: Request, envelope: dict[str, Any]) -> Response:
    """Send the app an arbitrary envelope, such as a repeated one or one that Slack would never send."""
    is_sent = await request.app.state.sockets.send(envelope)
    return Response(status_code=204 if is_sent else 503)


@router.delete("/slack/socket")
async def drop_connections(request: Request) -> Response:
    await request.app.state.sockets.drop()
    return Response(status_code=204)


@router.websocket("/slack/socket")
async def connect(socket: WebSocket, ticket: str = "") -> None:
    sockets: Sockets = socket.app.state.sockets
    if sockets.redeem(ticket):
        await sockets.serve(socket)
    else:
        await socket.close(1008)
