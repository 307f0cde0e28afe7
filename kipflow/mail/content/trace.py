"""The lines that hosts wrote on top of a mail: Received lines, and results of authentication (RFC 8601).

Each host adds its lines above the existing ones. So a sender can forge any line *below* those of the hosts that
received the mail, and none above: only its position makes a line trustworthy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from kipflow.mail.content.dates import parse_date
from kipflow.mail.content.headers import Headers, unfold
from kipflow.mail.content.mailboxes import find_comment_end, find_quote_end

#: Names under which a host passes a mail to itself, for example to a filter behind the mail server.
_ITSELF = frozenset({"localhost", "localhost.localdomain", "127.0.0.1", "[127.0.0.1]"})
_COMMENT = re.compile(r"\(([^()]{0,500})\)")
_BY = re.compile(r"(?:^|\s)by\s+([^\s;]{1,255})", re.IGNORECASE)
_FROM = re.compile(r"\s*from\s+(\S{1,255})\s*(?:\(([^()]{0,500})\))?", re.IGNORECASE)
_HOST = re.compile(r"(?:(?<=helo=)|(?<![\w.@=:-]))(?:(?:[\w-]{1,63}\.){1,10}[a-z][\w-]{1,62}|localhost|unknown)\b")
#: Most lines that are read; no real mail goes through more hosts.
MAX_LINES = 60


class _Step(StrEnum):
    """What a Received line says about the route of a mail."""

    WITHIN = "within a host"
    BETWEEN = "between receiving hosts"
    ENTRY = "from outside to a receiving host"
    ELSEWHERE = "to another host"


def _read_step(line: bytes, receivers: tuple[str, ...]) -> _Step:
    # the part that differs in every mail is cut off: few routes are left
    way, _, rest = line.partition(b" id ")
    return _read_way(way if rest and b"by " in way else line.rpartition(b";")[0], receivers)


@lru_cache(maxsize=4096)
def _read_way(line: bytes, receivers: tuple[str, ...]) -> _Step:
    way = unfold(line)
    by, giver = _BY.search(_COMMENT.sub(" ", way)), _FROM.match(way)
    host = by[1].lower().rstrip(".") if by is not None else ""
    if host in _ITSELF or (not host and giver is None):
        return _Step.WITHIN
    if not is_of(host, receivers):
        return _Step.ELSEWHERE
    return _Step.BETWEEN if giver is None or _is_inside(giver, receivers) else _Step.ENTRY


def _is_inside(giver: re.Match[str], receivers: Sequence[str]) -> bool:
    """Whether the mail came from a receiving host, or from the host that wrote the line.

    "from CLAIM (NAME [ADDRESS])": the claim is often only what the other host calls itself. So every name must be
    a receiver's, and there must be one besides the claim.
    """
    claim, comment = giver[1].lower(), (giver[2] or "").lower()
    names = _HOST.findall(comment)
    if not names or "forged" in comment:
        return False
    if claim in _ITSELF:
        return all(name in _ITSELF for name in names)
    return all(is_of(name, receivers) for name in (claim, *names))


def is_of(host: str, hosts: Sequence[str]) -> bool:
    """Whether a host is one of `hosts`, or below one: "mx1.x.example" of "x.example"."""
    return any(host == own or host.endswith(f".{own}") for own in hosts)


def is_aligned(one: str, other: str) -> bool:
    """Whether two domains are one organization's: equal, or one below the other.

    Siblings are not: that would need the list of public suffixes. A domain of one label belongs to nobody.
    """
    return "." in one and "." in other and (is_of(one, (other,)) or is_of(other, (one,)))


def find_received(headers: Headers, receivers: Sequence[str]) -> datetime | None:
    """When the receiving host took the mail, by its own Received line.

    That is the topmost line; if the receiving hosts are known, it must be theirs. Nothing below a line of another
    host is read: whoever passed the mail to that host may have written it.
    """
    line = headers.first.get("received", b"")
    if receivers and line:
        own = tuple(receivers)
        steps = ((value, _read_step(value, own)) for name, value in headers.fields if name == "received")
        line, step = next((pair for pair in steps if pair[1] is not _Step.WITHIN), (b"", _Step.ELSEWHERE))
        if step is _Step.ELSEWHERE:
            return None
    return parse_date(unfold(line.rpartition(b";")[2]))


@dataclass(frozen=True, slots=True)
class Results:
    """Results of authentication, without the host's name, comments, and quoted text (a sender chooses the local part of
    an address, and more).

    `trusted` results are above the line by which the mail came in from outside. Results right `below` it under a
    receiving host's name may be that host's or the sender's: failures count there, as no sender forges one.
    """

    trusted: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    #: whether a line by which the mail came in from outside was found
    has_entry: bool = False


def find_results(headers: Headers, receivers: Sequence[str]) -> Results:
    """What the receiving hosts found out about the sender."""
    if not receivers or not headers.first.keys() & _RESULTS:
        return Results()
    found: list[tuple[str, bool]] = []
    trusted: tuple[str, ...] | None = None
    own = tuple(receivers)
    for name, value in [field for field in headers.fields if field[0] in _TRACES][:MAX_LINES]:
        if name != "received":
            line = _strip_quoted(unfold(value))
            results = _read_spf(line) if name == "received-spf" else _read_results(line, own, sealed=name != _PLAIN)
            # below, a domain without a policy is doubted only with the host that sent the mail
            refuses = _NO_POLICY.search(value) is None or b"spf=fail" in value.lower()
            found.extend([(results, refuses)] if results else [])
        elif trusted is not None or (step := _read_step(value, own)) is _Step.ELSEWHERE:
            break
        elif step is _Step.ENTRY:
            trusted, found = tuple(results for results, _ in found), []
    # without a line from outside all of them may be the sender's
    return Results(trusted or (), tuple(results for results, refuses in found if refuses), trusted is not None)


def _read_results(line: str, own: Sequence[str], *, sealed: bool) -> str:
    """What a line of results says if one of these hosts wrote it, else ""; a sealed line begins with a number."""
    host, _, results = (line.partition(";")[2] if sealed else line).partition(";")
    host = next(iter(host.split()), "")  # a version may follow
    return results if is_of(host.lower(), own) else ""


def _read_spf(line: str) -> str:
    """A Received-SPF line (RFC 7208) in the form of the other results; "" if it is older than that RFC.

    It does not name its writer: its position makes it a receiving host's. "Fail identity=mailfrom; client-ip=…;
    helo=…; envelope-from=ola@berg.example; receiver=…": the sender may have written the others: no envelope.
    """
    outcome, _, rest = line.strip().partition(" ")
    pairs = [pair.strip().partition("=")[::2] for pair in rest.split(";") if "=" in pair]
    envelopes = [value for key, value in pairs if key == "envelope-from"]
    is_helo = ("identity", "helo") in pairs
    about = f" smtp.mailfrom={envelopes[0]}" if len(envelopes) == 1 and not is_helo else ""
    return f"spf={outcome}{about}" if pairs else ""


def _strip_quoted(line: str) -> str:
    """A structured field without comments and quoted text; a quoted word (header.d="x.example") is that word.

    An unclosed quote or bracket is left out with its text.
    """
    kept, position = [], 0
    while (mark := _MARK.search(line, position)) is not None:
        kept.append(line[position : mark.start()])
        is_quote = mark[0] == '"'
        position = (find_quote_end if is_quote else find_comment_end)(line, mark.start())
        if not position:
            return "".join(kept)
        words = line[mark.start() + 1 : position - 1]
        is_word = is_quote and _WORD.fullmatch(words) is not None and line[position : position + 1] != "@"
        kept.append(words if is_word else "_" if is_quote else " ")
    return "".join([*kept, line[position:]])


_MARK = re.compile(r'["(]')
_WORD = re.compile(r"[\w.@+-]+")
#: "dmarc=fail (p=none dis=none)": beside that result, not in another one that a sender chose
_NO_POLICY = re.compile(rb"\bdmarc\s*=\s*\w+\b[^;()]*(?:\([^)]*\bp=none|\bpolicy\.p=none)", re.IGNORECASE)
_PLAIN = "authentication-results"
_RESULTS = frozenset({_PLAIN, f"arc-{_PLAIN}", "received-spf"})
_TRACES = _RESULTS | {"received"}
