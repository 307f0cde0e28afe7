"""Generates docs/stages.md from the stage table."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection

from kipflow.domain.events import OPEN_STAGES, SETTLED_STAGES, Stage
from kipflow.domain.moments import Event
from kipflow.domain.stages.table import ROWS, StageRule

_HEAD = """# The stages of a proposal
Written by `make docs` from `kipflow/domain/stages/table.py`. There are no other moves.

Facts are applied in order of time, with clock events between them for each deadline. On each event its rows are tried
from top to bottom, and each matching row applies to the result of the rows above it. The running vote is judged when a
deadline passes, after a ballot or an announcement in it, after each ruling, and, if the policy asks about changed
pages, after each version of the page. Of the rules for a judged vote only the first match applies, and only if all mail
since the vote's opening is stored. None applies while the number itself is in doubt.

| event | from | to | rule | when | also |
|---|---|---|---|---|---|
"""
_EVENTS = {
    Event.CREATED: "the wiki's page",
    Event.PAGE: "a version of the page",
    Event.INDEX: "a row of an index",
    Event.VOTE_ENDED: "a vote ends",
    Event.MESSAGE: "a mail",
    Event.VOTE_OPENED: "a vote opens",
    Event.BALLOT: "a ballot",
    Event.RESULT: "an announcement",
    Event.RULING: "a ruling",
    Event.JUDGED: "the running vote is judged",
    Event.CLOCK: "a deadline passes",
}
_SETS = {
    frozenset(Stage): "any",
    frozenset({None, *Stage}): "any, –",
    OPEN_STAGES: "any open",
    SETTLED_STAGES: "any settled",
}


def render_page() -> str:
    """The current text of the page."""
    return _HEAD + "".join(map(_render_row, ROWS))


def _render_row(row: StageRule) -> str:
    cells = (
        ", ".join(_EVENTS[event] for event in row.events),
        _name(row.sources),
        _name(row.targets) or "*stays*",
        row.rule,
        _read_doc(row.when),
        _read_doc(row.effect),
    )
    return "".join(f"| {cell} " if cell else "| " for cell in cells) + "|\n"


def _read_doc(function: Callable[..., object]) -> str:
    return " ".join((inspect.getdoc(function) or "").split())


def _name(stages: Collection[Stage | None]) -> str:
    found = frozenset(stages)
    return _SETS.get(found) or ", ".join("–" if s is None else s for s in (None, *Stage) if s in found)
