"""Functions of a connection as methods: of a part of a session, and of the store, where each call is a transaction."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

import sqlalchemy as sa

from kipflow.adapters.store import part
from kipflow.services.ports import Rules

P = ParamSpec("P")
R = TypeVar("R")


class Bound(Protocol):
    """What has a connection, and rules by which it reads."""

    rules: Rules

    def connect(self) -> AbstractContextManager[sa.Connection]: ...


class Part(part.Part):
    """A part of a session, on its open connection."""

    def connect(self) -> AbstractContextManager[sa.Connection]:
        return nullcontext(self._connection)


def method(function: Callable[Concatenate[sa.Connection, P], R]) -> Callable[Concatenate[Bound, P], R]:
    """A function of a connection as a method."""

    @wraps(function)
    def bound(owner: Bound, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with owner.connect() as connection:
            return function(connection, *args, **kwargs)

    return bound


def ruled(function: Callable[Concatenate[sa.Connection, Rules, P], R]) -> Callable[Concatenate[Bound, P], R]:
    """A function of a connection and of the rules as a method."""

    @wraps(function)
    def bound(owner: Bound, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with owner.connect() as connection:
            return function(connection, owner.rules, *args, **kwargs)

    return bound
