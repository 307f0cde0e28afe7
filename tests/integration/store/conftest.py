"""The same store on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa

from kipflow.adapters.store import SqlStore, open_store
from kipflow.domain.policy import Policy
from tests.integration.store.mails import make_rules


@pytest.fixture
def policy() -> Policy:
    return Policy(version="test-1", binding_roles=frozenset({"pmc"}), clock_after=timedelta(days=7))


@pytest.fixture
def open_with(database_url: sa.URL, policy: Policy) -> Iterator[Callable[..., SqlStore]]:
    """Opens the test's database as another process would, with other rules if asked to."""
    opened: list[SqlStore] = []

    def open_one(policy: Policy = policy) -> SqlStore:
        store = open_store(database_url, make_rules(policy, permalink="https://lists.example/thread/{mid}"))
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(open_with: Callable[..., SqlStore]) -> SqlStore:
    return open_with()
