"""Where a vote comes from: "+1 (binding) from Accra" is its writer's, unless somebody of that name is known."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kipflow.domain.people import fold_name

_PLACE = re.compile(
    r"\W{0,3}from (?!(?:the|a|an|my|our|your|some|any|every|all)\b)(?:[a-z]+ ){0,2}"
    r"(?P<place>[^\W\d_a-z][\w'’-]+)(?P<behind>.{0,3})"
)


def find_place(rest: str) -> str:
    """The one word with a capital after a vote's "from", if no other follows; "" if there is none.

    >>> find_place(" from sunny Accra!"), find_place(" from Jun Okafor"), find_place(" from Jun's team")
    ('Accra', '', '')
    """
    match = _PLACE.match(rest)
    if match is None or re.match(r"\s*\(|\s+[^\W\d_a-z]|\s*[&,]\s*[^\W\d_a-z]|\s+(?:an|on|to)", match["behind"]):
        return ""
    return "" if "'" in match["place"] or "’" in match["place"] else match["place"]


def is_named_so(place: str, names: Iterable[str]) -> bool:
    """Whether the word is part of any of the names."""
    word = fold_name(place)
    return any(word in fold_name(name).split() for name in names)
