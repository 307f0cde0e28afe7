"""Functions of a connection as the methods of a part of a session."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa

P = ParamSpec("P")
R = TypeVar("R")


class Part:
    """A part of a session, on its open connection."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection


def method(function: Callable[Concatenate[sa.Connection, P], R]) -> Callable[Concatenate[Part, P], R]:
    """A function of a connection as a method of a `Part`."""

    @wraps(function)
    def bound(part: Part, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return function(part._connection, *args, **kwargs)

    return bound
