"""Real phrases that are or look like votes, and vote threads of which only the phrases are known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kipflow.domain.votes import Expression, Standing
from kipflow.mail.quoting import find_own_words
from kipflow.mail.votes.reading import read_expressions
from tools.accuracy.findings import Counted, Demand, Disagreement, Figure, Section

#: Share of the unambiguous phrases that must be read right.
ENOUGH = 0.97
CLAIMS = {"true": True, "false": False, "unstated": None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The reading of a text: "+1", "0", "-1" or "none", and its expression."""

    choice: str
    expression: Expression | None

    def describe(self) -> str:
        if self.expression is None:
            return "none"
        if self.choice == "none":
            return f"review ({self.expression.rule})"
        return f"{self.choice} ({self.expression.rule})"


def read_phrase(text: str) -> Reading:
    """Read a clear vote; anything unclear is a question, so it reads as "none"."""
    found = read_expressions(find_own_words(text), author="A Voter")
    clear = [e for e in found if e.standing is Standing.CLEAR and e.choice is not None]
    if clear:
        return Reading(choice=str(clear[0].choice), expression=clear[0])
    return Reading(choice="none", expression=found[0] if found else None)


def check_phrases(realdata: Path) -> Section:
    """`vote_phrases.jsonl`: choice, written value and claim of each phrase."""
    rows = list(_rows(realdata / "votes" / "vote_phrases.jsonl"))
    readings = [(row, read_phrase(row["text"])) for row in rows]
    sure = [(row, r) for row, r in readings if not row["ambiguous"]]
    votes = [(row, r) for row, r in sure if row["label_guess"] != "none" and r.choice == row["label_guess"]]
    false = [row["id"] for row, r in readings if row["label_guess"] == "none" and r.choice != "none"]
    right = Figure(name="unambiguous, choice", right=sum(_is_right(row, r) for row, r in sure), total=len(sure))
    doubtful = [(row, r) for row, r in readings if row["ambiguous"]]
    figures = (
        right,
        Figure(name="their written value", right=sum(_has_value(row, r) for row, r in votes), total=len(votes)),
        Figure(name="their claim to bind", right=sum(_has_claim(row, r) for row, r in votes), total=len(votes)),
        Figure(name="ambiguous, as guessed", right=sum(_is_right(row, r) for row, r in doubtful), total=len(doubtful)),
    )
    return Section(
        title="Phrases",
        about=f"{len(rows)} real phrases that are, or look like, votes",
        figures=figures,
        demands=(
            Demand(name=f"at least {ENOUGH:.0%} of the unambiguous phrases right", met=right.share >= ENOUGH),
            Demand(name=f"no false vote ({', '.join(false) or 'none'})", met=not false),
        ),
        disagreements=tuple(_differences(readings)),
    )


def _differences(readings: list[tuple[dict[str, Any], Reading]]) -> Iterator[Disagreement]:
    for row, reading in readings:
        shown = row["text"]
        if not _is_right(row, reading):
            yield _differ(row, row["label_guess"], reading.describe(), shown)
        elif reading.choice != "none" and reading.expression is not None:
            if not _has_value(row, reading):
                yield _differ(row, f"written as {row['exact_value']}", f"written as {reading.expression.value}", shown)
            if not _has_claim(row, reading):
                claim = f"claim {reading.expression.claimed_binding}"
                yield _differ(row, f"claim {CLAIMS[row['binding']]}", claim, shown)


def _differ(row: dict[str, Any], expected: str, read: str, shown: str) -> Disagreement:
    doubt = " (ambiguous)" if row["ambiguous"] else ""
    return Disagreement(id=f"phrases/{row['id']}", expected=expected + doubt, read=read, shown=shown)


def _is_right(row: dict[str, Any], reading: Reading) -> bool:
    return bool(reading.choice == row["label_guess"])


def _has_value(row: dict[str, Any], reading: Reading) -> bool:
    return reading.expression is not None and row["exact_value"] in (None, reading.expression.value)


def _has_claim(row: dict[str, Any], reading: Reading) -> bool:
    return reading.expression is not None and reading.expression.claimed_binding == CLAIMS[row["binding"]]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


# -- vote threads known by their phrases ------------------------------------------------------------
def load_threads(realdata: Path) -> dict[str, dict[str, Any]]:
    """Number of the mirrored issue → its vote, address and comments."""
    data = json.loads((realdata / "votes" / "tvm_vote_threads.json").read_text(encoding="utf-8"))
    threads: dict[str, dict[str, Any]] = data["threads"]
    return threads


def count_thread(thread: dict[str, Any]) -> dict[str, int]:
    """Votes by choice, the latest of each person."""
    latest: dict[str, str] = {}
    for comment in thread["comments"]:
        reading = read_phrase(_own_text(comment["text"]))
        if reading.choice != "none":
            latest[comment["login"]] = reading.choice
    return {choice: sum(c == choice for c in latest.values()) for choice in ("+1", "0", "-1")}


def check_threads(realdata: Path) -> Section:
    """Each comment: one in brackets reports a comment without a vote, every other one is a +1."""
    counted = Counted()
    threads = load_threads(realdata)
    for number, thread in sorted(threads.items(), key=lambda item: int(item[0])):
        for position, comment in enumerate(thread["comments"], 1):
            expected = "none" if comment["text"].startswith("(") or "(no vote)" in comment["text"] else "+1"
            reading = read_phrase(_own_text(comment["text"]))
            if not counted.count("comments", reading.choice == expected):
                place, shown = f"threads/{number}/{position}", comment["text"]
                counted.found.append(Disagreement(id=place, expected=expected, read=reading.describe(), shown=shown))
    return Section(
        title="Mirrored vote threads",
        about=f"{len(threads)} threads of which the vote phrases are known",
        figures=(counted.figure("comments"),),
        demands=(Demand(name="every comment read right", met=not counted.found),),
        disagreements=counted.disagreements,
    )


def _own_text(text: str) -> str:
    # the mirror writes " / " where the comment had a new line
    return text.replace(" / ", "\n")
