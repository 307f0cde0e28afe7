"""What is said of votes in general: what any of them means, several at once, how others may vote."""

from __future__ import annotations

import re

from kipflow.mail.votes.mentions import Mention

#: "Please +1 the patch", "you may vote", "if anyone votes"
_INVITED = re.compile(
    r"please|(?:please|(?:.* )?(?:you|one|members|people|(?:any|some|every)(?:one|body)|who(?:ever)?))"
    r"(?: (?:can|could|may|must|should|would|will|still|want to|wish to))*"
    r" (?:votes?|casts?|gives?|leaves?|answers? with|repl(?:y|ies) with)(?: an?)?"
)
_FIRST_PERSON = re.compile(r"\b(?:i|i['’]\w+|me|my|mine|myself)\b", re.IGNORECASE)
_OF_WHOMEVER = re.compile(
    r"(?:(?:and|but|so|that|once|when|if|as|because|where|note|please|remember|also|then|instead|usually) )*"
    r"(?:an?|any|all|every|each|no)"
)
#: "A -1 (binding) without a reason is no veto"
_GOES_ON = re.compile(r"\W*(?:because|since|as|and|but)\b", re.IGNORECASE)  # "A +1 because this is good"
SAYS_OF_ANY = re.compile(
    r"[^\W\d][^.,;!?]*\b(?:is(?! what)|isn['’]t|are|was|needs?|means?|counts?|must|should|can|cannot|requires?|would"
    r"|may|might|indicates?|implies|forces?)\b"
)


def invites(m: Mention) -> bool:
    """Whether others are asked to vote so, or may: "Please +1 the patch", "Vote +1 if you agree"."""
    is_invited = _INVITED.fullmatch(m.segment) or (m.segment == "vote" and m.rest.lstrip().startswith("if you"))
    return bool(is_invited) and not (m.is_claimed or m.mine_follows or _FIRST_PERSON.search(m.sentence.text))


def is_of_any(m: Mention) -> bool:
    """Whether it is said of any such vote: "A +1 vote by a member would not imply help"."""
    if _OF_WHOMEVER.fullmatch(m.clause) is None or _GOES_ON.match(m.rest):
        return False
    return SAYS_OF_ANY.match(m.rest.strip()) is not None and _FIRST_PERSON.search(m.sentence.text) is None


_SEVERAL = re.compile(
    r"\s*(?:(?:yes|no|(?:non-?)?binding) )?(?:votes|veto(?:e?s)|ballots|statements)\b(?! from (?:me|my|us|our)\b)",
    re.IGNORECASE,
)


def is_of_several(m: Mention) -> bool:
    """Whether it is said of several votes: "the +1 votes carry over"; not where it is all of a mail."""
    is_all = m.opens and not (m.sentence.preceding or m.sentence.following).strip()
    return _SEVERAL.match(m.tail) is not None and not (is_all or m.segment.endswith("my"))


_NUMBER_OF = re.compile(r"(?P<before>.*(?<![\w.-]))\d{1,3}\s*\(\s*")


def is_counted_in_brackets(m: Mention) -> bool:
    """Whether a number in front of brackets counts votes of this value: "3 (+1 binding) votes"."""
    found = _NUMBER_OF.fullmatch(m.lead)
    return found is not None and (
        not found["before"].strip(" -*•") or re.match(r"[^)]*\) votes?\b", m.tail) is not None
    )
