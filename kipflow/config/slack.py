"""The part of a community's file about Slack: which kinds of message go where, whom they mention, and when."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import time
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BeforeValidator, Field

from kipflow.config.values import Line, StrictModel, Url, matching, unique
from kipflow.domain.messagekinds import ALWAYS_SENT, MESSAGE_KINDS
from kipflow.domain.times import QuietHours

_CLOCK = matching(r"([01][0-9]|2[0-3]):[0-5][0-9]", 'a time of day in quotes such as "07:00"')


def _check_zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("a time zone such as Europe/Berlin or UTC") from None
    return text


def _check_kinds(value: object) -> object:
    """Where kinds of message go: a channel, "digest" or "off" (which YAML reads as "no")."""
    if not isinstance(value, Mapping):
        raise ValueError("kinds of message, each with a channel, digest or off")
    for kind, where in value.items():
        _check_kind(kind)
        if where is False or where in {"off", "digest"}:
            if kind in ALWAYS_SENT:
                raise ValueError(f"a channel for {kind}: what people act on is always announced")
        elif not isinstance(where, str) or not re.fullmatch(r"#[\w-]{1,80}|[CG][A-Z0-9]{5,20}", where):
            raise ValueError(f'a channel such as "#kips", digest or off for {kind}')
    return {kind: "off" if where is False else where for kind, where in value.items()}


def _check_mentions(value: object) -> object:
    """Whom kinds of message name: here, channel, or the id of a group or person in Slack."""
    if not isinstance(value, Mapping):
        raise ValueError("kinds of message, each with whom it mentions")
    for kind, whom in value.items():
        _check_kind(kind)
        if not isinstance(whom, str) or not re.fullmatch(r"here|channel|[SUW][A-Z0-9]{5,20}", whom):
            raise ValueError(f"here, channel, or the id of a group (S…) or person (U…) in Slack for {kind}")
    return value


def _check_kind(kind: object) -> None:
    if kind not in MESSAGE_KINDS:
        raise ValueError(f"kinds of message ({', '.join(MESSAGE_KINDS)}), not {str(kind)[:40]!r}")


UserId = Annotated[str, matching(r"[UW][A-Z0-9]{5,20}", "the id of a user in Slack (U…)")]


class QuietConfig(StrictModel):
    """When what is not for operators waits: from `begins` to `ends` each day, and on weekends; clocks of `zone`."""

    begins: Annotated[str, _CLOCK] = "00:00"
    """When it becomes quiet, each day."""
    ends: Annotated[str, _CLOCK] = "00:00"
    """When that is over."""
    weekends: Annotated[bool, Field(strict=True)] = False
    """Whether weekends are quiet too."""
    zone: Annotated[str, AfterValidator(_check_zone)] = "UTC"
    """Whose clocks these times are of."""

    def as_hours(self) -> QuietHours:
        return QuietHours(
            begins=time.fromisoformat(self.begins),
            ends=time.fromisoformat(self.ends),
            weekends=self.weekends,
            zone=ZoneInfo(self.zone),
        )


class DigestConfig(StrictModel):
    """When the weekly digest is written, and who of the roster wants one of their own, by direct message."""

    day: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] = "monday"
    """The day on which it is written."""
    at: Annotated[str, _CLOCK] = "09:00"
    """The time from which on."""
    zone: Annotated[str, AfterValidator(_check_zone)] = "UTC"
    """Whose clocks that time is of."""
    people: Annotated[tuple[Line, ...], AfterValidator(unique)] = ()
    """Who of the roster wants one of their own, by direct message."""

    def as_times(self) -> dict[str, Any]:
        return {"day": self.day, "at": time.fromisoformat(self.at), "zone": ZoneInfo(self.zone)}


class SlackConfig(StrictModel):
    """Where people are notified."""

    url: Url = "https://slack.com/api"
    """Slack's API."""
    channel: Line
    """Hears of what everybody may want to know."""
    operators: Line | None = None
    """Hears of what needs a person; without it `channel` does."""
    kinds: Annotated[dict[str, str], BeforeValidator(_check_kinds), Field(default_factory=dict)]
    """By [kind](communities.md#slack-messages): another channel, `digest` or `off`."""
    mention: Annotated[dict[str, str], BeforeValidator(_check_mentions), Field(default_factory=dict)]
    """By kind: `here`, `channel`, or the id of a group or person; else nobody."""
    buttons: Annotated[dict[UserId, Line], Field(default_factory=dict)]
    """Who may settle questions by buttons in Slack, by their id there: the id in the roster."""
    quiet: QuietConfig | None = None
    """When what is not for operators waits."""
    digest: DigestConfig | None = None
    """The weekly digest, where there is to be one."""

    def find_people(self) -> list[tuple[str, str]]:
        """The people of the roster whom it names, each with the key that does."""
        digest = self.digest.people if self.digest is not None else ()
        buttons = [(f"slack.buttons.{user}", person) for user, person in self.buttons.items()]
        return [("slack.digest.people", person) for person in digest] + buttons

    def find_mentions(self) -> dict[str, str]:
        """Whom each kind of message names, in Slack's markup."""
        forms = {"S": "<!subteam^{}>", "U": "<@{}>", "W": "<@{}>"}
        return {kind: forms.get(whom[0], "<!{}>").format(whom) for kind, whom in self.mention.items()}
