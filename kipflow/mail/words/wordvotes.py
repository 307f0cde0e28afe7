"""Votes cast in plain words: "I vote yes", "I'm voting against this", "count my vote in favour", "I abstain".

Only words that cast a vote by being said count: the first person, the present, and what the vote is. Approval
that casts nothing ("LGTM", "I'm in favour") stays with `told`, and goes to a person.
"""

from __future__ import annotations

import re

from kipflow.domain.votes import Choice, Expression, Standing
from kipflow.mail.relevance import Sought, fold_case
from kipflow.mail.words.claims import find_claim
from kipflow.mail.words.conditions import CONDITION_AFTER
from kipflow.mail.words.smalltalk import is_smalltalk

RULE = "vote-in-words"
_FOR = (
    r"yes\b|yea\b|aye\b|in (?:favou?r|support)\b|for (?:it|this|the (?:kip|proposal|release|rc|motion|"
    r"adoption|acceptance)|"
    r"[A-Z]{2,8}-\d+|accept\w+|approv\w+|adopt\w+|releas\w+)\b|"
    r"to (?:accept|approve|adopt|release|pass|support|graduate|ship) (?:it|this|the|rc|[A-Z]{2,8}-\d+)"
)
_AGAINST = (
    r"no\b(?! (?:opinion|preference|on)\b)|no on (?:it|this|the)\b|nay\b|against\b(?! (?:rushing|waiting))|"
    r"to (?:reject|veto)\b"
)
_CAST = re.compile(
    r"\bi(?:['’]m| am| hereby| therefore| thus| also| still| must| have to| do| shall){0,3}\s+"
    rf"(?:vote|voting)\s+(?:\(?(?:non-?)?binding\)?[\s,:]+)?(?:(?P<yes>{_FOR})|(?P<no>{_AGAINST}))|"
    rf"\bi (?:hereby )?cast (?:an?|my) (?:(?:non-?)?binding )?vote (?:(?P<yes_cast>{_FOR})|(?P<no_cast>against\b))|"
    r"\b(?:you have|count|record|here is|here['’]s|this is) (?:me|my)\b(?:[\s(]+(?:non-?)?binding\)?)?"
    rf"\s+(?:vote\s+)?(?:as\s+)?(?:a\s+)?(?:(?P<yes_too>{_FOR})|(?P<no_too>against\b))|"
    rf"\b(?P<vote_given>you have my (?:\(?(?:non-?)?binding\)? )?(?:full )?vote)\b(?! (?:against|on|{_FOR}))|"
    r"\b(?P<recorded>(?:record|put|count|mark|note|register) (?:me|us|my vote) (?:down )?(?:as|for) (?:an? )?"
    r"(?:abstain\w*|abstention|zero|neutral))\b|"
    r"\b(?P<abstain>i(?:['’]m| am| hereby| therefore| thus| must| have to| going to| shall){0,3}\s+abstain(?:ing)?)\b",
    re.IGNORECASE,
)
_CASTS = Sought(
    _CAST,
    (
        *("vot", "abstain", "have m", "here is m", "here's m", "here’s m", "this is m"),
        *("count m", "record m", "put m", "mark m", "note m", "register m", "count u", "record u", "put u", "mark u"),
    ),
)
#: "Aye from me, non-binding", "Ship it! (binding)": a word alone is approval; who claims to bind by it votes
_WORD_WITH_CLAIM = re.compile(
    r"(?:^|[.!?,;:–—-]\s)[^\w👍👎:]{0,4}(?:(?P<yes>lgtm|looks good(?: to me)?|ship it|aye|yes|yea|yep|yeah|"
    r"(?:i )?approved?|thumbs up|👍|:\+1:|works for me|sounds good(?: to me)?|fine by me|in favou?r|agreed)|"
    r"(?P<no>no|nay|thumbs down|👎|:-1:|veto))"
    r"(?:\W{0,3}\b(?:from|on) (?:me|my side|my part|my end|us|our side|here)\b)?[^\w([.;?]{0,4}\s?"
    r"(?P<claim>[(\[]?\s?(?:[A-Za-z]{2,4}[ -]?)?b[a-z]{3,8}\s?[)\]]?)(?=\W*$|[.!,;:]\s|\s[-–—])",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_UNSURE = re.compile(
    r"\b(?:if|unless|until|once|would|could|might|should|when|whether|not|never|can['’]?t|cannot|don['’]?t|won['’]?t|"
    r"before|after (?:the|that|this)|usually|always|normally|often|why|how)\b|['’]d\b|\?\s*$",
    re.IGNORECASE,
)
_MY_BINDING = re.compile(r"\b(?:my|an?) \(?(?P<non>non[- ]?)?binding\)? vote\b", re.IGNORECASE)
_CONNECTED = re.compile(r"[,;:.!-]\s*(?:but|so|and|thus|hence|therefore)\s*$", re.IGNORECASE)
_PLEASE = re.compile(r"^\W*(?:and |so )?please\s*$", re.IGNORECASE)
_MAX_LINE = 400


def read_word_vote(line: str) -> Expression | None:
    """The vote that a line casts in words; unclear where a condition or a doubt stands with it."""
    if _CASTS.search(line, fold_case(line)) is None:
        return None
    for sentence in _SENTENCE.split(line[:_MAX_LINE]):
        match = _CAST.search(sentence)
        if match is not None and not sentence.rstrip().endswith("?") and not _is_cited(match, sentence):
            return _read(match, sentence)
    return None


def read_word_with_claim(line: str, *, answers: bool) -> Expression | None:
    """The vote of a line that says yes or no in a word and claims to bind or not; unclear below a quoted remark."""
    match = _WORD_WITH_CLAIM.search(line[:_MAX_LINE])
    claimed = None if match is None else find_claim("", match.group("claim"))
    if match is None or claimed is None or _UNSURE.search(match.group()):
        return None
    return Expression(
        choice=Choice.FOR if match.group("yes") else Choice.AGAINST,
        value="",
        claimed_binding=claimed,
        line="",
        rule="inline-answer" if answers else "word-with-claim",
        standing=Standing.UNCLEAR if answers else Standing.CLEAR,
        why="answers a quoted remark within a discussion: a vote, or an answer?" if answers else "",
    )


def _read(match: re.Match[str], sentence: str) -> Expression:
    before, after = sentence[: match.start()], sentence[match.end() :]
    doubtful = not _is_opening(before) or _UNSURE.search(before) or CONDITION_AFTER.search(after)
    return Expression(
        choice=_find_choice(match),
        value="",
        claimed_binding=_find_claim(sentence),
        line="",
        rule="conditional" if doubtful else RULE,
        standing=Standing.UNCLEAR if doubtful else Standing.CLEAR,
        why="words that cast a vote, with a doubt about them: is it cast?" if doubtful else "",
    )


_SAID = re.compile(r"\b(?:said|says|wrote|writes|told|replied|answered|quote)\b[^.]{0,20}$", re.IGNORECASE)


def _is_cited(match: re.Match[str], sentence: str) -> bool:
    before, after = sentence[: match.start()].rstrip(), sentence[match.end() :]
    return before[-1:] in tuple("\"“'‘«") or after[:1] in tuple('"”»') or _SAID.search(before) is not None


def _find_claim(sentence: str) -> bool | None:
    mine = _MY_BINDING.search(sentence)
    return mine.group("non") is None if mine is not None else find_claim("", sentence)


def _is_opening(before: str) -> bool:
    """Whether nothing stands before the words that cast, or a greeting, thanks, a clause of its own."""
    return (
        not re.search(r"\w", before)
        or _CONNECTED.search(before) is not None
        or _PLEASE.match(before) is not None
        or is_smalltalk(before)
        or before.rstrip()[-1:] in ",:;-–—"
    )


def _find_choice(match: re.Match[str]) -> Choice:
    if match.group("abstain") or match.group("recorded"):
        return Choice.ABSTAIN
    is_for = any(match.group(name) for name in ("yes", "yes_too", "yes_cast", "vote_given"))
    return Choice.FOR if is_for else Choice.AGAINST
