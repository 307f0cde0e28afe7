"""Topics compared: the same one with a version behind it."""

from __future__ import annotations

import pytest

from kipflow.mail.rounds.topics import find_unversioned


@pytest.mark.parametrize(
    ("topic", "earlier", "is_next"),
    [
        ("kip-7: names v2", "kip-7: names", True),
        ("kip-7: names - version 12)", "kip-7: names", True),
        ("kip-7: names. v. 3", "kip-7: names.", True),
        ("kip-7: namesv2", "kip-7: names", True),
        ("kip-7: names ---- v2", "kip-7: names", False),
        ("kip-7: names v2 and more", "kip-7: names", False),
        ("kip-7: names v200", "kip-7: names", False),
        ("kip-7: other names v2", "kip-7: names", False),
        ("v2", "", False),
    ],
)
def test_a_topic_with_a_version_behind_it_goes_on_from_the_one_without(topic: str, earlier: str, is_next: bool) -> None:
    assert (earlier in find_unversioned(topic)) is is_next
