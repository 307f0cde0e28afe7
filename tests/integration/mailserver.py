"""Pony Mail's two endpoints over real HTTP, with mails held in memory: for each list and month, and counted."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http.server import ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from tests.httpservers import QuietHandler, running


class CountingArchive:
    """`mails` by list and month; `asked` counts requests by endpoint; `unknown` lists answer with 404."""

    def __init__(self) -> None:
        self.mails: dict[tuple[str, str], list[bytes]] = {}
        self.asked: Counter[str] = Counter()
        self.unknown: set[str] = set()
        self.url = ""

    def add(self, list_id: str, month: str, count: int) -> None:
        """So many mails of discussions, one a minute."""
        held = self.mails.setdefault((list_id, month), [])
        for _ in range(count):
            n = len(held)
            at = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC) + timedelta(minutes=n)
            held.append(make_mail(f"{month}.{n}.{list_id}", at, f"[DISCUSS] KIP-{n % 50 + 1}: x", f"Text {n}"))

    def put(self, list_id: str, *mails: bytes) -> None:
        """These mails, in the month of the first one's date."""
        date = re.search(rb"^Date: (.+)$", mails[0], re.MULTILINE)
        at = parsedate_to_datetime(date.group(1).decode() if date else "")
        self.mails.setdefault((list_id, f"{at:%Y-%m}"), []).extend(mails)

    def answer(self, path: str) -> tuple[bytes, int, str]:
        parts = urlsplit(path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        address = f"{query['list']}@{query['domain']}"
        self.asked[parts.path.rpartition("/")[2]] += 1
        if address in self.unknown:
            return b"No such list", 404, "text/plain"
        held = self.mails.get((address, query["d"]), [])
        if parts.path.endswith("mbox.lua"):
            return b"".join(held), 200, "application/mbox"
        rows = [{"id": str(hash(mail)), "epoch": n} for n, mail in enumerate(held)]
        return json.dumps({"hits": len(held), "emails": rows}).encode(), 200, "application/json"


def make_mail(
    name: str, at: datetime, subject: str, words: str, *, by: str = "Ann <a@x.example>", to: str = ""
) -> bytes:
    """A mail as an mbox has it; `to` names the mail that it answers."""
    answers = f"In-Reply-To: <{to}>\n" if to else ""
    return (
        f"From a@x.example {at:%a %b %d %H:%M:%S %Y}\nMessage-ID: <{name}>\nFrom: {by}\n{answers}"
        f"Date: {at:%a, %d %b %Y %H:%M:%S} +0000\nSubject: {subject}\n\n{words}\n\n"
    ).encode()


@contextmanager
def serving(state: CountingArchive) -> Iterator[CountingArchive]:
    """Serve `state` on a thread of this process; its `url` is the API's folder."""

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            self.send(*state.answer(self.path))

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as address:
        state.url = f"http://{address}/api"
        yield state
