"""The stage table: which rule may move a proposal from where to where. What it does not hold cannot be done."""

from __future__ import annotations

from kipflow.domain.events import Stage

OPEN_STAGES = frozenset({Stage.DRAFT, Stage.DISCUSSION, Stage.VOTE, Stage.DORMANT})

#: rule → the moves it may make; an operator's override or restoring may make any.
TABLE: dict[str, frozenset[tuple[Stage | None, Stage]]] = {
    "page-created": frozenset({(None, Stage.DRAFT)}),
    "number-taken": frozenset({(None, Stage.DRAFT)}),
    "index-import": frozenset(
        {(source, target) for source in (None, Stage.DRAFT, Stage.DISCUSSION) for target in Stage if source != target}
    ),
    "index-row": frozenset({(None, s) for s in (Stage.ACCEPTED, Stage.REJECTED, Stage.DORMANT, Stage.DISCARDED)}),
    "discuss-thread": frozenset({(Stage.DRAFT, Stage.DISCUSSION)}),
    "vote-thread": frozenset({(Stage.DRAFT, Stage.VOTE), (Stage.DISCUSSION, Stage.VOTE)}),
    "result-agrees": frozenset({(Stage.VOTE, Stage.ACCEPTED)}),
    "clock-accepts": frozenset({(Stage.VOTE, Stage.ACCEPTED)}),
    "voted-down": frozenset({(Stage.VOTE, Stage.REJECTED)}),
    "result-rejects": frozenset({(Stage.VOTE, Stage.REJECTED)}),
    "vote-cancelled": frozenset({(Stage.VOTE, Stage.DISCUSSION)}),
    "vote-replaced": frozenset({(Stage.VOTE, Stage.DISCUSSION)}),
    # a second vote on what was accepted already: the proposal stays what it is, its history tells
    "amended": frozenset({(Stage.ACCEPTED, Stage.ACCEPTED)}),
    "amendment-failed": frozenset({(Stage.ACCEPTED, Stage.ACCEPTED)}),
    "silence": frozenset({(Stage.DISCUSSION, Stage.DORMANT), (Stage.VOTE, Stage.DORMANT)}),
    "revived": frozenset({(Stage.DORMANT, Stage.DISCUSSION)}),
    # the mail that revived it belongs to a vote that never ended
    "vote-resumed": frozenset({(Stage.DISCUSSION, Stage.VOTE)}),
    "page-discarded": frozenset({(source, Stage.DISCARDED) for source in OPEN_STAGES}),
}

#: Rules by which a person may make any move.
BY_PERSON = frozenset({"override", "restored"})

#: Section of an index → the stage that it speaks of.
STAGE_OF_SECTION = {
    "accepted": Stage.ACCEPTED,
    "rejected": Stage.REJECTED,
    "discussion": Stage.DISCUSSION,
    "dormant": Stage.DORMANT,
    "discarded": Stage.DISCARDED,
}
