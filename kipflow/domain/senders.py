"""How it is known who sent a mail: what the mail shows, what its receiving host recorded, what that is worth."""

from __future__ import annotations

from enum import StrEnum


class AddressSource(StrEnum):
    """Where a mail shows its author's address: in From itself, or behind what a list made of it.

    Ambiguous: more than one address may be meant, or one that is not what it looks like; none of them counts.
    """

    FROM = "from"
    RECOVERED = "recovered"
    AMBIGUOUS = "ambiguous"
    NONE = "none"


class Authentication(StrEnum):
    """What the receiving host recorded about the sender's domain; unknown where no host is configured."""

    PASSED = "pass"
    FAILED = "fail"
    UNKNOWN = "unknown"


class Senders(StrEnum):
    """What a community wants to know of a sender before a ballot binds.

    ASK: an address that the roster or a ruling holds; a known name alone is a question. AUTHENTICATED: and that the
    receiving host vouches for it. NAMES: an equal full name suffices.
    """

    ASK = "ask"
    AUTHENTICATED = "authenticated"
    NAMES = "names"


class KnownBy(StrEnum):
    """By what a ballot's sender is known; a stranger's is unknown, whatever its address."""

    AUTHENTICATED = "authenticated"
    ADDRESS = "address"
    RECOVERED = "recovered"
    NAME = "name"
    UNKNOWN = "unknown"
