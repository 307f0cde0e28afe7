"""Closing announcements: the outcome, counts and names that a mail declares, and mails that call a vote off."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from kipflow.domain.facts import Kind, SubjectReading
from kipflow.domain.votes import Declared
from kipflow.mail.announcements.counts import CountReading, read_counts
from kipflow.mail.announcements.layouts import even_out
from kipflow.mail.quoting import Words
from kipflow.mail.relevance import AnyWord
from kipflow.mail.words.values import plain

MAX_LINES = 200

_UNREAL = re.compile(
    r"\b(?:if|once|when|until|unless|whether|would|should|could|might|may|must|needs?|required?|requires|before|in "
    r"order|to pass|can(?:not)?|"
    r"expect|hope|want|so that|will (?:be|stay|remain|run|pass|close|end)|isn['’]t|hasn['’]t|yet|does(?:n['’]t| "
    r"not) mean|as soon as|assuming|after (?:the|this|it)|"
    r"earlier|previous(?:ly)?|last (?:vote|release))\b|\?\s*$",
    re.IGNORECASE,
)
_THING = (
    r"(?:vote|voting|kip|proposal|release(?! (?:notes?|branch|manager|plan|process|build|job|script|guide|tests?)\b)|"
    r"rfc|motion|resolution|candidate|rc\s?\d*|fip|flip|cep|aip|pip|spip|[A-Z]{2,6}-\d{1,5})"
)
# "the release passes all tests": it passes something, and is not passed
_OBJECT = (
    r"(?!\s+(?:all|the|my|our|its|every|rat|ci|it|them|null|an?|through|along|over|into|to|from|tests?|checks?|"
    r"(?:\w+ ){1,2}(?:tests?|checks?|builds?|suite|audit|validation))\b)"
)
_PASSED = re.compile(
    rf"\b{_THING}\b[^.!?;:]{{0,140}}?\b(?:(?:has|have)(?: now| already| thus)? (?:been )?(?:\w+ly )?(?:pass(?:ed)?|"
    rf"accepted|approved|adopted|succeeded|carried)|pass(?:ed|es){_OBJECT}|(?:is|was|are) (?:now |thus |\w+ly |"
    r"therefore )?(?:accepted|adopted|approved|successful|passed|carried|passing)|carries|succeed(?:s|ed))\b"
    r"|^\W{0,5}(?:the\s+)?(?:vote\s+)?(?:has\s+)?(?:passed|passes|accepted|adopted|approved)\s+(?:unanimously|with)\b"
    rf"|\bvote\b[^.!?;]{{0,30}}\b(?:(?:passes|passed){_OBJECT}|successful|accepted)\b|"
    r"\bwe (?:have|got) (?:a )?(?:successful|"
    r"passing) vote\b|\bpass(?:es|ed)? with\b[^.!?]{0,80}(?:\bbinding|\+1)",
    re.IGNORECASE,
)
_FAILED = re.compile(
    rf"\b(?:{_THING}|it)\b[^.!?;:]{{0,60}}?\b(?:(?:has |have )?(?:failed|fails)|(?:does|did|has|have)(?: not|n['’]t) "
    rf"(?:pass|passed|get|receive|gather|reach|reached|succeed|carry|been (?:accepted|approved|adopted))|(?:is|was|"
    rf"has been) (?:hereby |"
    rf"now )?(?:rejected|not (?:accepted|approved|adopted)|"
    r"unsuccessful|declined|voted down)|not passed|unsuccessful)\b|^\W{0,5}(?:vote )?(?:failed|rejected|did not "
    r"pass)\b",
    re.IGNORECASE,
)
# what a tagged announcement may say without naming the vote: "Passed!", "It is therefore adopted."
_BARE_PASSED = re.compile(
    r"^\W*(?:(?:so|thus|therefore|hence|with that|with this)\W{1,3})?"
    r"(?:(?:it|this|(?:(?:the|this) )?(?:kip|proposal|release|vote|motion))\s+)?(?:(?:is|was|has|has been)\s+)?"
    r"(?:(?:now|thus|hereby|therefore)\s+)?(?:passed|passes|accepted|adopted|approved)(?:\s+unanimously)?\W*$"
    r"|\b(?:it|this)\s+(?:is|was|has|has been)\s+(?:(?:now|thus|hereby|therefore)\s+)?"
    r"(?:passed|accepted|adopted|approved)\b"
    r"|^\W*(?:vote|voting)\s+(?:status|result|outcome)\W{1,4}(?:is\s+)?(?:passed|accepted|adopted|approved|"
    r"success\w*)\b",
    re.IGNORECASE,
)
_BARE_FAILED = re.compile(
    r"^\W*(?:(?:it|this)\s+)?(?:(?:is|was|has|has been)\s+)?(?:(?:now|thus|hereby|therefore)\s+)?"
    r"(?:failed|fails|rejected|not (?:passed|accepted|adopted|approved))\W*$",
    re.IGNORECASE,
)
# an end that is announced for later: "closing this vote in 24 hours"
_LATER = re.compile(
    r"\b(?:with)?in (?:about |the next |another |a few |a couple of )?(?:\d{1,3}|one|two|three|a|an)? ?(?:more )?"
    r"(?:hours?|hrs?|h|days?|weeks?)\b|\b(?:tomorrow|soon|tonight|currently|so far|next week)\b|"
    r"\b(?:on|by|until) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(?:clos(?:e|ed|ing)|conclud\w+|end(?:ed|ing)?)\b[^.!?]{0,30}\b(?:the|this) (?:vote|voting|poll)\b|\b(?:the|"
    r"this) (?:vote|voting)(?: thread| period)? (?:is|has|was)(?: now)?(?: been)? "
    r"(?:closed|concluded|ended|over|complete[d]?|finished)\b|\bhere (?:are|is) the (?:results?|tally|outcome)\b|"
    r"\b(?:vote|voting|final|official) (?:results?|tally|outcome)\b|\bresults? (?:of|from|for) (?:the|this) vot\w+\b"
    r"|\bthe results? (?:is|are|was|were)\b|\bfollowing result|\bthanks?(?: you)?,? (?:to )?(?:all|everyone|"
    r"everybody)[^.!?]{0,40}\bvot(?:ed|ing|es?)\b",
    re.IGNORECASE,
)
_ENDS_NOUN = (
    r"(?=\s*(?:$|[.,;:!()–—\"'-]|\d|[A-Z]{2,8}-\d|(?:for|because|since|due|as|and|until|in|to|so|on|again|now|"
    r"here|while|after|"
    r"before|thread|period|of|then|but|with|at|from|given|based|per|number|rc|without|today|immediately|therefore|"
    r"altogether|too|first|instead|just)\b))"
)
_CANCEL = re.compile(
    r"\b(?:i['’]?m|i am|i['’]?ll|i will|we['’]?re|we are|we['’]?ll|we will|i|we|let me|i have|i['’]ve|hereby|i['’]d "
    r"like to|"
    r"(?:i['’]m|i am) going to|going to)\s+(?:hereby |now |also |just |have to |going to |thus |therefore |will |"
    r"would like to |decided to |need to ){0,4}(?:cancel\w*|withdraw\w*|abort\w*|call(?:ing|ed)? off|retract\w*|"
    r"stop(?:ping)?|void(?:ing)?|abandon\w*|paus(?:e|ed|ing)|suspend\w*|halt\w*|"
    r"sink\w*|kill\w*|roll(?:ing)? back)\s+(?:off\s+)?(?:(?:the|this|my)\s+(?:\w+\s+){0,2}"
    rf"(?:(?<!my )vote|voting|release|rc\s?\d*|candidate|thread|kip|proposal)\b{_ENDS_NOUN}|[A-Z]{{2,8}}-\d{{1,5}}\b)"
    r"|\b(?:this|the) (?:vote|vote thread|voting|rc|release candidate)\s+(?:is|has been|was)\s+(?:hereby |now |thus |"
    r"therefore )*(?:cancell?ed|withdrawn|aborted|called off|retracted|abandoned|void(?:ed)?|off)\b"
    r"|\bclos(?:e|ed|ing) (?:this|the) (?:vote|voting)(?: thread)? without (?:a |any )?(?:result|outcome|conclusion|"
    r"decision|consensus|agreement|verdict)\b"
    r"|^\W{0,4}(?:vote (?:is )?(?:cancell?ed|withdrawn|aborted)|cancell?(?:ing|ed)(?: (?:the|this) vote)?)\b|"
    r"^\W{0,4}(?:withdrawing|aborting|retracting|calling off|stopping|abandoning|pausing|suspending) (?:the|this) "
    rf"(?:vote|voting|rc|release|candidate)\b{_ENDS_NOUN}",
    re.IGNORECASE,
)
# a wish that is a cancellation where the vote's own caller says it
_DISREGARD = re.compile(
    r"^\W*(?:\w+\W+){0,3}(?:please|kindly)?\s*(?:(?:ignore|disregard) (?:this|the) (?:vote|voting|vote thread|"
    r"thread)\b"
    r"(?! from| by| of)|(?:consider|regard|treat) (?:this|the) (?:vote|vote thread) (?:as )?(?:cancell?ed|withdrawn|"
    r"void|aborted|called off)\b|stop voting\b)",
    re.IGNORECASE,
)
_CANCEL_UNREAL = re.compile(
    r"\b(?:if|unless|should|would(?! like to)|could|might|may|don['’]t mind|whether|do you|please|can|won['’]t|not|"
    r"n['’]t|"
    r"instead of|no need|want(?:ed)?|suggest|propose|consider\w*|until|when|once)\b|\?\s*$",
    re.IGNORECASE,
)
_ANNOUNCES = AnyWord(
    (
        *("pass", "accept", "approv", "adopt", "result", "clos", "conclu", "fail", "reject", "success", "carri"),
        *("tally", "thank"),
    )
)
_ENDS = AnyWord(
    (
        *("cancel", "withdr", "abort", "call", "retract", "stop", "void", "abandon", "sink", "kill", "roll", "ignore"),
        *("paus", "suspend", "halt"),
        *("disregard", "without"),
    ),
    whole=("off",),
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=\S)|\n\s*\n|\n(?=\s*[-*•+\[]|\s*\S{1,30}:)")


def read_declared(
    words: Words, reading: SubjectReading, *, by: str, message_id: str, at: datetime | None, subject: str = ""
) -> Declared | None:
    """What a mail announces about the result of a vote; None if it announces nothing.

    A tagged announcement needs no wording; a plain reply must say an outcome, or close the vote and
    tell counts, in sentences that are neither conditional nor questions. Where the words tell no outcome,
    that of the `subject` ("[VOTE PASSED] …") counts.
    """
    tagged = reading.kind is Kind.RESULT
    if not _can_announce(words, reading, tagged=tagged):
        return None
    lines = even_out([plain(line.text) for line in words.own[:MAX_LINES]])
    outcome, line = _find_outcome(lines, tagged=tagged)
    closing = _find_sentence(lines, _CLOSING)
    if not tagged and outcome is None and closing is None:
        return None
    counts = read_counts(lines)
    if not counts.any and not (
        _tells_outcome(outcome, line, closes=closing is not None, votes=_casts_vote(lines))
        if not tagged
        else outcome or not reading.is_reply
    ):
        return None
    if reading.kind is Kind.DISCUSS and not (outcome and counts.binding):
        return None  # a discussion speaks of votes; one that tells the outcome with its counts announces it
    if outcome is None:
        outcome = _find_outcome_of_subject(subject or reading.topic) if tagged else None
    return Declared(
        by=by,
        message_id=message_id,
        announced_at=at,
        outcome=outcome,
        binding=counts.binding or None,
        non_binding=counts.non_binding or None,
        total=counts.total or None,
        names=counts.names,
        line=(line or closing or counts.line or next((part.strip() for part in lines if part.strip()), ""))[:300],
        contradictions=_find_contradictions(counts, outcome),
    )


_VOTE_TALK = ("vote", "voting", "binding", "accepted", "passed", "approved", "result")


def _can_announce(words: Words, reading: SubjectReading, *, tagged: bool) -> bool:
    """Whether a closer look is worth it: a tag, or a reply that speaks of votes and of an end."""
    if reading.kind is Kind.CANCEL:
        return False
    if tagged:
        return True
    if not (reading.is_reply or reading.kind is Kind.VOTE):
        return False
    texts = [line.text for line in words.own[:MAX_LINES]]
    if not _ANNOUNCES.is_in("\n".join(texts)):
        return False
    said = "\n".join(plain(text) for text in texts).lower()
    if reading.kind is Kind.DISCUSS:
        return "vote" in said and "binding" in said
    return any(word in said for word in _VOTE_TALK)


_OF_THE_VOTE = re.compile(
    r"\bvot(?:es?|ing|ed)\b|\b(?:(?:the|this|our) (?:kip|proposal|release|rc\s?\d*|candidate|motion|rfc|resolution)|"
    r"[A-Z]{2,6}-\d{1,5})\W+(?:\w+ly |now |thus |hereby |therefore )?(?:has|have|is|was|got|pass(?:ed|es)|"
    r"fail(?:ed|s)|"
    r"did|does|not|carries)\b",
    re.IGNORECASE,
)


# in a ballot, only what is said of the vote itself announces anything
_OF_VOTE_ITSELF = re.compile(
    r"\b(?:the|this|our) vot(?:e|ing)(?: thread| period)?\W+(?!requests?\b|responses?\b)", re.IGNORECASE
)
_OF_IT = re.compile(r"\W*(?:it|this)\s+(?:has|is|was|did|does)\b", re.IGNORECASE)
_LEADING_VOTE = re.compile(r"^\W{0,3}[+\-]\s?[01](?![\w.]\d|\d)\s*(?:$|[^\d\s:=(]|\(\D)")


def _casts_vote(lines: Sequence[str]) -> bool:
    """Whether a line begins with a vote, as a ballot's does."""
    return any(_LEADING_VOTE.match(line) for line in lines)


