"""The fuzz targets and their invariants: no exception, and the rules of each reader. A breach raises `Violation`."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from kipflow.domain.errors import UnreadableInput
from kipflow.domain.facts import MailKind, Message, Unreadable
from kipflow.domain.judging import judge
from kipflow.domain.pages import WikiPage
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster
from kipflow.domain.votes import BallotStatus, Standing
from kipflow.mail import limits
from kipflow.mail.content.charsets import decode
from kipflow.mail.content.html import parse_html
from kipflow.mail.content.text import MAX_TEXT
from kipflow.mail.filereading import FileReading
from kipflow.mail.messages import read_message
from kipflow.mail.quoting import MAX_OWN_TEXT, find_own_words
from kipflow.mail.rounds.linking import attribute_numbers
from kipflow.mail.subjects import parse_subject
from kipflow.mail.threads import find_votes
from kipflow.mail.votes.reading import read_expressions
from kipflow.mail.votes.relayed import passes_on
from kipflow.mbox.splitting import split_mbox
from kipflow.wiki.diffs import diff_pages
from kipflow.wiki.index_reading import parse_index_page
from kipflow.wiki.lint import lint_page, lint_text
from kipflow.wiki.pages import parse_page

LIST = "dev@commons.example"
POLICY = Policy(version="fuzz", binding_roles=frozenset({"committer"}))
ROSTER = Roster(())
NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)
ATTRIBUTION = "On Tue, Mar 3, 2026 at 9:14 AM Jun Okafor <jun@okafor.example> wrote:"
#: The longest allowed fields of a message, in characters; longer ones could not be stored or shown.
LONGEST = {"subject": 1_000, "raw_from": 500, "own_text": MAX_OWN_TEXT, "message_id": 1_000, "in_reply_to": 1_000}
LONGEST_OTHER = 2_000
REPLY = (
    b"From: Ola Berg <ola@berg.example>\nSubject: Re: [VOTE] KIP-7: x\nIn-Reply-To: <root@mail.example>\n"
    b"Message-ID: <fuzz@mail.example>\nDate: Tue, 3 Mar 2026 10:00:00 +0000\n"
)


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Violation(Exception):
    """An invariant does not hold for an input."""


def demand(holds: object, what: str) -> None:
    if not holds:
        raise Violation(what)


def read(data: bytes) -> Message | Unreadable:
    return read_message(data, source="fuzz#0", list_id=LIST, month="", prefix="KIP")


def check_value(value: Any, where: str) -> None:
    """Texts are bounded, and the store and JSON accept them; times are aware and within the calendar."""
    if isinstance(value, str):
        field = where.rpartition(".")[2]
        demand(len(value) <= LONGEST.get(field, LONGEST_OTHER), f"{where} holds {len(value)} characters")
        demand("\x00" not in value, f"{where} holds a NUL")
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise Violation(f"{where} holds a lone surrogate") from error
    elif isinstance(value, datetime):
        demand(value.tzinfo is UTC, f"{where} is not in UTC")
    elif isinstance(value, dict):
        for name, inner in value.items():
            check_value(inner, f"{where}.{name}")
    elif isinstance(value, list | tuple):
        for inner in value:
            check_value(inner, where)


def check_message(found: Message | Unreadable) -> None:
    demand(isinstance(found, Message | Unreadable), "neither Message nor Unreadable")
    check_value(asdict(found), type(found).__name__)
    json.dumps(asdict(found), default=str)
    if isinstance(found, Message):
        demand(found.message_id.strip("<> "), "a message without an id")
        demand(len(found.references) <= limits.FIELD.size, "too many references")
        votes = [e for e in found.expressions if not (e.standing.is_tentative or passes_on(e.line))]
        demand(len(votes) <= 1, "more than one vote of its writer in one mail")


def check_quoted(text: str) -> None:
    """Quoting a text casts no vote, whatever it says; a crossed box in it may be a question."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n").split("\n")
    quote = "\n".join("> " + line for line in lines[:2_000])
    cast = read_expressions(find_own_words(f"{ATTRIBUTION}\n{quote}\n"))
    demand(all(e.standing is Standing.QUOTED for e in cast), f"a quoted text votes: {cast!r:.300}")


