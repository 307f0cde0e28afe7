"""The store's version: equal answers mean that nothing was stored between them."""

from __future__ import annotations

from collections.abc import Hashable

import sqlalchemy as sa

_MARK = "kipflow_version"


def read_version(connection: sa.Connection) -> Hashable:
    """What differs once anything may have changed. On SQLite it differs between connections, too.

    PostgreSQL's snapshot names the transactions that are seen. SQLite counts what others committed and what this
    connection changed; another connection counts from another start.
    """
    if connection.dialect.name == "postgresql":
        return str(connection.scalar(sa.text("SELECT CAST(pg_current_snapshot() AS text)")))
    mark = connection.info.setdefault(_MARK, object())
    others = connection.exec_driver_sql("PRAGMA data_version").scalar()
    return mark, others, connection.exec_driver_sql("SELECT total_changes()").scalar()
