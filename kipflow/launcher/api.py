"""A client for the part of Airflow's REST API that the launcher needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from kipflow.domain.errors import LaunchFailed

ACTIVE = frozenset({"queued", "running"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DagRun:
    """One run of a DAG as the API tells it. `state`: queued, running, success or failed."""

    dag_id: str
    run_id: str
    state: str


class AirflowApi:
    """Talks to one API server as one user. Closes with `with`."""

    def __init__(self, url: str, *, user: str, password: str) -> None:
        # the machine's proxy settings are not for a server on this machine
        self._client = httpx.Client(base_url=url, timeout=30.0, trust_env=False)
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
        """Get a token for the calls that follow.

        Raises:
            LaunchFailed: the server refuses our user: it belongs to another installation.
        """
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

    def unpause(self, dag_id: str) -> None:
        self._send("PATCH", f"/api/v2/dags/{dag_id}", json={"is_paused": False})

    def trigger(self, dag_id: str) -> None:
        """Start a run now, with the DAG's default parameters."""
        self._send("POST", f"/api/v2/dags/{dag_id}/dagRuns", json={"logical_date": None})

    def fetch_runs(self, dag_id: str, limit: int = 50) -> list[DagRun]:
        """The DAG's runs, newest first."""
        path = f"/api/v2/dags/{dag_id}/dagRuns"
        body = self._send("GET", path, params={"limit": limit, "order_by": "-run_after"})
        return [_as_run(run) for run in body["dag_runs"]]

    def fetch_active(self) -> list[DagRun]:
        """The runs of all DAGs that are queued or running."""
        body = self._send("GET", "/api/v2/dags/~/dagRuns", params={"state": sorted(ACTIVE), "limit": 100})
        return [_as_run(run) for run in body["dag_runs"]]

    def fetch_task_states(self, run: DagRun) -> list[tuple[str, str | None, int]]:
        """Task id, state and try of every task instance of a run (the first 200)."""
        path = f"/api/v2/dags/{run.dag_id}/dagRuns/{run.run_id}/taskInstances"
        body = self._send("GET", path, params={"limit": 200})
        return [(t["task_id"], t["state"], t["try_number"]) for t in body["task_instances"]]

    def is_awaited(self, dag_id: str) -> bool:
        """True where asset events wait for the scheduler to start a run of the DAG."""
        response = self._client.get(f"/api/v2/dags/{dag_id}/assets/queuedEvents")
        return response.is_success and response.json().get("total_entries", 0) > 0

    def ensure_pool(self, name: str, *, slots: int, description: str) -> None:
        """Create the pool where it is missing; one that an operator resized is left alone."""
        pools = self._send("GET", "/api/v2/pools", params={"limit": 200})
        if name not in {pool["name"] for pool in pools["pools"]}:
            self._send("POST", "/api/v2/pools", json={"name": name, "slots": slots, "description": description})

    def _send(self, method: str, path: str, **arguments: Any) -> Any:
        try:
            response = self._client.request(method, path, **arguments)
            response.raise_for_status()
            return response.json()
        except httpx.HTTPStatusError as error:
            text = " ".join(error.response.text.split())[:200]
            raise LaunchFailed(what=f"Airflow {method} {path}", why=f"{error.response.status_code} {text}") from None
        except (httpx.HTTPError, ValueError) as error:
            raise LaunchFailed(what=f"Airflow {method} {path}", why=str(error) or type(error).__name__) from None


def _as_run(raw: Mapping[str, Any]) -> DagRun:
    return DagRun(dag_id=raw["dag_id"], run_id=raw["dag_run_id"], state=raw["state"])
