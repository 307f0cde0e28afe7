"""Counts and names in a closing announcement, in the many ways people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_WORDS = (
    *("no", "none", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_NUMBERS = {"no": 0, "none": 0, "zero": 0, **{word: number for number, word in enumerate(_WORDS[3:], 1)}}
_NUM = rf"(?<![\w.+\-])(?P<n>\d{{1,3}}|{'|'.join(_WORDS)})(?![\w.]\d|\w)"
_CH = r"(?P<c>[+\-]\s?1|[+\-±]\s?0|(?<![\w.])0)(?![\d.]\d|\d)"
_G = r"(?P<g>non[-– ]{0,2}b[iy]n?d{1,2}i?n?g|\bb[iy]n?d{1,2}i?n?g)\b"

_G0 = _G.replace("?P<g>", "?P<g0>")

_NUM_GROUP = re.compile(
    rf"{_NUM}\s+\(?(?:pmc\s+)?{_G}\)?(?:\s*\(?{_CH}\)?(?:['’]?s)?)?(?:\s+(?P<veto>vetoe?s?)\b)?", re.IGNORECASE
)
_NUM_CHOICE = re.compile(
    rf"{_NUM}\s*(?:x\s*)?[\"'(]?{_CH}[\"')]?(?:['’]?s\b)?(?:\s*votes?\b)?(?:\s*\(?{_G}\)?)?", re.IGNORECASE
)
_CHOICE_NUM = re.compile(
    rf"(?:{_G0}\s+)?{_CH}(?:['’]?s\b)?(?:\s*votes?\b)?(?:\s*[\[(]?\s*{_G}\s*[\])]?)?(?:\s*votes?\b)?\s*(?:[:=]|\(|"
    rf"-\s)\s*(?:\(\s*)?{_NUM}(?!\s*[/.)]\s*[A-Za-z])",
    re.IGNORECASE,
)
_GROUP_NUM = re.compile(
    rf"{_G}(?:\s*\(?{_CH}\)?(?:['’]?s)?)?(?:\s*votes?\b)?\s*(?:\(?{_CH.replace('?P<c>', '?P<c2>')}\)?(?:['’]?s)?)?\s*"
    rf"[:=(]\s*{_NUM}",
    re.IGNORECASE,
)
_NO_OTHERS = re.compile(
    r"\bno\s+(?:(?:0|\+0|-0)\s*(?:,|or|and|/|nor)\s*)?-\s?1|\b(?:no|without(?: any)?)\s+(?:vetoe?s?|objections|"
    r"negative votes|dissent\w*)",
    re.IGNORECASE,
)

_ITEM = re.compile(r"^\s*(?:[-*•·+–]|\d{1,2}[.)])\s+(?P<rest>\S.*)$")
_CHOICE_START = re.compile(rf"^\s*(?:[-*•]\s+)?{_CH}", re.IGNORECASE)
_NONE = re.compile(r"^\W*(?:none|no(?:ne)? votes?|no one|nobody|n/?a|nil|no|0)\W*$", re.IGNORECASE)
_ROLE = re.compile(r"\(([^()]{0,60})\)|\[([^\[\]]{0,60})\]|\*+")
_NOT_NAMES = re.compile(
    r"\b(?:vote|votes|thanks?|thank|thread|release|will|has|have|passed|passes|hours?|the|this|please|http|https|www|"
    r"quorum|reached|proceed|proposal|kip|accepted|"
    r"result|majority|required|needed|regards|cheers|best|hi|hello|all|everyone|is|are|was|we|i|you|my|with|from)\b|"
    r"[!?]|://|@\S+\s+\S+\s+\S+\s+\S+",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"^\s*(?:\+1\S?\s*)?(?:votes?|vetoe?s?)?\s*\W{0,2}(?:from|by|:)\s+(?P<names>[^.;()]{2,300})|"
    r"^\s*(?:\+?1?s?\s*)?(?:votes?)?\s*\((?:from |by )?(?P<paren>[^()]{2,300})\)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class CountReading:
    """What an announcement tells: counts by group, names by "+1 binding" and the like, and how many
    names stand under each (group, choice)."""

    binding: dict[str, int] = field(default_factory=dict)
    non_binding: dict[str, int] = field(default_factory=dict)
    total: dict[str, int] = field(default_factory=dict)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    listed: dict[tuple[str, str], int] = field(default_factory=dict)
    line: str = ""

    @property
    def any(self) -> bool:
        return bool(self.binding or self.non_binding or self.total or self.names)

    def of(self, group: str) -> dict[str, int]:
        return {"binding": self.binding, "non-binding": self.non_binding}.get(group, self.total)


def read_counts(lines: Sequence[str]) -> CountReading:
    """Counts and names in an announcement's lines (made plain)."""
    reading = CountReading()
    people: dict[tuple[str, str], list[str]] = {}
    last_choice = "+1"
    for index, line in enumerate(lines):
        text = " ".join([line, *_rest_of_sentence(lines, index)])[:600]
        last_choice = _read_line_counts(line, text, reading, people, last_choice)
    _read_lists(lines, reading, people)
    for (group, choice), names in people.items():
        unique = list(dict.fromkeys(names))
        reading.listed[(group, choice)] = len(unique)
        reading.names[f"{choice} {group}" if group != "in all" else choice] = tuple(unique)
    # an announcement that lists people and no number: the list is the count
    for (group, choice), number in reading.listed.items():
        reading.of(group).setdefault(choice, number)
    return reading


