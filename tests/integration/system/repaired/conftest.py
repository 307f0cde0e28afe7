"""A running kipflow of its own for what is killed and repaired: beside the other one it takes half of the time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.system.running import Instance, start_instance


@pytest.fixture(scope="package")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    yield from start_instance(tmp_path_factory.mktemp("home"))
