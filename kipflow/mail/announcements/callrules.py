"""Whether a sentence calls the vote off, by one table: the first rule that applies decides.

A sentence that is not fully understood becomes a question. What only the caller can mean counts from nobody else.
"""

from __future__ import annotations

from kipflow.mail.announcements.calls import CALLED, Call, calls_off, find_call, is_undecided, muses, read_resolve
from kipflow.mail.announcements.heads import Head
from kipflow.mail.announcements.verdicts import Says, Table

call = Table()
NOTHING, ASK, WITHDRAWN, WISHED, MUSED = Says.NOTHING, Says.ASK, Says.WITHDRAWN, Says.WISHED, Says.MUSED
#: The classes of words that the table judges.
CALLS = ("cancel", "disregard", "apart", "close", "reopens", "outdated")
_SAID = {Call.OUTRIGHT, Call.PERHAPS}


@call(
    *(ASK, "called off for a time", "I'm cancelling this vote until the numbers are in.", "The vote is postponed."),
    *("Pausing this vote.", "I'm tabling this vote for now.", "I'm putting this vote on hold."),
    leaves=("I am cancelling this vote.", "We deferred the rename to a later KIP.", "Don't pause the vote."),
)
def put_on_hold(h: Head) -> bool:
    if h.is_for_a_time:
        return calls_off(h) and find_call(h) is not Call.NOT
    return h.can_be("pauses") and not h.is_conditional and not read_resolve(h)[1] and find_call(h) in _SAID


@call(
    MUSED, "put off", "I'll restart the vote once the KIP is updated.", leaves=("I'll start a new vote if you insist.",)
)
def put_off(h: Head) -> bool:
    return h.can_be("reopens") and h.is_subject_to and not any(t.text in {"if", "unless"} for t in h.tokens)


@call(
    NOTHING, "asked, or a condition", "Would you mind cancelling this vote?", "If it is wrong I will cancel the vote."
)
def maybe_called_off(h: Head) -> bool:
    return h.is_conditional


@call(NOTHING, "denied", "I am not cancelling this vote.", "Don't cancel the vote.", "I never cancelled the vote.")
def not_called_off(h: Head) -> bool:
    return read_resolve(h)[1]


@call(WITHDRAWN, "closed without an outcome", "Closing this vote without a decision.", leaves=("Closing this vote.",))
def closed_undecided(h: Head) -> bool:
    return h.can_be("close") and is_undecided(h)


@call(
    *(WITHDRAWN, "outright", "I am cancelling this vote.", "I call this RC off."),
    leaves=("We should cancel this vote.", "The vote is postponed."),
)
def called_off(h: Head) -> bool:
    return calls_off(h) and find_call(h) is Call.OUTRIGHT


@call(WISHED, "an order, or a wish", "Please ignore this vote.", "Consider this vote void, please.")
def wished_off(h: Head) -> bool:
    return calls_off(h) and find_call(h) is Call.WISHED and not h.can_be("pauses")


@call(ASK, "guessed, or without what it calls off", "I may have to cancel this vote.", "I am withdrawing this.")
def perhaps_off(h: Head) -> bool:
    return calls_off(h) and find_call(h) is Call.PERHAPS


@call(
    *(MUSED, "its caller may not go on with it", "I'm moving the KIP back to discussion."),
    "Back to the drawing board.",
    *("I'll restart the vote after the update.", "We no longer need this KIP.", "We should cancel this vote."),
    *("Please pause this vote.", "Consider this one dead.", "We need a respin.", "I don't want to go ahead with it."),
    leaves=("I withdraw my -1.", "We drop invalid records.", "You should drop the second field."),
)
def may_not_go_on(h: Head) -> bool:
    outdated = (
        h.can_be("outdated")
        and h.leader is not None
        and (h.leader.can_be(*CALLED) or h.leader.text in {"this", "this one"})
    )
    return h.can_be("reopens") or outdated or muses(h) or (h.can_be("pauses") and find_call(h) is Call.WISHED)


@call(NOTHING, "of something else", "I withdraw my -1.", "I'm cancelling the Jenkins job for the release.")
def nothing_off(_: Head) -> bool:
    return True
