"""Find a community's file and its roster's by name, read and check them."""

from __future__ import annotations

from pathlib import Path

from kipflow.config.checks import check_together
from kipflow.config.community import Community
from kipflow.config.files import load_config
from kipflow.config.roster import load_roster
from kipflow.config.settings import read_settings
from kipflow.domain.errors import ConfigError, MissingFile
from kipflow.domain.roster import Roster


def load_community(name: str, config: Path | None = None) -> Community:
    """The community called `name`, or described by the file `name`.

    Raises:
        ConfigError: no such community, or a key of its file is wrong.
    """
    folder = (config or read_settings().config) / "communities"
    path = Path(name) if name.endswith((".yaml", ".yml")) else folder / f"{name}.yaml"
    if not path.is_file():
        known = sorted(p.stem for p in folder.glob("*.yaml"))
        raise MissingFile(file=str(path), what="community file", wanted=path.stem, known=known)
    community = load_config(Community, path)
    check_together(community, path)
    # what is stored and fetched goes by this name: two files with one name would mix two communities
    if path.parent == folder and community.name != path.stem:
        raise ConfigError(
            file=str(path), key="name", expected=f"{path.stem}, as the file is called, got {community.name!r}"
        )
    beside = path.resolve().parent / (community.roster or "")
    # a file somewhere else has its roster beside it, or below the configuration's folder as the others have
    return community.model_copy(update={"roster": str(beside)}) if beside.is_file() else community


def find_roster(community: Community, config: Path | None = None) -> Roster:
    """The community's roster, or an empty one where the community names none."""
    if community.roster is None:
        return Roster(())
    return load_roster((config or read_settings().config) / community.roster)
