"""The words for each stage on a wiki page and in the index."""

from __future__ import annotations

from kipflow.domain.events import Stage
from kipflow.domain.pages import StatusWord

#: Page state → the stages that it agrees with. The template has no word for a running vote, so "Under Discussion"
#: agrees too.
STAGES_OF_WORD: dict[StatusWord, frozenset[Stage]] = {
    StatusWord.DRAFT: frozenset({Stage.DRAFT}),
    StatusWord.DISCUSSION: frozenset({Stage.DISCUSSION, Stage.VOTE}),
    StatusWord.VOTE: frozenset({Stage.VOTE}),
    StatusWord.ACCEPTED: frozenset({Stage.ACCEPTED}),
    StatusWord.REJECTED: frozenset({Stage.REJECTED}),
    StatusWord.DORMANT: frozenset({Stage.DORMANT}),
    StatusWord.DISCARDED: frozenset({Stage.DISCARDED, Stage.REJECTED}),
    # not filled in: agrees with any stage until the proposal is settled
    StatusWord.TEMPLATE: frozenset({Stage.DRAFT, Stage.DISCUSSION, Stage.VOTE, Stage.DORMANT}),
}
#: Stage → the state on its page, in the template's words.
PAGE_WORD: dict[Stage, str] = {
    Stage.DRAFT: "Draft",
    Stage.DISCUSSION: "Under Discussion",
    Stage.VOTE: "Voting",
    Stage.ACCEPTED: "Accepted",
    Stage.REJECTED: "Rejected",
    Stage.DORMANT: "Dormant",
    Stage.DISCARDED: "Discarded",
}
#: Stage → section of the index: all open ones share one, rejected ones are among the discarded.
SECTION_OF_STAGE: dict[Stage, str] = {
    Stage.DRAFT: "discussion",
    Stage.DISCUSSION: "discussion",
    Stage.VOTE: "discussion",
    Stage.ACCEPTED: "accepted",
    Stage.REJECTED: "discarded",
    Stage.DORMANT: "dormant",
    Stage.DISCARDED: "discarded",
}
