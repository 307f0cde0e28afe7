"""What a word of a sentence says of the vote, by two tables: its outcome, and its end.

In each table the first rule that applies decides. Conditions, wishes and negations are checked before success. What is
not fully understood becomes a question: no row accepts, cancels or voids because of it.
"""

from __future__ import annotations

from kipflow.mail.announcements.calls import is_of_result
from kipflow.mail.announcements.clauses import Subject, find_shared, is_real, thanks_all
from kipflow.mail.announcements.predicates import Predicate
from kipflow.mail.announcements.tokens import CLAUSE_ENDS, find_clause_end, is_conditional
from kipflow.mail.announcements.verdicts import Says, Table

outcome, end = Table(), Table()
NOTHING, ASK, FAILED, PASSED, VOIDED = Says.NOTHING, Says.ASK, Says.FAILED, Says.PASSED, Says.VOIDED
CORRECTED, EXTENDED, CLOSED = Says.CORRECTED, Says.EXTENDED, Says.CLOSED
PRESENTED, THANKED = Says.PRESENTED, Says.THANKED
#: The classes of words that each table judges.
OUTCOMES = ("success", "failure", "gain", "needed", "landed")
ENDS = ("result", "cancel", "disregard", "retracts", "extend", "runs_on", "keep", "correct", "close", "thanks")
#: Most words between a result and what it is a result of.
_OF = 6
_PAST = frozenset({"last", "ago", "earlier", "already", "before"})


# -- the outcome -----------------------------------------------------------------------------------------------------
@outcome(NOTHING, "asked, or a condition", "If the vote passes I will merge it.", "Has this vote passed?")
def conditional(h: Predicate) -> bool:
    return h.is_conditional and not h.is_subject_to


@outcome(
    *(ASK, "it will not, or cannot be", "The KIP will NOT be adopted.", "KIP-7 cannot be accepted as it has two -1."),
    leaves=("The KIP will not be adopted without tests.", "The KIP will not be adopted yet."),
)
def refused(h: Predicate) -> bool:
    """A decision as often as a forecast."""
    wishes = {token.text for token in h.before if token.can_be("not_fact")}
    if not (h.can_be("success") and h.is_denied and h.tokens[h.at - 1].text == "be") or wishes - {"will", "shall"}:
        return False
    ends = h.behind is None or h.behind.text in {*CLAUSE_ENDS, "as", "because", "since", "with", "due"}
    return ends and (h.subject or Subject.NOBODY) > Subject.PRONOUN


@outcome(
    NOTHING,
    "wished, still to come, or of another vote",
    "I hope it gets adopted soon.",
    "The last vote failed.",
    "It has neither passed nor failed.",
)
def not_a_fact(h: Predicate) -> bool:
    nor = zip(h.tokens, h.tokens[1:], strict=False)
    return h.is_not_fact or any(t.text == "nor" and behind.can_be("success", "failure") for t, behind in nor)


@outcome(
    *(NOTHING, "of something else", "Two tests failed.", "I approve it.", "A KIP is accepted with three +1."),
    leaves=("We have approved KIP-7.", "The community accepted KIP-7."),
)
def of_something_else(h: Predicate) -> bool:
    return h.subject is None


@outcome(NOTHING, "says nothing alone", "We reached quorum.", "It is in the suite.")
def no_outcome(h: Predicate) -> bool:
    return h.outcome is None


@outcome(ASK, "on a condition", "The vote passed, subject to approval by legal.", tagged_only=True)
def subject_to(h: Predicate) -> bool:
    return h.is_subject_to


@outcome(NOTHING, "has an object", "KIP-7 passes all tests.", leaves=("KIP-7 passes with 3 +1.", "It passed, thanks."))
def with_object(h: Predicate) -> bool:
    return not h.ends_well and not h.is_direct


@outcome(ASK, "over, but not how", "So that one is in, thanks all!", "This is settled now.")
def landed(h: Predicate) -> bool:
    return h.can_be("landed")


@outcome(ASK, "what stands behind it is not understood", "The vote passed muster somehow.")
def not_understood(h: Predicate) -> bool:
    return not h.ends_well


@outcome(ASK, "going on, or over?", "The vote is passing with 3 +1.", leaves=("So far it is passing.",))
def going_on(h: Predicate) -> bool:
    return h.can_be("going_on")


@outcome(ASK, "said of a part", "The first half of the vote passed.", "Part of the vote passed.")
def in_part(h: Predicate) -> bool:
    return any(t.can_be("part") for t in h.tokens[h.clause_start : find_clause_end(h.tokens, h.at)])


@outcome(
    *(ASK, "guessed, cited, or of which vote?", "Looks like the vote has passed.", "Technically the vote has failed."),
    *("We had a motion that was rejected with 3 no votes.", "I'll call this one rejected.", "See why the vote failed."),
    leaves=("I'll mark the KIP as accepted.", "I'm closing this vote which passed with 3 binding +1."),
)
def guessed(h: Predicate) -> bool:
    return h.is_guessed


@outcome(
    *(ASK, "behind a word that may deny it", "It is not true that the vote has passed."),
    "By no means has the vote passed.",
    leaves=("I am glad to see that the vote has passed.", "With that, the vote passed."),
)
def doubted(h: Predicate) -> bool:
    """Before "that" something must be known to state what follows."""
    start = max(h.group[0], 0)
    if any(t.can_be("negator") and t.text != "non" for t in h.tokens[h.clause_start : start]):
        return True
    ahead = range(start - (h.tokens[start].text == "that"), 0, -1)
    at = next((at for at in ahead if h.tokens[at].text == "that"), 0)
    if not at or h.tokens[at + 1].text in CLAUSE_ENDS or h.tokens[at - 1].can_be("preposition", "joint"):
        return False
    return not any(token.can_be("states") for token in h.tokens[:at])


