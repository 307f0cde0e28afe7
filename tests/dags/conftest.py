"""Airflow for the tests of DAG files: a home and database of its own, made before Airflow is imported."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Airflow reads these once, at its first import, which may be in any test's module. The home is never the caller's,
# whose database would be written to, and goes with this process.
_HOME = tempfile.mkdtemp(prefix="kipflow-airflow-")
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)
os.environ["AIRFLOW_HOME"] = _HOME
os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"
os.environ["AIRFLOW__CORE__DAGS_FOLDER"] = str(ROOT / "dags")
os.environ["AIRFLOW__CORE__PLUGINS_FOLDER"] = str(ROOT / "plugins")
# Airflow itself puts both folders on the import path
sys.path[:0] = [str(ROOT / "dags"), str(ROOT / "plugins")]


@pytest.fixture(scope="session")
def dags() -> dict[str, Any]:
    """Every DAG of the project, parsed as Airflow does; a file that does not load fails here."""
    from airflow.dag_processing.dagbag import DagBag
    from airflow.utils import db

    db.initdb()
    bag = DagBag(dag_folder=str(ROOT / "dags"))
    assert bag.import_errors == {}
    return dict(bag.dags)
