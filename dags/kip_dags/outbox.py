"""Planning and sending effects in tasks."""

from __future__ import annotations

from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from kip_dags.parts import log_report, open_parts
from kipflow.adapters.deliverer import ThisProcess
from kipflow.effect_kinds import find_kinds
from kipflow.services.deliver import deliver


def plan_kind(name: str) -> dict[str, int]:
    """Put due effects of one kind into the outbox; skips the task if the community lacks the service for it."""
    parts = open_parts()
    kind = find_kinds(parts, now=parts.clock()).get(name)
    if kind is None:
        raise AirflowSkipException(f"community {parts.community.name} has nothing to make {name} with")
    return log_report(kind.plan())


def deliver_kind(name: str) -> dict[str, int]:
    """Send the due effects of one kind; skips the task in dry-run, or if the kind is not set up.

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
        # the outbox retries later; until then the run must not look successful
        raise AirflowFailException(f"none of {counts['failed']} due effects could be sent; the board says why")
    return counts
