"""How a command opens the parts that it works on, and which time it uses."""

from __future__ import annotations

from datetime import datetime

from kipflow.adapters.private import keep_private
from kipflow.adapters.store.engine import find_file, make_database_url
from kipflow.commands.output import console, say_time
from kipflow.config.settings import read_settings
from kipflow.domain.errors import KipflowError
from kipflow.domain.times import say_moment
from kipflow.services.advance import CLOCK_SKEW
from kipflow.wiring import Parts, connect, prepare_database
from kipflow.wiring.environment import find_time, secrets_from_environment


def open_known_parts() -> Parts | None:
    """As `open_parts`, but None if there is no database yet."""
    file = find_file(make_database_url(read_settings().database_url))
    return open_parts() if file is None or file.exists() else None


def open_parts() -> Parts:
    """The parts of the community that the environment names, its database brought up to date and private to this user.

    Raises:
        ConfigError: a configuration file is wrong, or the database is another community's.
    """
    settings = read_settings()
    opened = keep_private(settings.home, find_file(make_database_url(settings.database_url)))
    if opened:
        console(stderr=True).print(opened)
    parts = connect(settings, secrets=secrets_from_environment())
    prepare_database(parts)
    return parts


def find_now(parts: Parts, as_of: datetime | None = None) -> datetime:
    """`as_of` if given, else the community's time; this machine's if a sandbox is not running."""
    if as_of is not None:
        return as_of
    now, is_own = find_time(parts.clock)
    if not is_own:
        console(stderr=True).print("the sandbox is not running: taking this machine's time (--as-of names another)")
    return now


_RULED = "a ruling holds from when it is made"
_SEEN = "nothing is seen before its time, and mail would count as held up to then"


def find_past(parts: Parts, as_of: datetime | None, *, because: str = _RULED) -> datetime:
    """The time of an act: `as_of` if given, else the community's time. Raises KipflowError if it has not come yet."""
    now = find_now(parts)
    if as_of is not None and as_of - now > CLOCK_SKEW:
        raise KipflowError(f"{say_moment(as_of)} has not come yet (it is {say_time(now)}): {because}")
    return now if as_of is None else as_of


def find_seen_at(parts: Parts, as_of: datetime | None) -> datetime:
    """As `find_past`, for facts: months would count as held up to a future time, and votes be closed on them."""
    return find_past(parts, as_of, because=_SEEN)


def find_fetched_at(parts: Parts, as_of: datetime | None) -> datetime:
    """As `find_seen_at`, for facts from services. Raises KipflowError if they are a sandbox's that is not running."""
    if parts.community.clock is not None and not find_time(parts.clock)[1]:
        raise KipflowError("the sandbox is not running, so nobody can be asked: `make run` starts it")
    return find_seen_at(parts, as_of)
