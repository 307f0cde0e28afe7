"""The tables. Facts are only ever added, and taken out only with the ingest that brought them; a proposal's projection
is replaced by each decision on it.

`sql/migrations` makes these tables; a test compares the two.
"""

from __future__ import annotations

from kipflow.adapters.store.tables import decisions, facts
from kipflow.adapters.store.tables.facts import metadata

__all__ = ["decisions", "facts", "metadata"]
