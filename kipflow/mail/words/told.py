"""Votes told without a number. Words that cast ("I vote yes") are a vote; approval ("LGTM") goes to a person."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kipflow.domain.votes import Choice, Expression, Standing
from kipflow.mail.quoting import OwnLine
from kipflow.mail.relevance import Sought, fold_case
from kipflow.mail.words.claims import find_claim, has_claim_word
from kipflow.mail.words.values import find_values
from kipflow.mail.words.wordvotes import read_word_vote, read_word_with_claim

_FOR = re.compile(
    r"^\W*(?:(?:ok|okay|hi|hello|hey|thanks|thank you|great|nice|yes|yep|sure|awesome|cool|kip|overall|otherwise|"
    r"all)\b[^.!?]{0,60}[,:!;-]\s*)?"
    r"(?:(?:it|this|all|everything|the (?:kip|release|rc|proposal))\s+)?(?:also\s+)?(?:lgtm|looks? (?:really |very |"
    r"all )?(?:good|great|fine)|ship it|approved?\b|aye\b|yes\b(?: from me| \(|$|[.!])|"
    r"works? (?:\w+ )?(?:for me|on my)|sounds good|fine by me|thumbs up|:\+1:|:thumbs_?up:|👍|i(?: also| fully|"
    r" strongly)? "
    r"(?:support|endorse|"
    r"approve|accept|vote (?:yes|in favou?r|for)|"
    r"am (?:all )?(?:in favou?r|for it|for this))|i['’]m (?:all )?(?:in favou?r|for it|for this|good with|ok with|"
    r"fine with)|in favou?r\b|no objections?\b|"
    r"i (?:have|see) no (?:objections?|problems?|issues?))|\bship it\W*$",
    re.IGNORECASE,
)
#: "++1", "1+", "+1binding": meant as votes, but not written as one
_ODDLY = re.compile(
    r"^\W{0,3}(?:\+\+\s?1|1\s?\+|\+1(?:-?(?:non-?)?binding|-?nb|b)|\+1\+1|"
    r"\+10{2,4}!*\s*\(?(?:non-?)?binding\)?)(?:\s*\(?(?:non-?)?binding\)?)?[\s.!)]*$",
    re.IGNORECASE,
)
_ODD_ZERO = re.compile(r"^\W{0,3}(?:i['’]?m |i am )?(?:a )?\+\s?/\s?-\s?0\b", re.IGNORECASE)
_TESTED = re.compile(
    r"\b(?:experienced|encountered|found|had|saw|see|seen|with|without)\s+(?:no|any)\s+(?:troubles?|problems?|"
    r"issues?|regressions?)\b|^\W*no (?:problems?|issues?|troubles?|regressions?) (?:in|with|on|here|found|seen)\b|"
    r"\bworks? (?:\w+ )?(?:with|for|in|on) (?:our|my|us|me)\b",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"\bi (?:\w+ )?(?:veto|oppose|object to|vote (?:no|against)|am against|am opposed)\b|\bi['’]m (?:strongly "
    r")?(?:against|opposed)\b|^\W*(?:no from me|veto)\b|^\W*(?:👎|:-1:|:thumbs_?down:)|\bvote against\b",
    re.IGNORECASE,
)
_ABSTAIN = re.compile(
    r"\bi(?:['’]m| am|['’]ll| will|['’]d)?\s*(?:going to |have to |rather |prefer to |choose to |must |shall )?"
    r"(?:abstain\w*|neutral)\b|^\W*abstain\w*\b",
    re.IGNORECASE,
)
_ON_CONDITION = re.compile(r"\b(?:if|unless|until|once|when)\b|\?\s*$", re.IGNORECASE)
_UNREAL = re.compile(
    r"\b(?:if|once|would|unless|until|should|could|will\b|let me|let['’]s|please|when|before|want to|vote soon|not "
    r"vot\w+)\b|['’]d\b|\?\s*$|['’]ll\b",
    re.IGNORECASE,
)
_TALK_OF_VOTES = re.compile(
    r"\b(?:votes?\s+(?:is |are |still )?(?:missing|needed|required|so far|already|yet|left|short)|(?:need|needs|"
    r"missing|waiting|wait|still|require[sd]?|have|has|with|got|one|two|three|\d+)\b"
    r"[^.!?]{0,40}\b(?:binding|votes?)\b|binding votes)\b",
    re.IGNORECASE,
)

_SAYS_FOR = Sought(
    _FOR,
    (
        *(
            "lgtm",
            "look",
            "ship it",
            "approve",
            "aye",
            "yes",
            "work",
            "sounds good",
            "fine by me",
            "thumb",
            ":+1:",
            "👍",
            "support",
        ),
        *("endorse", "accept", "vote ", "favo", "for it", "for this", "good with", "ok with", "fine with"),
        *("objection", "problem", "issue"),
    ),
)
_SAYS_TESTED = Sought(_TESTED, ("trouble", "problem", "issue", "regression", "work"))
_SAYS_AGAINST = Sought(
    _AGAINST, ("veto", "oppose", "object to", "against", "vote no", "no from me", "👎", ":-1:", "thumb")
)
_SAYS_ABSTAIN = Sought(_ABSTAIN, ("abstain", "neutral"))

# 'Jun said: I vote no', '"I vote no" is what he wrote'
_REPORTED = re.compile(
    r"^(?!\W*(?:i|we|as)\b)[^.]{0,60}\b(?:said|says|wrote|writes|replied)\b|"
    r"^\W{0,2}[\"“][^\"”]{1,60}[\"”] ?\w",
    re.IGNORECASE,
)
# the whole of a mail that votes as somebody else did, or hands something on
_AS_ANOTHER = re.compile(
    r"^\W*(?:same (?:here|for me|as (?-i:[A-Z])\w+(?:, [\w ]{1,40})?)|ditto|likewise|me too)[\s.!]*$", re.IGNORECASE
)
_YES_ALONE = re.compile(r"^\W*(?:yes|yep|aye|approved)\b[\s.!]*$", re.IGNORECASE)
_PASSED_ON = re.compile(
    r"\b(?:asked|asks|begged) me to (?:forward|relay|pass|send|post|hand)\b(?! (?:you|the list|on to you)\b)",
    re.IGNORECASE,
)
MAX_LINE_SHOWN = 300


def read_told(lines: Sequence[OwnLine], shown: Sequence[str]) -> Iterator[Expression]:
    """Votes told without a number: cast in plain words, or approval that a person must judge."""
    written = 0
    for line, text in zip(lines, shown, strict=True):
        sentence = line.text.strip()
        if not sentence:
            continue
        if find_values(sentence):
            written += 1
            continue  # a number was written, and read as no vote of the author's
        written += 1
        if written > 12 or len(sentence) > 400:
            continue
        cast = read_word_vote(sentence) or read_word_with_claim(sentence, answers=bool(line.answers))
        if cast is not None:
            yield replace(cast, line=text.strip()[:MAX_LINE_SHOWN])
            return
        echo = _find_echo(sentence, first=written == 1 and not line.answers)
        if echo is not None:
            yield replace(echo, line=text.strip()[:MAX_LINE_SHOWN])
            return
        if line.answers and _YES_ALONE.match(sentence):
            continue  # answers the question above it
        choice = _find_told(sentence, first=written <= 3)
        if choice is not None:
            claimed = find_claim("", sentence)
            yield Expression(
                choice=choice,
                value="",
                claimed_binding=claimed,
                line=text.strip()[:MAX_LINE_SHOWN],
                rule="told-without-number",
                standing=Standing.UNCLEAR,
                why="reads like a vote without a number",
            )
            return


def _find_echo(sentence: str, *, first: bool) -> Expression | None:
    """A mail that only points at somebody's vote: as whom does it vote, and what?"""
    if first and _AS_ANOTHER.match(sentence):
        rule, why = "told-without-number", "votes as somebody else does: what is the vote?"
    elif " me to " in fold_case(sentence) and _PASSED_ON.search(sentence):
        rule, why = "for-another", "hands on what somebody else says: a vote, and may it be counted?"
    else:
        return None
    return Expression(
        choice=None, value="", claimed_binding=None, line="", rule=rule, standing=Standing.UNCLEAR, why=why
    )


