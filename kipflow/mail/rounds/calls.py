"""Whether a mail calls a vote, and on what: used where a subject alone can't decide."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from kipflow.domain.facts import MailKind, SubjectReading
from kipflow.domain.proposals import find_references
from kipflow.mail.votes.conditions import MARK, SENTENCES
from kipflow.mail.votes.lexicon import begins, drop, ends, find_words, fold, has

_START = (
    r"\b(?:call(?:ing)?(?: for)?|start(?:ing)?|open(?:ing)?|initiat\w+|rais(?:e|ing)|begin(?:ning)?|put\w*|"
    r"restart(?:ing)?|re-?open(?:ing)?|kick(?:ing)? off|hold(?:ing)?)\b[^.!?\n]{0,50}\b(?:re-?)?vot(?:e|ing)\b"
)
_CALL = re.compile(
    _START + r"|\bvot(?:e|ing)\b[^.!?\n]{0,40}\b(?:is|will be|will remain|remains|stays|shall be|to "
    r"remain)\b[^.!?\n]{0,12}\bopen|\bopen for (?:at least |a minimum of )?\d+|\bplease (?:cast|vote|review and vote|"
    r"test and vote|download)\b"
    r"|\bcast your vote|\[ ?\] ?[+\-]?[01]\b|\bvote (?:thread )?for\b|\b72 ?(?:h|hours|hrs)\b|\bi propose\b|\bwe "
    r"(?:solved|fixed)\b|\bstaging repo\w*|\bnext 72\b",
    re.IGNORECASE,
)


def is_call(text: str) -> bool:
    """Whether a mail's own words call for votes, rather than cast one."""
    return _CALL.search(text[:8_000]) is not None


def starts_vote(text: str) -> bool:
    """Whether a mail's own words begin a vote; "please cast your vote" may also be a reminder."""
    return re.search(_START, text[:8_000], re.IGNORECASE) is not None


_RELEASE = re.compile(r"\brelease|\brc\W?\d|\d\.\d", re.IGNORECASE)
_RELEASE_NAMED = re.compile(r"\brelease\b.*\d\.\d|\brc\W?\d", re.IGNORECASE)
_ARTIFACTS = re.compile(r"\b(?:candidate|artifacts?|staging|tarball)\b", re.IGNORECASE)
_VOTE_ON = re.compile(r"\bvot(?:e|es|ing)\b[^.!?]{0,80}$", re.IGNORECASE)


def is_of_release(topic: str) -> bool:
    """Whether a subject's topic is a release."""
    return _RELEASE.search(topic) is not None


def read_called_numbers(reading: SubjectReading, text: str, prefix: str) -> SubjectReading:
    """The reading of a "[VOTE]" subject without a number, with the one proposal that its body calls the vote on.

    Only "vote on KIP-7" and the like say that. If several are named so, or the subject is a release's,
    nothing is added.
    """
    if reading.kind is not MailKind.VOTE or reading.numbers or reading.is_reply or reading.is_forward:
        return reading
    if is_of_release(reading.topic) and (_RELEASE_NAMED.search(reading.topic) or _ARTIFACTS.search(text[:8_000])):
        return reading  # "Drop it in 4.0" may be a proposal's title
    named: dict[int, None] = {}
    key = re.compile(rf"(?<![A-Za-z0-9]){re.escape(prefix)}\W{{0,3}}\d", re.IGNORECASE)
    said = " ".join(text[:8_000].split())
    for match in key.finditer(said):
        if _VOTE_ON.search(said[max(0, match.start() - 120) : match.start()]):
            named.update(dict.fromkeys(find_references(said[match.start() : match.start() + 30], prefix)[:1]))
    return replace(reading, numbers=tuple(named)) if len(named) == 1 else reading


