"""Entries of an announcement: votes of one choice and group, as a number, as names, or both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from kipflow.mail.announcements.names import is_handle
from kipflow.mail.announcements.tallywords import BINDING, IN_ALL, Kind, Word
from kipflow.mail.announcements.tokens import join_words

#: a name and the group written after it
Named = tuple[str, str]
_LACKS = re.compile(rf"\b(?:{join_words('uncounted', 'short_of')})\b|n['’]t\b", re.IGNORECASE)
_PASSES = re.compile(
    rf"\b(?:pass(?:es|ed)|carried|accepted|adopted|approved|makes (?:{join_words('number')}))(?::| by| with)\s$",
    re.IGNORECASE,
)
#: before names that stand for themselves
_BEGINS_LIST = re.compile(r"(?:^|[.!;,])\s*$")
_FAILS = re.compile(
    r"\b(?:fail|reject|declin|abandon|veto|oppos|dissent|object|against|(?:not|no|dead|lost|down|out)\b)", re.IGNORECASE
)
_SENTENCE_ENDS = re.compile(r"[.!?;。]\s")
# "we did not reach three binding votes", "at least 3 binding +1": numbers that were not cast
_NOT_CAST = re.compile(
    rf"(?:(?:\b(?:not|never)|n['’]t)(?: \w+)? (?:{join_words('gathers')})\w*|\b(?:{join_words('short_of')})"
    r"|\bhad written)\s+(?:(?:the|its|our|another|a) ){0,2}$",
    re.IGNORECASE,
)
# "one binding vote is missing"
_MISSING = re.compile(
    r"[ \w]{0,12} (?:is|are|was|were) (?:\w+ )?(?:missing|lacking|needed|required|short)\b", re.IGNORECASE
)
_LOOKED_AT, _SENTENCE = 60, 300
_BEHIND_LOGIN = frozenset({None, Kind.OPENS, Kind.JOINS, Kind.ENDS, Kind.CLOSES, Kind.GROUP, Kind.GLUE})
_BEHIND_ROW = frozenset({*_BEHIND_LOGIN, Kind.CHOICE, Kind.LEADS})
_BEHIND_COUNT = frozenset({None, Kind.OPENS, Kind.JOINS, Kind.ENDS})
#: what stands before a row of a list: "+1 Mara Lind, +1 Jun Okafor"
_ROW_STARTS = frozenset({None, Kind.LEADS, Kind.JOINS, Kind.ENDS})


@dataclass(frozen=True, slots=True)
class Entry:
    """Votes of one choice and group ("in all" if it names none): their number, and names with the group of each.

    Without a choice it gives its group to all others of the mail: "All votes are binding."
    """

    group: str
    choice: str
    number: int | None = None
    names: tuple[Named, ...] = ()
    #: whether its name may be nobody's: "Big +1"
    is_unsure: bool = False
    #: whether the line names its choice, and whether its number counts part of a whole before it: "5 of them -1"
    is_explicit: bool = True
    is_share: bool = False
    #: whether it is of others, or other words stand before it: "2 +1 from the community"
    is_apart: bool = False

    @property
    def scope(self) -> Scope:
        return Scope(self.choice, self.group if self.group != IN_ALL else None)


@dataclass(frozen=True, slots=True)
class Scope:
    """The choice and group that a heading, or words before a colon, lend to what follows."""

    choice: str | None = None
    group: str | None = None

    def within(self, outer: Scope) -> Scope:
        """This scope; what it does not name is lent by the outer one."""
        return Scope(self.choice or outer.choice, self.group or outer.group)


@dataclass(slots=True)
class Draft:
    """An entry as far as it is read: its head (a choice, a group and a number, in any order) and its names."""

    choice: str | None = None
    group: str | None = None
    number: int | None = None
    names: list[Named] = field(default_factory=list)
    #: where its head and names begin, where its head ends, and the word before it
    start: int = -1
    names_start: int = 0
    end: int = 0
    preceded_by: Kind | None = None
    #: whether names may follow, and only after "from"
    is_open: bool = False
    is_from: bool = False
    #: whether the names stand before the head, and a colon or bracket between them
    names_first: bool = False
    is_labelled: bool = False
    #: whether the list of names has ended
    is_closed: bool = False
    #: whether the number is a part ("5 out of 11"), the choice a word ("in favour"), the group the first word
    is_part: bool = False
    is_share: bool = False
    is_apart: bool = False
    is_side: bool = False
    group_first: bool = False
    has_votes: bool = False

    @property
    def has_head(self) -> bool:
        return self.choice is not None or self.group is not None or self.number is not None

    @property
    def is_one_name(self) -> bool:
        """Whether one name stands before its head, which may be nobody's."""
        return self.names_first and len(self.names) == 1

    @property
    def expects_names(self) -> bool:
        """Whether a name may follow; also in "+1 Mara Lind, +1 Jun Okafor", not in "no vetoes: Mara Lind"."""
        if self.number == 0:
            return False
        is_row = self.number is None and self.choice is not None and self.preceded_by in _ROW_STARTS
        return not self.has_head or (not self.names_first and (self.is_open or is_row))

    def may_hold_login(self, text: str, row: str | None, *, ahead: Kind | None) -> bool:
        """Whether words in small letters can be a person: in a list, or at the start of a row ("jokafor: +1").

        `row`: the row of a list before them; `ahead`: the kind of the word behind them.
        """
        if ahead not in (_BEHIND_LOGIN if self.has_head else _BEHIND_ROW):
            return False
        if self.is_from:
            return bool(self.names) and is_handle(text) and " " not in text
        if self.is_open or (self.names and self.has_head):
            return True
        if row is None:
            return False
        before = row[: self.start if self.has_head else None].rstrip()
        is_first = not before or (self.has_head and before[-1] in ",;:")
        return is_first and is_handle(text) and (" " not in text or not self.has_head)

    def is_full(self, beside: Kind | None, before: Kind | None, ahead: Kind | None) -> bool:
        """Whether a number begins another entry; `beside`: the kind of the word right before it.

        A number right behind a value counts it at the start of a row ("+1 3", "binding: +1 3, -1 1", not "the other +1
        3"), and behind its group where that ends: "+1 binding 3 (Mara, …".
        """
        is_right_behind = beside is Kind.CHOICE or (beside is Kind.GROUP and ahead not in _BEHIND_COUNT)
        begins_row = self.preceded_by is None or (self.preceded_by in _ROW_STARTS and ahead in _BEHIND_COUNT)
        is_stray = is_right_behind and not begins_row and not self.is_side
        is_apart = before is Kind.JOINS  # "all +1s and no -1"
        return bool(self.names) or self.number is not None or (self.choice is not None and (is_stray or is_apart))

    def mark(self, group: str) -> None:
        """Give a group to the last name."""
        self.names[-1] = (self.names[-1][0], group)

    def drop_label(self) -> None:
        """The word before a colon was a label, and no name: "Tally: +1 (binding): 5"."""
        if self.names_first and self.is_labelled:
            own = self.names[-1][1]
            self.group = self.group or (own if own != IN_ALL else None)
            self.names, self.names_first, self.is_labelled = [], False, False

    def find_names(self) -> tuple[Named, ...]:
        """The names, with marks for several given to each: "A, B (binding), C, D (non-binding)".

        A mark is for all names since the last one if the last name has one, the first is "binding" and stands behind
        several, and no two in a row are the same: those would be marks for one name each.
        """
        marked = [at for at, (_, own) in enumerate(self.names) if own != IN_ALL]
        groups = [self.names[at][1] for at in marked]
        is_ended = bool(marked) and marked[0] > 0 and marked[-1] == len(self.names) - 1 and groups[0] == BINDING
        if not is_ended or any(one == other for one, other in pairwise(groups)):
            return tuple(self.names)
        ends = (next(mark for mark in marked if mark >= at) for at in range(len(self.names)))
        return tuple((name, self.names[end][1]) for (name, _), end in zip(self.names, ends, strict=True))

    def is_complete(self, before: Kind | None) -> bool:
        """Whether it is whole if a word follows that fits nowhere, as in "2 binding constraints" it is not."""
        is_list = bool(self.names) and (before in {Kind.CLOSES, Kind.JOINS} or len(self.names) > 1)
        counts = self.number is not None and (self.choice is not None or self.has_votes or bool(self.names))
        return counts or is_list or self.names_first

    def is_entry(self, line: str, lent: Scope, *, follows: bool, goes_on: bool) -> bool:
        """Whether it counts or lists votes that were cast. `follows`: the line has an entry before it; `goes_on`: other
        words come right behind it."""
        if self.names and not self.has_head:  # "It passes: Mara, Jun (all binding)", "Accepted. Mara, Jun binding."
            label = line[: self.names_start]
            is_apart = not goes_on and (len(self.names) > 1 or follows) and _BEGINS_LIST.search(label) is not None
            are_marked = all(own != IN_ALL for _, own in self.find_names())
            return are_marked and (is_apart or _PASSES.search(label) is not None) and leads_to_voters(label)
        if self.number is None:
            return bool(self.names) and not _is_denied(line[: self.start])
        is_of_votes = self.choice or (not self.is_part and (self.group or lent != Scope()))
        before = line[max(0, self.start - _LOOKED_AT) : self.start]
        return bool(is_of_votes) and not (_NOT_CAST.search(before) or _MISSING.match(line, self.end))


