"""The application's database: its tables brought up to date, and only ever one community's."""

from __future__ import annotations

from pathlib import Path

from kipflow.domain.errors import ConfigError
from kipflow.wiring import Parts

#: Name of the mark that says which community's facts a database holds.
OWNER_MARK = "community"


def prepare_database(parts: Parts) -> None:
    """Bring the tables up to date, and note whose they are where nobody's facts are in them yet.

    Raises:
        ConfigError: the facts are another community's, whose numbers would mix with this one's.
    """
    parts.store.migrate()
    name = Path(parts.settings.community).stem
    with parts.store.read() as session:
        owner = session.marks.load(OWNER_MARK)
    if owner is None:
        with parts.store.begin() as session:
            session.marks.save(OWNER_MARK, name)
    elif owner != name:
        expected = f"a database of {name}'s own (this one is that of {owner})"
        raise ConfigError(file="environment", key="KIPFLOW_DATABASE_URL", expected=expected)
