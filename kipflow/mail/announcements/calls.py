"""Whether a sentence calls the vote off, by one table: the first rule that applies decides.

Who calls off what is read around a word for cancelling: "I | am hereby | cancelling | this vote". A sentence that is
not fully understood becomes a question. What only the caller can mean counts from nobody else.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from enum import IntEnum

from kipflow.mail.announcements.clauses import read_group
from kipflow.mail.announcements.predicates import Predicate
from kipflow.mail.announcements.tokens import Token, find_clause
from kipflow.mail.announcements.verdicts import Says, Table

call = Table()
NOTHING, ASK, WITHDRAWN, REQUESTED, CONSIDERED = Says.NOTHING, Says.ASK, Says.WITHDRAWN, Says.REQUESTED, Says.CONSIDERED
#: The classes of words that the table judges.
CALLS = ("cancel", "disregard", "apart", "close", "reopens", "outdated")
CALLED = ("vote", "thing", "thread")
#: Most words between a word for cancelling and its object: "the whole release".
_ADJECTIVES = 4


class Call(IntEnum):
    """How a sentence calls a vote off: perhaps, only if its caller says so ("please ignore it"), or outright."""

    NOT, PERHAPS, REQUESTED, OUTRIGHT = range(4)


def find_call(head: Predicate) -> Call:
    """How the word calls the vote off, judged by its subject and object; negation is checked elsewhere."""
    start, _ = read_resolve(head)
    led = _find_leader(head, start)
    if start >= 0 and head.tokens[start].can_be(*CALLED, "pronoun"):
        return led  # "this vote is cancelled": no object follows
    if head.can_be("disregard"):
        return Call.REQUESTED if led is not Call.NOT and _find_object(head) is Call.OUTRIGHT else Call.NOT
    return min(led, _find_object(head))


def calls_off(head: Predicate) -> bool:
    """Whether the word means to call off, alone or with an "off" after it: "call this vote off"."""
    behind = head.tokens[head.at + 2 : head.at + 2 + _ADJECTIVES]
    apart = head.can_be("apart") and any(token.text in {"off", "back"} for token in behind)
    return apart or head.can_be("cancel", "disregard")


def considers(head: Predicate) -> bool:
    """Whether calling the vote off is wished, planned or suggested: "we should cancel this vote"."""
    start, _ = read_resolve(head)
    clause = head.tokens[find_clause(head.tokens, max(start, 0)) : head.at]
    if not calls_off(head) or not any(token.can_be("not_fact") for token in clause):
        return False
    own = any(token.can_be("speaker") or token.text in {"let", "us"} for token in clause)
    passive = head.word.text.endswith(("ed", "n")) and any(t.can_be(*CALLED) or t.text == "this" for t in clause)
    return passive or (own and _find_object(head) is not Call.NOT)


def read_resolve(head: Predicate) -> tuple[int, bool]:
    """The index before the words that lead up to it ("am going to"), and whether they negate it."""
    start, denials = read_group(head.tokens, head.at, "resolves", "negator", "no")
    return start, denials % 2 == 1


def is_of_result(head: Predicate) -> bool:
    """Whether a result is taken back: "please disregard the result", "the result is void"."""
    start, denied = read_resolve(head)
    near = itertools.takewhile(lambda t: not t.can_be("mark"), head.tokens[head.at + 1 : head.at + 6])
    acts = start < 0 or head.tokens[start].can_be("speaker")
    before = () if acts else head.tokens[find_clause(head.tokens, start) : start + 1]
    return not denied and any(t.can_be("result") for t in (*before, *near))


def is_undecided(head: Predicate) -> bool:
    """ "closing this vote without a decision", "closing this vote and going back to the discussion"."""
    behind = head.tokens[head.at + 1 :]
    back = next((n for n, token in enumerate(behind) if token.can_be("goes_back")), 0)
    if any(token.can_be("vote") for token in behind[:back]):
        return not any(token.can_be("success", "failure") for token in behind[:back])  # "as not passed"
    without = next((n for n, token in enumerate(behind) if token.can_be("without")), None)
    if without is None or not any(token.can_be("vote") for token in behind[:without]):
        return False
    return any(token.can_be("undecided") for token in behind[without : without + 4])


def _find_leader(head: Predicate, start: int) -> Call:
    """How the subject calls it off: "I", the vote itself in the passive, or none ("Cancelling this vote")."""
    tokens, text = head.tokens, head.word.text
    guessed = any(token.can_be("hedge") for token in tokens[find_clause(tokens, max(start, 0)) : head.at])
    leader = tokens[start] if start >= 0 else None
    done = text.endswith(("ing", "ed", "n", "void", "sunk")) or " " in text
    if leader is None or leader.can_be("mark", "joint"):
        led = Call.OUTRIGHT if done else Call.REQUESTED  # an order: "please cancel this vote"
    elif leader.can_be("speaker"):
        is_wish = any(t.can_be("not_fact") for t in tokens[find_clause(tokens, start) : start])
        led = Call.NOT if is_wish else Call.OUTRIGHT
    elif leader.can_be(*CALLED, "pronoun"):
        led = _find_passive(head, start) if done else Call.NOT
    else:
        led = Call.PERHAPS if guessed else Call.NOT
    return min(led, Call.PERHAPS) if guessed else led


def _find_passive(head: Predicate, start: int) -> Call:
    tokens = head.tokens
    clause = tokens[find_clause(tokens, start) : start + 1]
    if _is_somebodys(tokens, start):
        return Call.NOT
    if any(token.text in {"consider", "treat", "regard"} for token in clause):
        return Call.REQUESTED
    if any(token.can_be("previous", "not_fact") for token in clause):
        return Call.NOT
    if start == head.at - 1 and len(clause) > 1 and " " not in head.word.text:
        return Call.NOT  # "the task cancelled", but "Vote cancelled"
    about = tokens[start]
    return Call.OUTRIGHT if about.can_be("vote") or about.text.startswith(("rc", "candidate")) else Call.PERHAPS


def _find_object(head: Predicate) -> Call:
    """Whether the vote is the object: "the vote", "RC1", "this release"; not "my vote", "the vote counter"."""
    tokens, first = head.tokens, head.at + 1
    for index in range(first, min(first + _ADJECTIVES + 1, len(tokens))):
        token = tokens[index]
        behind = tokens[index + 1] if index + 1 < len(tokens) else None
        if token.can_be("previous", "part") or _is_somebodys(tokens, index):
            return Call.NOT
        if token.can_be(*CALLED):
            ends = behind is None or behind.can_be("mark", "closes_noun", "number", "thing", "wide")
            return Call.OUTRIGHT if ends else Call.NOT
        if token.can_be("pronoun") and (behind is None or behind.can_be("mark")):
            return Call.PERHAPS
        if token.can_be("mark", "joint", "preposition") or not token.text[0].isalpha():
            return _find_alone(head) if index == first else Call.NOT
    return _find_alone(head) if first == len(tokens) else Call.NOT


def _find_alone(head: Predicate) -> Call:
    """How a word without an object calls off, at the beginning of a clause: "Cancelling, as …"."""
    if find_clause(head.tokens, head.at) != head.at:
        return Call.NOT
    return Call.OUTRIGHT if head.word.text.startswith("cancel") else Call.PERHAPS


def _is_somebodys(tokens: Sequence[Token], at: int) -> bool:
    """Whether a vote is one voter's own, not the common one: "my vote", "Tom's vote"."""
    return at > 0 and tokens[at].can_be("vote") and tokens[at - 1].can_be("owner")