@outcome(
    *(FAILED, "what is needed was missing", "Quorum was not reached.", "It did not get enough binding votes."),
    may_run_on=True,
)
def short(h: Predicate) -> bool:
    return h.can_be("needed", "gain")


@outcome(
    *(FAILED, "failure, or success denied", "The vote ended unsuccessfully.", "It was voted down."),
    "The vote was never successful.",
    leaves=("The vote did not fail.", "It was not unsuccessful after all."),
)
def failed(h: Predicate) -> bool:
    return h.outcome == "failed"


@outcome(PASSED, "success", "The vote passes with 3 +1.", "The vote did not fail.", leaves=("It passed, I think.",))
def passed(h: Predicate) -> bool:
    return h.outcome == "passed"


# -- the end ---------------------------------------------------------------------------------------------------------
def _is_definite(h: Predicate) -> bool:
    return bool(h.before) and h.before[-1].text in {"the", "my", "our", "this", "these", "those"}


@end(
    *(VOIDED, "a result is taken back", "Please disregard the result.", "The result above is void."),
    "My result for KIP-7 was wrong.",
)
def voids(h: Predicate) -> bool:
    if h.can_be("retracts") and h.behind is not None and h.behind.can_be("result") and not _is_definite(h):
        return False  # "Users will find out from wrong results"
    return h.can_be("cancel", "disregard", "retracts") and not is_conditional(h.tokens, h.at) and is_of_result(h)


@end(
    *(EXTENDED, "the vote runs on", "I'm extending the vote.", "The vote is extended.", "I'll leave the vote open."),
    *("I am extending the vote until Friday.", "We've extended the vote by 24 hours."),
    leaves=("I won't extend the vote.", "I extended the vote last week.", "Could we extend the vote?"),
)
def extends(h: Predicate) -> bool:
    if not h.can_be("extend", "keep") or h.is_denied or (h.is_conditional and not h.is_for_a_time):
        return False
    if h.word.text.endswith("ed") and h.tokens[h.at - 1].text == "have" and h.is_active:  # "We have extended the vote"
        object_, *behind = [t for t in h.tokens[h.at + 1 :] if t.text not in {"the", "this"}][:2] or [h.word]
        ends = all(t.can_be("mark", "closes_noun", "preposition", "pronoun") for t in behind)
        return object_.can_be("vote") and ends and not any(t.text in _PAST for t in h.tokens)
    if h.word.text.endswith("ed"):
        is_now = h.tokens[h.at - 1].can_be("auxiliary") and h.tokens[h.at - 1].text != "was"
        return is_now and h.leader is not None and h.leader.can_be("vote", "thing", "period", "pronoun")
    near = h.tokens[h.at + 1 : h.at + 1 + _OF]
    is_open = h.can_be("extend") or any(t.text == "open" for t in near)
    return is_open and any(t.can_be("vote", "period", "pronoun") for t in near)


@end(
    *(EXTENDED, "the vote is not over", "The vote is not over.", "The vote goes on.", "This vote is still open."),
    *("The vote was extended last week and is still open.", "The vote stays open until we have a third vote."),
)
def runs_on(h: Predicate) -> bool:
    if (h.is_conditional and not h.is_for_a_time) or h.leader is None:
        return False
    is_shared = find_shared(h.tokens, h.group[0]) is Subject.VOTE  # "the vote was extended and is still open"
    if not (is_shared or h.leader.can_be("vote", "thread", "period")):
        return False
    return h.can_be("runs_on") or (h.can_be("close") and h.is_denied)


@end(CORRECTED, "puts something right", "Correction: 4 binding, not 3.", "I miscounted.")
def corrects(h: Predicate) -> bool:
    return h.can_be("correct")


@end(
    CLOSED, "the vote is over", "I'm closing this vote.", "The results of the vote:", leaves=("I will close the vote.",)
)
def closes(h: Predicate) -> bool:
    is_result = h.can_be("result") and any(t.can_be("vote") for t in h.around(_OF))
    return (is_result or (h.can_be("close") and h.is_of_vote)) and is_real(h.tokens, h.at)


@end(PRESENTED, "leads in counts", "Here are the results:", leaves=("The test results look fine.",))
def presents(h: Predicate) -> bool:
    return h.can_be("result") and any(t.can_be("leads") for t in h.around(2)) and is_real(h.tokens, 0)


@end(
    *(THANKED, "everybody is thanked for voting", "Thanks all for voting."),
    leaves=("Thanks for the KIP.", "I vote yes, thanks all!"),
)
def thanks_voters(h: Predicate) -> bool:
    to_all = h.can_be("thanks") and thanks_all(h.tokens)
    votes = (at for at, t in enumerate(h.tokens) if t.can_be("vote", "voted"))
    return to_all and any(not at or h.tokens[at - 1].text != "i" for at in votes) and is_real(h.tokens, 0)


@end(NOTHING, "anything else", "Thanks for the KIP.", "Closing this vote in 24 hours.", "I am closing my laptop.")
def no_end(_: Predicate) -> bool:
    return True
