"""The types of value in configuration files: what each accepts, and how it reports what it expected."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

T = TypeVar("T")

_PERIOD = re.compile(r"^\s*([0-9]{1,5})\s*(hours?|h|days?|d)\s*$", re.IGNORECASE)


MAX_LINE = 300
#: Longer than any real period; more is a typing error.
MAX_PERIOD = timedelta(days=3_650)


def _check_period(value: object) -> object:
    """A span of time, also zero: "0 days" lets the clock decide at once."""
    if not isinstance(value, str) or not _PERIOD.match(value):
        raise ValueError('a period such as "72 hours" or "90 days"')
    if (parse_period(value) or timedelta()) > MAX_PERIOD:
        raise ValueError(f"a period of at most {MAX_PERIOD.days} days")
    return value


def _check_span(value: object) -> object:
    if isinstance(value, str) and parse_period(value) == timedelta():
        raise ValueError('a period longer than none, such as "72 hours" or "90 days"')
    return _check_period(value)


def parse_period(text: str | None) -> timedelta | None:
    """The time span of a text such as "72 hours"; None for None."""
    match = _PERIOD.match(text or "")
    if match is None:
        return None
    number = int(match.group(1))
    return timedelta(hours=number) if match.group(2).lower().startswith("h") else timedelta(days=number)


def _check_url(value: object) -> object:
    if not isinstance(value, str) or not re.fullmatch(r"https?://[^\s/]\S*", value) or not value.isprintable():
        raise ValueError("an http(s) address")
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host:
        raise ValueError("an http(s) address with a host, and a port up to 65535")
    if "@" in parts.netloc:
        # addresses are shown on the board and written to logs
        raise ValueError("an address without user and password (tokens go into the environment)")
    return value.rstrip("/")


def _check_permalink(text: str) -> str:
    if "{mid}" not in text:
        raise ValueError("an address with {mid} where the mail's id belongs")
    if set(text.replace("{mid}", "")) & set("{}"):
        raise ValueError("an address with {mid} and no other braces")
    return text


def _check_interface(text: str) -> str:
    from kipflow.domain.interfaces import INTERFACES  # its patterns take time to build, and few communities name any

    if text not in INTERFACES:
        raise ValueError(f"one of {', '.join(INTERFACES)}")
    return text


def matching(pattern: str, expected: str) -> BeforeValidator:
    """A validator of texts of that form, which reports what is expected in words."""

    def check(value: object) -> object:
        if not isinstance(value, str) or not value.isprintable() or not re.fullmatch(pattern, value):
            raise ValueError(expected)
        return value

    return BeforeValidator(check)


def _check_line(value: object) -> object:
    if not isinstance(value, str):
        return value  # what it should be is said by its type
    if not value.strip() or not value.isprintable() or len(value) > MAX_LINE:
        raise ValueError(f"a text of one line, up to {MAX_LINE} characters")
    return value


def _check_header(value: object) -> object:
    """A value for a header of every request: ASCII in one line."""
    if isinstance(value, str) and not (value.isascii() and value.isprintable() and len(value) <= MAX_LINE):
        raise ValueError(f"one line of ASCII letters, up to {MAX_LINE}, such as an address")
    return value


def unique(values: tuple[T, ...]) -> tuple[T, ...]:
    """The values; refuses duplicates."""
    for position, value in enumerate(values):
        if value in values[:position]:
            raise ValueError(f"each entry once, not {value!r} again")
    return values


def _read_off_as_text(value: object) -> object:
    """YAML reads a bare `off` as false; it means the word."""
    return "off" if value is False else value


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


# "*.x.example" is what a user may try; the plain name says as much
Host = Annotated[
    str,
    matching(
        r"(?:[a-z0-9][a-z0-9-]{0,62}\.){1,10}[a-z][a-z0-9-]{1,62}",
        "a host's name in small letters such as mx1.apache.org, or apache.org for all hosts below it",
    ),
]
Server = Annotated[
    str,
    matching(
        r"[A-Za-z0-9][A-Za-z0-9.-]{0,252}(?::[0-9]{1,5})?",
        "a mail server's host, with its port where it is another than 587: smtp.example.org:25",
    ),
]
# it becomes a header of a mail
Sender = Annotated[
    str,
    matching(
        r"[^<>@\"\\,;:]{1,100} <[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9.-]{1,253}>",
        "a name and an address in one line, such as KIP votes <kips@kafka.apache.org>",
    ),
]
Month = Annotated[str, matching(r"(19|20)[0-9]{2}-(0[1-9]|1[0-2])", 'a month such as "2026-03"')]
Permalink = Annotated[str, BeforeValidator(_check_url), AfterValidator(_check_permalink)]
PageId = Annotated[str, matching(r"[0-9]{1,20}", "a page's number such as 50859233"), BeforeValidator(_as_text)]
Line = Annotated[str, BeforeValidator(_check_line)]
Header = Annotated[str, BeforeValidator(_check_header)]
#: More voters than any list has; more is a typing error.
Count = Annotated[int, Field(ge=1, le=1_000, strict=True)]
Interface = Annotated[str, AfterValidator(_check_interface)]
CommunityName = Annotated[str, matching(r"[a-z0-9][a-z0-9-]{0,39}", "a name of small letters, digits and hyphens")]
Prefix = Annotated[str, matching(r"[A-Z][A-Z0-9]{0,19}", "capital letters such as KIP")]
ProjectKey = Annotated[str, matching(r"[A-Z][A-Z0-9_]{1,19}", "a project's key such as KAFKA")]
Period = Annotated[str, BeforeValidator(_check_period)]
Span = Annotated[str, BeforeValidator(_check_span)]
Url = Annotated[str, BeforeValidator(_check_url)]
# it becomes part of folder names and of requested addresses
ListAddress = Annotated[
    str,
    AfterValidator(str.lower),
    matching(r"[A-Za-z0-9][A-Za-z0-9_.+-]*@[A-Za-z0-9][A-Za-z0-9.-]*", "a list address such as dev@kafka.apache.org"),
]
#: Roles of a roster that may bind; a misspelt one would silently take every vote away.
BindingRole = Literal["pmc", "committer", "contributor", "member", "maintainer"]
PolicyKey = Literal[
    "binding_roles",
    "release_roles",
    "rule",
    "quorum",
    "voting_period",
    "clock_after",
    "fractions",
    "dormant_after",
    "care",
]
# what begins a word in brackets
TagWords = Annotated[
    tuple[Annotated[str, matching(r"[^\W\d_][^\[\](){}<>【】]{1,39}", "a word such as ballot, without brackets")], ...],
    AfterValidator(unique),
]
Sending = Annotated[Literal["off", "send", "approve"], BeforeValidator(_read_off_as_text)]


class StrictModel(BaseModel):
    """A part of a file: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
