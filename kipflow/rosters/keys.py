"""A project's KEYS file: the names and addresses on people's keys. A key says who somebody is, never what they may."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kipflow.domain.errors import UnreadableInput
from kipflow.rosters.entries import Collector, Listing

_ARMOUR_BEGIN, _ARMOUR_END = "-----BEGIN PGP", "-----END PGP"
#: `uid   [ultimate] Mara Lind (CODE SIGNING KEY) <mlind@apache.org>`, older: `pub 1024D/1A2B 2005-01-01 Mara …`.
_UID = re.compile(r"(?:uid|sec|pub)\b[ \t:]*(?P<rest>\S.{0,400})")
_MAILBOX = re.compile(r"(?P<name>[^<>]{0,300})<(?P<email>[^<>]{3,254})>")
_LEAD = re.compile(r"\[[^\]]{0,20}\]|\b(?:rsa|dsa|ed|nistp)?\d{3,5}[A-Za-z]?/\w{8,40}\b|\b\d{4}-\d{2}-\d{2}\b|^\W+")
_COMMENT = re.compile(r"\([^()]{0,200}\)")


def parse_keys(text: str, *, source: str) -> Listing:
    """One entry for each key, with the names and addresses of all its user ids. It has no roles.

    Raises:
        UnreadableInput: there is no user id in it.
    """
    found = Collector(source)
    for number, people in _split_keys(text):
        names = [name for name, _ in people if name]
        emails = [email for _, email in people]
        found.add(name=names[0] if names else "", aliases=names[1:], emails=emails, place=f"line {number}")
    if not found.entries:
        raise UnreadableInput(source=source, why='has no line "uid Name <address>" (keys)')
    return found.as_listing()


def _split_keys(text: str) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Each key's user ids as names and addresses, with the line of the first."""
    people: list[tuple[str, str]] = []
    first = 0
    in_armour = False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        is_edge = stripped.startswith((_ARMOUR_BEGIN, _ARMOUR_END))
        if people and (is_edge or stripped.startswith(("pub", "sec"))):
            yield first, people
            people = []
        if is_edge:
            in_armour = stripped.startswith(_ARMOUR_BEGIN)
        mailbox = None if in_armour or is_edge else _find_mailbox(stripped)
        if mailbox is not None:
            first = first if people else number
            people.append((_COMMENT.sub(" ", _LEAD.sub(" ", mailbox["name"])).strip(), mailbox["email"]))
    if people:
        yield first, people


def _find_mailbox(line: str) -> re.Match[str] | None:
    uid = _UID.match(line)
    return _MAILBOX.search(uid["rest"]) if uid is not None else None
