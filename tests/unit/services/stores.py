"""A store in memory, for use cases that need one."""

from __future__ import annotations

from kipflow.adapters.store import SqlStore, open_store
from kipflow.services.assembly import CommunityRules
from tests.unit.domain.building import POLICY


def open_memory() -> SqlStore:
    """An empty store without a roster, migrated."""
    store = open_store("sqlite://", CommunityRules(policy=POLICY, prefix="KIP", permalink="{mid}"))
    store.migrate()
    return store
