"""The tables. Facts are only added, and removed only if the ingest that stored them is undone. Each decision on a
proposal replaces its projection.

`sql/migrations` makes these tables; a test compares the two.
"""

from __future__ import annotations

from kipflow.adapters.store.tables import decisions, facts, outbox, votes
from kipflow.adapters.store.tables.facts import metadata

__all__ = ["decisions", "facts", "metadata", "outbox", "votes"]
