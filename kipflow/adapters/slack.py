"""Slack: posts a message once, as far as Slack lets us know."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence
from http.client import HTTPException
from typing import Any

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from kipflow import __version__
from kipflow.domain.errors import RateLimited, ServiceUnavailable

log = logging.getLogger(__name__)

#: Names our message ids; a constant, so that a key gives the same id on every machine.
_IDS = uuid.UUID("5f0c6a52-5c0e-4d4a-9a07-6d1f6f2f2b9e")
#: What a call raises whose answer was lost or is none. slack_sdk takes any JSON for an object, hence the last one.
_LOST = (OSError, HTTPException, SlackClientError, ValueError, AttributeError)
_LONGEST_WAIT = 3_600.0
#: How far back a message is looked for whose answer was lost.
_RECENT = 30
#: Pages of 1,000 channels that are searched for a name.
_CHANNEL_PAGES = 10


class SlackChat:
    """A Slack workspace by its Web API root and a bot's token."""

    def __init__(self, url: str, token: str, *, timeout: int = 30) -> None:
        self.url = url.rstrip("/") + "/"
        # no retries here: the outbox repeats, later, and it remembers what it has sent
        self._client = WebClient(
            token=token,
            base_url=self.url,
            timeout=timeout,
            retry_handlers=[],
            user_agent_prefix=f"kipflow/{__version__}",
            logger=_quiet_logger(),
        )

    def __repr__(self) -> str:
        return f"SlackChat({self.url!r})"

    def post(
        self, channel: str, text: str, blocks: Sequence[Mapping[str, Any]], *, key: str, thread: str | None = None
    ) -> str:
        """Post a message and return "CHANNEL/TIMESTAMP". `text` is what notifications show.

        `thread` is what an earlier `post` returned: the message goes below that one.

        The message carries `key` in its metadata. Where the connection breaks after sending, the channel's
        last messages are searched for it (needs the scopes channels:history and channels:read), so that a
        message that did arrive is not sent again.

        Raises:
            RateLimited: Slack asks to come back later; nothing was posted.
            ServiceUnavailable: it was not posted, or nobody can tell whether it was.
        """
        event = {"event_type": "kipflow_effect", "event_payload": {"key": key}}
        try:
            answer = self._client.chat_postMessage(
                channel=channel,
                text=text,
                blocks=[dict(block) for block in blocks] or None,
                metadata=event,
                thread_ts=thread.partition("/")[2] or None if thread else None,
                unfurl_links=False,
                unfurl_media=False,
                # not documented for apps; where Slack honours it, a repeated id is not posted twice
                client_msg_id=str(uuid.uuid5(_IDS, key)),
            )
        except SlackApiError as error:
            # behind a server's error, or a page that is no answer, the message may have been posted
            found = self._find(channel, key, thread) if _is_unsure(error) else None
            if found is not None:
                return found
            raise self._explain(error) from None
        except _LOST as error:
            log.warning("Slack: chat.postMessage: %s; looking whether it arrived", _name(error))
            found = self._find(channel, key, thread)
            if found is not None:
                return found
            raise self._unavailable(f"chat.postMessage: {_name(error)}") from None
        return f"{answer.get('channel') or channel}/{answer.get('ts') or ''}"

    def _find(self, channel: str, key: str, thread: str | None = None) -> str | None:
        """The message with this key among the last of its channel or thread; None if it can't be found there."""
        try:
            channel = self._find_channel_id(channel)
            if thread is None:
                answer = self._client.conversations_history(channel=channel, limit=_RECENT, include_all_metadata=True)
            else:
                answer = self._client.conversations_replies(
                    channel=channel, ts=thread.partition("/")[2], limit=1_000, include_all_metadata=True
                )
            messages: list[dict[str, Any]] = answer.get("messages") or []
        except _LOST:
            return None
        for message in messages:
            payload = (message.get("metadata") or {}).get("event_payload") or {}
            if payload.get("key") == key:
                return f"{channel}/{message.get('ts', '')}"
        return None

    def _find_channel_id(self, channel: str) -> str:
        """The id of "#name": posting takes either, looking up only ids (needs the scope channels:read)."""
        if not channel.startswith("#"):
            return channel
        cursor = ""
        for _ in range(_CHANNEL_PAGES):
            answer = self._client.conversations_list(limit=1_000, cursor=cursor or None, exclude_archived=True)
            channels: list[dict[str, Any]] = answer.get("channels") or []
            found = next((str(c["id"]) for c in channels if c.get("name") == channel[1:]), None)
            if found is not None:
                return found
            cursor = (answer.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                break
        return channel

    def _explain(self, error: SlackApiError) -> RateLimited | ServiceUnavailable:
        response = error.response
        headers = {str(k).lower(): v for k, v in (getattr(response, "headers", None) or {}).items()}
        reason = _find_reason(error) or "no reason given"
        status = getattr(response, "status_code", 0)
        if status == 429 or reason in {"ratelimited", "rate_limited", "message_limit_exceeded"}:
            return RateLimited(service="Slack", retry_after=_seconds(headers.get("retry-after")))
        if status >= 500:
            return self._unavailable(f"chat.postMessage: answered {status}")
        return self._unavailable(f"chat.postMessage: {reason[:200]}")

    def _unavailable(self, why: str) -> ServiceUnavailable:
        return ServiceUnavailable(service="Slack", url=self.url, why=why)


def _is_unsure(error: SlackApiError) -> bool:
    reason = _find_reason(error)
    return getattr(error.response, "status_code", 0) >= 500 or reason is None or "non-JSON" in reason


def _find_reason(error: SlackApiError) -> str | None:
    """Slack's own word for what went wrong; None where the answer is none of Slack's."""
    data = getattr(error.response, "data", error.response)
    return str(data.get("error", "")) if isinstance(data, Mapping) else None


def _seconds(raw: Any) -> float:
    """A Retry-After in seconds (slack_sdk gives it as text or as a list); 30 where it is no number."""
    value = raw[0] if isinstance(raw, list) and raw else raw
    try:
        return min(max(float(value), 1.0), _LONGEST_WAIT)
    except (TypeError, ValueError):
        return 30.0


def _name(error: Exception) -> str:
    """The kind of error: its text may hold the request."""
    return type(error).__name__


def _quiet_logger() -> logging.Logger:
    """slack_sdk logs every failed request as an error and, in debug mode, whole messages: we log the fault."""
    quiet = logging.getLogger("kipflow.adapters.slack.sdk")
    quiet.setLevel(logging.CRITICAL)
    return quiet
