"""The store: facts, decisions and the outbox in SQLite or PostgreSQL."""

from kipflow.adapters.store.parts import SqlSession
from kipflow.adapters.store.store import SqlStore, open_store

__all__ = ["SqlSession", "SqlStore", "open_store"]
