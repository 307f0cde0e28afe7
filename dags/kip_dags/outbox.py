"""Sending what the outbox holds, as tasks do it."""

from __future__ import annotations

from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from kip_dags.parts import open_parts
from kip_dags.reports import tell
from kipflow.adapters.deliverer import ThisProcess
from kipflow.services.deliver import deliver
from kipflow.wiring import find_handlers


def deliver_channel(channel: str) -> dict[str, int]:
    """Send the due effects of one channel; skips the task in dry-run, or where the channel is not set up.

    Raises:
        AirflowFailException: none of the due effects could be sent.
    """
    parts = open_parts()
    if not parts.sends:
        raise AirflowSkipException("dry-run: nothing is sent")
    now = parts.clock()
    handler = find_handlers(parts, now=now).get(channel)
    if handler is None:
        raise AirflowSkipException(
            f"community {parts.community.name} sends nothing to {channel}, or has no token for it"
        )
    counts = tell(deliver(parts.store, {channel: handler}, now=now, by=ThisProcess()))
    if counts["failed"] and not counts["sent"]:
        # the outbox tries again in its own time; the run must not look well meanwhile
        raise AirflowFailException(f"none of {counts['failed']} due effects could be sent; the board tells why")
    return counts
