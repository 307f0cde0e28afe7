"""Planning and sending effects, as tasks do it."""

from __future__ import annotations

from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from kip_dags.parts import open_parts
from kip_dags.reports import log_report
from kipflow.adapters.deliverer import ThisProcess
from kipflow.kinds import find_kinds
from kipflow.services.deliver import deliver


def plan_kind(name: str) -> dict[str, int]:
    """Put what is due of one kind of effect into the outbox; skips the task where the community lacks what it needs."""
    parts = open_parts()
    kind = find_kinds(parts, now=parts.clock()).get(name)
    if kind is None:
        raise AirflowSkipException(f"community {parts.community.name} has nothing to make {name} with")
    return log_report(kind.plan())


def deliver_kind(name: str) -> dict[str, int]:
    """Send the due effects of one kind; skips the task in dry-run, or where the kind is not set up.

    Raises:
        AirflowFailException: none of the due effects could be sent.
    """
    parts = open_parts()
    if not parts.sends:
        raise AirflowSkipException("dry-run: nothing is sent")
    now = parts.clock()
    kind = find_kinds(parts, now=now).get(name)
    if kind is None:
        raise AirflowSkipException(f"community {parts.community.name} sends nothing to {name}, or has no token for it")
    counts = log_report(deliver(parts.store, {name: kind}, now=now, by=ThisProcess()))
    if counts["failed"] and not counts["sent"]:
        # the outbox tries again in its own time; the run must not look well meanwhile
        raise AirflowFailException(f"none of {counts['failed']} due effects could be sent; the board says why")
    return counts
