"""What every test of a community's files has: variables that a command sets end with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from unittest.mock import patch

import pytest


@pytest.fixture(autouse=True)
def _variables_as_before() -> Iterator[None]:
    with patch.dict(os.environ):
        yield
