"""How many examples a property test draws: all, or an eighth where `EXAMPLES=few`, as `make check` says.

A check before a commit is run often; `make test` and the build server draw all.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import HealthCheck, settings

T = TypeVar("T")
SHARE = 8 if os.environ.get("EXAMPLES") == "few" else 1


def examples(count: int, *suppressed: HealthCheck) -> settings:
    return settings(max_examples=max(1, count // SHARE), deadline=None, suppress_health_check=suppressed)


def take_some(cases: Sequence[T]) -> Sequence[T]:
    """The cases of a property that holds for every one of them."""
    return cases[::SHARE]
