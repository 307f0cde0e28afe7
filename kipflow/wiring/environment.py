"""What the machine provides: secrets, the database's address, the time."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Protocol

import httpx
import sqlalchemy

from kipflow.config.community import Community
from kipflow.domain.errors import ServiceUnavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """Tokens of outside services, never shown by `repr`."""

    slack: str | None = None
    wiki: str | None = None
    jira: str | None = None
    mail: str | None = None

    def __repr__(self) -> str:
        return "Secrets(…)"


class DatabaseConnection(Protocol):
    """The fields of an Airflow connection to a database, common to Airflow's two classes."""

    login: str | None
    password: str | None
    host: str | None
    port: int | None
    schema: str | None

    @property
    def extra_dejson(self) -> dict[str, Any]: ...


def build_database_url(connection: DatabaseConnection) -> sqlalchemy.URL:
    """The application's database by a connection's fields.

    A connection's URI would be refused by SQLAlchemy, and contains the password.
    """
    extra = connection.extra_dejson
    return sqlalchemy.URL.create(
        extra.get("drivername", "postgresql+psycopg"),
        username=connection.login or None,
        password=connection.password or None,
        host=connection.host or None,
        port=connection.port,
        database=connection.schema or None,
        query=extra.get("query", {}),
    )


def secrets_from_environment(environment: Mapping[str, str] | None = None) -> Secrets:
    """The tokens in `KIPFLOW_SLACK_TOKEN`, `KIPFLOW_WIKI_TOKEN`, `KIPFLOW_JIRA_TOKEN`, `KIPFLOW_MAIL_TOKEN`."""
    env = os.environ if environment is None else environment
    return Secrets(**{f.name: env.get(f"KIPFLOW_{f.name.upper()}_TOKEN") or None for f in fields(Secrets)})


def find_time(clock: Callable[[], datetime]) -> tuple[datetime, bool]:
    """The community's time and True; if a sandbox is not running, this machine's time and False.

    This machine's time is safe to read and rule by: no decision is ever taken as of a time before the newest one.
    """
    try:
        return clock(), True
    except ServiceUnavailable:
        return datetime.now(UTC), False


def read_clock(community: Community) -> datetime:
    """The community's time: the system's, or that of a sandbox whose time may run faster."""
    if community.clock is None:
        return datetime.now(UTC)
    try:
        # loading certificates takes longer than the request, which every page of the board makes
        secure = community.clock.startswith("https:")
        answer = httpx.get(community.clock, timeout=10, verify=secure).raise_for_status().json()
        return datetime.fromisoformat(answer["now"]).astimezone(UTC)
    except (httpx.HTTPError, KeyError, ValueError, TypeError) as error:
        raise ServiceUnavailable(
            service="clock",
            url=community.clock,
            why=f"{error or type(error).__name__}; is the sandbox running (`kipflow up`)?",
        ) from None
