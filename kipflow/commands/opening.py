"""How a command opens what it works on."""

from __future__ import annotations

from kipflow.adapters.private import keep_private
from kipflow.adapters.store.engine import find_file, make_database_url
from kipflow.commands.output import console
from kipflow.config.settings import Settings, read_settings
from kipflow.wiring import Parts, connect
from kipflow.wiring.database import prepare_database
from kipflow.wiring.environment import secrets_from_environment


def close_to_others(settings: Settings) -> None:
    """Keep the home and the database from other users of the machine; says so where they were open."""
    opened = keep_private(settings.home, find_file(make_database_url(settings.database_url)))
    if opened:
        console(stderr=True).print(opened)


def open_known_parts() -> Parts | None:
    """The same, if there is a database already."""
    file = find_file(make_database_url(read_settings().database_url))
    return open_parts() if file is None or file.exists() else None


def open_parts() -> Parts:
    """The parts of the community that the environment names, its database brought up to date.

    Raises:
        ConfigError: a configuration file is wrong, or the database is another community's.
    """
    settings = read_settings()
    close_to_others(settings)
    parts = connect(settings, secrets=secrets_from_environment())
    prepare_database(parts)
    return parts
