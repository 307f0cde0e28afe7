"""What must fit together in a community's file: keys that are each in order, but not with one another."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from kipflow.config.community import Community
from kipflow.config.policy import CareConfig, PolicyConfig
from kipflow.config.values import parse_period
from kipflow.domain.errors import ConfigError


def find_contradictions(community: Community, path: Path) -> Iterator[ConfigError]:
    """Keys that contradict one another, or ask for what could never have an effect."""
    # a prefix by default would read another community's numbers, and find none of its own
    if community.keyed_by == "number" and "prefix" not in community.model_fields_set:
        expected = "the letters before a proposal's number, such as KIP (or keyed_by: subject); the key is missing"
        yield ConfigError(file=str(path), key="prefix", expected=expected)
    yield from _check_lists(community, path)
    yield from _check_care(community.policy, path)
    yield from _check_effects(community, path)
    if community.policy.dormancy == "clock" and community.policy.dormant_after is None:
        expected = "a period such as 180 days, for dormancy is the clock's; the key is missing"
        yield ConfigError(file=str(path), key="policy.dormant_after", expected=expected)


def _check_lists(community: Community, path: Path) -> Iterator[ConfigError]:
    """Refuse what names a list that the community does not have, and addresses that two lists would share."""
    own = f"one of the lists ({', '.join(community.lists)})"
    for position, address in enumerate(community.votes_on or ()):
        if address not in community.lists:
            yield ConfigError(file=str(path), key=f"votes_on.{position}", expected=f"{own}, got {address!r}")
    taken: set[object] = set(community.lists)
    for position, move in enumerate(community.archive.moved if community.archive else ()):
        key, month = f"archive.moved.{position}", (move.list, move.until)
        if move.list not in community.lists:
            yield ConfigError(file=str(path), key=f"{key}.list", expected=f"{own}, got {move.list!r}")
        if move.was in taken:
            yield ConfigError(file=str(path), key=f"{key}.was", expected=f"each address once, not {move.was!r} again")
        if month in taken:
            yield ConfigError(file=str(path), key=f"{key}.until", expected=f"a month of its own, not {move.until!r}")
        taken |= {move.was, month}


#: Kind of effect → the part of the file that it needs.
_NEEDS = {"page": "wiki", "result": "mail", "handover": "slack", "ticket": "jira"}


def _check_effects(community: Community, path: Path) -> Iterator[ConfigError]:
    """Refuse kinds of effects that could never be made: somebody would wait for them in vain."""
    for kind, part in _NEEDS.items():
        if community.effects.find_mode(kind) != "off" and getattr(community, part) is None:
            yield ConfigError(file=str(path), key=f"effects.{kind}", expected=f"off, for the file has no {part!r} part")


def _check_care(policy: PolicyConfig, path: Path) -> Iterator[ConfigError]:
    """Refuse care that asks for no more than every vote does: who wrote it believes in a rule that is none."""
    usual = parse_period(policy.voting_period) or timedelta()
    taken: set[str] = set()
    for position, care in enumerate(policy.care):
        key = f"policy.care.{position}"
        if care.interface in taken:
            expected = f"each interface once, not {care.interface} again"
            yield ConfigError(file=str(path), key=f"{key}.interface", expected=expected)
        taken.add(care.interface)
        yield from _check_more(care, usual, policy, path, key)


def _check_more(
    care: CareConfig, usual: timedelta, policy: PolicyConfig, path: Path, key: str
) -> Iterator[ConfigError]:
    period = parse_period(care.voting_period)
    if period is None and care.quorum is None and not care.reviewers:
        expected = "a voting_period, a quorum or reviewers; as it is, no care is asked for"
        yield ConfigError(file=str(path), key=key, expected=expected)
    if period is not None and period <= usual:
        expected = f"a period longer than every vote's ({policy.voting_period}), got {care.voting_period!r}"
        yield ConfigError(file=str(path), key=f"{key}.voting_period", expected=expected)
    if care.quorum is not None and care.quorum <= policy.quorum:
        expected = f"a number above every vote's ({policy.quorum}), got {care.quorum}"
        yield ConfigError(file=str(path), key=f"{key}.quorum", expected=expected)
