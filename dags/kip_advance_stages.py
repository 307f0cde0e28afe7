"""Decide every proposal that could change, and record its new stage, its tally and what follows.

One mapped task for each proposal with new facts or a deadline that has come, or for several where many are
due; each proposal in a transaction of its own: history, what the board shows, and the messages to send. The same
facts and the same time give the same history, so a task that is tried again adds nothing. One proposal that fails
holds up no other.

Runs when there are new messages or pages, and every quarter of an hour for the clocks: a vote's period
that ends, a silence that makes dormant. A first run decides a whole community.

**Time:** a run that has a logical date decides as of that date: the quarter of an hour it is for, the date
given by hand, or the past date of a backfill (in the UI: Trigger, Backfill). A run
that new facts start has none and decides as of now. The history of a backfill is the one that runs at the
time would have written, with the time of the backfill as its time of record; what is past is not announced.
A time before a proposal's newest decision leaves it alone, so any run can be repeated. There is no catchup:
the next run decides whatever missed ones would have, at the times when it became true. In a sandbox, whose
time is not this machine's, scheduled runs, and those of "Trigger" with the date that it fills in, decide as
of its now.

**Emits:** `kip://transitions`, if anything changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import AssetOrTimeSchedule, TriggerRule, dag, get_current_context, task
from airflow.sdk.exceptions import AirflowSkipException
from kip_dags.alerts import report_current_conditions
from kip_dags.defaults import MESSAGES, PAGES, TRANSITIONS, describe_dag, often
from kip_dags.parts import find_as_of, open_parts
from kip_dags.reports import log

from kipflow.services import advance as service
from kipflow.services.conditions import note_run
from kipflow.services.recording import say_advance
from kipflow.wiring import effect_rules

#: For a task that takes seconds: one that hangs is tried again before the next run is due.
LIMIT = timedelta(minutes=5)


@dag(
    dag_id="kip_advance_stages",
    schedule=AssetOrTimeSchedule(timetable=often("*/15 * * * *"), assets=MESSAGES | PAGES),
    **describe_dag(__doc__, "decisions"),
)
def kip_advance_stages() -> None:
    @task(execution_timeout=LIMIT)
    def find_due() -> list[dict[str, Any]]:
        """The proposals that could change, each with the one time at which this run decides."""
        parts = open_parts()
        note_run(parts.store, datetime.now(UTC))
        report_current_conditions(parts)
        as_of = find_as_of(get_current_context(), parts)
        service.refuse_future(as_of, parts.clock())
        due = service.find_candidates(parts.store, as_of)
        log.info("%d proposals could change as of %s", len(due), as_of.isoformat(timespec="seconds"))
        named = service.split_candidates(due, parts.community.prefix)
        return [{"name": name, "numbers": part, "as_of": as_of.isoformat()} for name, part in named.items()]

    @task(map_index_template="{{ task.op_kwargs['name'] }}", execution_timeout=LIMIT)
    def advance(name: str, numbers: list[int], as_of: str) -> int:
        """Decide these proposals. Returns how many entries of history and effects that added."""
        parts = open_parts()
        failed: list[int] = []

        def note_failure(number: int, error: Exception) -> None:
            failed.append(number)
            log.error("proposal %d failed", number, exc_info=error)

        found = service.advance_many(
            parts.store,
            numbers,
            policy=parts.policy,
            effects=effect_rules(parts),
            as_of=datetime.fromisoformat(as_of),
            # a sandbox that crashed may begin again before the time at which this run began
            now=max(parts.clock(), datetime.fromisoformat(as_of)),
            run_id=get_current_context()["dag_run"].run_id,
            on_failure=note_failure,
        )
        for done in found:
            log.info("%s", say_advance(done, parts.community.prefix))
        if failed:
            raise RuntimeError(f"{len(failed)} of {len(numbers)} proposals failed; the others of {name} are decided")
        return sum(len(done.appended) + done.effects for done in found)

    # also after a failure: what the other proposals brought must reach those who wait for it
    @task(outlets=[TRANSITIONS], execution_timeout=LIMIT, trigger_rule=TriggerRule.ALL_DONE)
    def announce_transitions(changes: Sequence[int], parts: Sequence[object] | None) -> int:
        """Notify those who wait for new history; skipped where there is none. A part that failed may have some."""
        # in one piece: asked one by one, Airflow logs an error behind the last
        known = changes[:]
        if not sum(known) and len(parts or ()) <= len(known):
            raise AirflowSkipException("nothing changed")
        return sum(known)

    @task(execution_timeout=LIMIT)
    def close(changes: Sequence[int]) -> int:
        """Makes the run fail where one of its proposals did, which the announcement alone would hide."""
        return len(changes)

    due = find_due()
    advanced = advance.expand_kwargs(due)
    announce_transitions(advanced, due)
    close(advanced)


kip_advance_stages()
