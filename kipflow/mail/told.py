"""Votes told without a number: "LGTM", "I vote in favour". Never counted, always put to a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kipflow.domain.votes import Choice, Expression, Standing
from kipflow.mail import phrases
from kipflow.mail.quoting import OwnLine
from kipflow.mail.values import find_claim, find_values, has_claim_word

MAX_LINE_SHOWN = 300


def read_told(lines: Sequence[OwnLine], shown: Sequence[str]) -> Iterator[Expression]:
    """Votes told without a number: never counted, put to a person."""
    written = 0
    for line, text in zip(lines, shown, strict=True):
        sentence = line.text.strip()
        if not sentence:
            continue
        if find_values(sentence):
            written += 1
            continue  # a number was written, and read as no vote of the author's
        written += 1
        if written > 12 or len(sentence) > 400:
            continue
        choice = _find_told(sentence, first=written <= 3)
        if choice is not None:
            claimed = find_claim("", sentence)
            yield Expression(
                choice=choice,
                value="",
                claimed_binding=claimed,
                line=text.strip()[:MAX_LINE_SHOWN],
                rule="told-without-number",
                standing=Standing.UNCLEAR,
                why="reads like a vote without a number",
            )
            return


def _find_told(sentence: str, *, first: bool) -> Choice | None:
    if phrases.TOLD_ODDLY.match(sentence):
        return Choice.FOR
    if phrases.TOLD_UNREAL.search(sentence) or phrases.TALK_OF_VOTES.search(sentence):
        return None
    if phrases.TOLD_AGAINST.search(sentence):
        return Choice.AGAINST
    if phrases.TOLD_ABSTAIN.search(sentence) or phrases.TOLD_ODD_ZERO.match(sentence):
        return Choice.ABSTAIN
    if phrases.TOLD_FOR.search(sentence) or phrases.TOLD_TESTED.search(sentence):
        return Choice.FOR
    # "Non binding but it works well": only who votes says whether it binds
    return (
        Choice.FOR
        if first and has_claim_word(sentence) and find_claim("", sentence) is not None and len(sentence) < 160
        else None
    )
