"""People, the roles they hold, the mailboxes they write from, and what is ruled or in doubt about who is who."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

#: Roles that people of a roster may have; the policy says which of them bind. Emeritus never does.
ROLES = ("pmc", "committer", "contributor", "member", "maintainer", "emeritus")


def find_role_fault(role: str) -> str | None:
    """What is wrong with a role's name, with the nearest one that is known; None for a known one."""
    if role in ROLES:
        return None
    alike = difflib.get_close_matches(role.casefold(), ROLES, n=1)
    return f"one of {', '.join(ROLES)}, got {role[:60]!r}" + (f": did you mean {alike[0]}?" if alike else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A role held from `since` (None: always) until `until` (None: still; the end is exclusive)."""

    role: str
    since: datetime | None = None
    until: datetime | None = None

    def is_held(self, at: datetime) -> bool:
        return (self.since is None or self.since <= at) and (self.until is None or at < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One roster entry. `emails` are in lower case."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()

    def holds(self, roles: Collection[str], at: datetime) -> bool:
        return any(role.role in roles and role.is_held(at) for role in self.roles)


@dataclass(frozen=True, slots=True, kw_only=True)
class Voter:
    """An author as the roster knows them. `person` is None for someone the roster does not have.

    `by_name`: known by name only, which a community's policy must allow. `ruled` says which ruling made this mailbox
    theirs ("": none was needed).
    """

    id: str
    name: str
    address: str
    person: Person | None = None
    by_name: bool = False
    ruled: str = ""

    def holds(self, roles: Collection[str], at: datetime) -> bool:
        return self.person is not None and self.person.holds(roles, at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailbox:
    """A sender as mails show them. `key` is a roster id, else an address, else a folded name.

    If only a single mail is in question, `key` is that mail's id, and `address` the address that it shows.
    """

    key: str
    name: str = ""
    address: str = ""


def say_mailbox(mailbox: Mailbox) -> str:
    """ "Jane Doe <jane@x.example>"; only the name if the mail shows no address."""
    shown = mailbox.address or mailbox.key
    if mailbox.name and shown.strip('"') == fold_name(mailbox.name):
        return mailbox.name
    return f"{mailbox.name} <{shown}>" if mailbox.name and mailbox.name != shown else f"<{shown}>"


def render_mailbox(name: str, address: str) -> str:
    """ "Jane Doe <jane@x.example>", or the one that the mail shows; "" if it shows neither."""
    if not address or name == address:
        return name or address
    return f"{name} <{address}>" if name else address


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityVerdict:
    """A ruling that two mailboxes are one person's (`same`) or two people's, in all votes.

    An address can be a roster person's only `since` some day: earlier mails stay as they were.
    """

    same: bool
    one: Mailbox
    other: Mailbox
    by: str
    reason: str
    at: datetime
    ruling: int | None = None
    since: datetime | None = None


def clean_address(address: str) -> str:
    """The address in lower case, without the `.INVALID` that DMARC rewriting appends."""
    cleaned = address.strip().strip("<>").lower()
    while cleaned.endswith(".invalid"):
        cleaned = cleaned[: -len(".invalid")]
    return cleaned


@lru_cache(maxsize=8192)
def fold_name(name: str) -> str:
    """A name for exact comparison: without accents, case, punctuation and double spaces.

    Folding keeps every letter: "Jon Doe" and "John Doe" stay two people.
    """
    decomposed = unicodedata.normalize("NFKD", name)
    letters = "".join(c for c in decomposed if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", " ", letters.casefold()).strip()


class DoubtKind(StrEnum):
    """SENDER: may be somebody known, and counts for nothing until a person accepts it. ALIKE: two who look like one
    person count apart, and are asked about."""

    SENDER = "sender"
    ALIKE = "identity"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Two mailboxes that may be one person's. `one` is not in the roster.

    `one_voter`, `other_voter` are their voter ids if they are two people. `mails` are those of `one` with a ballot;
    `binds` are those of them whose ballots would bind if both are one person. `settled_at` is when a ruling settled it
    (None: open); the voter ids follow that ruling already.
    """

    kind: DoubtKind = DoubtKind.ALIKE
    one: Mailbox
    other: Mailbox
    one_voter: str
    other_voter: str
    why: str
    mails: tuple[str, ...] = ()
    binds: tuple[str, ...] = ()
    settled_at: datetime | None = None

    @property
    def subject(self) -> str:
        """The pair as rulings and review items name it."""
        return name_pair(self.one.key, self.other.key)


def name_pair(one: str, other: str) -> str:
    """Two keys as one text, the same in either order."""
    return " = ".join(sorted((one, other)))


def find_sides(pair: str) -> tuple[str, str]:
    """The two keys of a pair, the sender (an address or a mail's id) before the person of the roster."""
    one, _, other = pair.partition(" = ")
    return (one, other) if "@" in one or one.startswith("<") else (other, one)
