"""More time for a vote that somebody asks its caller for, and that the caller grants: "Sure, Monday it is."."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from kipflow.mail.announcements.ends import compile_until
from kipflow.mail.announcements.moments import LAST_YEAR, Clock, find_moments, fold_sentence, split_text
from kipflow.mail.votes.values import find_values

_DENIED = re.compile(r"\b(?:not|never|cannot|[a-z]+n't)\b")
_GRANTS = re.compile(
    r"(?:thanks?\b[^,.;:!]{0,20}[,.!]\s*|(?:(?:hi|hello|hey|dear)\s+)?(?!ok|yes|sure)[^\W\d]{2,20},\s*)?(?:yeah,? )?"
    r"(?:sure|ok(?:ay)?|yes|yep|of course|no (?:problem|worries)|not a problem|fine|will do|certainly|gladly"
    r"|agreed|makes sense|good idea|alright|absolutely|happy to|let's do)(?=\s*(?:$|[,.!;:)-])|(?: \w+){1,4}\W*$)"
)
#: what qualifies an agreement: "Okay, noted. Still, I'd like to close on Thursday"
_QUALIFIED = re.compile(
    r"\b(?:but|unfortunately|however|still|yet|rather|prefer|clos(?:e|ing)|noted|sorry|instead|[a-z]+n't|cannot)\b"
)
#: "Could you leave it open till Monday?", "Can you give us until Monday?"
_REQUEST = re.compile(
    r"\b(?:could|can|would|may|please|any chance|possible|shall we|how about|what about|let's)\b.*"
    r"(?:\b(?:leav|keep|hold)\w*\b.{0,30}\b(?:it|this|vot(?:e|ing)|thread|poll)\b.{0,20}\bopen\b"
    r"|\b(?:extend|prolong)\w*\b.{0,30}\b(?:it|this|vot(?:e|ing)|poll|deadline)\b"
    r"|\bgiv\w+ (?:us|people|everybody|everyone|it)\b|\bhave until\b)"
)


def find_request(text: str, clock: Clock, is_of_other: Callable[[str], bool]) -> datetime | None:
    """The end that somebody asks the caller for: "Could you leave it open till Monday?"."""
    if clock.said_at.year > LAST_YEAR:
        return None
    for said in split_text(text):
        sentence = fold_sentence(said)
        if is_of_other(said):
            continue
        timeless, moments = find_moments(sentence)
        for moment in moments:
            lead = timeless[: moment.at.start()]
            is_end = moment.is_length or compile_until().search(lead) is not None
            if is_end and _REQUEST.search(lead) and _DENIED.search(lead) is None:
                until = moment.find_until(lead.split(), clock, extends=True)
                return until if until is not None and clock.allows(until) else None
    return None


def grants(text: str) -> bool:
    """Whether a caller's answer begins by agreeing, and does not qualify it: "Sure, Monday it is."."""
    said = fold_sentence(text)
    return _GRANTS.match(said) is not None and _QUALIFIED.search(said) is None and not find_values(said)
