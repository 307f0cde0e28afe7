"""The same attempts through Airflow's DAGs: what the hourly run makes of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from tests.adversary.conftest import BERG, DAY, LIND, LIST, MONDAY, OSEI, PETIT, Community, Mail, honest_vote
from tests.dags.conftest import dags

__all__ = ["dags"]
pytestmark = pytest.mark.airflow

RunDag = Callable[..., Any]
#: When the runs decide: half a day after the results were announced.
AS_OF = MONDAY + 5.5 * DAY


@pytest.fixture
def run_dag(dags: dict[str, Any], database_url: sa.URL, monkeypatch: pytest.MonkeyPatch) -> RunDag:
    """Runs a whole DAG on the village's database, every task in this process."""
    connection = {
        "conn_type": "generic",
        "host": database_url.host,
        "port": database_url.port,
        "login": database_url.username,
        "password": database_url.password,
        "schema": database_url.database,
        "extra": {"drivername": database_url.drivername},
    }
    monkeypatch.setenv("AIRFLOW_CONN_KIPFLOW_DB", json.dumps(connection))

    def run(dag_id: str, logical_date: datetime | None = None) -> Any:
        return dags[dag_id].test(logical_date=logical_date)

    return run


def begin(community: Community) -> None:
    """A first poll, so that the hourly run finds few new mails and reads them in its own process."""
    community.receive(Mail(name="hello", by=PETIT, day=0, body="Good morning.", subject="Shelves", answers=""))
    community.run("poll", "--as-of", (MONDAY + timedelta(hours=1)).isoformat())


def about(number: int, *mails: Mail) -> list[Mail]:
    """The same mails for another proposal."""
    return [
        replace(
            mail,
            name=f"{mail.name}.{number}",
            subject=mail.subject.replace("KIP-7", f"KIP-{number}"),
            answers=f"{mail.answers}.{number}" if mail.answers else "",
        )
        for mail in mails
    ]


def forged_names() -> list[Mail]:
    """A vote that three strangers carry under committers' names."""
    vote = honest_vote()
    people = (("one", LIND), ("two", OSEI), ("three", BERG))
    forged = [replace(vote[name], by=f"{who.partition(' <')[0]} <evil{name}@evil.example>") for name, who in people]
    return [vote["vote"], *forged, vote["result"]]


def backdated_opening() -> list[Mail]:
    """A vote that is announced two days after it arrived; its opening is dated four days before that."""
    vote = honest_vote()
    opening = replace(vote["vote"], day=3, dated=MONDAY - DAY)
    ballots = [replace(vote[name], day=3.2) for name in ("one", "two", "three")]
    return [opening, *ballots, replace(vote["result"], day=5)]


def swallowed_objections() -> list[Mail]:
    """A vote with three +1, and three -1 that stand far below any text that is read."""
    vote = honest_vote()
    filler = "\n".join(f"Line {n} of a long note on shelves and what they bear." for n in range(1, 4_000))
    objections = [
        Mail(name=f"no{n}", by=who, day=2.1 + n / 10, body=f"{filler}\n\n-1 (binding)")
        for n, who in enumerate((PETIT, OSEI, BERG))
    ]
    return [*(vote[name] for name in ("vote", "one", "two", "three")), *objections, vote["result"]]


@pytest.mark.postgres
def test_the_hourly_run_accepts_the_honest_vote_and_asks_about_the_others(
    community: Community, run_dag: RunDag
) -> None:
    """Four votes end in one run: an honest one, one carried by forged names, one with a backdated opening, and one
    whose objections stand below the text that is read. Only the honest one is accepted; each other waits for a person
    or for its period."""
    begin(community)
    community.receive(
        *honest_vote().values(),
        *about(11, *forged_names()),
        *about(12, *backdated_opening()),
        *about(14, *swallowed_objections()),
    )

    run_dag("kip_poll_threads")
    run_dag("kip_advance_stages", AS_OF)

    stages = {number: community.stage(number) for number in (7, 11, 12, 14)}
    assert stages == {7: "Accepted", 11: "Vote", 12: "Vote", 14: "Vote"}
    asked = {row["proposal"] for row in community.questions()}
    assert {"KIP-11", "KIP-14"} <= asked


@pytest.mark.postgres
def test_the_hourly_run_accepts_nothing_on_a_month_that_broke_off(community: Community, run_dag: RunDag) -> None:
    """The archive's answer for the month ends in the midst of a mail's headers. What came is read, and the proposal
    waits for the rest."""
    begin(community)
    community.receive(*honest_vote().values(), Mail(name="no", by=PETIT, day=2.5, body="-1 (binding)"))
    held = community.archive.mails[(LIST, "2026-03")]
    held[-1] = held[-1][: held[-1].index(b"To: ")]

    run_dag("kip_poll_threads")
    run_dag("kip_advance_stages", AS_OF)

    assert community.stage() == "Vote"
    assert any("incomplete" in line or "breaks off" in line for line in community.status()["missing"])
