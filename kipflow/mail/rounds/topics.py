"""Topics compared: what is left of a subject without marks, tags and rounds, and whether two mean the same vote."""

from __future__ import annotations

import re

_CANDIDATE = re.compile(r"[\s._-]*\b(?:(?:release )?candidate|rc)\s?[#._-]?\s?(\d{1,2})\b", re.IGNORECASE)
_RELEASE = re.compile(r"(?<![\w.])\d{1,4}(?:\.\d{1,4}){1,3}(?![\w.])")
_RELEASE_WORDS = re.compile(r"\b(?:release|version)\b", re.IGNORECASE)
_VERSION = re.compile(r"(?P<apart>\W{0,3})v(?:ersion)?\.?\s?\d{1,2}\W?\Z")
#: Topics shorter than this are too common to be recognized by a part.
_SHORT_TOPIC = 8
_ALIKE = 0.6


def is_same_topic(one: str, other: str) -> bool:
    """Whether two topics are of one vote: equal, one within the other, or most words shared and all versions."""
    if one == other or _is_part(one, other) or _is_part(other, one):
        return True
    ours, theirs = set(one.split()), set(other.split())
    versions = {w for w in ours ^ theirs if any(c.isdigit() for c in w)}
    return not versions and len(ours & theirs) >= _ALIKE * max(len(ours), len(theirs), 1)


def names_release(topic: str, release: str) -> bool:
    """Whether a topic names the release that a vote's topic gives by little more than its version: "3.8.1 rc1".

    >>> names_release("release names version 3.8.1", "3.8.1 rc1"), names_release("release names 3.8.1", "clients 3.8.1")
    (True, False)
    """
    (title, ours), (version, theirs) = split_candidate(topic), split_candidate(release)
    versions = _RELEASE.findall(version)
    is_bare = versions and not _RELEASE.sub("", _RELEASE_WORDS.sub("", version)).strip()
    return bool(is_bare) and versions == _RELEASE.findall(title) and (not (ours and theirs) or ours == theirs)


def drop_key(topic: str, prefix: str) -> str:
    """A topic without the proposal's key in front of it.

    >>> drop_key("kip-7: names", "KIP")
    'names'
    """
    return re.sub(rf"^\W*{re.escape(prefix)}\W{{0,3}}\d+\W*", "", topic, flags=re.IGNORECASE)


def _is_part(one: str, other: str) -> bool:
    """Whether a topic holds another whole: "x 3.0.0-rc2" holds "x 3.0.0", but "x 3.0.1" does not hold "x 3.0"."""
    if len(one) <= _SHORT_TOPIC or one not in other:
        return False
    return re.search(rf"(?<![\w.]){re.escape(one)}(?!\w|\.\d)", other) is not None


def find_unversioned(topic: str) -> list[str]:
    """What a topic with a version at its end may be without the version: one of these is the earlier topic.

    >>> find_unversioned("kip-7: names v2")
    ['kip-7: names', 'kip-7: names ']
    """
    version = _VERSION.search(topic)
    if version is None:
        return []
    start, end = version.span("apart")
    return [topic[:cut] for cut in range(start, end + 1) if cut]


def split_candidate(topic: str) -> tuple[str, int]:
    """A release's topic without its candidate's number, and that number; 0 where it has none.

    >>> split_candidate("release names 1.2.0-rc2")
    ('release names 1.2.0', 2)
    """
    match = _CANDIDATE.search(topic)
    if match is None:
        return " ".join(re.sub(r"[^\w.]+", " ", topic).split()), 0
    release = re.sub(r"[^\w.]+", " ", topic[: match.start()] + " " + topic[match.end() :])
    return " ".join(release.split()), int(match.group(1))
