"""Describes errors of Slack and of its library."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any
from urllib.error import URLError

from slack_sdk.errors import SlackApiError

_LONGEST_WAIT = 3_600.0
_REPLACE = "install the app again and give kipflow the new token"
_ADMIN = "ask an administrator of the workspace"
#: Error codes that a person must fix in Slack → what to do. Messages are not at fault, so none of them is given up.
WITHHELD: Mapping[str, str] = {
    "access_denied": f"the app may not do this in the workspace: {_ADMIN}",
    "account_inactive": f"the token's user or workspace was deleted: {_REPLACE}",
    "channel_not_found": "there is no such channel, or it is private: correct the community's file, or invite the bot",
    "ekm_access_denied": f"the workspace's key management keeps messages out: {_ADMIN}",
    "enterprise_is_restricted": f"the organisation does not let the app do this: {_ADMIN}",
    "forbidden_team": f"the app may not be used in this workspace: {_ADMIN}",
    "invalid_auth": "the token is not valid: copy it anew from the app's settings (xoxb-… or xapp-…)",
    "is_archived": "the channel is archived: unarchive it, or name another in the community's file",
    "missing_scope": "the token lacks a scope: add it to the app and install the app again",
    "no_permission": f"the token may not do this: {_ADMIN}",
    "not_allowed_token_type": "the token is of another type: messages need xoxb-…, buttons xapp-… too",
    "not_authed": "no token was sent: set the password of the connection slack_default, or KIPFLOW_SLACK_TOKEN",
    "not_in_channel": "the bot is not in the channel: invite it",
    "org_login_required": "the workspace is being moved to an organisation: wait until that is over",
    "restricted_action": f"the workspace does not let the bot post there: {_ADMIN}",
    "restricted_action_read_only_channel": "the channel is read-only: let the bot post there, or name another channel",
    "team_access_not_granted": f"the app has no access to this workspace of the organisation: {_ADMIN}",
    "token_expired": f"the token has expired: {_REPLACE}",
    "token_revoked": f"the token was revoked: {_REPLACE}",
}
WITHHELD_SECONDS = 900.0


def find_answer(error: SlackApiError) -> Mapping[str, Any] | None:
    """Slack's answer; None if it is not a JSON object."""
    data = getattr(error.response, "data", error.response)
    return data if isinstance(data, Mapping) else None


def describe_answer(call: str, error: SlackApiError) -> str:
    """Slack's error code for a call, with what to do about it if that is known."""
    answer = find_answer(error) or {}
    code = str(answer.get("error") or "")[:200]
    scope = f" ({str(answer['needed'])[:200]})" if code == "missing_scope" and answer.get("needed") else ""
    if code in WITHHELD:
        return f"{call}: {code}{scope}: {WITHHELD[code]}"
    return f"{call}: Slack answers {code}" if code else f"{call}: Slack gives no reason"


def parse_wait(raw: Any) -> float:
    """A Retry-After in seconds (slack_sdk gives text or a list); 30 if it is no number."""
    value = raw[0] if isinstance(raw, list) and raw else raw
    try:
        return min(max(float(value), 1.0), _LONGEST_WAIT)
    except (TypeError, ValueError):
        return 30.0


def describe_error(error: Exception) -> str:
    """The kind of error. Its text is left out because it may contain the request."""
    cause = error.reason if isinstance(error, URLError) and isinstance(error.reason, Exception) else error
    known: tuple[tuple[type[Exception], str], ...] = (
        (ConnectionRefusedError, "connection refused"),
        (TimeoutError, "no answer in time"),
        (socket.gaierror, "its host is not found"),
    )
    return next((words for kind, words in known if isinstance(cause, kind)), type(cause).__name__)
