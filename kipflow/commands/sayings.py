"""Texts that several commands share: ballots, moves with their evidence, numbers of proposals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from kipflow.commands.output import console
from kipflow.domain.errors import KipflowError
from kipflow.domain.events import Evidence, Transition
from kipflow.domain.facts import ProposalFacts
from kipflow.domain.proposals import find_references
from kipflow.domain.records import pick_fields
from kipflow.domain.times import say_moment
from kipflow.services.board import SenderBallot
from kipflow.services.desk import Done, say_done
from kipflow.services.wording import say_authentication
from kipflow.wiring import Parts


def say_ballot(ballot: dict[str, Any]) -> str:
    """A ballot in question, in one line: its text, its mail, and how its sender is known."""
    where = " ".join(filter(None, (ballot["source"], ballot["url"])))
    said = f'"{ballot["line"]}" in the mail of {say_moment(ballot["at"])} {ballot["message_id"]} ({where})'
    return f"{said}: {ballot['authentication']}"


def render_ballots(ballots: Sequence[SenderBallot]) -> list[dict[str, Any]]:
    own = ("line", "at", "message_id", "source", "url")
    return [{**pick_fields(b, *own), "authentication": say_authentication(b)} for b in ballots]


def parse_number(parts: Parts, text: str) -> int:
    """The number in "932" or "KIP-932"."""
    if text.isdecimal():
        return int(text)
    found = find_references(text, parts.community.prefix)
    if len(found) != 1:
        raise click.BadParameter(f"{text!r} is no proposal such as {parts.community.prefix}-932 or 932")
    return found[0]


def missing_page_error(parts: Parts, facts: ProposalFacts) -> KipflowError:
    """The error that no version of a proposal's page is stored, with the reason."""
    absent = next((a for a in facts.absences if a.until is None), None)
    if absent is not None:
        return KipflowError(f"{facts.key}: its page cannot be read since {absent.since:%Y-%m-%d}: {absent.why}")
    if parts.community.wiki is None:
        return KipflowError(
            f"{facts.key} has no page: {parts.community.name} names no wiki; its file names one under wiki"
        )
    return KipflowError(f"{facts.key} has no page that was stored; run `kipflow sync`")


def print_done(done: Done, prefix: str) -> None:
    """Print the result of an act, its consequences indented."""
    console().print("\n  ".join(say_done(done, prefix)))


def say_evidence(move: Transition) -> str:
    """The evidence of a move in one line; for a correction its reason and the new facts."""
    if not move.retracts:
        return move.evidence[0].line if move.evidence else ""
    return "; ".join([move.note, *(fact.line for fact in find_facts(move.evidence) if fact.line)])


def find_facts(evidence: Iterable[Evidence]) -> list[Evidence]:
    """The facts among the evidence: a correction also lists the retracted entries."""
    return [e for e in evidence if e.kind != "history"]


def render_evidence(evidence: Iterable[Evidence]) -> list[dict[str, Any]]:
    """Evidence for JSON."""
    return [pick_fields(e, "kind", "ref", "line", "url") for e in evidence]
