"""The Atom feed of transitions (RFC 4287) and the calendar of vote closings (RFC 5545)."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree

from kipflow.domain.clocks import VoteState
from kipflow.domain.texts import is_web_address
from kipflow.domain.times import render_machine_time
from kipflow.services.board import ProposalView, RecordedTransition
from kipflow.services.wording import say_rule

#: Entries of the feed; a client that polls once a week misses none, even of a busy community.
ENTRIES = 100
_ATOM = "http://www.w3.org/2005/Atom"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: The most octets of a calendar line, without its line end.
_FOLD = 75


def make_uid(*parts: object) -> str:
    """A UID that is the same for the same parts on every machine."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "kipflow:" + "/".join(str(part) for part in parts)))


def render_atom(community: str, title: str, views: Iterable[ProposalView]) -> str:
    """The newest transitions, latest recorded first; corrections are entries, retracted entries are marked."""
    found = [(r, view) for view in views for r in view.history]
    found.sort(key=lambda pair: (pair[0].recorded_at, pair[0].transition.at, pair[1].proposal.number), reverse=True)
    newest = found[:ENTRIES]
    feed = ElementTree.Element("feed", xmlns=_ATOM)
    _add(feed, "id", f"urn:uuid:{make_uid(community)}")
    _add(feed, "title", f"{title}: proposals")
    _add(feed, "updated", render_machine_time(newest[0][0].recorded_at if newest else _EPOCH))
    _add(_add(feed, "author"), "name", title)
    _add(feed, "link", rel="self", href="feed.atom")
    _add(feed, "link", rel="alternate", type="text/html", href="index.html")
    for recorded, view in newest:
        _add_entry(feed, community, recorded, view)
    ElementTree.indent(feed)
    return ElementTree.tostring(feed, encoding="unicode", xml_declaration=False) + "\n"


def _add_entry(feed: ElementTree.Element, community: str, recorded: RecordedTransition, view: ProposalView) -> None:
    move = recorded.transition
    entry = _add(feed, "entry")
    name = make_uid(community, move.number, move.target, move.at.isoformat(), recorded.recorded_at.isoformat())
    _add(entry, "id", f"urn:uuid:{name}")
    _add(entry, "title", f"{view.key}: {view.proposal.title}: {move.target}")
    _add(entry, "updated", render_machine_time(recorded.recorded_at))
    _add(entry, "published", render_machine_time(move.at))
    _add(entry, "link", rel="alternate", type="text/html", href=f"proposals/{move.number}.html")
    source = f"{move.source} to {move.target}" if move.source else str(move.target)
    taken_back = " (retracted since)" if recorded.retracted else ""
    _add(entry, "summary", f"{source}, because {say_rule(move.rule)}{taken_back}")


def _add(parent: ElementTree.Element, name: str, text: str = "", **attributes: str) -> ElementTree.Element:
    child = ElementTree.SubElement(parent, name, attributes)
    child.text = text or None
    return child


def render_calendar(community: str, title: str, views: Iterable[ProposalView]) -> str:
    """One event for each round that was not cancelled, at its earliest close."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//kipflow//votes//EN", "CALSCALE:GREGORIAN"]
    lines.append(f"X-WR-CALNAME:{escape_text(title)}: votes")
    for view in views:
        for state in view.votes:
            if state.vote.ended_at is None:
                lines.extend(_render_event(community, view, state))
    lines.append("END:VCALENDAR")
    return "".join(fold_line(line) + "\r\n" for line in lines)


def _render_event(community: str, view: ProposalView, state: VoteState) -> Sequence[str]:
    vote, closes = state.vote, state.terms.earliest_close
    url = view.links.get(vote.root_message_id, "")
    return [
        "BEGIN:VEVENT",
        f"UID:{make_uid(community, view.key, 'vote', vote.round)}",
        # the time of the event, not of the file: the same store gives the same bytes
        f"DTSTAMP:{_render_stamp(vote.opened_at)}",
        f"DTSTART:{_render_stamp(closes)}",
        f"SUMMARY:{escape_text(f'{view.key}: {view.proposal.title}: the vote closes at the earliest')}",
        f"DESCRIPTION:{escape_text(f'Round {vote.round}, called by {vote.opened_by}')}",
        *([f"URL:{url}"] if is_web_address(url) else []),
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def _render_stamp(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def escape_text(text: str) -> str:
    """A TEXT value: backslash, semicolon, comma and line ends escaped, control characters removed."""
    for plain, escaped in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\r\n", "\\n"), ("\n", "\\n")):
        text = text.replace(plain, escaped)
    return "".join(c if c >= " " and c != "\x7f" else " " for c in text)


def fold_line(line: str) -> str:
    """The line folded at 75 octets, never within a character."""
    if line.isascii() and len(line) <= _FOLD:
        return line
    pieces, size, start = [], 0, 0
    for place, character in enumerate(line):
        octets = len(character.encode())
        if size + octets > _FOLD:
            pieces.append(line[start:place])
            start, size = place, 1  # the space before a continued piece counts
        size += octets
    return "\r\n ".join([*pieces, line[start:]])