def check_mail(data: bytes) -> None:
    found = read(data)
    check_message(found)
    demand(read(data) == found, "reading twice differs")
    if isinstance(found, Message):
        check_quoted(found.own_text)


def check_mbox(data: bytes) -> None:
    pieces = list(split_mbox(io.BytesIO(data)))
    if b"\x01\x01\x01\x01\n" not in data:
        kept = b"".join(piece.data for piece in pieces).strip(b"\r\n \t\x00")
        demand(kept == data.strip(b"\r\n \t\x00"), "splitting lost bytes")
    found = list(FileReading(list_id=LIST, month="2026-03", prefix="KIP").read_all(pieces, "fuzz"))
    demand(len(found) >= len(pieces), "a mail was dropped in silence")
    messages = [item for item in found if isinstance(item, Message)]
    votes = find_votes(messages, ROSTER, POLICY, prefix="KIP")
    demand(find_votes(messages[::-1], ROSTER, POLICY, prefix="KIP") == votes, "the order of arrival changes a vote")
    demand(find_votes(messages + messages, ROSTER, POLICY, prefix="KIP") == votes, "reading twice changes a vote")
    demand(attribute_numbers(messages) == attribute_numbers(messages[::-1]), "the order changes a number")
    for vote in votes:
        counted = [b.voter for b in judge(vote, NOON + timedelta(days=400)).ballots if b.status is BallotStatus.COUNTED]
        demand(len(counted) == len(set(counted)), "one voter counts twice")
        check_value(asdict(vote), "Vote")


def check_text(data: bytes) -> None:
    text = decode(data, "utf-8")
    words = find_own_words(text)
    demand(len(words.text) <= MAX_OWN_TEXT, "own words without bound")
    for expression in read_expressions(words, author="Mara Lind"):
        check_value(asdict(expression), "Expression")
    check_quoted(text)


def check_html(data: bytes) -> None:
    source = decode(data, "utf-8")
    text = parse_html(source)
    demand(len(text) <= 4 * MAX_TEXT, f"HTML gave {len(text)} characters")
    check_value(text[:2_000], "html")
    demand(parse_html(source) == text, "reading twice differs")
    check_message(read(REPLY + b"Content-Type: text/html; charset=utf-8\n\n" + data))
    check_quoted(text)


def check_headers(data: bytes) -> None:
    found = read(data.rstrip(b"\n") + b"\n\n+1\n")
    check_message(found)
    if isinstance(found, Message):
        demand("\n" not in found.author_name + found.author_address + found.subject, "a header holds a line end")
        shown = found.author_name + found.author_address + found.subject
        demand(not _CONTROL.search(shown), "a control character is shown")
        demand(" " not in found.author_address, "an address holds a blank")
        first, again = parse_subject(found.subject, "KIP"), parse_subject(f"Re: {found.subject}"[:600], "KIP")
        # mail of trackers and automatic replies are exceptions, whatever they repeat
        if first.kind is not MailKind.OTHER and not found.subject.startswith("[") and len(found.subject) < 200:
            demand(again.is_reply, "Re: makes no reply")
            demand(again.numbers == first.numbers, "a reply is about other proposals")
            demand(again.topic == first.topic, "a reply has another topic")


def check_page(data: bytes) -> None:
    body = decode(data, "utf-8")
    try:
        given = WikiPage(page_id="1", version=1, title="KIP-7: x", body=body, saved_at=NOON, saved_by="x")
        page = parse_page(given, "KIP")
        demand(diff_pages(body, body) == (), "a page differs from itself")
        check_value({**asdict(page), "body": ""}, "PageVersion")
        check_value([asdict(fault) for fault in lint_page(body, title="KIP-7: x", prefix="KIP", source="x")], "Fault")
        check_value(asdict(parse_index_page(body, "KIP", NOON)), "ParsedIndex")
    except UnreadableInput as error:
        demand(str(error), "an error without words")
    lint_text(body, title="KIP-7: x", prefix="KIP")


TARGETS: dict[str, Callable[[bytes], None]] = {
    "mail": check_mail,
    "mbox": check_mbox,
    "page": check_page,
    "text": check_text,
    "html": check_html,
    "headers": check_headers,
}