_OF_VOTES = re.compile(r"vot|abstimm|голос|投票|투표")
_LEADS_ON = re.compile(r"^\W*(?:(?:so|and|hence|thus|therefore|then|now|please|let's|let us)\b\W*)+")
#: "as this is another plan, I restart the vote", "to be fair I restart it": not "as Jun thinks I restart it"
_GROUND = re.compile(
    r"^(?:(?:as|because|since) (?:this|it|that|the)|to (?:be|keep|make)) "
    r"(?:(?!(?:i|we|you|why|when|where|if|that|whether|what|who)\b)[\w'’-]+ ){1,12}(?=i\b)"
)
_SUBJECT = re.compile(r"\b(?:i|we)\b")
#: "after all that we start over": the actor right before the phrase
_ACTOR = re.compile(r"\b(?:i|we|i['’]\w+|we['’]\w+)(?: \w+)?$")
_ASIDE = re.compile(r"\([^()]*\)")
#: no vote: "Jean, they start again at zero"
_THEY = re.compile(r"\b(?:they|these|those|he|she)\b")
#: "Ola, your mail was empty, please vote once more."
_TO_ONE = re.compile(r"\byour (?:own )?(?:mail|message|reply|vote|last one)\b")
_MOST_BEFORE = 4
#: only the time begins anew: "Votes already given stay valid, you needn't repeat them."
_VOTES_STAND = re.compile(
    r"\W*(?:(?:all|the|your|any|earlier|existing|previous|these) )*votes(?: [\w'’-]+){0,4}"
    r" (?:stay|remain|(?:are )?still) (?:valid|count|counted|stand|in place)\b"
)
_LATER = re.compile(r"\b(?:on (?:mon|tues|wednes|thurs|fri|satur|sun)day|next week|tomorrow|later|soon)\b")
#: said of what is done: "I'd rather not carry over any votes"
_RATHER = re.compile(r"\b(?:i|we)(?:['’]d| would) rather(?: not)?\b")
_DENIED = re.compile(r"\b(?:not|no|none|never|unless|if|whether|\w+n['’]t (?!repeat|have to))\b|\?")


def find_beginnings(text: str) -> list[bool]:
    """For each phrase of a restart, whether it clearly means the vote and the writer's own act."""
    folded = fold(" ".join(text.split()))
    if any(_VOTES_STAND.match(s) and not _DENIED.search(MARK.split(s)[0]) for s in SENTENCES.split(folded)):
        return []
    sentences = [s for s in SENTENCES.split(folded) if has("restart", s)] if has("restart", folded) else []
    actual = (s for s in sentences if "?" not in s and not _may_be_none(drop("restart", _ASIDE.sub(" ", s))))
    return [found for sentence in actual for found in _find_beginnings(sentence)]


def _may_be_none(sentence: str) -> bool:
    return has("hypothetical", _RATHER.sub(" ", sentence)) or has("condition", drop("no_condition", sentence))


def _find_beginnings(sentence: str) -> Iterator[bool]:
    denies = has("negation", drop("restart", sentence))
    for clause in [part for part in MARK.split(sentence) if has("restart", part)] or [sentence]:
        if has("negation", drop("restart", clause)):
            continue  # "there is no need to restart the vote"
        phrase = find_words("restart", clause)[0]
        before = _LEADS_ON.sub("", clause[: phrase.start()]).strip()
        is_of_votes = _OF_VOTES.search(sentence) is not None
        is_anothers = len(before.split()) > _MOST_BEFORE and _ACTOR.search(before) is None
        if not is_of_votes and (_THEY.match(before) or is_anothers):
            continue  # "on another node the producer starts from scratch"
        if (ground := _GROUND.match(before)) is not None and not ends("introduces", ground.group()):
            before = before[ground.end() :]
        if before in {"consider", "treat", "regard"} and _OF_VOTES.search(phrase.group()):
            before = ""  # "consider all votes so far void"
        # "I am restarting", not "Jun wants me to restart" or "I disagree that all votes so far are void"
        is_own = not before or (begins("first_person", before) and len(before.split()) <= _MOST_BEFORE)
        is_own = is_own and len(_SUBJECT.findall(before)) < 2  # "I propose we restart the vote" asks
        is_own = is_own and ":" not in sentence[: sentence.index(clause)]
        is_own = is_own and _LATER.search(clause) is None and _TO_ONE.search(sentence) is None
        yield is_own and not denies and _OF_VOTES.search(clause) is not None


def may_restart_vote(text: str) -> bool:
    """Whether a phrase of a restart is next to a word for votes, whatever it means."""
    clauses = MARK.split(fold(" ".join(text.split())))
    return any(has("restart", clause) and _OF_VOTES.search(clause) is not None for clause in clauses)
