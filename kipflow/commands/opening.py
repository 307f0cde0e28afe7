"""How a command opens what it works on."""

from __future__ import annotations

from kipflow.settings import read_settings
from kipflow.wiring import Parts, connect, secrets_from_environment


def open_parts() -> Parts:
    """The parts of the community that the environment names, its database brought up to date.

    Raises:
        ConfigError: a configuration file is wrong.
    """
    parts = connect(read_settings(), secrets=secrets_from_environment())
    parts.store.migrate()
    return parts
