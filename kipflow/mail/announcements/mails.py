"""What a mail announces about its vote, by one table: the first rule that applies decides.

Retraction, contradiction and extension are checked before an outcome. What only looks like one becomes a question.
"""

from __future__ import annotations

import re

from kipflow.domain.facts import MailKind
from kipflow.mail.announcements.clauses import Subject, thanks_all
from kipflow.mail.announcements.mailfacts import Mail
from kipflow.mail.announcements.statements import REOPENED, read_call, read_outcomes
from kipflow.mail.announcements.tokens import Token, tokenize
from kipflow.mail.announcements.verdicts import Says, Table
from kipflow.mail.endmarks import drop_counts

result = Table()
#: "The vote stays open, Kim is not a committer."; not "This vote thread stays open", "I'm extending the vote page"
_OF_THE_VOTE = re.compile(
    r"\W*(?:(?:so|sorry|hence|thus|then|please)\W+)*(?:(?:the|this) vote (?:is|stays|remains|goes|continues)"
    r"(?: still)?(?: open| on)?\s*(?:$|[,.;!–—-]|(?:until|as|because|since)\b)"
    r"|(?:consider|treat|regard) (?:the|this) vote (?:as )?(?:still )?open"
    r"|i(?:['’]m| am|['’]ll| will)? (?:re-?open|extend|keep|leav)\w* (?:the|this) vote\b(?! (?:thread|page|form)))",
    re.IGNORECASE,
)
_MAY_FAIL = ("negator", "failure", "cancel", "retracts", "disregard", "reopens", "outdated")
NOTHING, ASK, FAILED, PASSED, AGAINST = Says.NOTHING, Says.ASK, Says.FAILED, Says.PASSED, Says.AGAINST


@result(
    *(ASK, "takes its result back", "Please disregard the result above.", "Disregard the result, though KIP-7 passed."),
    "My mistake, please ignore my previous mail. The vote stays open.",
    leaves=("The result above is void, KIP-7 has not passed.", "The vote stays open."),
)
def taken_back(m: Mail) -> str:
    stands = m.sure is not None and not m.against and (m.counts.any or m.sure.outcome == "failed")
    corrected = m.ends.get(Says.CORRECTED, "") if Says.EXTENDED in m.ends else ""
    return "" if stands else m.ends.get(Says.VOIDED, corrected)


@result(NOTHING, "a discussion, without an outcome and binding votes")
def discussed(m: Mail) -> bool:
    ends = m.sure is not None and not m.against and m.counts.binding
    return m.reading.kind is MailKind.DISCUSS and not ends


@result(
    *(ASK, "of another proposal's vote", "FYI the vote on KIP-9 passed with 5 binding +1s."),
    "We cancelled the vote on KIP-9.",
    leaves=("The vote passed with 3 binding +1. KIP-9 was accepted, too.", "KIP-7 and KIP-9 are accepted."),
)
def of_another_vote(m: Mail) -> str:
    return m.of_another


@result(ASK, "two outcomes", "The vote passed. No, it failed.", leaves=("Voting is over. Outcome: rejected.",))
def contradicted(m: Mail) -> str:
    return f"{m.sure.sentence[:300]} / {m.against}" if m.sure is not None and m.against else ""


@result(
    *(ASK, "an outcome, taken back behind it", "The vote passed. Sorry, that was wrong."),
    *("The vote passed by lazy consensus, not here.", "The vote passed. Scratch that, it did not."),
    "The vote passed. No, 3 votes were late:",
    leaves=("The vote passed, no -1. Sorry for the delay.", "The vote passed.\n\nYes: 5\nNo: 0"),
)
def taken_back_behind(m: Mail) -> str:
    return m.retraction


@result(ASK, "an outcome, and the vote runs on", "The vote has failed. I'm extending the vote.")
def ended_and_extended(m: Mail) -> str:
    ends = not all(said.rule.may_run_on for said in m.relevant)
    runs_on = m.ends.get(Says.EXTENDED, "")
    is_vote = _OF_THE_VOTE.match(runs_on) or REOPENED.match(runs_on)  # not "This thread stays open for comments"
    reopens = is_vote and (m.reading.is_reply or not m.counts.any)
    return runs_on if ends or (m.is_tagged and not reopens) else ""


@result(AGAINST, "the vote runs on", "Quorum was not reached, so I'm extending the vote.", "The vote is extended.")
def extended(m: Mail) -> str:
    return m.ends.get(Says.EXTENDED, "")


@result(
    *(FAILED, "stated outright", "I call the vote to be non successful.", "KIP-7 hasn't passed."),
    "The vote was voted down.",
    leaves=("The vote passed.", "-1, two tests failed.", "The vote failed, I think."),
)
def failed(m: Mail) -> str:
    return m.sure.sentence if m.sure is not None and m.sure.outcome == "failed" else ""


@result(
    *(PASSED, "stated outright", "The vote passed with 3 binding +1.", "KIP-7 is accepted, thanks all!"),
    leaves=("+1, the release passes all tests.", "The vote was never successful.", "Was the vote successful?"),
)
def passed(m: Mail) -> str:
    return m.sure.sentence if m.sure is not None else ""


@result(NOTHING, "casts a vote, and gives nothing of the vote as a whole", "+1 (binding)\n\nThanks for the release!")
def cast(m: Mail) -> bool:
    return m.is_ballot and not m.about_vote


