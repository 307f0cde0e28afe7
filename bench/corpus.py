"""A made-up developers' list with the shape of real ones: mostly ticket mail, some proposals and votes.

Deterministic: the same number of mails and seed give the same bytes. A mail has about 8 KB, of which some 3 KB in 60
lines are headers of relays, list server, spam filter and signatures, as on Apache's lists.
"""

from __future__ import annotations

import base64
import quopri
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

_WORDS = (
    "broker client record batch offset commit leader replica partition index segment flush fetch request response "
    "protocol version default config timeout metric thread group member assignor rebalance state store changelog "
    "topology window join stream table connector task worker plugin schema header compaction retention quorum vote"
)
WORDS = _WORDS.split()
PEOPLE = [f"Person {chr(65 + n % 26)}{n}" for n in range(60)]
START = datetime(2020, 1, 1, tzinfo=UTC)


def write_mbox(path: Path, mails: int, *, seed: int = 7, first: int = 0) -> int:
    """Write an mbox of `mails` mails, numbered from `first`, and return its size in bytes."""
    with path.open("wb") as file:
        for mail in make_mails(mails, seed=seed, first=first):
            file.write(mail)
        return file.tell()


def make_mails(mails: int, *, seed: int = 7, first: int = 0) -> Iterator[bytes]:
    random_ = random.Random(seed)
    for number in range(first, first + mails):
        yield _make_mail(random_, number)


def _make_mail(random_: random.Random, number: int) -> bytes:
    at = START + timedelta(minutes=7 * number)
    author = random_.choice(PEOPLE)
    address = f"{author.split()[1].lower()}@x.example"
    ticket = random_.random() < 0.6
    subject, body = _ticket(random_) if ticket else _talk(random_, number)
    headers = [
        f"From {address} {at:%a %b %d %H:%M:%S %Y}",
        *_added(random_, address, at),
        f"Message-ID: <{number}.{_mark(number)}@x.example>",
        f"Date: {format_datetime(at)}",
        f"From: {author} <{address}>",
        "To: dev@list.example",
        f"Subject: {subject}",
    ]
    if subject.startswith("Re:"):
        parent = max(0, number - random_.randint(1, 40))
        headers.append(f"In-Reply-To: <{parent}.{_mark(parent)}@x.example>")
        headers.append(f"References: <{parent}.{_mark(parent)}@x.example>")
    encoding, data = _encode(random_, body)
    return "\n".join(headers + encoding).encode("utf-8") + b"\n\n" + data + b"\n\n"


def _added(random_: random.Random, address: str, at: datetime) -> Iterator[str]:
    """The headers that servers add on the way to the archive."""
    yield f"Return-Path: <dev-return-{random_.randint(1, 99999)}-archive=x.example@list.example>"
    yield "X-Original-To: archive@x.example"
    yield from (f"Delivered-To: {name}@x.example" for name in ("archive", "mailing list dev", "moderator for dev"))
    for hop in range(8):
        relay = f"from relay{hop}.x.example (relay{hop}.x.example [192.0.2.{hop}])"
        yield (
            f"Received: {relay}\n\tby mail{hop}.x.example (Postfix) with ESMTPS id {_noise(random_, 6)}\n"
            f"\tfor <dev@list.example>; {format_datetime(at)}"
        )
    yield "Mailing-List: contact dev-help@list.example; run by ezmlm"
    yield "Precedence: bulk"
    yield from (f"List-{name}: <mailto:dev-{name.lower()}@list.example>" for name in ("Help", "Unsubscribe"))
    yield "List-Post: <mailto:dev@list.example>"
    yield "List-Id: <dev.list.example>"
    yield "Delivered-To: mailing list dev@list.example"
    yield "X-Virus-Scanned: Debian amavisd-new at spamd.x.example"
    yield "X-Spam-Flag: NO"
    yield f"X-Spam-Score: {random_.randint(-50, 50) / 10}"
    yield "X-Spam-Status: No, score=-0.1 tagged_above=-999 required=6.31\n\ttests=[DKIM_SIGNED=0.1,\n\tSPF_PASS=-0.001]"
    yield "Authentication-Results: spamd.x.example (amavisd-new);\n\tdkim=pass (2048-bit key) header.d=x.example"
    signature = _noise(random_, 240)
    folded = "\n\t".join(signature[cut : cut + 70] for cut in range(0, len(signature), 70))
    yield f"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed; d=x.example;\n\th=from:to:subject:date; b={folded}"
    yield f"X-Received: by 198.51.100.7 with SMTP id {_noise(random_, 9)}; {format_datetime(at)}"
    yield f"X-Envelope-From: {address}"


