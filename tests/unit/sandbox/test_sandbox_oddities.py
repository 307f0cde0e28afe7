"""The checklist: every odd kind of mail that real lists have is in the sandbox's archive, as bytes."""

from __future__ import annotations

import base64
import quopri
import re
from collections import Counter
from collections.abc import Callable
from email import message_from_bytes
from email.message import Message

import pytest

from kipflow.sandbox.story import Story


def subject(pattern: str) -> Callable[[Message, str], bool]:
    return lambda mail, _: re.search(pattern, mail.get("Subject") or "") is not None


def header(name: str, pattern: str) -> Callable[[Message, str], bool]:
    return lambda mail, _: re.search(pattern, str(mail.get(name) or ""), re.IGNORECASE) is not None


def missing(name: str) -> Callable[[Message, str], bool]:
    return lambda mail, _: "From" in mail and mail.get(name) is None


def line(pattern: str) -> Callable[[Message, str], bool]:
    """A line in the author's own words: quoted ones do not count."""
    compiled = re.compile(pattern)
    return lambda _, text: any(compiled.search(part) for part in text.splitlines() if not part.startswith(">"))


KINDS: dict[str, Callable[[Message, str], bool]] = {
    # subjects
    "discuss with colon": subject(r"^\[DISCUSS\] KIP-\d+: "),
    "discuss without colon": subject(r"^\[DISCUSS\] KIP-\d+ \w"),
    "discussion": subject(r"^\[DISCUSSION\] "),
    "kip-discussion": subject(r"^\[KIP-DISCUSSION\] "),
    "vote": subject(r"^\[VOTE\] KIP-\d+: "),
    "vote without colon": subject(r"^\[VOTE\] KIP-\d+ \w"),
    "vote in mixed case, number without hyphen": subject(r"^\[Vote\] KIP 67 "),
    "second version": subject(r"^\[VOTE\] KIP-\d+ v2"),
    "second take": subject(r"^\[VOTE\] .*\(take 2\)"),
    "result of vote": subject(r"^\[RESULT\] \[VOTE\] "),
    "results": subject(r"^\[RESULTS\] "),
    "result, no space": subject(r"^\[RESULT\]\[VOTE\] "),
    "cancelled": subject(r"^\[CANCELLED\] \[VOTE\] "),
    "canceled": subject(r"^\[CANCELED\] \[VOTE\] "),
    "result under a subject of its own": subject(r"^\[RESULT\] Tombstone"),
    "RE:": subject(r"^RE: "),
    "AW:": subject(r"^AW: "),
    "Fwd:": subject(r"^Fwd: "),
    "repeated reply marks": subject(r"^Re: Re: Fwd: "),
    "folded subject": lambda mail, _: "\n" in (mail.get("Subject") or ""),
    "release vote without a number": subject(r"^\[VOTE\] Release"),
    # headers
    "no subject": missing("Subject"),
    "no date": missing("Date"),
    "no date at all": lambda mail, _: "From" in mail and mail.get("Date") is None and ";" not in str(mail["Received"]),
    "no message id": missing("Message-ID"),
    "list rewriting with Reply-To": lambda mail, _: " via dev" in str(mail["From"]) and "<" in str(mail["Reply-To"]),
    "list rewriting with Cc": lambda mail, _: mail.get("Cc") is not None and mail["Reply-To"] == "dev@sandbox.example",
    ".INVALID": header("From", r"\.INVALID>$"),
    "date in GMT": header("Date", r" GMT$"),
    "date without weekday": header("Date", r"^\d"),
    "date with two digits of year": header("Date", r"\w{3} \d\d \d\d:"),
    "date long ago": header("Date", r" 1970 "),
    "date far ahead": header("Date", r" 2083 "),
    "date that is none": header("Date", r"^yesterday"),
    "date that can't be": header("Date", r"^Wed, 32 "),
    "encoded name": header("From", r"=\?UTF-8\?B\?"),
    # bodies
    "html only": header("Content-Type", r"^text/html"),
    "html blockquote": lambda mail, text: mail.get_content_type() == "text/html" and "<blockquote" in text,
    "alternative": header("Content-Type", r"^multipart/alternative"),
    "base64": header("Content-Transfer-Encoding", "base64"),
    "quoted-printable": header("Content-Transfer-Encoding", "quoted-printable"),
    "flowed": header("Content-Type", "format=flowed"),
    "latin-1": header("Content-Type", "iso-8859-1"),
    "unknown charset": header("Content-Type", "x-sandbox-9"),
    "From line, not escaped": line(r"^From an operator's chair"),
    "From line, escaped": lambda _, text: "\n>From here it looks" in text,
    "Outlook's block": line(r"^Sent: \d\d "),
    "list footer": line(r"^To unsubscribe, e-mail: "),
    "signature mark": line(r"^-- $"),
    "German attribution": line(r"^Am \d\d\.\d\d\.\d\d um .* schrieb "),
    # ballots
    "bare": line(r"^\+1$"),
    "binding": line(r"^\+1 \(binding\)$"),
    "binding without brackets": line(r"^\+1 binding$"),
    "binding, misspelt and bold": line(r"^\*\+1 \(biding\)\*$"),
    "binding after a comma": line(r"^\+1, binding\.$"),
    "space after the sign": line(r"^\+ 1 \(binding\)"),
    "full-width brackets": line(r"^\+1 binding （"),
    "LGTM": line(r"^LGTM, \+1 \(binding\) from me"),
    "otherwise": line(r"^Otherwise, \+1\."),
    "aside from that": line(r"^\+1 \(non-binding\) aside from that"),
    "zero": line(r"^0 \(binding\)"),
    "plus zero": line(r"^\+0$"),
    "minus zero": line(r"^-0$"),
    "fraction against": line(r"^-0\.9"),
    "fraction for": line(r"^\+0\.5"),
    "against, because": line(r"^-1 \(binding\), because"),
    "yes without a number": line(r"^Non binding but it works well for me"),
    "change of vote": line(r"I change my vote to \+1"),
    "withdrawn": line(r"^I withdraw my -1"),
    "condition for": line(r"^\+1 \(binding\) if "),
    "condition against": line(r"^-1 \(binding\) until "),
    "own vote in the call": line(r"^I am \+1 \(binding\) on my own proposal"),
    # what looks like a ballot
    "agreeing with a comment": line(r"^\+1 on Ana's comment"),
    "agreeing with a suggestion": line(r"I'm \+1 to (?:that|Ana's) suggestion"),
    "a thousand": line(r"^\+1000 "),
    "an offset": line(r"the offset is -1"),
    "telephone": line(r"\+1 \(\d{3}\) 555-01\d\d"),
    "time zone in an attribution": line(r"^On .* \+0100, .* wrote:"),
    "ballot template": line(r"^\[ \] \+1 "),
    "quoted ballot template": lambda _, text: "\n> [ ] +1 " in text,
    "somebody else's summary": line(r"^So far I count \+1 from"),
    "against an idea, no vote": line(r"^-1 to the idea"),
    "line counts of a change": line(r"^ +\+1 line, -1 line"),
    "plain reply that closes": lambda mail, text: str(mail["Subject"]).startswith("Re: ") and "The vote passes" in text,
}


