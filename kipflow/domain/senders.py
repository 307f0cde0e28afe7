"""How a mail's sender is known: by its address, its receiving host's record, and the community's requirements."""

from __future__ import annotations

from enum import StrEnum


class AddressSource(StrEnum):
    """Where a mail shows its author's address: in From, or recovered from a list's rewriting.

    Ambiguous: several addresses are possible, or one is disguised; none of them counts.
    """

    FROM = "from"
    RECOVERED = "recovered"
    AMBIGUOUS = "ambiguous"
    NONE = "none"


class Authentication(StrEnum):
    """What the receiving host recorded about the sender's domain; unknown if no host is configured."""

    PASSED = "pass"
    FAILED = "fail"
    UNKNOWN = "unknown"


class Senders(StrEnum):
    """The proof that a community requires of a sender before a ballot binds.

    ASK: an address in the roster or in a ruling; a known name alone is a question. AUTHENTICATED: the receiving host
    must vouch for it too. NAMES: an equal full name suffices.
    """

    ASK = "ask"
    AUTHENTICATED = "authenticated"
    NAMES = "names"


class KnownBy(StrEnum):
    """How a ballot's sender is known; a stranger is unknown, whatever the address."""

    AUTHENTICATED = "authenticated"
    ADDRESS = "address"
    RECOVERED = "recovered"
    NAME = "name"
    UNKNOWN = "unknown"
