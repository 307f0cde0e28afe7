"""Slack: posts a message, and finds it by its key if it is not known whether it was posted."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from http.client import HTTPException
from itertools import islice
from typing import Any

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from kipflow import __version__
from kipflow.adapters.slackfaults import (
    WITHHELD,
    WITHHELD_SECONDS,
    describe_answer,
    describe_error,
    find_answer,
    parse_wait,
)
from kipflow.domain.errors import DeliveryUnclear, RateLimited, Refused, ServiceUnavailable, Withheld

log = logging.getLogger(__name__)

#: Namespace of our message ids; a constant, so that a key gives the same id on every machine.
_IDS = uuid.UUID("5f0c6a52-5c0e-4d4a-9a07-6d1f6f2f2b9e")
#: Raised by a call without a usable answer. slack_sdk expects every JSON to be an object, hence the last one.
_LOST = (OSError, HTTPException, SlackClientError, ValueError, AttributeError)
#: How much Slack's clock may be behind ours.
CLOCK_MARGIN = timedelta(minutes=10)
#: Messages in one page of a search, and pages that are searched.
_HISTORY_PAGE, _HISTORY_PAGES = 200, 20
#: Slack's error codes for a channel that cannot be read, and for calls that may have succeeded nevertheless.
_CLOSED = frozenset(
    {"missing_scope", "no_permission", "not_in_channel", "channel_not_found", "access_denied", "not_allowed_token_type"}
)
_UNSURE = frozenset({"internal_error", "fatal_error", "request_timeout", "service_unavailable"})
#: Pages of 1,000 channels that are searched for a name.
_CHANNEL_PAGES = 10


class SlackChat:
    """A Slack workspace. `url` is the root of its Web API, `token` a bot's."""

    def __init__(self, url: str, token: str, *, timeout: int = 30) -> None:
        self.url = url.rstrip("/") + "/"
        # no retries here: the outbox retries later, and knows what was sent
        self._client = WebClient(
            token=token,
            base_url=self.url,
            timeout=timeout,
            retry_handlers=[],
            user_agent_prefix=f"kipflow/{__version__}",
            logger=_quiet_logger(),
        )

    def post(
        self, channel: str, text: str, blocks: Sequence[Mapping[str, Any]], *, key: str, thread: str | None = None
    ) -> str:
        """Returns "CHANNEL/TIMESTAMP". `text` is what notifications show. `find` recognises the message by `key`, which
        is in its metadata."""
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
                # not documented for apps; if Slack honours it, a repeated id is not posted twice
                client_msg_id=_name_message(key),
            )
        except SlackApiError as error:
            raise self._explain(f"chat.postMessage to {channel}", error) from None
        except _LOST as error:
            raise self._unavailable("chat.postMessage", describe_error(error)) from None
        return f"{answer.get('channel') or channel}/{answer.get('ts') or ''}"

    def update(self, reference: str, text: str, blocks: Sequence[Mapping[str, Any]]) -> None:
        """An update can safely be repeated."""
        channel, _, ts = reference.partition("/")
        try:
            self._client.chat_update(channel=channel, ts=ts, text=text, blocks=[dict(block) for block in blocks])
        except SlackApiError as error:
            if _find_reason(error) == "message_not_found":
                log.warning("Slack: the message %s is gone: it is not updated", reference)
                return
            raise self._explain("chat.update", error) from None
        except _LOST as error:
            raise self._unavailable("chat.update", describe_error(error)) from None

    def find(self, channel: str, *, key: str, since: datetime, thread: str | None = None) -> str | None:
        """Needs the scopes channels:history and, for a channel given by name, channels:read.

        Raises:
            DeliveryUnclear: the bot may not read the channel, or there are more messages than are searched.
            RateLimited, ServiceUnavailable: temporary.
        """
        oldest = f"{(since - CLOCK_MARGIN).timestamp():.6f}"
        try:
            place = self._find_channel_id(channel)
            where: Any = {"channel": place, "oldest": oldest, "limit": _HISTORY_PAGE, "include_all_metadata": True}
            found = _search(self._client.conversations_history(**where), key)
            if found is None and thread is not None:
                replies = self._client.conversations_replies(ts=thread.partition("/")[2], **where)
                found = _search(replies, key)
        except SlackApiError as error:
            reason = _find_reason(error)
            if reason in _CLOSED:
                raise DeliveryUnclear(
                    f"it may have been posted to {channel}, and Slack does not let that be seen ({reason}; reading "
                    "needs the scopes channels:history and channels:read, and the bot in the channel)"
                ) from None
            raise self._explain("conversations.history", error) from None
        except _LOST as error:
            raise self._unavailable("conversations.history", describe_error(error)) from None
        return None if found is None else f"{place}/{found}"

    def find_user(self, addresses: Sequence[str]) -> str | None:
        """The direct channel to the first user with one of these addresses. Raises as `post` does."""
        for address in addresses:
            try:
                user = str(self._client.users_lookupByEmail(email=address)["user"]["id"])
                return str(self._client.conversations_open(users=[user])["channel"]["id"])
            except SlackApiError as error:
                if _find_reason(error) != "users_not_found":
                    raise self._explain("users.lookupByEmail", error) from None
            except (*_LOST, KeyError, TypeError) as error:
                raise self._unavailable("users.lookupByEmail", describe_error(error)) from None
        return None

    def _find_channel_id(self, channel: str) -> str:
        """The id of "#name", because only posting accepts names (needs the scope channels:read)."""
        if not channel.startswith("#"):
            return channel
        for page in islice(self._client.conversations_list(limit=1_000, exclude_archived=True), _CHANNEL_PAGES):
            channels: list[dict[str, Any]] = page.get("channels") or []
            found = next((str(c["id"]) for c in channels if c.get("name") == channel[1:]), None)
            if found is not None:
                return found
        raise DeliveryUnclear(
            f"it may have been posted to {channel}, which is not among the channels that Slack shows to the bot; "
            "give the channel by its id"
        )

    def _explain(self, call: str, error: SlackApiError) -> RateLimited | ServiceUnavailable:
        response = error.response
        headers = {str(k).lower(): v for k, v in (getattr(response, "headers", None) or {}).items()}
        reason, said = _find_reason(error) or "", describe_answer(call, error)
        status = getattr(response, "status_code", 0)
        if status == 429 or reason in {"ratelimited", "rate_limited", "message_limit_exceeded"}:
            return RateLimited(service="Slack", retry_after=parse_wait(headers.get("retry-after")))
        if status >= 500:
            return self._unavailable(call, f"answered {status}")
        if _is_unsure(error):
            return self._unavailable(call, reason[:200] or "no reason given")
        if reason in WITHHELD:
            return Withheld(service="Slack", why=said, retry_after=WITHHELD_SECONDS)
        return Refused(service="Slack", url=self.url, why=said)

    def _unavailable(self, call: str, why: str) -> ServiceUnavailable:
        log.warning("Slack: %s: %s", call, why)
        return ServiceUnavailable(service="Slack", url=self.url, why=f"{call}: {why}")


