"""A store in memory, for use cases that need one."""

from __future__ import annotations

from kipflow.adapters.store import SqlStore, open_store
from kipflow.domain.policy import Policy
from kipflow.domain.roster import Roster
from kipflow.mail.threads import attribute_numbers, find_votes

POLICY = Policy(version="test-1", binding_roles=frozenset({"committer"}))


def open_memory() -> SqlStore:
    """An empty store without a roster, migrated."""
    store = open_store(
        "sqlite://",
        roster=Roster(()),
        policy=POLICY,
        prefix="KIP",
        permalink="{mid}",
        find_votes=lambda messages, _verdicts: find_votes(messages, Roster(()), POLICY, prefix="KIP"),
        attribute=attribute_numbers,
    )
    store.migrate()
    return store
