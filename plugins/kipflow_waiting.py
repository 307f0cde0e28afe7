"""The trigger that notices when a question asked in Airflow is settled elsewhere: on the board, or by a command.

It is a plugin because Airflow's triggerer has this folder on its import path, but not the DAGs folder.
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

#: Seconds between two checks. All waiting questions share one query.
INTERVAL = 20
#: Result of a trigger that looked for an earlier answer and found none.
UNANSWERED_BEFORE = "unanswered before"

log = logging.getLogger(__name__)


class SettledElsewhere(BaseTrigger):
    """Fires when the request with this key is no longer open ("settled"), or at `until` ("unanswered").

    `answered` is the id of a task instance that may have its answer already. Then it fires at once, with that answer.
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
    """The answer to this task instance, in the form that Airflow passes to a resumed task. Only triggers can get it."""
    try:
        given = get_hitl_detail_content_detail(UUID(task_id))
    except AirflowRuntimeError:  # the previous attempt failed before it asked
        return None
    return given.model_dump(mode="json") if given.response_received and given.responded_by_user else None


def is_open(key: str) -> bool:
    """Whether the request is still open; True if that is unknown at the moment."""
    try:
        return key in _find_open(int(time.monotonic() // INTERVAL))
    except Exception:  # after any failure: ending the wait would ask twice
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
