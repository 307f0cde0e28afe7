"""Ask people what only they can settle: effects that await approval, and questions that an outcome depends on.

Each appears among Airflow's required actions, with both outcomes and a link to the evidence on the board. An answer
is the same ruling as on the board or by `kipflow review`, in the name of whoever answered; an answer given there ends
the question here. Whoever may edit this DAG's required actions may answer.

An unanswered question is asked again after a day; a timeout never answers one. A run lasts as long as its questions
are open; later runs ask what is new.

Runs after new history, and every ten minutes.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.sdk import AssetOrTimeSchedule, dag, get_current_context, task
from kip_dags.asking import AskPerson
from kip_dags.defaults import TRANSITIONS, describe_dag, often
from kip_dags.parts import log, open_parts

from kipflow.services import asking


@dag(
    dag_id="kip_ask_people",
    schedule=AssetOrTimeSchedule(timetable=often("*/10 * * * *"), assets=TRANSITIONS),
    **describe_dag(__doc__, "decisions", "people", timeout=2 * asking.PATIENCE, runs=asking.MAX_OPEN),
)
def kip_ask_people() -> None:
    # one at a time: two would ask the same questions
    @task(max_active_tis_per_dag=1)
    def find_open() -> list[dict[str, Any]]:
        """The open requests that were not asked yet."""
        parts = open_parts()
        requests = asking.find_requests(parts.store, parts.community.prefix)
        run_id = get_current_context()["dag_run"].run_id
        new = asking.choose_new(parts.store, requests, run_id=run_id, now=datetime.now(UTC))
        log.info("%d open, %d of them not asked yet", len(requests), len(new))
        return [
            {
                "key": request.key,
                "title": request.title,
                "text": request.text,
                "path": f"proposals/{request.number}" if request.number is not None else "outbox?status=held",
                "answers": list(request.answers),
                "needs_reason": request.needs_reason,
            }
            for request in new
        ]

    AskPerson.partial(
        task_id="ask",
        execution_timeout=timedelta(minutes=5),
        map_index_template="{{ task.subject }}",
        outlets=[TRANSITIONS],  # an answer is decided at once and may move a proposal
    ).expand_kwargs(find_open())


kip_ask_people()
