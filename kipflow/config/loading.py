"""Find a community's file and its roster's by name, read and check them."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from pathlib import Path

from kipflow.config.checks import find_contradictions
from kipflow.config.community import Community
from kipflow.config.files import read_config
from kipflow.config.roster import load_roster, read_roster
from kipflow.config.settings import read_settings
from kipflow.domain.errors import ConfigError, MissingFile
from kipflow.domain.roster import Roster


def load_community(name: str, config: Path | None = None) -> Community:
    """The community called `name`, or described by the file `name`.

    Raises:
        ConfigError: no such community, or a key of its file is wrong.
    """
    path = _find_community(name, config)
    community, faults = _read_community(path, config)
    if community is None or faults:
        raise faults[0]
    beside = path.resolve().parent / (community.roster or "")
    # a file somewhere else has its roster beside it, or below the configuration's folder as the others have
    return community.model_copy(update={"roster": str(beside)}) if beside.is_file() else community


def find_faults(name: str, config: Path | None = None) -> list[ConfigError]:
    """Everything that is wrong with a community's file and its roster's."""
    try:
        path = _find_community(name, config)
    except ConfigError as fault:
        return [fault]
    community, faults = _read_community(path, config)
    if community is not None and community.roster is not None:
        beside = path.resolve().parent / community.roster
        where = beside if beside.is_file() else (config or read_settings().config) / community.roster
        roster, wrong = read_roster(where)
        faults += wrong if roster is None else [*wrong, *_check_people(community, {p.id for p in roster.people})]
    return faults


def _find_community(name: str, config: Path | None) -> Path:
    folder = (config or read_settings().config) / "communities"
    elsewhere = name.endswith((".yaml", ".yml"))
    path = Path(name) if elsewhere else folder / f"{name}.yaml"
    if not path.is_file():
        beside = path.parent.glob("*.y*ml" if elsewhere else "*.yaml")
        known = sorted(p.name if elsewhere else p.stem for p in beside)
        raise MissingFile(file=str(path), what="community file", wanted=path.name if elsewhere else name, known=known)
    return path


def _read_community(path: Path, config: Path | None) -> tuple[Community | None, list[ConfigError]]:
    community, faults = read_config(Community, path)
    if community is None:
        return None, faults
    faults += find_contradictions(community, path)
    # what is stored and fetched goes by this name: two files with one name would mix two communities
    folder = (config or read_settings().config) / "communities"
    if path.parent == folder and community.name != path.stem:
        expected = f"{path.stem}, as the file is called, got {community.name!r}"
        faults.append(ConfigError(file=str(path), key="name", expected=expected))
    return community, faults


def find_roster(community: Community, config: Path | None = None) -> Roster:
    """The community's roster, or an empty one where the community names none.

    Raises:
        ConfigError: the roster is absent or wrong, or has not all people whom the community's file names.
    """
    roster = Roster(())
    if community.roster is not None:
        roster = load_roster((config or read_settings().config) / community.roster)
    for fault in _check_people(community, roster.by_id):
        raise fault
    return roster


def _check_people(community: Community, ids: Collection[str]) -> Iterator[ConfigError]:
    """Refuse an account, or a part in Slack, of somebody whom the roster does not have."""
    named = [(f"users.{user}", person) for user, person in community.users.items()]
    named += community.slack.find_people() if community.slack is not None else []
    for key, person in named:
        if person not in ids:
            alike = difflib.get_close_matches(person, ids, n=1)
            hint = f": did you mean {alike[0]}?" if alike else ""
            expected = f"the id of somebody in the roster, got {person!r}{hint}"
            yield ConfigError(file=f"{community.name} (community)", key=key, expected=expected)
