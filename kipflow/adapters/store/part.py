"""A part of a session: a class whose methods are the queries of one port (`services.ports`)."""

from __future__ import annotations

import sqlalchemy as sa

from kipflow.services.ports import Rules


class Part:
    """Queries on an open connection, for a community with these rules."""

    def __init__(self, connection: sa.Connection, rules: Rules) -> None:
        self._connection, self.rules = connection, rules
