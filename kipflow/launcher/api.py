"""A client for the part of Airflow's REST API that the launcher needs."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import stamina

from kipflow.adapters.httpfaults import Answer, Fault, as_fault, find_beginning, refuse
from kipflow.adapters.patience import silence_retries
from kipflow.domain.errors import LaunchFailed

CONFLICT = frozenset({409})
NONE = frozenset({404})
# its runs wait for people, so nothing waits for these runs
ASK = "kip_ask_people"
ACTIVE = frozenset({"queued", "running"})
#: How long Airflow's programs wait for a lock of its SQLite database; the default of 5 is too short on a busy machine.
#: A client must wait longer: each retry adds a writer.
LOCK_SECONDS = 60
#: A task's id, its state and its number of tries.
TaskState = tuple[str, str | None, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DagRun:
    """One run of a DAG as the API gives it. `state`: queued, running, success or failed."""

    dag_id: str
    run_id: str
    state: str


class AirflowApi:
    """Talks to one API server as one user. Closes with `with`."""

    def __init__(self, url: str, *, user: str, password: str) -> None:
        # no proxy for a server on this machine
        silence_retries()
        self._client = httpx.Client(base_url=url, timeout=1.5 * LOCK_SECONDS, trust_env=False)
        self._user = user
        self._password = password

    def __enter__(self) -> AirflowApi:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def find_health(self) -> dict[str, str]:
        """Component → "healthy" or another word. Empty while the server does not answer."""
        try:
            response = self._client.get("/api/v2/monitor/health", timeout=5.0)
            body = response.json() if response.is_success else {}
        except (httpx.HTTPError, ValueError):
            return {}
        return {name: str(part.get("status")) for name, part in body.items() if isinstance(part, Mapping)}

    def login(self) -> None:
        """Get a token for the calls that follow. Raises LaunchFailed if the server is another installation's."""
        response = self._send("POST", "/auth/token", json={"username": self._user, "password": self._password})
        self._client.headers["Authorization"] = f"Bearer {response['access_token']}"

    def fetch_dags(self) -> dict[str, bool]:
        """DAG → whether it is paused, for all that are parsed."""
        body = self._send("GET", "/api/v2/dags", params={"limit": 200, "exclude_stale": True})
        return {dag["dag_id"]: bool(dag["is_paused"]) for dag in body["dags"]}

    def fetch_import_errors(self) -> list[str]:
        """The files that could not be parsed, with the last line of why."""
        body = self._send("GET", "/api/v2/importErrors", params={"limit": 20})
        return [f"{e['filename']}: {e['stack_trace'].strip().splitlines()[-1]}" for e in body["import_errors"]]

    def pause(self, dag_id: str) -> None:
        self._send("PATCH", f"/api/v2/dags/{dag_id}", json={"is_paused": True})

    def unpause(self, dag_id: str) -> None:
        self._send("PATCH", f"/api/v2/dags/{dag_id}", json={"is_paused": False})

    def trigger(self, dag_id: str) -> None:
        """Start a run now, with the DAG's default parameters.

        The run's id is chosen here, so that a retry after a lost answer starts no second run.
        """
        run = {"logical_date": None, "dag_run_id": f"kipflow__{uuid.uuid4()}"}
        self._send("POST", f"/api/v2/dags/{dag_id}/dagRuns", accept=CONFLICT, json=run)

    def fetch_runs(self, dag_id: str, limit: int = 50) -> list[DagRun]:
        """The DAG's runs, newest first."""
        path = f"/api/v2/dags/{dag_id}/dagRuns"
        body = self._send("GET", path, params={"limit": limit, "order_by": "-run_after"})
        return [_as_run(run) for run in body["dag_runs"]]

    def fetch_active(self) -> list[DagRun]:
        """The queued and running runs of all DAGs, except those that wait for people."""
        body = self._send("GET", "/api/v2/dags/~/dagRuns", params={"state": sorted(ACTIVE), "limit": 100})
        return [_as_run(run) for run in body["dag_runs"] if run["dag_id"] != ASK]

    def fetch_task_states(self, run: DagRun) -> list[TaskState]:
        """Task id, state and try of every task instance of a run (the first 200)."""
        path = f"/api/v2/dags/{run.dag_id}/dagRuns/{run.run_id}/taskInstances"
        body = self._send("GET", path, params={"limit": 200})
        return [(t["task_id"], t["state"], t["try_number"]) for t in body["task_instances"]]

    def is_awaited(self, dag_id: str) -> bool:
        """Whether asset events wait for the scheduler to start a run of the DAG."""
        body = self._send("GET", f"/api/v2/dags/{dag_id}/assets/queuedEvents", accept=NONE)
        return body is not None and body.get("total_entries", 0) > 0

    def ensure_pool(self, name: str, *, slots: int, description: str) -> None:
        """Create the pool if it is missing; an existing one is left as it is."""
        pools = self._send("GET", "/api/v2/pools", params={"limit": 200})
        if name not in {pool["name"] for pool in pools["pools"]}:
            pool = {"name": name, "slots": slots, "description": description}
            self._send("POST", "/api/v2/pools", accept=CONFLICT, json=pool)

    def _send(self, method: str, path: str, *, accept: frozenset[int] = frozenset(), **arguments: Any) -> Any:
        """The answer's JSON; None for a status in `accept`.

        Temporary failures are retried: Airflow answers 500 while its SQLite database is locked, as after a crash. Every
        call here can safely be repeated.

        Raises:
            LaunchFailed: no usable answer within three minutes, or a refusal.
        """
        patience = stamina.RetryingCaller(attempts=8, timeout=3.0 * LOCK_SECONDS, wait_initial=0.5, wait_max=8.0)
        try:
            answer = patience(Fault, self._send_once, method, path, **arguments)
            if answer.status in accept:
                return None
            refuse(answer.status, answer.body)
            return answer.json()
        except Fault as fault:
            raise LaunchFailed(what=f"Airflow {method} {path}", why=fault.why) from None

    def _send_once(self, method: str, path: str, **arguments: Any) -> Answer:
        try:
            response = self._client.request(method, path, **arguments)
        except httpx.TransportError as error:
            raise as_fault(error, away=True) from None
        if response.is_server_error:
            raise Fault(f"answered {response.status_code}: {find_beginning(response.content)}")
        return Answer(status=response.status_code, headers=response.headers, body=response.content)


def _as_run(raw: Mapping[str, Any]) -> DagRun:
    return DagRun(dag_id=raw["dag_id"], run_id=raw["dag_run_id"], state=raw["state"])
