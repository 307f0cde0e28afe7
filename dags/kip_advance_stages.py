"""Decide every proposal that could change, and record its new stage, its tally and the resulting effects.

There is one mapped task for each proposal with new facts or a reached deadline, or for several of them if many are
due. Each proposal has its own transaction: history, what the board shows, and the messages to send. The same facts
and the same time give the same history, so a retried task adds nothing. A failed proposal does not block others.
Runs when there are new messages or pages, and every quarter of an hour for deadlines: a voting period that ends, a
silence that makes a proposal dormant. A first run decides a whole community.

**Time:** a run with a logical date decides as of that date: its scheduled quarter of an hour, a date given by hand,
or the past date of a backfill (in the UI: Trigger, Backfill). A run started by new facts has none and decides as of
now. A backfill writes the history that runs at the time would have written, with the time of the backfill as its
time of record; past events are not announced. A time before a proposal's newest decision changes nothing, so any run
can be repeated. There is no catchup: the next run decides whatever missed ones would have, with the times at which it
became true. In a sandbox, which has its own clock, scheduled runs, and those of "Trigger" with its default date,
decide as of the sandbox's now.

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
from kip_dags.parts import find_as_of, log, open_parts

from kipflow.services import advance as service
from kipflow.services.conditions import note_run
from kipflow.services.recording import say_advance
from kipflow.wiring import effect_rules

#: A task takes seconds; a hanging one is retried before the next run is due.
LIMIT = timedelta(minutes=5)


@dag(
    dag_id="kip_advance_stages",
    schedule=AssetOrTimeSchedule(timetable=often("*/15 * * * *"), assets=MESSAGES | PAGES),
    **describe_dag(__doc__, "decisions"),
)
def kip_advance_stages() -> None:
    @task(execution_timeout=LIMIT)
    def find_due() -> list[dict[str, Any]]:
        """The proposals that could change, all with the same time to decide as of."""
        parts = open_parts()
        note_run(parts.store, datetime.now(UTC))
        report_current_conditions(parts)
        as_of = find_as_of(get_current_context(), parts)
        service.check_time(as_of, parts.clock())
        due = service.find_candidates(parts.store, as_of)
        log.info("%d proposals could change as of %s", len(due), as_of.isoformat(timespec="seconds"))
        named = service.split_candidates(due, parts.community.prefix)
        return [{"name": name, "numbers": part, "as_of": as_of.isoformat()} for name, part in named.items()]

    @task(map_index_template="{{ task.op_kwargs['name'] }}", execution_timeout=LIMIT)
    def advance(name: str, numbers: list[int], as_of: str) -> int:
        """Decide these proposals. Returns how many history entries and effects were added."""
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
            # a restarted sandbox may begin before the time at which this run began
            now=max(parts.clock(), datetime.fromisoformat(as_of)),
            run_id=get_current_context()["dag_run"].run_id,
            on_failure=note_failure,
        )
        for done in found:
            log.info("%s", say_advance(done, parts.community.prefix))
        if failed:
            raise RuntimeError(f"{len(failed)} of {len(numbers)} proposals failed; the others of {name} are decided")
        return sum(len(done.appended) + done.effects for done in found)

    # also after a failure: downstream DAGs must see the changes of the other proposals
    @task(outlets=[TRANSITIONS], execution_timeout=LIMIT, trigger_rule=TriggerRule.ALL_DONE)
    def announce_transitions(changes: Sequence[int], parts: Sequence[object] | None) -> int:
        """Emit the asset event for new history; skipped if there is none. Failed tasks may have added some."""
        # as one list: iterating lazily makes Airflow log an error after the last item
        known = changes[:]
        if not sum(known) and len(parts or ()) <= len(known):
            raise AirflowSkipException("nothing changed")
        return sum(known)

    @task(execution_timeout=LIMIT)
    def close(changes: Sequence[int]) -> int:
        """Fail the run if a proposal failed, which the announcement alone would hide."""
        return len(changes)

    due = find_due()
    advanced = advance.expand_kwargs(due)
    announce_transitions(advanced, due)
    close(advanced)


kip_advance_stages()
