"""One running kipflow for all system tests: the sandbox, Airflow with its real scheduler, Spark.

Its modules run in the order of their names, each on what those before it left.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.system.running import Instance, run_kipflow
from tests.ports import find_free_port


@pytest.fixture(scope="package")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    home, ui_port, sandbox_port = tmp_path_factory.mktemp("home"), find_free_port(), find_free_port()
    try:
        first = run_kipflow(home, ui_port, sandbox_port, "up")
        yield Instance(home=home, ui_port=ui_port, sandbox_port=sandbox_port, first=first)
    finally:
        run_kipflow(home, ui_port, sandbox_port, "down")
