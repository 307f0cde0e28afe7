"""Reads the counts and names of a closing announcement, in the many ways people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kipflow.mail.announcements.figures import CHOICE_GROUP, GROUP, NEXT_NUMBER, find_counts, parse_choice, parse_group
from kipflow.mail.announcements.name_lists import ITEM, CountReading, Key, NameLists, split_people

_NO_MINUS = re.compile(
    r"\bno\s+(?:(?:0|\+0|-0)s?\s*(?:votes?\s*)?(?:,|or|and|/|nor)\s*(?:no\s+)?)?-\s?1|"
    r"\b(?:no|without(?: any)?)\s+(?:binding\s+)?(?:veto|objections|negative votes|dissent)",
    re.IGNORECASE,
)

_BEHIND = re.compile(
    r"^\s*(?:votes?|veto\w*|ones?)?\s*(?:(?:from|by|of|:|-)\s+"
    r"(?P<names>(?:[^.;()]|(?<=\b[A-Z])\.|\((?!\d)[^()]{0,40}\)){2,1200})|"
    r"\((?:from |by |thanks (?:to )?)?"
    r"(?P<paren>[^()]{2,1200})\))",
    re.I,
)

_NAME = r"(?-i:(?=[^\W\d_])[^a-zß-öø-ÿ])[\w'’-]*"
_FROM_NAMES = rf" from {_NAME}(?: {_NAME})?(?:,|\.(?= |$)|;|$| \(| and {_NAME})"
#: "with +1s from Mara, Jun and Kim", "with the following +1 votes: Mara, Jun": the list of names is complete
_UNCOUNTED = re.compile(
    rf"(?:(?P<g>{GROUP}) )?(?:{CHOICE_GROUP}(?:['’]?s| votes|(?<=binding [+-]1)(?={_FROM_NAMES})"
    rf"| \((?P<behind>{GROUP})\)(?={_FROM_NAMES}))(?= (?:from|by|of) )"
    rf"|(?<=following ){CHOICE_GROUP.replace('<c>', '<listed>')}(?:['’]?s| votes?)?(?=: ))",
    re.IGNORECASE,
)


def read_counts(lines: Sequence[str]) -> CountReading:
    """Counts and names in an announcement's lines (made plain)."""
    reading = CountReading()
    people: dict[Key, list[str]] = {}
    inline: set[Key] = set()
    for index, line in enumerate(lines):
        text = _with_next(lines, index)
        counts = find_counts(line)
        for count in counts:
            reading.of(count.group).setdefault(count.choice, count.number)
            reading.stated.add((count.group, count.choice))
            reading.line = reading.line or line.strip()
        for group, choice, end in [(c.group, c.choice, c.end) for c in counts] or _find_uncounted(line):
            named = _read_names_behind(text[end:])
            if named and (group, choice) not in people:
                for name, own in named:
                    for kind in dict.fromkeys((group, own if group == "in all" else group)):
                        people.setdefault((kind, choice), []).append(name)
                        inline.add((kind, choice))
        if _NO_MINUS.search(line):
            reading.total.setdefault("-1", 0)
    NameLists(lines, reading, people, inline).read()
    for (group, choice), names in people.items():
        unique = tuple(dict.fromkeys(names))
        reading.listed[(group, choice)] = len(unique)
        reading.names[choice if group == "in all" else f"{choice} {group}"] = unique
        # an announcement that lists people and no number: the list is the count
        if not _is_partly_marked(people, group, choice):
            reading.of(group).setdefault(choice, len(unique))
    _count_unmarked(reading, people)
    return reading


def _find_uncounted(line: str) -> Iterator[tuple[str, str, int]]:
    for match in _UNCOUNTED.finditer(line):
        yield parse_group(match["g"] or match["behind"]), parse_choice(match["c"] or match["listed"]) or "", match.end()


def _count_unmarked(reading: CountReading, people: dict[Key, list[str]]) -> None:
    """Count the non-binding votes if only the total and its binding part are given: "+1: 5 (3 binding)", or names.

    A total smaller than the binding part counts the other votes: "3 x +1 (binding), 1 x +1".
    """
    for choice in list(reading.total):
        everyone, marked = set(people.get(("in all", choice), ())), set(people.get(("binding", choice), ()))
        if ("non-binding", choice) in people or choice in reading.non_binding or choice not in reading.binding:
            continue
        stated = {group for group in ("in all", "binding") if (group, choice) in reading.stated}
        if len(stated) == 2 and reading.total[choice] >= reading.binding[choice]:
            reading.non_binding[choice] = reading.total[choice] - reading.binding[choice]
        elif len(stated) == 2:
            reading.non_binding[choice] = reading.total.pop(choice)
        elif not stated and marked and marked < everyone:
            reading.non_binding[choice] = len(everyone - marked)


def _is_partly_marked(people: dict[Key, list[str]], group: str, choice: str) -> bool:
    """Whether a list of all names marks the group of only some: then the numbers of both groups are unknown."""
    everyone = set(people.get(("in all", choice), ()))
    marked = set(people.get(("binding", choice), ())) | set(people.get(("non-binding", choice), ()))
    return group != "in all" and bool(everyone - marked) and ("non-binding", choice) in people


def _with_next(lines: Sequence[str], index: int) -> str:
    """A line joined with the next ones while its sentence goes on: names are often wrapped."""
    text = lines[index]
    for line in lines[index + 1 : index + 12]:
        runs_on = text.rstrip().endswith((",", " and", ";"))
        if not line.strip() or ITEM.match(line) or not (runs_on or len(text) >= 50):
            break
        if text.rstrip().endswith((".", ":")):
            break
        text = f"{text} {line.strip()}"
    return text[:1600]


def _read_names_behind(rest: str) -> list[tuple[str, str]]:
    match = _BEHIND.match(rest)
    if match is None:
        return []
    text = match.group("names") or match.group("paren") or ""
    following = NEXT_NUMBER.search(text)
    return list(split_people(text[: following.start()] if following is not None else text))
