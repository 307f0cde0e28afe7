"""Waits beside a question that Airflow asks, for somebody to settle it elsewhere: on the board, or by a command.

Here and not beside the DAGs: Airflow's triggerer has this folder on its import path, and not theirs.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from datetime import datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from airflow.sdk.exceptions import AirflowRuntimeError
from airflow.sdk.execution_time.hitl import get_hitl_detail_content_detail
from airflow.triggers.base import BaseTrigger, TriggerEvent
from asgiref.sync import sync_to_async

if TYPE_CHECKING:
    from kipflow.wiring import Parts

#: Seconds between two looks. All questions that wait share one look.
INTERVAL = 20
#: How a wait ends at once that was to find an earlier answer and found none.
UNANSWERED_BEFORE = "unanswered before"

log = logging.getLogger(__name__)


class SettledElsewhere(BaseTrigger):
    """Fires when the request of this key is open no longer ("settled"), or at `until` ("unanswered").

    `answered` is the id of a task instance that may have its answer already: then it fires at once, with that.
    """

    def __init__(self, key: str, until: datetime, answered: str | None = None) -> None:
        super().__init__()
        self.key, self.until, self.answered = key, until, answered

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return "kipflow_waiting.SettledElsewhere", {"key": self.key, "until": self.until, "answered": self.answered}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        if self.answered:
            given = await sync_to_async(find_answer)(self.answered)
            yield TriggerEvent(given or {"ended": UNANSWERED_BEFORE})
            return
        while True:
            if not await sync_to_async(is_open)(self.key):
                yield TriggerEvent({"ended": "settled"})
                return
            if datetime.now(self.until.tzinfo) >= self.until:
                yield TriggerEvent({"ended": "unanswered"})
                return
            await asyncio.sleep(INTERVAL)


def find_answer(task_id: str) -> dict[str, Any] | None:
    """What was answered to this task instance, as Airflow gives it to a task that resumes; only a trigger can ask."""
    try:
        given = get_hitl_detail_content_detail(UUID(task_id))
    except AirflowRuntimeError:  # the attempt before failed before it had asked
        return None
    return given.model_dump(mode="json") if given.response_received and given.responded_by_user else None


def is_open(key: str) -> bool:
    """Whether a person is still asked this; yes where that cannot be found out now."""
    try:
        return key in _find_open(int(time.monotonic() // INTERVAL))
    except Exception:  # whatever it is: a wait that ends for it would ask twice
        log.warning("cannot look whether %r is settled; looking again", key, exc_info=True)
        return True


@lru_cache(maxsize=1)
def _find_open(_moment: int) -> frozenset[str]:
    from kipflow.services.asking import find_requests

    parts = _open_parts()
    return frozenset(request.key for request in find_requests(parts.store, parts.community.prefix))


@cache
def _open_parts() -> "Parts":
    from airflow.sdk import Connection

    from kipflow.wiring import connect_by

    return connect_by(Connection.get("kipflow_db"))