def _mark(number: int) -> str:
    return f"{number * 2654435761 % 2**32:08x}"


def _ticket(random_: random.Random) -> tuple[str, str]:
    key = f"TICKET-{random_.randint(1, 9000)}"
    text = "\n".join(_line(random_) for _ in range(85))
    return f"[jira] [Commented] ({key}) {_line(random_)[:60]}", f"    [ https://tickets.example/{key} ]\n\n{text}\n"


def _talk(random_: random.Random, number: int) -> tuple[str, str]:
    proposal = 1 + number // 120 + random_.randint(0, 5)
    tag = random_.choice(["DISCUSS", "DISCUSS", "DISCUSS", "VOTE"])
    subject = f"Re: [{tag}] KIP-{proposal}: {WORDS[proposal % len(WORDS)]} {WORDS[proposal * 7 % len(WORDS)]}"
    if random_.random() < 0.25:
        subject = f"Re: {_line(random_)[:50]}"
    own = ["+1 (binding)"] if tag == "VOTE" and random_.random() < 0.7 else [_line(random_) for _ in range(12)]
    quoted = [f"{'>' * (1 + line % 5)} {_line(random_)}" for line in range(random_.randint(20, 110))]
    return subject, "\n".join(
        ["Hi all,", "", *own, "", f"On Mon, {random_.choice(PEOPLE)} wrote:", *quoted, "-- ", "x"]
    )


def _encode(random_: random.Random, body: str) -> tuple[list[str], bytes]:
    kind = random_.random()
    if kind < 0.70:
        text = body.replace("\nFrom ", "\n>From ").encode("ascii", "replace")
        return ["Content-Type: text/plain; charset=us-ascii"], text
    if kind < 0.80:
        return _head("text/plain; charset=utf-8", "base64"), base64.encodebytes(body.encode())
    if kind < 0.82:
        return ["Content-Type: text/plain; charset=koi8-r"], f"Привет, {body}".encode("koi8-r", "replace")
    if kind < 0.88:
        data = quopri.encodestring(f"Grüße – {body}".encode("windows-1252"))
        return _head("text/plain; charset=windows-1252", "quoted-printable"), data
    html = "<html><body>" + "".join(f"<p>{line}</p>\n" for line in body.splitlines()) + "</body></html>"
    if kind > 0.96:
        return _head("text/html; charset=utf-8"), html.encode()
    parts = [
        "--=_b", "Content-Type: text/plain; charset=utf-8", "", body,
        "--=_b", "Content-Type: text/html; charset=utf-8", "", html, "--=_b--",
    ]  # fmt: skip
    return _head('multipart/alternative; boundary="=_b"'), "\n".join(parts).encode()


def _head(kind: str, encoding: str = "") -> list[str]:
    transfer = [f"Content-Transfer-Encoding: {encoding}"] if encoding else []
    return ["MIME-Version: 1.0", f"Content-Type: {kind}", *transfer]


def _line(random_: random.Random) -> str:
    return " ".join(random_.choices(WORDS, k=random_.randint(5, 10)))


def _noise(random_: random.Random, length: int) -> str:
    return base64.b64encode(random_.randbytes(length)).decode()