@call(
    *(ASK, "called off for a time", "I'm cancelling this vote until the numbers are in.", "The vote is postponed."),
    *("Pausing this vote.", "I'm tabling this vote for now.", "I'm putting this vote on hold."),
    leaves=("I am cancelling this vote.", "We deferred the rename to a later KIP.", "Don't pause the vote."),
)
def put_on_hold(h: Predicate) -> bool:
    if h.is_for_a_time:
        return calls_off(h) and find_call(h) is not Call.NOT
    is_stated = h.can_be("pauses") and not h.is_conditional and not read_resolve(h)[1]
    return is_stated and find_call(h) in {Call.OUTRIGHT, Call.PERHAPS}


@call(
    CONSIDERED,
    "put off",
    "I'll restart the vote once the KIP is updated.",
    leaves=("I'll start a new vote if you insist.",),
)
def put_off(h: Predicate) -> bool:
    return h.can_be("reopens") and h.is_subject_to and not any(t.text in {"if", "unless"} for t in h.tokens)


@call(
    NOTHING, "asked, or a condition", "Would you mind cancelling this vote?", "If it is wrong I will cancel the vote."
)
def maybe_called_off(h: Predicate) -> bool:
    return h.is_conditional


@call(NOTHING, "denied", "I am not cancelling this vote.", "Don't cancel the vote.", "I never cancelled the vote.")
def not_called_off(h: Predicate) -> bool:
    return read_resolve(h)[1]


@call(WITHDRAWN, "closed without an outcome", "Closing this vote without a decision.", leaves=("Closing this vote.",))
def closed_undecided(h: Predicate) -> bool:
    return h.can_be("close") and is_undecided(h)


@call(
    *(WITHDRAWN, "outright", "I am cancelling this vote.", "I call this RC off."),
    leaves=("We should cancel this vote.", "The vote is postponed."),
)
def called_off(h: Predicate) -> bool:
    return calls_off(h) and find_call(h) is Call.OUTRIGHT


@call(REQUESTED, "an order, or a wish", "Please ignore this vote.", "Consider this vote void, please.")
def wished_off(h: Predicate) -> bool:
    return calls_off(h) and find_call(h) is Call.REQUESTED and not h.can_be("pauses")


@call(ASK, "guessed, or without what it calls off", "I may have to cancel this vote.", "I am withdrawing this.")
def perhaps_off(h: Predicate) -> bool:
    return calls_off(h) and find_call(h) is Call.PERHAPS


@call(
    *(CONSIDERED, "its caller may not go on with it", "I'm moving the KIP back to discussion."),
    "Back to the drawing board.",
    *("I'll restart the vote after the update.", "We no longer need this KIP.", "We should cancel this vote."),
    *("Please pause this vote.", "Consider this one dead.", "We need a respin.", "I don't want to go ahead with it."),
    leaves=("I withdraw my -1.", "We drop invalid records.", "You should drop the second field."),
)
def may_not_go_on(h: Predicate) -> bool:
    outdated = (
        h.can_be("outdated")
        and h.leader is not None
        and (h.leader.can_be(*CALLED) or h.leader.text in {"this", "this one"})
    )
    return h.can_be("reopens") or outdated or considers(h) or (h.can_be("pauses") and find_call(h) is Call.REQUESTED)


@call(NOTHING, "of something else", "I withdraw my -1.", "I'm cancelling the Jenkins job for the release.")
def nothing_off(_: Predicate) -> bool:
    return True
