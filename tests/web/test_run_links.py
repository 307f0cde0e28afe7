"""From a run of Airflow to what it did, on the board."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from kipflow.web.app import create_app
from kipflow.wiring import Parts

LATER = datetime(2100, 1, 1, tzinfo=UTC)
DAGS = Path(__file__).resolve().parents[2] / "dags"


def client_of(parts: Parts) -> TestClient:
    return TestClient(create_app(lambda: parts.store, clock=lambda: LATER))


def test_a_run_that_decides_leads_to_the_proposals_that_it_moved(parts: Parts) -> None:
    client = client_of(parts)
    link = re.search(r'href="[^"]*(proposals\?run=[^"]+)"', client.get("/proposals/7").text)
    assert link is not None, "the timeline of a proposal links to what else its runs moved"
    run = link[1].partition("=")[2]
    page = client.get("/runs", params={"dag": "kip_advance_stages", "run": run})
    assert page.url.path.endswith("/proposals")
    assert "KIP-7" in page.text
    assert f'Only those to whose history the run <span class="code">{run}</span> added.' in page.text
    other = client.get("/runs", params={"dag": "kip_advance_stages", "run": "manual__2020"})
    assert 'None to whose history the run <span class="code">manual__2020</span> added.' in other.text


@pytest.mark.parametrize("dag", sorted(path.stem for path in DAGS.glob("kip_*.py")))
def test_a_run_of_every_dag_leads_to_a_page_that_is_there(parts: Parts, dag: str) -> None:
    found = client_of(parts).get("/runs", params={"dag": dag, "run": "manual__2026"})
    assert found.status_code == 200
    assert found.url.path != "/", "the page is chosen in kipflow/web/pages.py"


def test_a_run_of_somebody_elses_dag_leads_to_the_first_page(parts: Parts) -> None:
    found = client_of(parts).get("/runs", params={"dag": "//evil.example", "run": "x"})
    assert found.status_code == 200
    assert found.url.path == "/"
