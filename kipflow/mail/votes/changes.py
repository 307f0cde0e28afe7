"""Sentences that change, correct or take back a vote, and those that may, without a value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kipflow.domain.votes import Choice, Standing
from kipflow.mail.votes.about import About
from kipflow.mail.votes.conditions import MARK, has_condition, is_unsure
from kipflow.mail.votes.findings import Finding, Role, find
from kipflow.mail.votes.lexicon import drop, ends, find_words, fold, has, leaves_only
from kipflow.mail.votes.mentions import Mention
from kipflow.mail.votes.people import ANOTHERS
from kipflow.mail.votes.retractions import is_retracted, read_retraction
from kipflow.mail.votes.talk import labelled
from kipflow.mail.votes.values import VALUE, speaks_of_itself

#: "-1 -> 0", "Consider my -1 as a 0"
_ARROW = re.compile(
    r"[+\-±]\s?[01](?:\.\d)?\s*(?:->|=>|→|-->|==>)\s*$"
    r"|(?:^|[.,;!?]\s|\b(?:please|so|and) )\W*(?:consider|treat|count|read|change|turn|make|move|switch|take) my "
    r"[+\-±]?[01](?:\.\d)? (?:as|into|to) (?:an? )?$",
    re.IGNORECASE,
)
_OPENS = re.compile(r"(?:^\W*|[:,;→=>]\s*[\"'“(\[*]?)$")
#: "somewhere between 0 and"
_BETWEEN = re.compile(r"between\s+[+\-±]?\s?[01]\s+and\s*$")
#: narrower than the lexicon's class, which also takes "my test cluster … -1"
_MY_VOTE = re.compile(r"\bmy (?:\w+ )?(?:vote|ballot|veto|[+-]\s?[01])|\bmine\b")
#: "make it a -1"
_A_VOTE = re.compile(r"\ban? (?:\w+ )?\W*$")
_WRITER = re.compile(r"\b(?=(?:i|we)\b)")
#: "I meant -1. Fixed in the KIP."
_IN_TEXT = re.compile(
    r"\b(?:fixed|(?:in|on) (?:the|my) (?:\w+ )?(?:kip|text|docs?|table|wiki|page|code|pr|review|comment))\b", re.I
)
_IT = re.compile(r"\b(?:it|that|this)\b")
#: "I changed the default from"
_OF_A_THING = re.compile(r"\b(?:the|a|in|on|table|default|value|it|that|this)\b")
_WORDS = re.compile(r"\s*[^\W\d]")
_ASIDE = re.compile(r"\([^()]*\)")
_FEW_WORDS = re.compile(r"\W*(?:[^\W\d]+\W+){0,2}")
_SMALL = re.compile(r"(?:\s+[^\W\d]+)*\s*[\"'“(\[*]?")
#: "I withdraw the veto and vote"
_CASTS = re.compile(r"\b(?:and|so)(?: (?:i|now|instead|hereby))* (?:vote|cast|give(?: it)?|am|say)\b[ \w]{0,12}$")
#: "Sorry, my vote should have read", and after the value ", not -1."
_SHOULD_READ = re.compile(
    r"\W*(?:(?:(?:sorry|oops|argh|ugh|correction)\W+)+(?:(?:that|it|this)|my vote)|my vote) "
    r"(?:should (?:have )?(?:be|been|read|said|say)|was meant to (?:be|read|say)) (?:an? )?$"
)
#: "So instead of the 0 please note a"
_REPLACED = re.compile(r"\b(?:instead of|rather than) (?:(?:the|my|an?|old|earlier) )*[+-]?[01]\b")
#: behind "-1 (binding)": "instead of my +1."
_INSTEAD = re.compile(r"\W*(?:instead of|rather than) (?:(?:the|my|an?|earlier|old) )*[+-]?\s?[01]\W*", re.IGNORECASE)
_ENDS = re.compile(r"(?:\s*,? (?:and )?not (?:an? )?[+-]?[01])?[\s.!]*")
_VERBS = ("retraction", "change", "correction", "misdirected")
_CORRECTING = ("correction", "sign", "mine", "misdirected", "change", "own", "from_me", "filler", "voted_on")
_MOVING = ("own", "from_me", "filler", "change", "casts", "my_vote", "mine", "zero_word")


def read_change(text: str, mentions: Sequence[Mention]) -> Finding | None:
    """The sentence as one that changes, corrects or takes back a vote; None: it does none of these."""
    folded = fold(text)
    first = mentions[0] if mentions else None
    if (
        first is not None
        and ANOTHERS.search(text) is None
        and has("is_taken_back", first.near)
        and (first.opens or has("own", first.segment))
    ):
        return find("withdrawn", Standing.WITHDRAWAL, value=first.value, role=Role.TAKES_BACK)
    moves = any(map(_replaces, mentions))
    changes = moves or any(has(name, folded) for name in _VERBS[:3])
    is_own = moves or _speaks_of_own(folded) or has("my_vote", folded)
    if not changes or not is_own or ANOTHERS.search(text) or folded.rstrip().endswith("?"):
        return None
    target = _find_target(folded, mentions, moves=moves)
    if target is None:
        return read_retraction(drop("no_retraction", folded), mentions)
    if labelled(mentions[0] if moves else target):  # "Jun: -1 -> +1"
        return None
    return _read_new_value(text, folded, target, mentions)


def _read_new_value(text: str, folded: str, target: Mention, mentions: Sequence[Mention]) -> Finding | None:
    choice, value, claimed = target.choice, target.value, target.claimed
    plain_text = _ASIDE.sub(" ", text[: target.start]) + text[target.start :]  # "(the old names work until 5.0)"
    if has_condition(plain_text) or is_unsure(target.rest) or _is_doubtful(folded, target):
        why = "changes a vote, with a doubt about it: is it changed?"
        either = choice if len(mentions) == 1 else None  # any of its values may be the vote
        return find("conditional", Standing.UNCLEAR, why, choice=either, value=value, claimed=claimed)
    if has("correction", folded) and _IN_TEXT.search(f"{text[target.end :]} {target.sentence.following[:40]}"):
        return None
    before = folded[: target.start]
    speaks = claimed is not None or any(has(name, before) for name in ("casts", "sign"))
    speaks = speaks or _MY_VOTE.search(folded) is not None or _A_VOTE.search(before) is not None
    if target.about in {About.UNKNOWN, About.PART}:  # "I went back to -1 for "no limit""
        standing = Standing.UNCLEAR if speaks else Standing.DOUBT
        said = choice if speaks else None
        return find("changed", standing, "changes something: the vote?", choice=said, value=value, claimed=claimed)
    quote = target.sentence.line.answers.lstrip()
    is_of_quote = quote and (choice is not Choice.FOR or not (VALUE.match(quote) or "vot" in fold(quote)))
    if not speaks and (is_of_quote or has("source", folded) or not _is_of_a_vote(before, mentions)):
        return None if _OF_A_THING.search(before) else find("changed", Standing.DOUBT, "changes something: the vote?")
    role = Role.CHANGE if speaks else Role.PLAIN
    return find("changed", Standing.CLEAR, choice=choice, value=value, claimed=claimed, role=role)


def _is_of_a_vote(before: str, mentions: Sequence[Mention]) -> bool:
    """Whether only a voter's words come before the value: "Changing to", "From -1 to"."""
    said = _WRITER.split(VALUE.sub(" ", before))[-1]
    if _IT.search(said) is not None and len(mentions) == 1:
        return False
    return not leaves_only((*_MOVING, *_CORRECTING, "retraction", "approval", "assent", "origin", "arrives"), said)


