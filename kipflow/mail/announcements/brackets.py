"""What brackets in a line of votes mean: the group of names before them, a part of a number, or names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kipflow.mail.announcements.entries import Draft, mark_names
from kipflow.mail.announcements.tallywords import IN_ALL, Kind, Word

if TYPE_CHECKING:
    from kipflow.mail.announcements.tallies import Parser

#: brackets within each other that are looked into
_MAX_DEPTH = 3


def take_bracket(parser: Parser, _: Word) -> None:
    """Read on to the end of a bracket, and apply what is in it."""
    depth, start = 1, parser.at
    while parser.at < len(parser.words) and depth:
        depth += {Kind.OPENS: 1, Kind.CLOSES: -1}.get(parser.words[parser.at].kind, 0)
        parser.at += 1
    inner = parser.words[start : parser.at - 1 if not depth else parser.at]
    if inner and parser.depth < _MAX_DEPTH:
        _apply(parser, inner)


def _apply(parser: Parser, inner: Sequence[Word]) -> None:
    """Apply the words in a bracket to the entry that is being read."""
    draft, first = parser.draft, {word.kind: word for word in reversed(inner)}
    group = first[Kind.GROUP].value if Kind.GROUP in first else None
    number = next((int(word.value or 0) for word in inner if word.kind in {Kind.NUMBER, Kind.NONE}), None)
    is_counted = number is not None and (group or Kind.CHOICE in first)
    has_parts = sum(word.kind is Kind.NUMBER for word in inner) > 1  # "+1 (3 binding, 2 non-binding)"
    if not (draft.has_head or draft.names) and Kind.CHOICE in first and Kind.WORD in first:
        parser.entries.extend(parser.read_inside(inner))  # "It is 3:2 (+1: Mara, Jun, Ana; -1: Kim, Ole)"
    elif group and Kind.ALL in first and (draft.names or not draft.has_head):
        # "+1 from Mara, Jun; 0 from Ola (all binding)": one name alone is not all
        is_of_more = len(draft.names) == 1 and bool(parser.entries) and first[Kind.ALL].text.lower() == "all"
        parser.mark_all(group, is_of_all=is_of_more or not draft.names)
    elif (
        is_counted
        and Kind.ALL not in first
        and (draft.names or draft.number is not None or not draft.choice or has_parts)
    ):
        _read_counted(parser, inner, group, number or 0)
    elif draft.names and group:
        _mark_name(parser, first, group)
    elif Kind.WORD in first or Kind.FROM in first:
        _read_names(parser, inner, group)
    else:
        _complete_head(parser, first)


def _mark_name(parser: Parser, first: dict[Kind, Word], group: str) -> None:
    """ "Mara Lind (binding)", "Kim (+1 non-binding)"."""
    if not parser.draft.has_head and Kind.CHOICE in first:
        parser.take_choice(first[Kind.CHOICE])
        parser.draft.is_labelled = True
    parser.draft.mark(group)


def _complete_head(parser: Parser, first: dict[Kind, Word]) -> None:
    """ "+1 (binding)", "Yes (+1)", "+1 (3)", "+1 (8, all binding)"."""
    if Kind.GROUP in first:
        parser.take_group(first[Kind.GROUP])
    if Kind.CHOICE in first and parser.draft.choice is None:
        parser.take_choice(first[Kind.CHOICE])
    if Kind.NUMBER in first and parser.draft.number is None:  # also "[3] +1 (binding)"
        parser.draft.drop_label()
        parser.draft.number = int(first[Kind.NUMBER].value)


def _read_counted(parser: Parser, inner: Sequence[Word], group: str | None, number: int) -> None:
    """ "+1: 5 (3 binding)", "Mara, Jun, Ana (3 binding)"."""
    draft = parser.draft
    if draft.names and group and number == sum(own == IN_ALL for _, own in draft.names):
        draft.names = mark_names(draft.names, group)
        if not draft.has_head:
            draft.group, draft.start, draft.names_first = group, inner[0].start, True
        return
    choice = parser.choice
    if not draft.names_first:
        parser.end_entry()
    parser.entries.extend(parser.read_inside(inner, choice))


def _read_names(parser: Parser, inner: Sequence[Word], group: str | None) -> None:
    """ "(Mara, Jun and Ana; binding)" behind a head; behind a name nothing: "Mara Lind (mlind / @mara)"."""
    draft = parser.draft
    if not draft.has_head or draft.names:
        return
    head = Draft(choice=draft.choice or "+1", is_open=True, start=inner[0].start)
    draft.names = [named for entry in parser.read_inside(inner, head=head) for named in entry.names]
    if group and draft.group is None and all(own == IN_ALL for _, own in draft.names):
        draft.group = group
    draft.is_closed = bool(draft.names)