@pytest.fixture(scope="module")
def read(story: Story) -> list[tuple[Message, str]]:
    return [(mail := message_from_bytes(m.raw), text_of(mail)) for m in story.mails]


def text_of(mail: Message) -> str:
    """The body without its transfer encoding, charset problems aside."""
    part = mail.get_payload(0) if mail.is_multipart() else mail
    raw = str(part.get_payload()).encode("utf-8", "surrogateescape")
    encoding = str(part.get("Content-Transfer-Encoding") or "")
    if encoding == "base64":
        raw = base64.b64decode(raw)
    elif encoding == "quoted-printable":
        raw = quopri.decodestring(raw)
    return raw.decode("utf-8", "replace")


@pytest.mark.parametrize("kind", KINDS)
def test_the_archive_holds_a_mail_of_each_odd_kind(kind: str, read: list[tuple[Message, str]]) -> None:
    assert any(KINDS[kind](mail, text) for mail, text in read)


def test_one_mail_is_held_twice(story: Story) -> None:
    bodies = Counter(m.raw.partition(b"\n\n")[2] for m in story.mails if b"Subject: Re: [VOTE] KIP-72" in m.raw)
    assert sorted(bodies.values())[-1] == 2


def test_two_different_mails_share_a_message_id(read: list[tuple[Message, str]]) -> None:
    shared = [text for mail, text in read if mail["Message-ID"] == "<JIRA.77101.1.0@sandbox.example>"]
    assert len(set(shared)) == 2


def test_one_person_votes_from_two_addresses(read: list[tuple[Message, str]]) -> None:
    senders = {
        str(mail["From"])
        for mail, text in read
        if "KIP-66" in str(mail["Subject"]) and re.search(r"^\+1 \(binding\)$", text, re.MULTILINE)
    }
    assert {s for s in senders if s.startswith("Leila Okafor")} == {
        "Leila Okafor <lokafor@sandbox.example>",
        "Leila Okafor <leila.okafor@brightharbor.example>",
    }


def test_a_few_mails_cannot_be_read_at_all(read: list[tuple[Message, str]]) -> None:
    known = ("From", "Subject", "Date", "Message-ID", "To", "Received")
    assert sum(not any(mail.get(name) for name in known) for mail, _ in read) == 2