def _rest_of_sentence(lines: Sequence[str], index: int) -> list[str]:
    """The line after, where a sentence runs on: counts and their names are often wrapped."""
    line = lines[index]
    if len(line) < 50 or index + 1 >= len(lines) or line.rstrip().endswith((".", ":")):
        return []
    return [lines[index + 1]]


def _read_line_counts(
    line: str, text: str, reading: CountReading, people: dict[tuple[str, str], list[str]], last_choice: str
) -> str:
    taken: list[tuple[int, int]] = []
    for pattern in (_NUM_GROUP, _CHOICE_NUM, _GROUP_NUM, _NUM_CHOICE):
        for match in pattern.finditer(line):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            groups = match.groupdict()
            number = _parse_number(groups["n"])
            group = _parse_group(groups.get("g") or groups.get("g0"))
            choice = _parse_choice(groups.get("c") or groups.get("c2"))
            if groups.get("veto"):
                choice = "-1"
            if pattern is _NUM_GROUP and choice is None and not _talks_of_votes(line, match):
                continue
            choice = choice or last_choice
            last_choice = choice
            taken.append(match.span())
            reading.of(group).setdefault(choice, number)
            reading.line = reading.line or line.strip()
            names = _read_names_behind(text[match.end() :])
            if names:
                people.setdefault((group, choice), []).extend(names)
    if _NO_OTHERS.search(line):
        reading.total.setdefault("-1", 0)
    return last_choice


def _talks_of_votes(line: str, match: re.Match[str]) -> bool:
    """ "5 binding" counts beside votes or in brackets, not in "two binding constraints"."""
    rest = line[match.end() : match.end() + 30]
    return (
        re.match(r"\s*(?:\)|,|;|\.|$|votes?\b|\+1|and\b|ones?\b|vetoe?s?\b|from\b|\(|-)", rest, re.IGNORECASE)
        is not None
    )


def _parse_number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text.lower()]


def _parse_group(text: str | None) -> str:
    if not text:
        return "in all"
    return "non-binding" if text.lower().startswith("non") else "binding"


def _parse_choice(text: str | None) -> str | None:
    if not text:
        return None
    bare = "".join(text.split())
    return "0" if bare.strip("+-±") == "0" else bare


def _read_names_behind(rest: str) -> list[str]:
    match = _FROM.match(rest)
    if match is None:
        return []
    return list(split_names(match.group("names") or match.group("paren") or ""))


