"""Which public interfaces a proposal touches, by the lines of its page that say so.

The classes are those of Kafka's process page; the first two are owed the most care.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

#: Interface → what a line that touches it says, most care first.
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("log-format", re.compile(r"log format|record batch|message format|on-disk|batch header", re.IGNORECASE)),
    (
        "protocol",
        re.compile(r"wire protocol|network protocol|\brpc\b|api ?key|\b\w+(?:Request|Response)\b"),
    ),
    ("client-api", re.compile(r"org[./]apache[./]kafka|public (?:class|interface|enum)\b", re.IGNORECASE)),
    ("configuration", re.compile(r"\bconfig(?:uration|s)?\b|[a-z]+(?:\.[a-z]+){2,}\s*=", re.IGNORECASE)),
    ("monitoring", re.compile(r"\bmetrics?\b|\bmbean\b|\bjmx\b", re.IGNORECASE)),
    ("command-line", re.compile(r"command[- ]line|\bkafka-[a-z-]+\.sh\b|(?<!\S)--[a-z][a-z-]+", re.IGNORECASE)),
)

#: The interfaces that a policy may owe care to.
INTERFACES = tuple(name for name, _ in _PATTERNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """One interface and the first line that speaks of it."""

    interface: str
    line: str


def find_interfaces(lines: Iterable[str]) -> tuple[Touch, ...]:
    """The interfaces that these lines touch, each once, most care first."""
    found: dict[str, str] = {}
    for line in lines:
        for interface, pattern in _PATTERNS:
            if interface not in found and pattern.search(line[:2_000]):
                found[interface] = line.strip()[:300]
    return tuple(Touch(interface=name, line=found[name]) for name, _ in _PATTERNS if name in found)
