"""The question "are these two one person?", in words: what speaks for it, and what depends on it."""

from __future__ import annotations

from kipflow.domain.doubts import settle_one
from kipflow.domain.people import Doubt
from kipflow.domain.policy import Policy
from kipflow.domain.tally import Counts, depends_on_review, find_extremes, is_enough, is_voted_down
from kipflow.domain.votes import Vote


def say_counts(counts: Counts, policy: Policy, *, quorum: int | None = None) -> str:
    """What these binding counts come to: "passes with +3 -0"."""
    if is_enough(counts, policy, quorum=quorum):
        word = "passes"
    else:
        word = "fails" if is_voted_down(counts, policy) else "falls short"
    return f"{word} with +{counts.plus} -{counts.minus}"


def say_ways(vote: Vote, doubt: Doubt, policy: Policy, *, quorum: int | None = None) -> tuple[str, ...]:
    """What the judged vote comes to if they are one person, and if they are two; empty where nothing depends on it."""
    if not doubt.binds or not depends_on_review(vote, policy, quorum=quorum):
        return ()
    said = []
    for same, lead in ((True, "if one person"), (False, "if two people")):
        way = settle_one(vote, doubt, same=same)
        ends = [say_counts(c, policy, quorum=quorum) for c in find_extremes(way, policy, quorum=quorum)]
        said.append(f"{lead}: {' or '.join(dict.fromkeys(ends))}")
    return tuple(said) if said[0].partition(": ")[2] != said[1].partition(": ")[2] else ()
