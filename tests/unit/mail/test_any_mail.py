"""What must hold for every mail, text, header and archive, whatever it says: the corpus after small changes."""

from __future__ import annotations

import io
import json
import re
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from kipflow.domain.facts import MailKind, Message, Unreadable
from kipflow.domain.judging import judge
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
from tests.changed import change_encoding, change_lines, changed, load_archives, load_bodies, load_mails
from tests.examples import examples
from tests.unit.storable import check_storable

LIST = "dev@commons.example"
POLICY = Policy(version="test", binding_roles=frozenset({"committer"}))
NOON = datetime(2026, 3, 3, 12, tzinfo=UTC)
ATTRIBUTION = "On Tue, Mar 3, 2026 at 9:14 AM Jun Okafor <jun@okafor.example> wrote:"
REPLY = (
    b"From: Ola Berg <ola@berg.example>\nSubject: Re: [VOTE] KIP-7: x\nIn-Reply-To: <root@mail.example>\n"
    b"Message-ID: <1@mail.example>\nDate: Tue, 3 Mar 2026 10:00:00 +0000\nContent-Type: text/html; charset=utf-8\n\n"
)

mails = changed(load_mails, change_lines, change_lines, change_encoding)
bodies = changed(load_bodies, change_lines)
archives = changed(load_archives, change_lines)


def read(data: bytes) -> Message | Unreadable:
    return read_message(data, source="x#0", list_id=LIST, month="", prefix="KIP")


def check_read(found: Message | Unreadable) -> None:
    check_storable(asdict(found), type(found).__name__)
    json.dumps(asdict(found), default=str)
    if isinstance(found, Message):
        assert found.message_id.strip("<> ")
        assert len(found.references) <= limits.FIELD.size
        votes = [e for e in found.expressions if not (e.standing.is_tentative or passes_on(e.line))]
        assert len(votes) <= 1, "one writer, one vote"


def check_quoted(text: str) -> None:
    """Quoting a text casts no vote, whatever it says; a crossed box in it may be a question."""
    quote = "\n".join("> " + line for line in re.split("\r\n|[\r\n\u2028\u2029]", text))
    cast = read_expressions(find_own_words(f"{ATTRIBUTION}\n{quote}\n"))
    assert all(e.standing is Standing.QUOTED for e in cast), cast


@examples(150, HealthCheck.too_slow)
@given(mails)
def test_a_mail_is_a_message_or_unreadable_the_same_at_every_reading_and_votes_once_or_never(data: bytes) -> None:
    found = read(data)
    check_read(found)
    assert read(data) == found
    if isinstance(found, Message):
        check_quoted(found.own_text)


@examples(150, HealthCheck.too_slow)
@given(bodies)
def test_own_words_are_bounded_and_no_quoted_text_casts_a_vote(data: bytes) -> None:
    text = decode(data, "utf-8")
    words = find_own_words(text)
    assert len(words.text) <= MAX_OWN_TEXT
    for expression in read_expressions(words, author="Mara Lind"):
        check_storable(asdict(expression), "Expression")
    check_quoted(text)


@examples(100, HealthCheck.too_slow)
@given(st.one_of(changed(lambda: [body for body in load_bodies() if b"</" in body], change_lines), bodies))
def test_html_is_text_that_is_bounded_and_the_same_at_every_reading(data: bytes) -> None:
    source = decode(data, "utf-8")
    text = parse_html(source)
    assert len(text) <= 4 * MAX_TEXT
    check_storable(text[:2_000], "html")
    assert parse_html(source) == text
    check_read(read(REPLY + data))
    check_quoted(text)


@examples(150, HealthCheck.too_slow)
@given(changed(lambda: [mail.partition(b"\n\n")[0] for mail in load_mails()], change_lines))
def test_names_and_subjects_are_one_line_and_a_reply_is_about_the_same(head: bytes) -> None:
    found = read(head.rstrip(b"\n") + b"\n\n+1\n")
    check_read(found)
    if not isinstance(found, Message):
        return
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", found.author_name + found.author_address + found.subject)
    assert " " not in found.author_address
    first, again = parse_subject(found.subject, "KIP"), parse_subject(f"Re: {found.subject}"[:600], "KIP")
    # mail of trackers and automatic replies are exceptions, whatever they repeat
    if first.kind is not MailKind.OTHER and not found.subject.startswith("[") and len(found.subject) < 200:
        assert again.is_reply
        assert (again.numbers, again.topic) == (first.numbers, first.topic)


@examples(100, HealthCheck.too_slow)
@given(archives)
def test_splitting_an_archive_loses_no_byte_and_neither_order_nor_repetition_changes_a_vote(data: bytes) -> None:
    pieces = list(split_mbox(io.BytesIO(data)))
    assert b"".join(piece.data for piece in pieces).strip(b"\r\n \t\x00") == data.strip(b"\r\n \t\x00")
    found = list(FileReading(list_id=LIST, month="2026-03", prefix="KIP").read_all(pieces, "x"))
    assert len(found) >= len(pieces), "a mail was dropped in silence"
    messages = [item for item in found if isinstance(item, Message)]
    votes = find_votes(messages, Roster(()), POLICY, prefix="KIP")
    for others in (messages[::-1], messages + messages):
        assert find_votes(others, Roster(()), POLICY, prefix="KIP") == votes
        assert attribute_numbers(others) == attribute_numbers(messages)
    for vote in votes:
        counted = [b.voter for b in judge(vote, NOON + timedelta(days=400)).ballots if b.status is BallotStatus.COUNTED]
        assert len(counted) == len(set(counted)), "one voter counts twice"
        check_storable(asdict(vote), "Vote")
