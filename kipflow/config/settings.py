"""Settings: folders, database and community, read from the environment."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kipflow.config.databaseurl import set_password

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of this machine, from `KIPFLOW_*` variables.

    `home` holds everything a run makes (databases, raw months, logs). `database_url` may carry a
    password: never print it; `str()` of this object leaves it out. `board_url` is where people find the board.
    """

    home: Path
    config: Path
    community: str
    database_url: str
    sends: bool
    board_url: str = ""

    def __repr__(self) -> str:
        return f"Settings(home={str(self.home)!r}, community={self.community!r})"

    @property
    def raw(self) -> Path:
        """Raw months as they were fetched, one file per list and month."""
        return self.home / "raw"

    @property
    def lake(self) -> Path:
        """Parquet that Spark writes."""
        return self.home / "lake"


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process. `KIPFLOW_DRY_RUN=1` switches sending off whatever a community says.

    Raises:
        BadDatabaseUrl: a password is given apart, and it is ambiguous where the URL's account ends.
    """
    env = os.environ if environment is None else environment
    community = env.get("KIPFLOW_COMMUNITY") or "sandbox"
    home = Path(env.get("KIPFLOW_HOME") or REPOSITORY / ".kipflow").expanduser().resolve()
    database = env.get("KIPFLOW_DATABASE_URL") or f"sqlite:///{home / (Path(community).stem + '.db')}"
    password = env.get("KIPFLOW_DATABASE_PASSWORD")
    if password:
        database = set_password(database, password)
    return Settings(
        home=home,
        config=Path(env.get("KIPFLOW_CONFIG") or REPOSITORY / "config").expanduser().resolve(),
        community=community,
        database_url=database,
        board_url=_find_board(env),
        sends=env.get("KIPFLOW_DRY_RUN", "0") in {"", "0", "false", "no"},
    )


def _find_board(env: Mapping[str, str]) -> str:
    """The board's address: given, or where Airflow's own address is configured in the environment; else ""."""
    airflow = env.get("AIRFLOW__API__BASE_URL", "").rstrip("/")
    return env.get("KIPFLOW_BOARD_URL", "").rstrip("/") or (f"{airflow}/kipflow" if airflow else "")


def load_instance_variables(home: Path) -> dict[str, str]:
    """The variables that clients of a sandbox started from `home` need (`KIPFLOW_SANDBOX_URL`, say).

    Empty if nothing runs, or the file is damaged.
    """
    try:
        raw = json.loads((home / "run" / "instance.json").read_text(encoding="utf-8"))
        return {str(k): str(v) for k, v in raw["variables"].items() if str(k).startswith("KIPFLOW_")}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
