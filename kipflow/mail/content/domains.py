"""Whose a mail domain is."""

from __future__ import annotations


def is_aligned(one: str, other: str) -> bool:
    """Whether two domains are one organization's: equal, or one below the other.

    Siblings are not: that would need the list of public suffixes. A domain of one label is nobody's.
    """
    within = one == other or one.endswith(f".{other}") or other.endswith(f".{one}")
    return within and "." in one and "." in other