def _tells_outcome(outcome: str | None, line: str, *, closes: bool, votes: bool) -> bool:
    """Whether a sentence without any count says what became of the vote, not of tests or notes.

    Beside one that `closes` the vote, "It has failed" speaks of it.
    """
    about = _OF_VOTE_ITSELF if votes else _OF_THE_VOTE
    return outcome is not None and (
        about.search(line) is not None or (closes and not votes and _OF_IT.match(line) is not None)
    )


_SUBJECT_FAILED = re.compile(
    r"\b(?:not (?:accepted|adopted|passed|approved)|failed|fails|rejected|did not pass)\b", re.IGNORECASE
)
_SUBJECT_PASSED = re.compile(r"\b(?:passed|passes|accepted|adopted|approved|successful)\b", re.IGNORECASE)


def _find_outcome_of_subject(subject: str) -> str | None:
    """The outcome that a subject tells in its tags or with its last words; a title's own words tell none."""
    tags = " ".join(re.findall(r"\[([^\[\]]{1,80})\]", subject[:300]))
    for text in (tags, " ".join(subject.split()[-2:])):
        if _SUBJECT_FAILED.search(text):
            return "failed"
        if _SUBJECT_PASSED.search(text):
            return "passed"
    return None


def find_cancel(words: Words, reading: SubjectReading) -> str | None:
    """The line that calls the vote off; None if the mail does not. Whether its writer may is told elsewhere."""
    if reading.kind is not Kind.CANCEL and not _ENDS.is_in("\n".join([x.text for x in words.own[:MAX_LINES]])):
        return None
    lines = [plain(line.text) for line in words.own[:MAX_LINES]]
    for sentence in _sentences(lines):
        if not _ENDS.is_in(sentence):
            continue
        if _calls_off(sentence) or _DISREGARD.search(sentence):
            return sentence[:300]
    if reading.kind is Kind.CANCEL and not reading.is_reply:
        return next((line.strip() for line in lines if line.strip()), reading.topic)[:300]
    return None


