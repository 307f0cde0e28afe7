"""Airflow's own database: the state of our DAGs, and the audit log, where acts of people are noted before they happen.

Only the processes of the board and of the Slack app can access it. Tasks cannot.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from kipflow.adapters.store.columns import Moment
from kipflow.domain.errors import ServiceUnavailable
from kipflow.services.ports import Audit, Runs

_LOG = sa.table(
    "log", sa.column("dttm", Moment()), *(sa.column(name, sa.String) for name in ("event", "owner", "extra"))
)


#: Opens a session of Airflow's database, or a connection to it.
OpenSession = Callable[[], AbstractContextManager[orm.Session | sa.Connection]]


@contextmanager
def _open(open_session: OpenSession) -> Iterator[orm.Session | sa.Connection]:
    """A session of Airflow's database. Raises ServiceUnavailable if it fails."""
    try:
        with open_session() as session:
            yield session
    except sa.exc.DBAPIError as error:
        raise ServiceUnavailable(service="database of Airflow", url="", why=str(error.orig)) from None


def open_audit(open_session: OpenSession, clock: Callable[[], datetime]) -> Audit:
    """A function that writes to the audit log, dated by `clock` (aware UTC). Sessions must commit when they close.

    The function raises ServiceUnavailable if Airflow's database refuses the entry.
    """

    def log_act(author: str, act: str, values: Mapping[str, Any]) -> None:
        line = {"dttm": clock(), "event": f"kipflow_{act}", "owner": author, "extra": json.dumps(values, default=str)}
        with _open(open_session) as session:
            session.execute(sa.insert(_LOG).values(line))

    return log_act


_DAG = sa.table("dag", sa.column("dag_id"), sa.column("is_paused", sa.Boolean), sa.column("is_stale", sa.Boolean))
_RUN = sa.table(
    "dag_run", *(sa.column(name) for name in ("dag_id", "state", "run_after")), sa.column("end_date", Moment())
)
_OURS = _DAG.c.dag_id.startswith("kip_", autoescape=True)


def load_runs(open_session: OpenSession) -> Runs:
    """The paused DAGs, and the DAGs whose newest finished run failed.

    Raises:
        ServiceUnavailable: Airflow's database does not answer.
    """
    place = sa.func.row_number().over(partition_by=_RUN.c.dag_id, order_by=_RUN.c.run_after.desc()).label("place")
    ended = sa.select(_RUN, place).where(_RUN.c.state.in_(["success", "failed"])).subquery()
    paused = sa.select(_DAG.c.dag_id).where(_OURS, _DAG.c.is_paused, ~_DAG.c.is_stale)
    failed = (
        sa.select(ended.c.dag_id, ended.c.end_date)
        .join(_DAG, _DAG.c.dag_id == ended.c.dag_id)
        .where(_OURS, ~_DAG.c.is_stale, ended.c.place == 1, ended.c.state == "failed")
    )
    with _open(open_session) as session:
        return Runs(
            paused=tuple(row.dag_id for row in session.execute(paused.order_by(_DAG.c.dag_id))),
            failed={row.dag_id: row.end_date for row in session.execute(failed.order_by(ended.c.dag_id))},
        )
