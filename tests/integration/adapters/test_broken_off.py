"""A month that broke off: what is read of it, and what becomes of that when the whole month comes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from kipflow.adapters.patience import Patience
from kipflow.adapters.ponymail import PonyMailArchive
from kipflow.domain.facts import ThreadMessage
from kipflow.services.assembly import load_facts
from kipflow.services.landing import find_wanted_months
from kipflow.services.poll import fetch_months, read_months
from tests.integration.adapters.faulty import Server, answer, as_json, truncated
from tests.unit.services.stores import open_memory

LIST = "dev@x.example"
NOW = datetime(2024, 1, 20, tzinfo=UTC)
ONCE = Patience(attempts=1, total=5, connect=2, read=1)


def write_mail(number: int, subject: str, *lines: str) -> bytes:
    head = [
        f"From p{number}@x.example Mon Jan {number:2} 10:00:00 2024",
        f"From: P{number} Gate <p{number}@x.example>",
        f"Date: Mon, {number} Jan 2024 10:00:00 +0000",
        f"Subject: {subject}",
        *(["In-Reply-To: <m1@x.example>"] if number > 1 else []),
        f"Message-ID: <m{number}@x.example>",
    ]
    return "\n".join([*head, "", *lines, "", ""]).encode()


BOX = (
    write_mail(1, "[VOTE] KIP-7: Oiled gates", "Please vote.")
    + write_mail(2, "Re: [VOTE] KIP-7: Oiled gates", "+1 (binding)", "", "Edit: I take that vote back.")
    + write_mail(3, "[VOTE] KIP-8: Dry gates", "From here on it gets long.", "From 10:00 to 12:00", "", "Bye")
    + write_mail(4, "Re: [VOTE] KIP-7: Oiled gates", "+1", "if the hinges stay.")
)
#: Where it breaks off: in envelopes, headers and bodies, within lines and at their ends.
CUTS = [*range(1, len(BOX), 53), BOX.index(b"+1 (binding)") + len("+1 (binding)\n")]


def poll_into(server: Server, folder: Path, *boxes: tuple[bytes, int]) -> dict[int, tuple[ThreadMessage, ...]]:
    """The messages of both proposals after polls, each of which got so many bytes of its box."""
    store = open_memory()
    archive = PonyMailArchive(server.url, pause=0, patience=ONCE)
    for hour, (box, sent) in enumerate(boxes):
        now = NOW.replace(hour=hour)
        server.by_path["/stats.lua"] = [as_json({"hits": 4, "emails": [{"id": str(sent)}]})]
        server.by_path["/mbox.lua"] = [answer(box) if sent == len(box) else truncated(box, sent)]
        wanted, _ = find_wanted_months(store, archive, [LIST], now, since="2024-01")
        read_months(store, fetch_months(archive, wanted, folder, now), prefix="KIP", seen_at=NOW)
    with store.read() as session:
        found = {number: load_facts(session, number).messages for number in session.history.load_numbers()}
    store.close()
    return found


@pytest.mark.parametrize("sent", CUTS)
def test_what_broke_off_anywhere_is_in_the_end_what_it_would_have_been(
    server: Server, tmp_path: Path, sent: int
) -> None:
    whole = poll_into(server, tmp_path / "whole", (BOX, len(BOX)))
    mended = poll_into(server, tmp_path / "mended", (BOX, sent), (BOX, len(BOX)))
    assert mended == whole


def test_half_a_mail_is_not_read(server: Server, tmp_path: Path) -> None:
    second = BOX.index(b"+1 (binding)") + len("+1 (binding)\n")
    found = poll_into(server, tmp_path, (BOX, second))
    assert [message.message_id for message in found[7]] == ["<m1@x.example>"]
