"""What the hosts that handled a mail wrote on top of it: Received lines, and results of authentication (RFC 8601).

Each host puts its lines above those that it got. So a sender can write any line *below* those of the hosts that
received the mail, and none above: a line is believed only by where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice

from kipflow.mail.content.headers import Headers, parse_date

#: Names by which a host hands a mail to itself: a filter behind the mail server, say.
_ITSELF = frozenset({"localhost", "localhost.localdomain", "127.0.0.1", "[127.0.0.1]"})
_COMMENT = re.compile(r"\(([^()]{0,500})\)")
_BY = re.compile(r"(?:^|\s)by\s+([^\s;]{1,255})", re.IGNORECASE)
_FROM = re.compile(r"\s*from\s+(\S{1,255})\s*(?:\(([^()]{0,500})\))?", re.IGNORECASE)
_HOST = re.compile(r"(?:(?<=helo=)|(?<![\w.@=:-]))(?:(?:[\w-]{1,63}\.){1,10}[a-z][\w-]{1,62}|localhost|unknown)\b")
#: Lines that are looked at; a mail that went through more hosts is none.
MAX_LINES = 60


def _find_writer(line: str) -> str:
    """The host that wrote a Received line; empty for a step within a host, which says no name or "localhost"."""
    found = _BY.search(_COMMENT.sub(" ", line.rpartition(";")[0]))
    host = found[1].lower().rstrip(".") if found is not None else ""
    return "" if host in _ITSELF else host


def _came_from_outside(line: str, receivers: Sequence[str]) -> bool:
    """Whether a receiving host's Received line says that it got the mail from a host that is none of them.

    "from CLAIM (NAME [ADDRESS])": what follows "from" is often only what the other host calls itself. So every name
    must be a receiver's, and one must stand beside the claim.
    """
    giver = _FROM.match(line)
    if giver is None:
        return False
    claim, comment = giver[1].lower(), (giver[2] or "").lower()
    names = _HOST.findall(comment)
    if claim in _ITSELF and names and all(name in _ITSELF for name in names):
        return False
    return "forged" in comment or not names or not all(is_of(name, receivers) for name in (claim, *names))


def is_of(host: str, receivers: Sequence[str]) -> bool:
    """Whether a host is one of the receiving ones, or below one: "mx1.x.example" of "x.example"."""
    return any(host == own or host.endswith(f".{own}") for own in receivers)


def find_received(headers: Headers, receivers: Sequence[str]) -> datetime | None:
    """When the receiving host took the mail, by its own Received line.

    That is the topmost line; where the receiving hosts are known, only if it is theirs. Nothing below a line of
    another host is looked at: whoever gave the mail to that host may have written it.
    """
    top = headers.raw("received")
    line = top.decode("ascii", "replace") if top is not None else ""
    if receivers and top is not None:
        line = next((line for _, line in _read_fields(headers, _RECEIVED) if _find_writer(line)), "")
        if not is_of(_find_writer(line), receivers):
            return None
    return parse_date(line.rpartition(";")[2])


def find_results(headers: Headers, receivers: Sequence[str]) -> tuple[str, ...]:
    """What the receiving hosts found out about the sender: their results of authentication, without the host's name.

    Only those above the line by which the mail came in from outside. A host that puts its results below that line
    can't be told from a sender who writes them there, and is not believed.
    """
    found: list[str] = []
    if not receivers or not headers.first.keys() & _RESULTS:
        return ()
    for name, line in _read_fields(headers, _RECEIVED | _RESULTS):
        if name in _RESULTS:
            host, _, results = (line.partition(";")[2] if name.startswith("arc-") else line).partition(";")
            host = next(iter(_COMMENT.sub(" ", host).split()), "")  # a version may follow
            if is_of(host.lower(), receivers):
                found.append(results)
        elif writer := _find_writer(line):
            if not is_of(writer, receivers):
                return ()
            if _came_from_outside(line, receivers):
                return tuple(found)
    return ()


_RECEIVED = frozenset({"received"})
_RESULTS = frozenset({"authentication-results", "arc-authentication-results"})


def _read_fields(headers: Headers, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    for name, value in islice(headers.select(names), MAX_LINES):
        yield name, value.decode("ascii", "replace")