def _calls_off(sentence: str) -> bool:
    """Whether a sentence calls the vote off, and does not only speak of doing so."""
    called = _CANCEL.search(sentence)
    if called is None:
        return False
    # "…; there will be a new vote once it is specified" takes nothing back of what was said before it
    said = sentence[: called.end()] + sentence[called.end() :].partition(";")[0]
    return _CANCEL_UNREAL.search(said) is None


def is_wish(line: str) -> bool:
    """Whether a line that calls a vote off ("please ignore this vote") only does so in its caller's mouth."""
    return _DISREGARD.search(line) is not None and _CANCEL.search(line) is None


def _find_outcome(lines: Sequence[str], *, tagged: bool) -> tuple[str | None, str]:
    for sentence in _sentences(lines):
        if tagged and _BARE_FAILED.search(sentence):
            return "failed", sentence
        if tagged and _BARE_PASSED.search(sentence) and not _UNREAL.search(sentence):
            return "passed", sentence
        if _FAILED.search(sentence) and not _UNREAL.search(sentence):
            return "failed", sentence
        if _PASSED.search(sentence) and not _UNREAL.search(sentence):
            return "passed", sentence
    return None, ""


def _find_sentence(lines: Sequence[str], pattern: re.Pattern[str]) -> str | None:
    sentences = (s for s in _sentences(lines) if pattern.search(s))
    return next((s for s in sentences if not _UNREAL.search(s) and not _LATER.search(s)), None)


