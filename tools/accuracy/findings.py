"""Results of a comparison with real data: figures, demands, disagreements and their explanations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from kipflow.domain.texts import list_some, say_count

#: Proposals of a class that are named; more are counted.
MAX_SHOWN = 12
EXPLANATIONS = Path(__file__).with_name("explanations.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number of the report: `right` of `total`."""

    name: str
    right: int
    total: int

    @property
    def share(self) -> float:
        """From 0 to 1; 1 if `total` is 0."""
        return self.right / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """A requirement for the reader, and whether it is met."""

    name: str
    met: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A difference between the data and kipflow.

    `read` is the reading and its rule, so that the explanation of one reading does not excuse another. `because` is
    the explanation; empty if there is none.
    """

    id: str
    expected: str
    read: str
    shown: str = ""
    because: str = ""


class Counted:
    """Counts of comparisons by kind, and the differences: one by one, then in classes of proposals."""

    def __init__(self) -> None:
        self.total: Counter[str] = Counter()
        self.right: Counter[str] = Counter()
        self.found: list[Disagreement] = []
        self._classes: dict[tuple[str, str, str], list[int]] = {}

    def count(self, kind: str, right: bool) -> bool:
        """Count one comparison; returns `right`."""
        self.total[kind] += 1
        self.right[kind] += right
        return right

    def compare(self, kind: str, place: str, want: object, got: object, shown: str = "") -> None:
        if not self.count(kind, want == got):
            self.found.append(Disagreement(id=place, expected=f"{kind} {_say(want)}", read=_say(got), shown=shown))

    def classify(self, place: str, expected: str, read: str, number: int) -> None:
        """Add a differing proposal to its class, which is one disagreement."""
        self._classes.setdefault((place, expected, read), []).append(number)

    @property
    def disagreements(self) -> tuple[Disagreement, ...]:
        return (*self.found, *(_report(*named, numbers) for named, numbers in self._classes.items()))

    def figure(self, kind: str) -> Figure:
        return Figure(name=kind, right=self.right[kind], total=self.total[kind])

    def sum(self, name: str) -> Figure:
        return Figure(name=name, right=self.right.total(), total=self.total.total())


def _report(place: str, expected: str, read: str, numbers: list[int]) -> Disagreement:
    """One class as one disagreement; its count is part of the reading."""
    count, shown = say_count(len(numbers), "proposal"), list_some([f"KIP-{n}" for n in numbers], MAX_SHOWN)
    return Disagreement(id=place, expected=expected, read=f"{read} ({count})", shown=shown)


def _say(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section of the report. `listed` holds what was not compared, or could not be read, and why.

    `part` is its heading in the report. The summary shows the first figure.
    """

    part: str = ""
    title: str
    about: str
    figures: tuple[Figure, ...] = ()
    demands: tuple[Demand, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    listed_title: str = ""
    listed: tuple[tuple[str, str], ...] = ()

    @property
    def unexplained(self) -> tuple[Disagreement, ...]:
        return tuple(d for d in self.disagreements if not d.because)


def is_good(sections: tuple[Section, ...]) -> bool:
    """Whether every demand is met and every disagreement explained."""
    return all(demand.met for s in sections for demand in s.demands) and not any(s.unexplained for s in sections)


def load_explanations() -> dict[tuple[str, str], str]:
    """(id, reading) → why the reader is right to differ, or why it cannot know."""
    entries = yaml.safe_load(EXPLANATIONS.read_text(encoding="utf-8"))
    return {(e["id"], e["read"]): " ".join(e["because"].split()) for e in entries}


def explain(section: Section, explanations: Mapping[tuple[str, str], str]) -> Section:
    """The section with explanations added to disagreements with exactly this reading."""
    explained = tuple(replace(d, because=explanations.get((d.id, d.read), "")) for d in section.disagreements)
    return replace(section, disagreements=explained)
