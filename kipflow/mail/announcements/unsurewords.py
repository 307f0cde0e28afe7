"""Decides what unsure words of a line are by their neighbours: "for", "no", "yes", a bare "0"."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from kipflow.mail.announcements.tallywords import Kind, Word, scan

#: a side, or that there are none: "no: 3", "no votes"
_DENIES = frozenset({"no", "non"})
#: what voters do, and reviewers: a side only before a colon and a number, or with a group
_ACTS = frozenset({"approve", "approved", "reject", "rejected"})
#: what stands between a number and its side: "3 binding votes in favour"
_BETWEEN = {Kind.GROUP, Kind.VOTES, Kind.GLUE}
_BEFORE_SIDES = frozenset({Kind.ENDS, Kind.JOINS, Kind.GROUP, Kind.OPENS, Kind.LEADS})
_BEHIND_NUMBERS = frozenset({Kind.OPENS, Kind.JOINS, Kind.ENDS, Kind.VOTES})
_NEAR = 6


@lru_cache(maxsize=64)
def split_words(line: str) -> tuple[Word, ...]:
    """The words of a line, left to right, each with what it does there."""
    settled: list[Word] = []
    words = scan(line)
    for at, word in enumerate(words):
        settled.append(word if not word.unsure else _settle(word, settled[-_NEAR:], words[at + 1 : at + 1 + _NEAR]))
    return tuple(settled)


def _settle(word: Word, before: list[Word], after: list[Word]) -> Word:
    as_word = replace(word, kind=Kind.WORD, unsure=False)
    preceding = next((w for w in reversed(before) if w.kind not in _BETWEEN), None)
    counted = preceding is not None and preceding.kind in {Kind.NUMBER, Kind.NONE}
    begins = all(w.kind in _BETWEEN for w in before) or before[-1].kind in _BEFORE_SIDES
    ahead = _skip_claim(after)
    is_marked = [w.kind for w in after[:2]] == [Kind.OPENS, Kind.GROUP]  # "Mara and Jun for (binding)"
    if word.kind is Kind.NUMBER:
        if word.value != "0":
            return word
        begins = not before or before[-1].kind in _BEFORE_SIDES - {Kind.LEADS}
        begins = begins and [w.kind for w in before[-2:]] != [Kind.NUMBER, Kind.OPENS]  # "1 (0 binding)"
        is_choice = counted or (begins and (ahead is None or ahead.kind in {Kind.LEADS, Kind.FROM, Kind.WORD}))
        is_times = [w.kind for w in after[:2]] == [Kind.GLUE, Kind.NUMBER] and after[0].text in "xX×"  # "0 x 1"
        is_choice = is_choice or (begins and is_times)
        is_choice = is_choice or (not before and ahead is not None and ahead.kind in {Kind.NUMBER, Kind.JOINS})
        return replace(word, kind=Kind.CHOICE, value="0", unsure=False) if is_choice or is_marked else word
    if word.text.lower() in _DENIES and after and after[0].kind is Kind.CHOICE and not after[0].unsure:  # "no vetoes"
        return replace(as_word, kind=Kind.NUMBER, value="0")
    if ahead is not None and after[0].kind is Kind.VOTES and word.text.lower() not in _DENIES:
        return word
    if counted and after and after[0].kind is Kind.VOTES:  # "1 no vote"
        return word
    if word.value == "0" and preceding is not None and preceding.kind is Kind.WORD and ahead is None:  # "Kim abstained"
        return word
    ends = ahead is None or ahead.kind not in {Kind.WORD, Kind.NUMBER, Kind.CHOICE, Kind.FROM}
    # "Yes (+1)", "No, binding: 1"
    heads = [w.kind for w in after[:2]] in ([Kind.OPENS, Kind.CHOICE], [Kind.JOINS, Kind.GROUP])
    heads = heads or (ahead is not None and (ahead.kind is Kind.LEADS or (not before and _ends_row(ahead, after))))
    if word.text.lower() in _ACTS:
        counted, heads = False, heads and any(w.kind in {Kind.NUMBER, Kind.GROUP} for w in after[:3])
        is_marked = False
    if (counted and ends) or (begins and heads) or is_marked:
        return word
    return replace(as_word, kind=Kind.NUMBER, value="0") if word.text.lower() in _DENIES else as_word


def _ends_row(word: Word, after: list[Word]) -> bool:
    """Whether a number behind a side counts it: "YES  6", not "for 3 topics: passed"."""
    behind = after[after.index(word) + 1 :][:1]
    return word.kind is Kind.NUMBER and (not behind or behind[0].kind in _BEHIND_NUMBERS)


def _skip_claim(after: list[Word]) -> Word | None:
    """The first word behind a side and what belongs to it: "(binding)", "votes", quotes."""
    skipped = {Kind.GROUP, Kind.VOTES, Kind.GLUE, Kind.OPENS, Kind.CLOSES}
    while after and after[0].kind is Kind.GLUE:
        after = after[1:]
    if after and after[0].kind is Kind.OPENS and len(after) > 1 and after[1].kind not in {Kind.GROUP, Kind.CHOICE}:
        return after[0]
    found = (word for word in after if word.kind not in skipped and not (word.kind is Kind.CHOICE and not word.unsure))
    return next(found, None)
