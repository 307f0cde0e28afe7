"""Airflow's audit log: what people do is noted there before it is done, on the board and in Slack alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

import sqlalchemy as sa

from kipflow.domain.errors import ServiceUnavailable

_LOG = sa.table(
    "log",
    sa.column("dttm", sa.DateTime(timezone=True)),
    *(sa.column(name, sa.String) for name in ("event", "owner", "extra")),
)

#: What notes who is about to do what, with its values; where it raises, nothing is done.
Audit = Callable[[str, str, Mapping[str, Any]], None]


class Writes(Protocol):
    """A session or connection to Airflow's database, as far as it is written to."""

    def execute(self, statement: sa.Insert) -> object: ...


def open_audit(open_session: Callable[[], AbstractContextManager[Writes]], clock: Callable[[], datetime]) -> Audit:
    """The log behind sessions that commit when their block ends, at the time of `clock` (aware UTC).

    What is returned raises ServiceUnavailable where Airflow's database does not take it.
    """

    def log_act(author: str, act: str, values: Mapping[str, Any]) -> None:
        line = {"dttm": clock(), "event": f"kipflow_{act}", "owner": author, "extra": json.dumps(values, default=str)}
        try:
            with open_session() as session:
                session.execute(sa.insert(_LOG).values(line))
        except sa.exc.DBAPIError as error:
            raise ServiceUnavailable(service="database of Airflow", url="", why=str(error.orig)) from None

    return log_act
