"""Moves as commands print them: what changed, by which rule, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kipflow.domain.events import Evidence, Transition


def say_evidence(move: Transition) -> str:
    """What a move rests on, in one line; for a correction why it was made and the facts that came."""
    if not move.retracts:
        return move.evidence[0].line if move.evidence else ""
    return "; ".join([move.note, *(fact.line for fact in find_facts(move.evidence) if fact.line)])


def find_facts(evidence: Iterable[Evidence]) -> list[Evidence]:
    """The facts among the evidence; a correction lists the entries that it takes back as well."""
    return [e for e in evidence if e.kind != "history"]


def render_evidence(evidence: Iterable[Evidence], links: Mapping[str, str]) -> list[dict[str, Any]]:
    """Evidence for JSON. `links` has the permalinks of mails whose evidence has none."""
    return [{"kind": e.kind, "ref": e.ref, "line": e.line, "url": e.url or links.get(e.ref, "")} for e in evidence]
