"""When a rule applies: each guard is a pure function of the state and the event's subject.

Their docstrings are the conditions in docs/stages.md.
"""

from __future__ import annotations

from typing import Any

from kipflow.domain.events import SETTLED_STAGES, Stage
from kipflow.domain.facts import MailKind, Ruling, ThreadMessage
from kipflow.domain.ownpages import find_own_page, is_of
from kipflow.domain.pages import IndexEntry, PageVersion, StatusWord
from kipflow.domain.proposals import Proposal
from kipflow.domain.ruled import find_choice_of_stage
from kipflow.domain.stages.quiet import blocks_dormancy, find_dormant_at, find_silence_gap
from kipflow.domain.stages.state import State, is_contested, is_same
from kipflow.domain.votes import Vote

#: Section of an index → its stage.
STAGE_OF_SECTION = {
    "accepted": Stage.ACCEPTED,
    "rejected": Stage.REJECTED,
    "discussion": Stage.DISCUSSION,
    "dormant": Stage.DORMANT,
    "discarded": Stage.DISCARDED,
}


def always(_state: State, _what: Any) -> bool:
    return True


# -- pages and index ---------------------------------------------------------------------------
def has_number(state: State, page: PageVersion | Proposal) -> bool:
    """it has the number"""
    return isinstance(page, Proposal) or is_of(page, state.facts.proposal.number)


def is_own_page(state: State, page: PageVersion) -> bool:
    """it is the proposal's own: where two pages have the number, a person is asked"""
    if not has_number(state, page):
        return False  # before the page had this number, or after it was given another
    known = (p for p in state.facts.pages if p.saved_at <= state.now)
    return page.page_id == find_own_page(known, state.facts.proposal.number)


def is_discarded_anew(state: State, page: PageVersion) -> bool:
    """it says so, and the version before did not; the clock never does it"""
    # saved again in the same state, it says nothing new: an operator may have restored the proposal since
    return page.status is StatusWord.DISCARDED is not state.page_word and is_own_page(state, page)


def is_imported(state: State, entry: IndexEntry) -> bool:
    """an index that an operator loaded lists it there, and no vote was seen by then"""
    return entry.origin == "import" and find_listed(state, entry) not in {None, state.stage}


def is_listed(state: State, entry: IndexEntry) -> bool:
    """the wiki's index lists it there, and no vote was seen by then"""
    return entry.origin != "import" and find_listed(state, entry) not in {None, Stage.DISCUSSION}


def find_listed(state: State, entry: IndexEntry) -> Stage | None:
    """The stage of a row's section; None if a vote was seen by then: the vote decides."""
    known_by = max(entry.seen_at, state.now)
    if any(vote.opened_at <= known_by for vote in state.facts.votes):
        return None
    return STAGE_OF_SECTION.get(entry.section)


# -- mails and votes ---------------------------------------------------------------------------
def starts_discussion(_state: State, message: ThreadMessage) -> bool:
    """it is in a `[DISCUSS]` thread"""
    return message.kind is MailKind.DISCUSS


def reopens(_state: State, message: ThreadMessage) -> bool:
    """it starts a `[DISCUSS]` thread: a person is asked"""
    return message.kind is MailKind.DISCUSS and not message.is_reply


def answers_sleeping_vote(state: State, message: ThreadMessage) -> bool:
    """it answers in the vote during which the proposal went dormant and which never ended"""
    return state.asleep is not None and message.is_reply and message.kind in {MailKind.VOTE, MailKind.RESULT}


def is_asleep(state: State, vote: Vote) -> bool:
    """it is of the vote during which the proposal went dormant and which never ended"""
    return is_same(vote, state.asleep)


def is_new_round(state: State, vote: Vote) -> bool:
    """it is neither running nor decided already, and called by somebody who may"""
    if is_contested(state, vote):
        return False  # called while a round runs, by somebody who may not replace it: `questions` asks a person
    if vote.is_over(vote.opened_at):
        return False  # a wrong clock in a mail: a round that ended before it began never ran
    if vote.root_message_id in state.closed or is_same(vote, state.running):
        return False
    # a stray answer whose thread is not held is no new round
    return not (vote.root_missing and state.stage in {Stage.VOTE, *SETTLED_STAGES})


def is_first_round(state: State, vote: Vote) -> bool:
    """an operator set the stage before there was a vote, and it is called by somebody who may"""
    return state.running is None and is_new_round(state, vote)


def is_running(state: State, vote: Vote) -> bool:
    """it is the one that runs"""
    return is_same(vote, state.running)


def is_cancelled(state: State, vote: Vote) -> bool:
    """it is the one that runs, and is called off"""
    return is_running(state, vote) and vote.ended_how != "replaced"


def is_replaced(state: State, vote: Vote) -> bool:
    """it is the one that runs, and another replaces it: the next round starts from nothing"""
    return is_running(state, vote) and vote.ended_how == "replaced"


# -- people and the clock ----------------------------------------------------------------------
def find_chosen(state: State, ruling: Ruling) -> Stage | None:
    """The stage that a ruling sets or restores."""
    return find_choice_of_stage(ruling, state.history)


def is_snooze(_state: State, ruling: Ruling) -> bool:
    """an operator snoozes the silence"""
    return ruling.kind == "snooze"


def is_override(state: State, ruling: Ruling) -> bool:
    """an operator sets the stage: `kipflow review stage`, with a reason"""
    return ruling.kind == "stage" and find_chosen(state, ruling) not in {None, state.stage}


def is_restoring(state: State, ruling: Ruling) -> bool:
    """an operator undoes the newest move: `kipflow review restore`, with a reason"""
    return ruling.kind == "restore" and find_chosen(state, ruling) not in {None, state.stage}


def keeps_stage(state: State, ruling: Ruling) -> bool:
    """an operator says that the stage stays what it is"""
    return state.stage is not None and find_chosen(state, ruling) is state.stage


def waits_for_mail(state: State, _what: Any) -> bool:
    """rules could have decided by now, had the mail of that time been read"""
    dormant_at = find_dormant_at(state)
    if state.waits_for is not None or dormant_at is None or dormant_at > state.now:
        return state.waits_for is not None
    return find_silence_gap(state, dormant_at) is not None


def is_silent(state: State, _what: Any) -> bool:
    """nobody wrote for longer than the policy allows, in mail that is held; the author was warned and given the date,
    unless that was before kipflow followed it, and the grace since the delivery of that warning is over
    ([why](adr/0014-dormancy-needs-a-recorded-warning.md)); the vote has not passed, and its announcement is not in
    question; the policy does not leave it to a person
    """
    dormant_at = find_dormant_at(state)
    if dormant_at is None or dormant_at > state.now:
        return False
    return find_silence_gap(state, dormant_at) is None and not blocks_dormancy(state)