def split_names(text: str) -> Iterator[str]:
    """The names in "A B, C D and E", roles in brackets left out. Sentences yield nothing."""
    bare = _ROLE.sub(" ", text)
    for piece in re.split(r"\s*[,;/]\s*|\s+and\s+|\s+&\s+", bare):
        name = " ".join(piece.split()).strip(" -–—:.*\"'")
        name = re.sub(r"^(?:and|myself)\b\s*", "", name) if name.lower() != "myself" else "myself"
        if not name or len(name) > 60 or len(name.split()) > 5 or name[0].isdigit():
            continue
        if name.lower() in {"myself", "me", "i"}:
            yield "myself"
        elif not _NOT_NAMES.search(name) and not _NONE.match(name):
            yield name


def _read_lists(lines: Sequence[str], reading: CountReading, people: dict[tuple[str, str], list[str]]) -> None:
    group, choice, inside = "in all", "+1", False
    before = set(people)
    blanks = 0
    for line in lines:
        text = line.strip()
        if not text:
            blanks += 1
            inside = inside and blanks < 3
            continue
        blanks = 0
        if _is_heading(text):
            group = _parse_group(_search(_G, text, "g"))
            choice = _parse_choice(_search(_CH, text, "c")) or (choice if group != "in all" and inside else "+1")
            if re.search(r"\bagainst\b", text, re.IGNORECASE):
                choice = "-1"
            inside = True
            continue
        start = _CHOICE_START.match(text)
        if start is not None:
            inside = _read_choice_line(text, start, people, reading, before) or inside
            continue
        item = _ITEM.match(line)
        body = item.group("rest") if item is not None else text
        if inside and _NONE.match(body):
            reading.of(group).setdefault(choice, 0)
        elif inside:
            names = list(split_names(body))
            if not names or len(text) > 300:
                inside = item is not None
                continue
            own = _parse_group(_search(_G, body, "g")) if len(names) == 1 else "in all"
            key = (own if own != "in all" else group, choice)
            if key not in before:
                people.setdefault(key, []).extend(names)


def _is_heading(text: str) -> bool:
    if len(text) > 90:
        return False
    about = re.search(rf"{_CH}|{_G}|\bin favou?r\b|\bagainst\b", text, re.IGNORECASE)
    if about is None:
        return False
    head, _, tail = text.partition(":")
    bare = re.sub(
        rf"{_CH}|{_G}|\bvotes?\b|\bpmc\b|\b(?:vote|from|members?|community|in favou?r|against|total|with)\b|\d+|[\W_]",
        "",
        head,
        flags=re.IGNORECASE,
    )
    return len(bare) <= 2 and not tail.strip(" *_0123456789")


def _read_choice_line(
    text: str,
    start: re.Match[str],
    people: dict[tuple[str, str], list[str]],
    reading: CountReading,
    before: set[tuple[str, str]],
) -> bool:
    """ "+1 (binding): A, B" or "+1 A B (binding)"."""
    choice = _parse_choice(start.group("c")) or "+1"
    rest = re.sub(r"^\s*(?:['’]?s\b)?\s*(?:votes?\b)?", "", text[start.end() :], flags=re.IGNORECASE)
    group = _parse_group(_search(_G, rest, "g"))
    rest = re.sub(rf"^\s*[\[(]?\s*{_G}\s*[\])]?\s*(?:votes?\b)?", "", rest, flags=re.IGNORECASE).lstrip(" :-–—=(")
    if _NONE.match(rest) and rest:
        reading.of(group).setdefault(choice, 0)
        return False
    names = list(split_names(rest))
    if names and (group, choice) not in before and not re.match(r"\d", rest):
        people.setdefault((group, choice), []).extend(names)
    return False


def _search(pattern: str, text: str, name: str) -> str | None:
    match = re.search(pattern, text, re.IGNORECASE)
    return match.group(name) if match is not None else None