def find_scope(words: Sequence[Word]) -> Scope:
    """The first choice and group in words."""
    return Scope(*(next((w.value for w in words if w.kind is kind), None) for kind in (Kind.CHOICE, Kind.GROUP)))


def mark_entry(entry: Entry, group: str) -> Entry:
    """The entry, or if it has names they, with this group if it has none."""
    if entry.group != IN_ALL:
        return entry
    names = tuple(mark_names(entry.names, group))
    return replace(entry, names=names, group=entry.group if names else group)


def mark_names(names: Iterable[Named], group: str) -> list[Named]:
    """The names, those without a group with this one."""
    return [(name, group if own == IN_ALL else own) for name, own in names]


def is_uncounted(label: str) -> bool:
    """Whether the words before a list say that its votes were not cast, or are not counted: "Still missing:"."""
    return _LACKS.search(label) is not None


def _is_denied(before: str) -> bool:
    """Whether the sentence that leads to a list says that its votes were not cast."""
    return is_uncounted(_SENTENCE_ENDS.split(before[-_SENTENCE:])[-1])


def leads_to_voters(before: str) -> bool:
    """Whether names without a choice, behind these words, are of votes in favour: nothing has failed or is missing."""
    return not (_is_denied(before) or _FAILS.search(before[-_SENTENCE:]))
