"""Find a community's file and its roster by name, read them, and check that their keys are consistent."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from datetime import timedelta
from pathlib import Path

from kipflow.config.community import Community
from kipflow.config.files import KeyFault, read_config
from kipflow.config.policy import CareConfig, PolicyConfig
from kipflow.config.roster import load_roster, read_roster
from kipflow.config.settings import read_settings
from kipflow.config.values import parse_period
from kipflow.domain.errors import ConfigError, MissingFile
from kipflow.domain.roster import Roster


def load_community(name: str, config: Path | None = None) -> Community:
    """The community called `name`, or described by the file `name`.

    Raises:
        ConfigError: no such community, or a key of its file is wrong.
    """
    folder = config or read_settings().config
    path = _find_community(name, folder)
    community, faults = _read_community(path, folder)
    if community is None or faults:
        raise faults[0]
    if community.roster is None:
        return community
    return community.model_copy(update={"roster": str(_place_roster(path, community.roster, folder))})


def find_faults(name: str, config: Path) -> list[ConfigError]:
    """Everything that is wrong with a community's file and its roster's."""
    try:
        path = _find_community(name, config)
    except ConfigError as fault:
        return [fault]
    community, faults = _read_community(path, config)
    if community is not None and community.roster is not None:
        roster, wrong = read_roster(_place_roster(path, community.roster, config))
        faults += wrong if roster is None else [*wrong, *_check_people(community, {p.id for p in roster.people})]
    return faults


def _find_community(name: str, config: Path) -> Path:
    elsewhere = name.endswith((".yaml", ".yml"))
    path = Path(name) if elsewhere else config / "communities" / f"{name}.yaml"
    if not path.is_file():
        beside = path.parent.glob("*.y*ml" if elsewhere else "*.yaml")
        known = sorted(p.name if elsewhere else p.stem for p in beside)
        raise MissingFile(file=str(path), what="community file", wanted=path.name if elsewhere else name, known=known)
    return path


def _place_roster(path: Path, name: str, config: Path) -> Path:
    """The path of a community's roster: beside its file, or below the configuration folder."""
    beside, below = path.resolve().parent / name, config / name
    is_elsewhere = path.parent != config / "communities"
    return beside if beside.is_file() or (is_elsewhere and not below.is_file()) else below


def _read_community(path: Path, config: Path) -> tuple[Community | None, list[ConfigError]]:
    def check(community: Community) -> Iterator[KeyFault]:
        yield from _find_contradictions(community)
        # stored data are named by it: two files with one name would mix two communities
        if path.parent == config / "communities" and community.name != path.stem:
            yield "name", f"{path.stem}, as the file is called, got {community.name!r}"

    return read_config(Community, path, check)


def find_roster(community: Community, config: Path) -> Roster:
    """The community's roster, or an empty one where the community names none.

    Raises:
        ConfigError: the roster is missing or wrong, or lacks people whom the community's file names.
    """
    roster = Roster(())
    if community.roster is not None:
        roster = load_roster(config / community.roster)
    for fault in _check_people(community, roster.by_id):
        raise fault
    return roster


def _check_people(community: Community, ids: Collection[str]) -> Iterator[ConfigError]:
    """Refuse accounts and Slack settings of people who are not in the roster."""
    named = [(f"users.{user}", person) for user, person in community.users.items()]
    named += community.slack.find_people() if community.slack is not None else []
    for key, person in named:
        if person not in ids:
            alike = difflib.get_close_matches(person, ids, n=1)
            hint = f": did you mean {alike[0]}?" if alike else ""
            expected = f"the id of somebody in the roster, got {person!r}{hint}"
            yield ConfigError(file=f"{community.name} (community)", key=key, expected=expected)


# -- what must fit together --------------------------------------------------------------------------


def _find_contradictions(community: Community) -> Iterator[KeyFault]:
    """Keys that contradict each other, or could never have an effect."""
    # the default prefix would find another community's numbers, and none of its own
    if community.keyed_by == "number" and "prefix" not in community.model_fields_set:
        expected = "the letters before a proposal's number, such as KIP (or keyed_by: subject); the key is missing"
        yield "prefix", expected
    yield from _check_lists(community)
    yield from _check_care(community.policy)
    yield from _check_effects(community)
    if community.policy.dormancy == "clock" and community.policy.dormant_after is None:
        yield "policy.dormant_after", "a period such as 180 days, for dormancy is the clock's; the key is missing"


def _check_lists(community: Community) -> Iterator[KeyFault]:
    """Refuse references to unknown lists, and addresses shared by two lists."""
    own = f"one of the lists ({', '.join(community.lists)})"
    for position, address in enumerate(community.votes_on or ()):
        if address not in community.lists:
            yield f"votes_on.{position}", f"{own}, got {address!r}"
    taken: set[object] = set(community.lists)
    for position, move in enumerate(community.archive.moved if community.archive else ()):
        key, month = f"archive.moved.{position}", (move.list, move.until)
        if move.list not in community.lists:
            yield f"{key}.list", f"{own}, got {move.list!r}"
        if move.was in taken:
            yield f"{key}.was", f"each address once, not {move.was!r} again"
        if month in taken:
            yield f"{key}.until", f"a month of its own, not {move.until!r}"
        taken |= {move.was, month}


#: Kind of effect → the section of the file that it needs.
_NEEDS = {"page": "wiki", "result": "mail", "handover": "slack", "ticket": "jira"}


def _check_effects(community: Community) -> Iterator[KeyFault]:
    """Refuse kinds of effect that could never be sent: somebody would wait for them in vain."""
    for kind, part in _NEEDS.items():
        if community.effects.find_mode(kind) != "off" and getattr(community, part) is None:
            yield f"effects.{kind}", f"off, for the file has no {part!r} part"


def _check_care(policy: PolicyConfig) -> Iterator[KeyFault]:
    """Refuse care that requires no more than every vote does: its author expects a rule that has no effect."""
    taken: set[str] = set()
    for position, care in enumerate(policy.care):
        key = f"policy.care.{position}"
        if care.interface in taken:
            yield f"{key}.interface", f"each interface once, not {care.interface} again"
        taken.add(care.interface)
        yield from _check_more(care, policy, key)


def _check_more(care: CareConfig, policy: PolicyConfig, key: str) -> Iterator[KeyFault]:
    period, usual = parse_period(care.voting_period), parse_period(policy.voting_period) or timedelta()
    if period is None and care.quorum is None and not care.reviewers:
        yield key, "a voting_period, a quorum or reviewers; as it is, no care is asked for"
    if period is not None and period <= usual:
        expected = f"a period longer than every vote's ({policy.voting_period}), got {care.voting_period!r}"
        yield f"{key}.voting_period", expected
    if care.quorum is not None and care.quorum <= policy.quorum:
        yield f"{key}.quorum", f"a number above every vote's ({policy.quorum}), got {care.quorum}"
