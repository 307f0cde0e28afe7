"""Words of a line of votes that are read together: names of several words, and what is said of all votes."""

from __future__ import annotations

from collections.abc import Sequence

from kipflow.mail.announcements.tallywords import Kind, Word

#: between "all binding" and the names before it
DASHES = frozenset("-–—")
#: within a name
_PARTICLES = frozenset({"de", "da", "von"})
_BEFORE_ALL = frozenset({Kind.JOINS, Kind.ENDS, Kind.OPENS, Kind.CLOSES, Kind.CHOICE, Kind.VOTES})
#: between "all" and "binding"
_BESIDE_ALL = frozenset({Kind.GLUE, Kind.NUMBER, Kind.VOTES})


def find_end_of_run(words: Sequence[Word], at: int) -> int:
    """The place behind the words from `at` on that nothing parts: "Ole de la Cruz"."""
    while kinds := [word.kind for word in words[at : at + 2]]:
        is_particle = kinds == [Kind.FROM, Kind.WORD] and words[at].text.lower() in _PARTICLES
        if kinds[0] is not Kind.WORD and not is_particle:
            break
        at += 1
    return at


def find_group_of_all(words: Sequence[Word], at: int) -> tuple[int, str] | None:
    """The group that "all" before `at` gives to all, and the place behind it: "all binding", "both votes binding"."""
    ahead = enumerate(words[at : at + 5], at + 1)
    end, group = next(((end, word) for end, word in ahead if word.kind not in _BESIDE_ALL), (at, words[at - 1]))
    return (end, group.value) if group.kind is Kind.GROUP and _is_said_of_all(words, at - 1, end) else None


def _is_said_of_all(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether "all binding" from `start` to `end` stands by itself.

    Not so in "Not all votes are binding", "All binding votes are in", "both binding and non-binding".
    """
    behind = [word.kind for word in words[end : end + 2]]
    begins = start == 0 or words[start - 1].kind in _BEFORE_ALL or words[start - 1].text in DASHES
    ends = behind[:1] in ([], [Kind.ENDS], [Kind.CLOSES], [Kind.JOINS]) and behind[1:] != [Kind.GROUP]
    # "3 votes, all binding:" above names
    ends = ends or (behind == [Kind.LEADS] and any(word.kind is Kind.NUMBER for word in words[:start]))
    return begins and ends and all(word.text != "?" for word in words[end:])
