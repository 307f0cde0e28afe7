"""The kinds of value in configuration files: what each accepts, and how it says what it expected."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

from kipflow.domain.interfaces import INTERFACES

T = TypeVar("T")

_PERIOD = re.compile(r"^\s*(\d{1,5})\s*(hours?|h|days?|d)\s*$", re.IGNORECASE)


def _check_period(value: object) -> object:
    if not isinstance(value, str) or not _PERIOD.match(value):
        raise ValueError('a period such as "72 hours" or "90 days"')
    return value


def parse_period(text: str | None) -> timedelta | None:
    """The time span of a text such as "72 hours"; None for None."""
    match = _PERIOD.match(text or "")
    if match is None:
        return None
    number = int(match.group(1))
    return timedelta(hours=number) if match.group(2).lower().startswith("h") else timedelta(days=number)


def _check_url(value: object) -> object:
    if not isinstance(value, str) or not re.fullmatch(r"https?://[^\s/]\S*", value):
        raise ValueError("an http(s) address")
    return value.rstrip("/")


def _check_list(value: object) -> object:
    if not isinstance(value, str) or not re.fullmatch(r"[^@\s]+@[^@\s]+", value):
        raise ValueError("a list address such as dev@kafka.apache.org")
    return value.lower()


def _check_month(value: object) -> object:
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", value):
        raise ValueError('a month such as "2026-03"')
    return value


def _check_permalink(text: str) -> str:
    if "{mid}" not in text:
        raise ValueError("an address with {mid} where the mail's id belongs")
    return text


def _check_interface(text: str) -> str:
    if text not in INTERFACES:
        raise ValueError(f"one of {', '.join(INTERFACES)}")
    return text


def _named(pattern: str, expected: str) -> BeforeValidator:
    """A text of that form; what is expected is told in words, not as a pattern."""

    def check(value: object) -> object:
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise ValueError(expected)
        return value

    return BeforeValidator(check)


def once(values: tuple[T, ...]) -> tuple[T, ...]:
    """The values, each of which may stand there once."""
    for position, value in enumerate(values):
        if value in values[:position]:
            raise ValueError(f"each entry once, not {value!r} again")
    return values


def _spelt_off(value: object) -> object:
    """YAML reads a bare `off` as "no": it is meant as the word."""
    return "off" if value is False else value


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Month = Annotated[str, BeforeValidator(_check_month)]
Permalink = Annotated[str, BeforeValidator(_check_url), AfterValidator(_check_permalink)]
PageId = Annotated[str, Field(min_length=1), BeforeValidator(_as_text)]
Interface = Annotated[str, AfterValidator(_check_interface)]
CommunityName = Annotated[str, _named(r"[a-z0-9][a-z0-9-]*", "a name of small letters, digits and hyphens")]
Prefix = Annotated[str, _named(r"[A-Z][A-Z0-9]*", "capital letters such as KIP")]
ProjectKey = Annotated[str, _named(r"[A-Z][A-Z0-9]+", "a project's key such as KAFKA")]
Period = Annotated[str, BeforeValidator(_check_period)]
Url = Annotated[str, BeforeValidator(_check_url)]
ListAddress = Annotated[str, BeforeValidator(_check_list)]
#: Roles of a roster that may bind; a misspelt one would take every vote away without a word.
BindingRole = Literal["pmc", "committer", "contributor", "member", "maintainer"]
PolicyKey = Literal[
    "binding_roles", "rule", "quorum", "voting_period", "clock_after", "fractions", "dormant_after", "care"
]
Sending = Annotated[Literal["off", "send", "approve"], BeforeValidator(_spelt_off)]
