"""One running kipflow for all modules of this folder: the sandbox, Airflow with its real scheduler, Spark.

They run in the order of their names, each on what those before it left.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.system.running import Instance, start_instance


@pytest.fixture(scope="package")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    yield from start_instance(tmp_path_factory.mktemp("home"))