def _is_doubtful(folded: str, target: Mention) -> bool:
    """Whether words around a new value may deny it, or correct something else: "I meant -1 in the table"."""
    before = folded[: target.start]
    shown = "->" in before and leaves_only((*_CORRECTING, "whole"), before)  # "Jun: -1 -> +1"
    if shown or _BETWEEN.search(before):
        return True
    is_plain = not leaves_only(_CORRECTING, before) and not leaves_only((*_CORRECTING, "earlier"), target.near)
    if is_plain and has("sign", before):
        return False  # "wrong sign above, it should read -1"
    is_own = target.is_claimed or target.mine_follows or has("my_vote", folded) or has("retraction", before)
    if not is_plain and has("correction", folded) and not is_own:
        return True
    last_clause = MARK.split(_REPLACED.sub(" ", drop("polite", drop("not_negation", before))))[-1]
    above = target.sentence.preceding.rstrip()  # "Jun wrote +0. It should read +1 (binding)"
    should_read = _SHOULD_READ.match(before) and ("my vote" in before or (target.is_claimed and not above))
    if should_read and _ENDS.fullmatch(target.rest) and not target.sentence.line.answers:
        return above.endswith(":")
    return has("hypothetical", last_clause) or has("negation", last_clause)


def _speaks_of_own(folded: str) -> bool:
    """Whether the sentence is about its writer: says I or my, or begins with the verb."""
    if speaks_of_itself(folded):
        return True
    starts = [m.start() for name in _VERBS for m in find_words(name, folded)]
    before = folded[: min(starts)] if starts else "it is not so"
    return bool(_FEW_WORDS.fullmatch(before) and not leaves_only(("filler",), before))


