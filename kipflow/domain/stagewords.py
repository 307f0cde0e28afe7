"""What the wiki's page and its index call each stage."""

from __future__ import annotations

from kipflow.domain.events import Stage
from kipflow.domain.pages import StatusWord

#: What a page's word agrees with. The template has no word for a running vote: "Under Discussion" is right then too.
STAGES_OF_WORD: dict[StatusWord, frozenset[Stage]] = {
    StatusWord.DRAFT: frozenset({Stage.DRAFT}),
    StatusWord.DISCUSSION: frozenset({Stage.DISCUSSION, Stage.VOTE}),
    StatusWord.VOTE: frozenset({Stage.VOTE}),
    StatusWord.ACCEPTED: frozenset({Stage.ACCEPTED}),
    StatusWord.REJECTED: frozenset({Stage.REJECTED}),
    StatusWord.DORMANT: frozenset({Stage.DORMANT}),
    StatusWord.DISCARDED: frozenset({Stage.DISCARDED, Stage.REJECTED}),
    # nobody filled it in: as good as any word until the proposal is settled
    StatusWord.TEMPLATE: frozenset({Stage.DRAFT, Stage.DISCUSSION, Stage.VOTE, Stage.DORMANT}),
}
#: Stage → what its page should say, in the words of the template and of the round-up.
PAGE_WORD: dict[Stage, str] = {
    Stage.DRAFT: "Draft",
    Stage.DISCUSSION: "Under Discussion",
    Stage.VOTE: "Voting",
    Stage.ACCEPTED: "Accepted",
    Stage.REJECTED: "Rejected",
    Stage.DORMANT: "Dormant",
    Stage.DISCARDED: "Discarded",
}
#: The index has four sections: open proposals stand together, refused ones among the discarded.
SECTION_OF_STAGE: dict[Stage, str] = {
    Stage.DRAFT: "discussion",
    Stage.DISCUSSION: "discussion",
    Stage.VOTE: "discussion",
    Stage.ACCEPTED: "accepted",
    Stage.REJECTED: "discarded",
    Stage.DORMANT: "dormant",
    Stage.DISCARDED: "discarded",
}
