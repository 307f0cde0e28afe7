"""Decide every proposal that could change, and record its new stage, its tally and what follows.

One mapped task for each proposal with new facts or a deadline that has come, each in a transaction of
its own: history, what the board shows, and the messages to send. The same facts and the same time give
the same history, so a task that is tried again adds nothing. One proposal that fails holds up no other.

Runs when there are new messages or pages, and every quarter of an hour for the clocks: a vote's period
that ends, a silence that makes dormant. At most 1,000 proposals a run; the rest wait for the next.

**Time:** a run that has a logical date decides as of that date: the quarter of an hour it is for, the date
given by hand, or the past date of a backfill (in the UI: Trigger, Backfill). A run
that new facts start has none and decides as of now. The history of a backfill is the one that runs at the
time would have written, with the time of the backfill as its time of record; what is past is not announced.
A time before a proposal's newest decision leaves it alone, so any run can be repeated. There is no catchup:
the next run decides whatever missed ones would have, at the times when it became true. In a sandbox, whose
time is not this machine's, scheduled runs decide as of its now.

**Emits:** `kip://transitions`, if anything changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import AssetOrTimeSchedule, TriggerRule, dag, get_current_context, task
from airflow.sdk.exceptions import AirflowSkipException
from kip_dags.defaults import MAX_MAPPED, MESSAGES, PAGES, TRANSITIONS, describe_dag, often
from kip_dags.parts import find_as_of, open_parts
from kip_dags.reports import log

from kipflow.services import advance as service
from kipflow.services.lastrun import note_run
from kipflow.wiring import effect_rules


@dag(
    dag_id="kip_advance_stages",
    schedule=AssetOrTimeSchedule(timetable=often("*/15 * * * *"), assets=MESSAGES | PAGES),
    **describe_dag(__doc__, "decisions"),
)
def kip_advance_stages() -> None:
    @task
    def find_due() -> list[dict[str, Any]]:
        """The proposals that could change, each with the one time at which this run decides."""
        parts = open_parts()
        note_run(parts.store, datetime.now(UTC))
        as_of = find_as_of(get_current_context(), parts)
        service.refuse_future(as_of, parts.clock())
        due = service.find_candidates(parts.store, as_of)
        log.info("%d proposals could change as of %s", len(due), as_of.isoformat(timespec="seconds"))
        return [{"number": number, "as_of": as_of.isoformat()} for number in due[:MAX_MAPPED]]

    @task(map_index_template="{{ task.op_kwargs['number'] }}", execution_timeout=timedelta(minutes=5))
    def advance(number: int, as_of: str) -> int:
        """Decide one proposal. Returns how many entries of history and effects that added."""
        parts = open_parts()
        done = service.advance_one(
            parts.store,
            number,
            policy=parts.policy,
            effects=effect_rules(parts),
            as_of=datetime.fromisoformat(as_of),
            # a sandbox that crashed may begin again before the time at which this run began
            now=max(parts.clock(), datetime.fromisoformat(as_of)),
            run_id=get_current_context()["dag_run"].run_id,
        )
        log.info("%s: %s", number, done.skipped or f"{done.stage}; {len(done.appended)} new entries")
        return len(done.appended) + done.effects

    # also after a failure: what the other proposals brought must reach those who wait for it
    @task(outlets=[TRANSITIONS], trigger_rule=TriggerRule.ALL_DONE)
    def announce_transitions(changes: Iterable[int | None] | None) -> int:
        """Tell those who wait for new history; skipped where there is none."""
        changed = sum(change or 0 for change in changes or ())
        if not changed:
            raise AirflowSkipException("nothing changed")
        return changed

    @task
    def close(changes: Iterable[int | None]) -> int:
        """Makes the run fail where one of its proposals did, which the announcement alone would hide."""
        return len(list(changes))

    advanced = advance.expand_kwargs(find_due())
    announce_transitions(advanced)
    close(advanced)


kip_advance_stages()