def _sentences(lines: Sequence[str]) -> list[str]:
    text = "\n".join(lines)[:16_000]
    return [" ".join(part.split())[:500] for part in _SENTENCES.split(text)[:400] if part and part.strip()]


def _find_contradictions(counts: CountReading, outcome: str | None) -> tuple[str, ...]:
    found: list[str] = []
    for group, told in (("binding", counts.binding), ("non-binding", counts.non_binding), ("in all", counts.total)):
        for choice, number in told.items():
            listed = counts.listed.get((group, choice))
            if listed is not None and listed != number:
                found.append(f"the announcement says {number} {group} {choice} but names {listed}")
    for choice, number in counts.total.items():
        parts = [counts.of(g)[choice] for g in ("binding", "non-binding") if (g, choice) in counts.told]
        if len(parts) == 2 and sum(parts) != number:
            found.append(
                f"the announcement says {number} {choice} in all but {parts[0]} binding and {parts[1]} non-binding"
            )
        elif len(parts) == 1 and parts[0] > number:
            found.append(f"the announcement says {number} {choice} in all but {parts[0]} of one kind")
    plus, minus = counts.binding.get("+1"), counts.binding.get("-1", 0)
    if outcome == "passed" and plus is not None and plus <= minus:
        found.append(f"the announcement says passed with {plus} binding +1 against {minus} binding -1")
    return tuple(found)
