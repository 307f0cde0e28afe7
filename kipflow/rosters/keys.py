"""A project's KEYS file: the names and addresses on people's keys. A key says who somebody is, never what they may."""

from __future__ import annotations

import re

from kipflow.domain.errors import UnreadableInput
from kipflow.rosters.entries import Entry, Listing, check_count, make_entry

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
    notes: list[str] = []
    entries: list[Entry] = []
    names: list[str] = []
    emails: list[str] = []
    place = ""

    def close() -> None:
        if names or emails:
            first = names[0] if names else ""
            entry = make_entry(name=first, aliases=names[1:], emails=emails, place=place, notes=notes)
            if entry is not None:
                entries.append(entry)
        names.clear()
        emails.clear()

    in_armour = False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith((_ARMOUR_BEGIN, _ARMOUR_END)):
            in_armour = stripped.startswith(_ARMOUR_BEGIN)
            close()
            continue
        if in_armour:
            continue
        if stripped.startswith(("pub", "sec")):
            close()
        uid = _UID.match(stripped)
        mailbox = _MAILBOX.search(uid.group("rest")) if uid else None
        if mailbox is None:
            continue
        place = place if names or emails else f"line {number}"
        name = _COMMENT.sub(" ", _LEAD.sub(" ", mailbox.group("name"))).strip()
        if name:
            names.append(name)
        emails.append(mailbox.group("email"))
        check_count(len(entries), source)
    close()
    if not entries:
        raise UnreadableInput(source=source, why='has no line "uid Name <address>" (keys)')
    return Listing(entries=tuple(entries), notes=tuple(notes))
