"""Slack's Socket Mode: receives pressed buttons over a connection that we open, and answers only whoever pressed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from html import escape
from typing import Any

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.socket_mode import SocketModeClient
from slack_sdk.socket_mode.client import BaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from kipflow.adapters.slackfaults import describe_answer
from kipflow.domain.errors import ServiceUnavailable
from kipflow.services.ports import Press

log = logging.getLogger(__name__)

#: The longest answer, in characters; Slack truncates longer ones.
_MOST = 3_000


class SlackApp:
    """An app of a workspace: `app_token` opens the connection, and the bot's `token` sends answers."""

    def __init__(self, url: str, *, app_token: str, token: str, settle: Callable[[Press], str]) -> None:
        self._url = root = url.rstrip("/") + "/"
        self._web = WebClient(token=token, base_url=root)
        self._settle, self._one_by_one = settle, threading.Lock()
        self._socket = SocketModeClient(app_token=app_token, web_client=WebClient(base_url=root))
        self._socket.socket_mode_request_listeners.append(self._receive)

    def connect(self) -> None:
        """Start to listen, in background threads. A broken connection is opened again.

        Raises:
            ServiceUnavailable: Slack refuses the connection, or is unreachable.
        """
        try:
            self._socket.connect()
        except SlackApiError as error:
            why = describe_answer("apps.connections.open", error)
            raise ServiceUnavailable(service="Slack", url=self._url, why=why) from None
        except (SlackClientError, OSError) as error:
            raise ServiceUnavailable(service="Slack", url=self._url, why=type(error).__name__) from None

    def close(self) -> None:
        # the client's threads and its close() all drop the connection, and fail if two of them do so at once:
        # let both threads end first
        self._socket.auto_reconnect_enabled = False
        runners = [self._socket.current_app_monitor, self._socket.current_session_runner]
        for runner in runners:
            runner.event.set()
        self._socket.current_session_state.terminated = True
        self._wake()
        for runner in runners:
            if runner.is_alive():
                runner.thread.join()
        self._socket.close()

    def _wake(self) -> None:
        """Send a ping: a thread that waits for messages checks only after one whether it must end."""
        session = self._socket.current_session
        if session is not None:
            with suppress(OSError):  # already closed, which wakes that thread too
                session.ping("goodbye")

    def _receive(self, client: BaseSocketModeClient, request: SocketModeRequest) -> None:
        # Slack sends a request again if it is not confirmed within three seconds
        client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))
        press = parse_press(request.payload)
        if press is None:
            return
        try:
            with self._one_by_one:  # a repeated press sees the effect of the first one
                said = self._settle(press)
        except Exception:
            log.exception("a pressed button could not be settled")
            said = "Nothing was done: kipflow failed at it; its log says why."
        self._answer(request.payload, press.user, said[:_MOST])

    def _answer(self, payload: Mapping[str, Any], user: str, said: str) -> None:
        place, text = payload.get("container") or {}, escape(said, quote=False)
        try:
            self._web.chat_postEphemeral(
                channel=str(place.get("channel_id", "")), user=user, text=text, thread_ts=place.get("message_ts")
            )
        except (SlackApiError, OSError) as error:
            why = describe_answer("chat.postEphemeral", error) if isinstance(error, SlackApiError) else error
            log.warning("Slack: %s was not answered: %s", user, why)


def parse_press(payload: Mapping[str, Any]) -> Press | None:
    """The pressed button of an interaction; None if it is not ours."""
    action, user = next(iter(payload.get("actions") or ()), None), payload.get("user")
    if payload.get("type") != "block_actions" or not isinstance(action, dict) or not isinstance(user, dict):
        return None
    if not str(action.get("action_id", "")).startswith("kipflow-"):
        return None
    fields = ((payload.get("state") or {}).get("values") or {}).get("reason") or {}
    reason = (fields.get("reason") or {}).get("value") or ""
    place = payload.get("container") or {}
    return Press(
        user=str(user.get("id", "")),
        message=f"{place.get('channel_id', '')}/{place.get('message_ts', '')}",
        value=str(action.get("value", "")),
        reason=str(reason),
    )