@result(ASK, "an outcome, perhaps", "I'd say the vote passed.", "The proposal is in.", leaves=("The vote passed.",))
def half_stated(m: Mail) -> str:
    perhaps = (s for s in m.relevant if s.subject >= Subject.PRONOUN)
    found = (s.sentence for s in perhaps if m.counts.any or (m.opens_result and s.outcome == "failed"))
    return m.about_vote or next(found, "")


@result(
    *(AGAINST, "may take back what its author announced", "I spoke too soon, it needs one more vote."),
    "Hold on, Priya is no committer.",
    leaves=("+1 (binding)\n\nOops, my first mail was empty.", "The mistake in the second table is fixed."),
)
def denied_later(m: Mail) -> str:
    says_more = m.counts.any or (m.opens_result and find_outcome_of_subject(m.subject))
    return "" if says_more or m.is_ballot else m.denial


@result(FAILED, "its subject says it")
def failed_by_subject(m: Mail) -> bool:
    return m.is_tagged and find_outcome_of_subject(m.subject) == "failed"


@result(PASSED, "its subject says it")
def passed_by_subject(m: Mail) -> bool:
    return m.is_tagged and find_outcome_of_subject(m.subject) == "passed"


@result(
    *(
        ASK,
        "tagged, with a word of failure that is not understood",
        "[RESULT] The vote finished with a negative result.",
    ),
    leaves=("[RESULT] 3 binding +1, 1 non-binding +1",),
)
def may_have_failed(m: Mail) -> str:
    if not m.opens_result:
        return ""
    for sentence in m.own:
        tokens = tokenize(m.drop_title(sentence))
        fails = any(token.can_be("failure") or token.text == "negative" for token in tokens)
        if fails and any(token.can_be("vote", "thing", "pronoun", "result") for token in tokens):
            return sentence
    return ""


@result(
    *(ASK, "tagged, without counts, and with a word that may mean failure", "[RESULT] We'll not go ahead with it."),
    leaves=("[RESULT] 3 binding +1, 1 non-binding +1", "[RESULT] See above"),
)
def not_understood(m: Mail) -> str:
    if not m.opens_result or m.counts.any:
        return ""
    return next((s for s in m.own if any(map(_may_fail, tokenize(m.drop_title(s))))), "")


@result(Says.PRESENTED, "tagged, without an outcome", "[RESULT] 3 binding +1, 1 non-binding +1", "[RESULT] See above")
def tagged(m: Mail) -> bool:
    return m.opens_result or (m.is_tagged and m.counts.any)


@result(NOTHING, "answers an announcement")
def answers(m: Mail) -> bool:
    return m.is_tagged


@result(
    *(Says.CLOSED, "ends the vote with counts", "I'm closing the vote: 3 binding +1, no -1."),
    leaves=("Correction: 4 binding +1.", "We have 2 binding +1 so far."),
)
def closed_with_counts(m: Mail) -> str:
    end = next((m.ends[s] for s in (Says.CLOSED, Says.THANKED, Says.PRESENTED) if s in m.ends), "")
    return end if end and Says.CORRECTED not in m.ends and m.counts.any else ""


@result(ASK, "corrects counts", "Correction: 4 binding +1, not 3.")
def corrected(m: Mail) -> str:
    return m.ends.get(Says.CORRECTED, "") if m.counts.any else ""


@result(ASK, "closes the vote: with which result?", "I'm closing this vote.")
def closed(m: Mail) -> str:
    return m.ends.get(Says.CLOSED, "")


@result(ASK, "calls the vote off, perhaps", "I may have to cancel this vote.", leaves=("I withdraw my -1.",))
def perhaps_called_off(m: Mail) -> str:
    return next((s for s in m.sentences if read_call(s) in {ASK, Says.CONSIDERED}), "")


@result(
    *(ASK, "something is over: the vote?", "So that one is in, thanks all!", "Passed!", "It is accepted, with Ben's."),
    leaves=("The fix is in.",),
)
def seems_over(m: Mail) -> str:
    ends = (s for s in m.outcomes if s.subject or s.leads or thanks_all(tokenize(s.sentence)))
    return next((said.sentence for said in ends), "")


@result(
    *(
        ASK,
        "counts who is for and who against: is it over?",
        "Results: 3 for, 1 against.",
        "賛成3票、反対0票で可決されました。",
    ),
    leaves=("We have 3 +1 and 1 -1 so far.", "We need three +1 and no -1."),
)
def tallied(m: Mail) -> str:
    return m.tally


@result(ASK, "everybody is thanked for voting: is it over?", "Thanks all for voting.")
def thanked(m: Mail) -> str:
    return m.ends.get(Says.THANKED, "")


@result(NOTHING, "announces nothing", "I had a look and like it.", "Please vote, we need 3 binding +1.")
def no_result(_: Mail) -> bool:
    return True


def _may_fail(token: Token) -> bool:
    """Whether a word may say that the vote failed; not the "non" of "non-binding"."""
    return token.can_be(*_MAY_FAIL) and token.text != "non"


def find_outcome_of_subject(subject: str) -> str | None:
    """The outcome that a subject states in its tags or with its last words; a title's own words state none."""
    words = drop_counts(subject[:300]).split()
    title = next((at for at in range(len(words), 0, -1) if not _is_mark(words[at - 1])), 0)
    texts = [*re.findall(r"\[([^\[\]]{1,80})\]", subject[:300]), " ".join(words[title:])]
    return next((s.outcome for text in texts for s in read_outcomes(text) if s.says is not ASK), None)


def _is_mark(word: str) -> bool:
    return all(t.can_be("mark_end", "mark_beside", "mark", "auxiliary", "negator") for t in tokenize(word))
