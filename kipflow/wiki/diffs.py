"""What changed between two versions of a page, section by section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from kipflow.wiki.sections import Section, read_sections
from kipflow.wiki.storage import parse_storage

#: Longer sections (a pasted log, say) are compared as multisets of lines, which costs little.
_MAX_LINES = 2_000
#: Bounds on pairs of equal lines, and of equal words: a page that repeats one line has a million of them.
_MAX_MATCHES, _MAX_WORD_MATCHES = 60_000, 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Neighbouring lines that changed. `removed` and `added` are in the order of the page."""

    removed: tuple[str, ...]
    added: tuple[str, ...]

    @property
    def pairs(self) -> tuple[LinePair, ...]:
        """Old and new lines side by side, with the words that differ marked."""
        return tuple(_pair(old, new) for old, new in zip_longest(self.removed, self.added))


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionChange:
    """A section that differs. `kind`: "added", "removed" or "changed"; `title` is empty above the first heading."""

    title: str
    kind: str
    hunks: tuple[Hunk, ...]

    @property
    def removed(self) -> tuple[str, ...]:
        """All removed lines."""
        return tuple(line for hunk in self.hunks for line in hunk.removed)

    @property
    def added(self) -> tuple[str, ...]:
        """All added lines."""
        return tuple(line for hunk in self.hunks for line in hunk.added)


def diff_pages(old: str, new: str, *, source: str = "page") -> tuple[SectionChange, ...]:
    """The sections (headings of level 1 and 2) that differ between two bodies in storage format.

    In the order of the new page; removed sections last. Only text is compared: markup alone (bold, a re-flowed
    source) is no change. Raises `UnreadableInput`.
    """
    before = _by_title(read_sections(parse_storage(old, source=source)))
    after = _by_title(read_sections(parse_storage(new, source=source)))
    found: list[SectionChange] = []
    for key, lines in after.items():
        if key not in before:
            found.append(SectionChange(title=key[0], kind="added", hunks=(Hunk(removed=(), added=tuple(lines)),)))
        elif lines != before[key]:
            found.append(SectionChange(title=key[0], kind="changed", hunks=tuple(_hunks(before[key], lines))))
    for key, lines in before.items():
        if key not in after:
            found.append(SectionChange(title=key[0], kind="removed", hunks=(Hunk(removed=tuple(lines), added=()),)))
    return tuple(found)


#: Lines with more words, old and new together, are not compared word by word.
_MAX_WORDS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A part of a line; `changed` if the other version's line does not have it."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePair:
    """A row of a side-by-side comparison. One side is empty where a line was only removed or only added."""

    old: tuple[Span, ...]
    new: tuple[Span, ...]


def _pair(old: str | None, new: str | None) -> LinePair:
    before, after = (old or "").split(" "), (new or "").split(" ")
    is_costly = len(before) + len(after) > _MAX_WORDS or _count_matches(before, after) > _MAX_WORD_MATCHES
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    # with little in common they are two different lines, not one line with every word changed
    if old is None or new is None or is_costly or matcher.ratio() < 0.3:
        return LinePair(old=_whole(old), new=_whole(new))
    codes = matcher.get_opcodes()
    left = (Span(text=" ".join(before[a:b]), changed=tag != "equal") for tag, a, b, _, _ in codes if b > a)
    right = (Span(text=" ".join(after[c:d]), changed=tag != "equal") for tag, _, _, c, d in codes if d > c)
    return LinePair(old=tuple(left), new=tuple(right))


def _whole(line: str | None) -> tuple[Span, ...]:
    return (Span(text=line, changed=False),) if line else ()


def _by_title(sections: Sequence[Section]) -> dict[tuple[str, int], list[str]]:
    """Lines by heading (level 1 or 2) and number of earlier headings of the same name; deeper headings are lines."""
    found: dict[tuple[str, int], list[str]] = {}
    times: Counter[str] = Counter()
    lines = found.setdefault(("", 0), [])
    for section in sections:
        if section.level in {1, 2}:
            lines = found.setdefault((section.title, times[section.title]), [])
            times[section.title] += 1
        elif section.level:
            lines.append(section.title)
        lines.extend(line.text for line in section.lines)
    if not found["", 0]:
        del found["", 0]
    return found


def _count_matches(old: Sequence[str], new: Sequence[str]) -> int:
    """The number of pairs of equal parts: it bounds the cost of `SequenceMatcher`."""
    there = Counter(new)
    return sum(count * there[part] for part, count in Counter(old).items())


def _hunks(old: list[str], new: list[str]) -> Iterator[Hunk]:
    if len(old) + len(new) > _MAX_LINES or _count_matches(old, new) > _MAX_MATCHES:
        gone, come = Counter(old) - Counter(new), Counter(new) - Counter(old)
        if gone or come:
            yield Hunk(removed=tuple(gone.elements()), added=tuple(come.elements()))
        else:  # the same lines in another order
            yield Hunk(removed=tuple(old), added=tuple(new))
        return
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Hunk(removed=tuple(old[a:b]), added=tuple(new[c:d]))