def _find_told(sentence: str, *, first: bool) -> Choice | None:
    if _ODDLY.match(sentence):
        return Choice.FOR
    folded = fold_case(sentence)
    abstains = _SAYS_ABSTAIN.search(sentence, folded) is not None and not _ON_CONDITION.search(sentence)
    choice = Choice.ABSTAIN if abstains else _find_wording(sentence, folded, first=first)
    # the dearer questions are asked last, of the few sentences that need an answer
    if choice is None or _REPORTED.search(sentence):
        return None
    return None if not abstains and (_UNREAL.search(sentence) or _TALK_OF_VOTES.search(sentence)) else choice


_NOT_MINE = re.compile(r"\b(?:his|her|your|their|(?!(?:it|that|here|what|let)['’])\w+['’]s) vote\b", re.IGNORECASE)


def _find_wording(sentence: str, folded: str, *, first: bool) -> Choice | None:
    if _SAYS_AGAINST.search(sentence, folded):
        return Choice.AGAINST
    if _ODD_ZERO.match(sentence):
        return Choice.ABSTAIN
    if _SAYS_FOR.search(sentence, folded) or _SAYS_TESTED.search(sentence, folded):
        return Choice.FOR
    # "Non binding but it works well": only who votes says whether it binds
    return (
        Choice.FOR
        if first
        and has_claim_word(sentence)
        and _NOT_MINE.search(sentence) is None
        and find_claim("", sentence) is not None
        and len(sentence) < 160
        else None
    )
