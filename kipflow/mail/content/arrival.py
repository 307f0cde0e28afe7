"""When a mail arrived, with the source of that time; and when its sender claims to have written it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from kipflow.domain.arrivals import TOLERANCE
from kipflow.mail.content.dates import parse_date, parse_envelope_date
from kipflow.mail.content.headers import Headers
from kipflow.mail.content.trace import find_received

#: Mail exporters write one of these in place of the envelope's sender; the time is that of the export.
_PLACEHOLDER = re.compile(rb">?From (?:-|MAILER[-_]DAEMON|nobody|unknown)(?:@\S{0,255})?\s", re.IGNORECASE)
#: What `git format-patch` writes into each of its mails.
_GIT = datetime(2001, 9, 17, tzinfo=UTC)
#: The envelope's sender in mails that were made from an export: its time is what the archive calls "epoch".
EPOCH_SENDER = "epoch.export.kipflow"


def find_arrival(headers: Headers, mail: bytes, receivers: Sequence[str]) -> tuple[datetime | None, str]:
    """The arrival time that every rule uses, and its source: "received", "envelope", "epoch", "date" or "none".

    What the archive recorded comes before what the sender claims. The receiving host's own line is first:
    it has a zone, and no export changes it. The envelope line comes next: archives write it on delivery (in six real
    months within 13 seconds of the Received line), but an export can make it up. An archive's "epoch" is mostly the
    Date itself (Pony Mail computes it so). A record that only repeats the Date proves nothing, and is called "date".
    """
    received = find_received(headers, receivers)
    if received is not None:
        return received, "received"
    envelope, dated = parse_envelope_date(mail), find_date(headers)
    if envelope is None:
        # without a Date: other fields that the sender's or a reader's program wrote
        dated = dated or parse_date(headers.text("delivery-date") or headers.text("resent-date"))
        return dated, "none" if dated is None else "date"
    made_up = _is_made_up(mail, envelope, headers)
    if dated is None:
        return envelope, "none" if made_up else _name_source(mail)
    # nothing arrives before it was written: either the line is made up, or the sender's clock is ahead
    if made_up or envelope == dated or envelope < dated - TOLERANCE:
        return dated, "date"
    return envelope, _name_source(mail)


def find_date(headers: Headers) -> datetime | None:
    """When the sender says that the mail was written."""
    return parse_date(headers.text("date"))


def _is_made_up(mail: bytes, envelope: datetime, headers: Headers) -> bool:
    """Whether an envelope line is an exporter's, or gives a time before the mail was in transit."""
    if _PLACEHOLDER.match(mail) or envelope == _GIT:
        return True
    under_way = find_received(headers, ())
    return under_way is not None and envelope < under_way - TOLERANCE


def _name_source(mail: bytes) -> str:
    return "epoch" if mail.startswith(f"From {EPOCH_SENDER} ".encode()) else "envelope"