def _find_target(folded: str, mentions: Sequence[Mention], *, moves: bool) -> Mention | None:
    """The new value of the sentence: "from -1 to +1", "make it a 0", "-1 -> +1"."""
    verbs = [m.start() for name in _VERBS[:3] for m in find_words(name, folded)]
    targets = [
        m
        for m in mentions
        if (moves and _replaces(m))
        or (_arrives(m) and not m.opens and not is_origin(m) and (moves or min(verbs, default=0) < m.start))
    ]
    ended = [
        m for m in targets if m.ends_clause or m.is_claimed or (_WORDS.match(m.rest) and not has("zero_word", m.clause))
    ]
    targets = [m for m in ended if not is_retracted(folded, m)]
    if not targets:
        return None
    if len(mentions) == 1 and not moves and not has("correction", folded):
        before = folded[: targets[-1].start]
        takes_back, changes = find_words("retraction", before), has("change", folded)
        anew = takes_back and has("ballot", before) and _CASTS.search(before, takes_back[0].end())
        if not anew and not (changes and (takes_back or _moves_a_vote(before))):
            return None
    return targets[-1]


def _replaces(m: Mention) -> bool:
    """Whether it is the new value beside an old one: "-1 -> +1", "-1 instead of +1 from my side"."""
    swaps = _INSTEAD.fullmatch(m.rest) is not None and has("from_me", fold(m.sentence.text))
    return swaps or _ARROW.search(m.lead) is not None


def _arrives(m: Mention) -> bool:
    return _OPENS.search(m.lead) is not None or _leads_up("arrives", m.lead[-60:], 3)


def is_origin(m: Mention) -> bool:
    """Whether the value is the one that a change starts from."""
    return not m.lead.rstrip().endswith(" to") and _leads_up("origin", m.lead[-40:], 2)


def _leads_up(name: str, lead: str, most: int) -> bool:
    """Whether a word of the class comes right before a value, with at most `most` small words between."""
    folded = fold(lead)
    small = (folded[m.end() :] for m in find_words(name, folded))
    return any(
        _SMALL.fullmatch(between) and len(between.split()) <= most and not leaves_only(("own", "filler"), between)
        for between in small
    )


def _moves_a_vote(before: str) -> bool:
    """Whether the words between verb and value are a voter's: "moving up to", "I now vote", "back to"."""
    found = find_words("change", before)
    if not found:
        return False
    front = re.split(r"[,;:.!?]|(?=\b(?:i|i'm)\b)", before[: found[0].start()])[-1]
    between = leaves_only(_MOVING, before[found[0].end() :])
    return has("my_vote", before) or (
        not between
        and (ends("first_person", front) or not leaves_only((*_MOVING, "retraction", "approval", "assent"), front))
    )
