"""What people do is noted in Airflow's audit log, in a table as Airflow itself has it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from kipflow.adapters.airflowdb import open_audit
from kipflow.domain.errors import ServiceUnavailable

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)

pytestmark = pytest.mark.airflow


def test_an_act_stands_in_airflows_own_log_as_airflow_reads_it(tmp_path: Path) -> None:
    from airflow.models.log import Log

    engine = sa.create_engine(f"sqlite:///{tmp_path / 'airflow.db'}")
    Log.metadata.create_all(engine, [Log.__table__])
    open_audit(engine.begin, lambda: NOW)("bvogel", "snooze", {"proposal": "7", "reason": "“away”"})
    with Session(engine) as session:
        [line] = session.scalars(sa.select(Log)).all()
    assert (line.dttm, line.event, line.owner) == (NOW, "kipflow_snooze", "bvogel")
    assert line.extra == '{"proposal": "7", "reason": "\\u201caway\\u201d"}'


def test_a_database_that_does_not_take_it_is_said_to_be_away() -> None:
    audit = open_audit(sa.create_engine("sqlite://").begin, lambda: NOW)
    with pytest.raises(ServiceUnavailable, match="no such table: log"):
        audit("bvogel", "snooze", {})
