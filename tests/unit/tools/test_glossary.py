"""docs/glossary.md names things that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ROW = re.compile(r"^\| (?P<words>[^|]+) \| (?P<means>[^|]+) \| (?P<code>[^|]+) \|$")


def rows() -> list[re.Match[str]]:
    found = (ROW.match(line) for line in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines())
    return [row for row in found if row is not None and row["words"] != "word" and not row["words"].startswith("---")]


def test_each_name_is_one_of_the_code() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "kipflow").rglob("*.py"))
    for row in rows():
        for name in re.findall(r"`(\w+)`", row["code"]):
            assert re.search(rf"^(?:class |def |    ){name}\b|^{name} = |^    def {name}\b", source, re.MULTILINE), name


def test_each_word_is_listed_once() -> None:
    words = [word for row in rows() for word in row["words"].split(", ")]
    assert len(words) > 30
    assert len(words) == len(set(words))
