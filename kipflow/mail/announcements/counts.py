"""Reads the counts and names of a closing announcement, in the many ways people lay them out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from kipflow.mail.announcements.entries import Entry, Scope, find_scope, mark_entry
from kipflow.mail.announcements.headings import find_entries
from kipflow.mail.announcements.names import is_same_person
from kipflow.mail.announcements.tallywords import BINDING, IN_ALL, NON_BINDING
from kipflow.mail.announcements.unsurewords import split_words

Key = tuple[str, str]


@dataclass(slots=True)
class CountReading:
    """Counts and names of an announcement. The keys of `names` are "+1 binding", "+1 non-binding" or "+1" (in all);
    `listed` is the number of names under each (group, choice), `stated` the counts written as numbers."""

    binding: dict[str, int] = field(default_factory=dict)
    non_binding: dict[str, int] = field(default_factory=dict)
    total: dict[str, int] = field(default_factory=dict)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    listed: dict[Key, int] = field(default_factory=dict)
    stated: set[Key] = field(default_factory=set)
    line: str = ""

    @property
    def any(self) -> bool:
        return bool(self.binding or self.non_binding or self.total or self.names)

    def of(self, group: str) -> dict[str, int]:
        return {BINDING: self.binding, NON_BINDING: self.non_binding}.get(group, self.total)


def read_counts(lines: Sequence[str]) -> CountReading:
    """Counts and names in an announcement's lines (made plain)."""
    reading = CountReading()
    people: dict[Key, list[str]] = {}
    complete: set[Key] = set()
    found = list(find_entries(lines))
    named_elsewhere = {(entry.group, entry.choice) for _, entry in found if entry.names}
    found = [(line, e) for line, e in found if not ((e.group, e.choice) in named_elsewhere and _says_none(line, e))]
    for group in [entry.group for _, entry in found if not entry.choice]:
        found = [(line, mark_entry(entry, group)) for line, entry in found if entry.choice]
    has_several = sum(bool(entry.names) for _, entry in found) > 1  # "Mara +1" above "Jun +1", not "Big +1"
    for line, entry in found:
        if entry.is_unsure and not has_several:
            continue
        key = (entry.group, entry.choice)
        if entry.number is not None:
            reading.of(entry.group).setdefault(entry.choice, entry.number)
            reading.stated.add(key)
            reading.line = reading.line or line.strip()
        named: dict[Key, list[str]] = {}
        for name, own in entry.names:
            group = entry.group if own == IN_ALL else own
            for kind in dict.fromkeys((group, IN_ALL) if entry.group == IN_ALL else (group,)):
                named.setdefault((kind, entry.choice), []).append(name)
        for each, names in named.items():
            if each not in complete:
                people.setdefault(each, []).extend(names)
        complete |= named.keys() if entry.number is not None else set()
    _add_names(reading, people)
    return reading


def _says_none(line: str, entry: Entry) -> bool:
    """Whether it is a "No votes" alone, below a heading that may be one of several for a group: "Committers:"."""
    return entry.number == 0 and find_scope(split_words(line)) == Scope()


def _add_names(reading: CountReading, people: dict[Key, list[str]]) -> None:
    """The names, and their number where an announcement states none."""
    for (group, choice), names in people.items():
        unique = tuple(dict.fromkeys(names))
        if unique != ("myself",):
            reading.listed[(group, choice)] = len(unique)
        reading.names[choice if group == IN_ALL else f"{choice} {group}"] = unique
        adds_own = unique == ("myself",) and group == IN_ALL and any(c == choice and g != group for g, c in people)
        if not (adds_own or _is_partly_marked(people, group, choice)):  # "With my own +1 it passes." above the lists
            reading.of(group).setdefault(choice, len(unique))
    _count_unmarked(reading, people)


def _count_unmarked(reading: CountReading, people: dict[Key, list[str]]) -> None:
    """Count the non-binding votes if only the total and its binding part are given: "+1: 5 (3 binding)", or names.

    A total smaller than the binding part counts the other votes: "3 x +1 (binding), 1 x +1". Names apart from those
    that do not bind bind: "+1: Mara, Jun" above "+1 (non-binding): Kim", "+1: Mara, Jun, Kim (nb)".
    """
    for choice in list(reading.total):
        groups = (IN_ALL, BINDING, NON_BINDING)
        everyone, marked, others = (set(people.get((group, choice), ())) for group in groups)
        is_all = choice not in reading.binding and reading.total[choice] == len(everyone)
        if others and is_all and not marked and (others < everyone or not _share_somebody(others, everyone)):
            bound = tuple(name for name in reading.names.pop(choice) if name not in others)
            reading.binding[choice] = len(bound)
            reading.non_binding.setdefault(choice, len(others))
            reading.names[f"{choice} {BINDING}"] = bound
            del reading.total[choice]
            continue
        if others or choice in reading.non_binding or choice not in reading.binding:
            continue
        stated = {group for group in (IN_ALL, BINDING) if (group, choice) in reading.stated}
        if len(stated) == 2 and reading.total[choice] >= reading.binding[choice]:
            reading.non_binding[choice] = reading.total[choice] - reading.binding[choice]
        elif len(stated) == 2:
            reading.non_binding[choice] = reading.total.pop(choice)
        elif not stated and marked and marked < everyone and "myself" not in everyone - marked:
            reading.non_binding[choice] = len(everyone - marked)


def _share_somebody(some: Iterable[str], others: Collection[str]) -> bool:
    return any(is_same_person(one, two) for one in some for two in others)


def _is_partly_marked(people: dict[Key, list[str]], group: str, choice: str) -> bool:
    """Whether a list of all names marks the group of only some: then the numbers of both groups are unknown."""
    everyone = set(people.get((IN_ALL, choice), ()))
    marked = set(people.get((BINDING, choice), ())) | set(people.get((NON_BINDING, choice), ()))
    kinds = {(BINDING, choice), (NON_BINDING, choice)}
    return group != IN_ALL and bool(everyone - marked) and everyone != {"myself"} and kinds <= people.keys()
