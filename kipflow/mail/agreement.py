"""Agreement with what somebody said ("+1 on Jun's comment"), told apart from votes ("+1 on the KIP")."""

from __future__ import annotations

import re

from kipflow.domain.votes import Standing
from kipflow.mail import phrases


def read_agreement(after: str) -> Standing | None:
    """None: no agreement. CLEAR: agreement with a comment, no vote. UNCLEAR: could be either."""
    if phrases.AGREEMENT_DIRECT.match(after):
        return Standing.CLEAR
    match = phrases.AGREEMENT_AFTER.match(after)
    if match is None:
        return None
    word, what = match.group("word").lower(), match.group("object")
    if re.match(
        r"\s*(?:the |a |this )?(?:side|other|sure|now|what it['’]s worth|the record)\b|\s*(?:me|my (?:side|part|"
        r"end))\b",
        what,
        re.IGNORECASE,
    ):
        return None
    votes = phrases.VOTE_OBJECT.search(what[:60])
    if re.match(
        r"\s*(?:(?:all|exactly|the|those|these|same|above|stated|following|many|several|two) "
        r"){0,3}reasons?\b",
        what,
    ):
        return None
    strong = phrases.STRONG_COMMENT_OBJECT.search(what)
    if phrases.SAID_BY_SOMEBODY.search(what):
        return Standing.CLEAR
    if phrases.PROCEDURE_OBJECT.match(what):
        return Standing.UNCLEAR
    if word == "with" and (phrases.CONDITION_AFTER.match(after) or phrases.NITS.match(what)):
        return None
    if word in {"with", "for"}:
        if strong is not None and (votes is None or strong.start() <= votes.start()):
            return Standing.CLEAR
        return None if votes is not None or word == "with" else Standing.UNCLEAR
    comment = phrases.COMMENT_OBJECT.search(what)
    if comment is not None and (votes is None or comment.start() <= votes.start() + 12):
        return Standing.CLEAR
    if votes is None and re.match(r"\s*(?:also |just |not |only )?\w{2,}ing\b", what):
        return Standing.CLEAR  # "+1 to adding …" is about doing something, not about the proposal
    return (
        None if votes is not None else (Standing.CLEAR if re.match(r"\s*[A-Z][a-z]+\s*$", what) else Standing.UNCLEAR)
    )
