"""The store: facts, decisions and the outbox in SQLite or PostgreSQL."""

from kipflow.adapters.store.store import SqlStore, open_store

__all__ = ["SqlStore", "open_store"]
