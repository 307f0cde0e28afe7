"""Reads names listed line by line in a closing announcement, under a heading or each after its vote."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kipflow.mail.announcements.figures import (
    CHOICE,
    CHOICE_GROUP,
    GROUP,
    VOTES,
    find_counts,
    find_group,
    parse_choice,
    parse_group,
)
from kipflow.mail.announcements.names import find_names, is_handle
from kipflow.mail.announcements.tokens import join_words

ITEM = re.compile(r"^\s*(?:[-*•·–]\s+|\d{1,2}[.)]\s+)(?P<rest>\S.*)$")
_CHOICE_START = re.compile(rf"^\s*(?:[-*•]\s+)?{CHOICE_GROUP}(?:['’]?s\b)?{VOTES}", re.IGNORECASE)
_NONE = re.compile(rf"^\W*(?:{join_words('none')})\W*$", re.IGNORECASE)
#: "me (I had not voted so far, +1 hereby)", "Bo Lindqvist (bo / @blindq)"
_ASIDE = re.compile(rf"\((?![^()]*(?:{GROUP}))[^()]{{0,80}}[,;/][^()]{{0,80}}\)", re.IGNORECASE)
#: "Mara, Jun (all binding)", "Mara, Jun and Kim (all three of them binding)"
ALL_OF_GROUP = rf"\((?:all|each|both)(?: (?:{join_words('number')}))?(?: of them)?(?: are)? (?P<g>{GROUP})\)"
_COUNT_BEHIND = re.compile(rf"\s*\((?P<n>\d{{1,2}}) (?P<g>{GROUP})\)", re.IGNORECASE)
_SHARED_GROUP = re.compile(ALL_OF_GROUP, re.IGNORECASE)
_PARTS = re.compile(r"\s*[,;/、]\s*|,?\s+as\s+well\s+as\s*|\s+and\s+|\s+&\s+")
_BRACKETS = re.compile(r"\([^()]{0,60}\)|\[[^\[\]]{0,60}\]|\*+")
_BINDING_NAME = re.compile(
    rf"^\s*(?:[-*•·–]\s+|\d{{1,2}}[.)]\s+)?[^\W\d_][^:()]{{1,58}}\s*\(\s*(?:{GROUP})\s*\)\s*$", re.IGNORECASE
)
#: "approved by the following votes:" over names
_VOTES_OF = re.compile(r"\b(?:by|with) the (?:following votes|votes (?:of|from))\s*[.:]\s*$", re.IGNORECASE)
_LACKS = re.compile(rf"\b(?:{join_words('uncounted', 'short_of')})\b|n['’]t\b", re.IGNORECASE)
_PERSON_ITEM = re.compile(r"^\s*(?:[-*•·–]\s+|\d{1,2}[.)]\s+)(?=[^\W\d_])[^a-z]")
#: "Binding: Mara, Jun", also after "Passed!"
_GROUP_NAMES = re.compile(rf"(?:^|[.!;])\s*(?P<g>{GROUP}){VOTES}\s*:\s*(?P<names>[^\W\d][^:]*)$", re.IGNORECASE)
#: where a list of names ends: not behind an initial
_LIST_ENDS = re.compile(r"(?<!\b[A-Z])\.(?=\s|$)")
_HEAD_WORDS = re.compile(rf"{CHOICE}|{GROUP}|\b(?:{join_words('heading')})\b|\d+|[\W_]", re.IGNORECASE)
#: also a value other than +1: "Binding: Mara +1, Jun -0.5"
_NOT_NAMES = re.compile(rf"\b(?:{join_words('no_name')})\b|[!?=]|://|\s[+-]\s?(?:0|[.,]\d)|\s-\s?1\b", re.IGNORECASE)
_ADDRESS = re.compile(r"^<?[\w.+-]{1,64}@[\w.-]{1,120}>?$")
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
        return {"binding": self.binding, "non-binding": self.non_binding}.get(group, self.total)


def _mark_all(text: str) -> str:
    """ "Mara, Jun, Kim (3 binding)" as "Mara, Jun, Kim (all binding)"."""
    counted = _COUNT_BEHIND.search(text)
    if counted is None or len([part for part in _PARTS.split(text[: counted.start()]) if part]) != int(counted["n"]):
        return text
    return f"{text[: counted.start()]} (all {counted['g']}){text[counted.end() :]}"


def split_people(text: str) -> Iterator[tuple[str, str]]:
    """The names in "A B, C D (binding) and E", each with the group after it ("in all": none)."""
    *parts, rest = _SHARED_GROUP.split(_mark_all(_ASIDE.sub(" ", text[:1600])))
    shared = [(text, group) for text, group in zip(parts[::2], parts[1::2], strict=True)]
    for piece, kind in ((piece, kind) for text, kind in [*shared, (rest, None)] for piece in _PARTS.split(text)):
        group = parse_group(find_group(piece) or kind)
        name = " ".join(_BRACKETS.sub(" ", piece).split()).strip(" -–—:.*\"'")
        name = re.sub(r"^and\s+", "", name)
        name = re.sub(rf"[\s:-]*(?:{GROUP})$", "", name, flags=re.IGNORECASE)
        if name.lower() in {"myself", "me", "i", "mine", "my own", "my own vote", "yours truly"}:
            yield "myself", group
        elif _NOT_NAMES.search(name) or _NONE.match(name):
            continue
        elif name and not name[0].isdigit() and len(name) <= 60 and len(name.split()) <= 5:
            yield name, group


def is_uncounted(label: str) -> bool:
    """Whether the words before a list say that its votes were not cast, or are not counted: "Still missing:"."""
    return _LACKS.search(label) is not None


class NameLists:
    """Names listed line by line, under a heading or each after its vote."""

    def __init__(
        self, lines: Sequence[str], reading: CountReading, people: dict[Key, list[str]], inline: set[Key]
    ) -> None:
        self.lines, self.reading, self.people, self.inline = lines, reading, people, inline
        self.group, self.choice, self.inside = "in all", "+1", False

    def read(self) -> None:
        blanks = 0
        for index, line in enumerate(self.lines):
            text = line.strip()
            if not text:
                blanks += 1
                self.inside = self.inside and blanks < 3
            elif "://" in text:
                self.inside = False
            else:
                self.read_line(index, line, text)
                blanks = 0

    def read_line(self, index: int, line: str, text: str) -> None:
        item = ITEM.match(line)
        if item is None and self.is_heading(index, text):
            self.open(text)
            return
        named = _GROUP_NAMES.search(text)
        if named is not None and not find_counts(text):
            self.add(_LIST_ENDS.split(named.group("names"))[0], parse_group(named.group("g")), "+1")
            return
        start = _CHOICE_START.match(text)
        if start is not None:
            self.read_choice_line(text, start)
            return
        body = item.group("rest") if item is not None else text
        if not self.inside or (item is None and text.endswith(":") and not _HEAD_WORDS.sub("", text)):
            return  # also a heading over a part of the list: "Committers:"
        if _NONE.match(body):
            self.reading.of(self.group).setdefault(self.choice, 0)
        elif item is None and (self.ends_items(index) or not self.is_person(index, body)):
            self.inside = False
        else:
            self.add(body, self.group, self.choice)

    def ends_items(self, index: int) -> bool:
        """Whether a line without a mark stands apart from a list with marks: a signature."""
        *_, above, blank = ["", "", *self.lines[:index]]
        return not blank.strip() and ITEM.match(above) is not None

    def is_person(self, index: int, text: str) -> bool:
        """Whether a line of a list is a person: a name, an address, or (right below another line, or with "(binding)")
        a handle."""
        if find_names(text) or _ADDRESS.match(text):
            return True
        joined = (index > 0 and bool(self.lines[index - 1].strip())) or _BINDING_NAME.match(text) is not None
        return (
            joined and all(map(is_handle, re.split(r",\s*", text))) and not _NOT_NAMES.search(_BRACKETS.sub(" ", text))
        )

    def is_heading(self, index: int, text: str) -> bool:
        if len(text) > 160:
            return False
        following = next((x for x in self.lines[index + 1 : index + 4] if x.strip()), "")
        if _VOTES_OF.search(text) and not is_uncounted(text) and _PERSON_ITEM.match(following):
            return True
        if re.search(rf"{CHOICE}|{GROUP}|\bin favou?r\b|\bagainst\b", text, re.IGNORECASE) is None:
            return False
        head, _, tail = text.partition(":")
        if len(_HEAD_WORDS.sub("", head)) <= 2 and not re.search(r"[^\W\d_]", tail):
            return True
        if head != text and not tail.strip():  # "with the following +1 votes:" over names
            item = ITEM.match(following)
            is_named = item is not None and "following" in head and bool(find_names(item["rest"]))
            if is_named or _BINDING_NAME.match(following):
                return True
        return bool(find_counts(text)) and ITEM.match(following) is not None

    def open(self, text: str) -> None:
        counts = find_counts(text)
        counts = [count for count in counts if count.number] or counts  # "3 in favour and no votes against:"
        groups = {c.group for c in counts} or {parse_group(find_group(text))}
        choice = re.search(CHOICE, text)
        self.group = groups.pop() if len(groups) == 1 else "in all"
        self.choice = (
            (counts[0].choice if counts else None) or parse_choice(choice.group(0) if choice else None) or "+1"
        )
        if choice is None and not counts and re.search(r"\bagainst\b", text, re.IGNORECASE):
            self.choice = "-1"
        self.inside = True

    def read_choice_line(self, text: str, start: re.Match[str]) -> None:
        """ "+1 (binding): A, B" or "+1 A B (binding)"."""
        choice = parse_choice(start.group("c")) or "+1"
        rest = text[start.end() :]
        is_count = any(start.start("c") < count.start < start.end() for count in find_counts(text))
        if is_count or re.match(r"\s*[x×]\s*[\"'(]?[+\-±]", rest):
            return  # "- 1 abstained", "0 x -1"
        head = re.match(rf"\s*[\[(]?\s*(?P<g>{GROUP})\s*[\])]?{VOTES}\s*[:=-]?", rest, re.IGNORECASE)
        group = parse_group(head.group("g") if head is not None else None)
        rest = (rest[head.end() :] if head is not None else rest).lstrip(" :-–—=(")
        if rest and _NONE.match(rest):
            self.reading.of(group).setdefault(choice, 0)
        elif not re.match(r"\d", rest):
            self.add(rest, group, choice)

    def add(self, text: str, group: str, choice: str) -> None:
        for name, own in split_people(text):
            # under a heading for all votes a name counts there, and in the group written after it
            for key in dict.fromkeys(((group, choice), (own if own != "in all" else group, choice))):
                if key not in self.inline:
                    self.people.setdefault(key, []).append(name)