def _is_unsure(error: SlackApiError) -> bool:
    """Whether the call may have succeeded: the answer is not Slack's, or its error code is one of `_UNSURE`."""
    reason = _find_reason(error)
    return reason is None or "non-JSON" in reason or reason in _UNSURE


def _search(pages: Iterable[Any], key: str) -> str | None:
    """The `ts` of the message with this key, in these pages of messages."""
    for number, page in enumerate(pages):
        if number == _HISTORY_PAGES:
            raise DeliveryUnclear(f"it may be among more than {_HISTORY_PAGE * _HISTORY_PAGES:,} messages posted since")
        found = next((m for m in page.get("messages") or [] if _is_of(m, key)), None)
        if found is not None:
            return str(found.get("ts", ""))
    return None


def _is_of(message: Mapping[str, Any], key: str) -> bool:
    payload = (message.get("metadata") or {}).get("event_payload") or {}
    return payload.get("key") == key or message.get("client_msg_id") == _name_message(key)


def _name_message(key: str) -> str:
    return str(uuid.uuid5(_IDS, key))


def _find_reason(error: SlackApiError) -> str | None:
    """Slack's error code; None if the answer is not Slack's."""
    answer = find_answer(error)
    return str(answer.get("error", "")) if answer is not None else None


def _quiet_logger() -> logging.Logger:
    """Silences slack_sdk, which logs failed requests as errors and, in debug mode, whole messages. We log the fault."""
    quiet = logging.getLogger("kipflow.adapters.slack.sdk")
    quiet.setLevel(logging.CRITICAL)
    return quiet
