"""What changed between two versions of a page, section by section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from kipflow.wiki.storage import Section, parse_storage, read_sections

#: Lines compared one by one in a section; more (a pasted log, say) are compared as a set, which costs little.
_MAX_LINES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Neighbouring lines that changed. `removed` and `added` are in the order of the page."""

    removed: tuple[str, ...]
    added: tuple[str, ...]


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

    In the order of the new page; removed sections last. Only text is compared: a change of markup
    alone (bold, a re-flowed source) is none. Raises `UnreadableInput`.
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


def _by_title(sections: Sequence[Section]) -> dict[tuple[str, int], list[str]]:
    """Lines by heading (of level 1 and 2) and how often it has stood before; deeper headings are lines."""
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


def _hunks(old: list[str], new: list[str]) -> Iterator[Hunk]:
    if len(old) + len(new) > _MAX_LINES:
        gone, come = Counter(old) - Counter(new), Counter(new) - Counter(old)
        if gone or come:
            yield Hunk(removed=tuple(gone.elements()), added=tuple(come.elements()))
        else:  # the same lines in another order
            yield Hunk(removed=tuple(old), added=tuple(new))
        return
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Hunk(removed=tuple(old[a:b]), added=tuple(new[c:d]))
