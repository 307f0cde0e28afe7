"""Slack's Socket Mode: hears of pressed buttons over a connection that we open, and answers who pressed alone."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.socket_mode import SocketModeClient
from slack_sdk.socket_mode.client import BaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from kipflow.adapters.slackfaults import say_fault
from kipflow.domain.errors import ServiceUnavailable
from kipflow.services.ports import Press

log = logging.getLogger(__name__)

#: What an answer may be long; Slack cuts off what is longer.
_MOST = 3_000


class SlackApp:
    """An app of a workspace: its token opens the connection, the bot's token answers."""

    def __init__(self, url: str, *, app_token: str, token: str, settle: Callable[[Press], str]) -> None:
        self._url = root = url.rstrip("/") + "/"
        self._web = WebClient(token=token, base_url=root)
        self._settle, self._one_by_one = settle, threading.Lock()
        self._socket = SocketModeClient(app_token=app_token, web_client=WebClient(base_url=root))
        self._socket.socket_mode_request_listeners.append(self._hear)

    def connect(self) -> None:
        """Listen from now on, in threads of its own; a connection that breaks is opened again.

        Raises:
            ServiceUnavailable: Slack gives no connection; it says why.
        """
        try:
            self._socket.connect()
        except SlackApiError as error:
            why = say_fault("apps.connections.open", error)
            raise ServiceUnavailable(service="Slack", url=self._url, why=why) from None
        except (SlackClientError, OSError) as error:
            raise ServiceUnavailable(service="Slack", url=self._url, why=type(error).__name__) from None

    def close(self) -> None:
        # the client's threads and its close() all drop the connection, and the second of two at once fails at None:
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
        """Let Slack answer a ping: a thread that waits for messages looks only after one whether to go on."""
        session = self._socket.current_session
        if session is not None:
            with suppress(OSError):  # closed already, which wakes that thread as well
                session.ping("goodbye")

    def _hear(self, client: BaseSocketModeClient, request: SocketModeRequest) -> None:
        # Slack repeats what nobody confirms within three seconds
        client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))
        press = parse_press(request.payload)
        if press is None:
            return
        try:
            with self._one_by_one:  # a repeated one finds what the first has done
                said = self._settle(press)
        except Exception:
            log.exception("a pressed button could not be settled")
            said = "Nothing was done: kipflow failed at it; its log says why."
        self._answer(request.payload, press.user, said[:_MOST])

    def _answer(self, payload: Mapping[str, Any], user: str, said: str) -> None:
        place = payload.get("container") or {}
        text = said.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        try:
            self._web.chat_postEphemeral(
                channel=str(place.get("channel_id", "")), user=user, text=text, thread_ts=place.get("message_ts")
            )
        except (SlackApiError, OSError) as error:
            why = say_fault("chat.postEphemeral", error) if isinstance(error, SlackApiError) else error
            log.warning("Slack: %s was not answered: %s", user, why)


def parse_press(payload: Mapping[str, Any]) -> Press | None:
    """The pressed button of an interaction; None where it is none of ours."""
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
