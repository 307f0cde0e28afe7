"""Values in statements about votes in general: what such a vote means, several at once, how others may vote."""

from __future__ import annotations

import re

from kipflow.mail.votes.mentions import Mention

#: "Please +1 the patch", "you may vote", "when anyone votes"
_INVITED = re.compile(
    r"please|(?:please|(?:(?:if|when|once|until|as soon as) )?(?:you|one|(?:any|some|every)(?:one|body)|whoever))"
    r"(?: (?:can|could|may|must|should|would|will|still|want to|wish to))*"
    r" (?:votes?|casts?|gives?|leaves?|answers? with|repl(?:y|ies) with)(?: an?)?"
)
_FIRST_PERSON = re.compile(r"\b(?:i|i['’]\w+|me|my|mine|myself|we|us|our|ours)\b", re.IGNORECASE)
_OF_WHOMEVER = re.compile(
    r"(?:(?:and|but|so|that|once|when|if|as|because|where|note|please|remember|also|then|instead|usually) )*"
    r"(?:an?|any|all|every|each|no)"
)
#: right after a value: "vote by a member would", "without a reason is", "here means"
_GOES_ON_OF_ANY = re.compile(
    r"(?:votes?\s+|veto\s+)?(?:(?:here|there)\s+|(?:by|from|of|with|without)\s+"
    r"(?:(?!(?:who|whose|that|which|on|for)\b)[\w'’-]+\s+){1,6}?)?"
    r"(?:is(?! what)|isn['’]t|are|was|needs?|means?|counts?|must|should|can|cannot|requires?|would|may|might|indicates?"
    r"|implies|forces?)\b"
)


def invites(m: Mention) -> bool:
    """Whether others are asked to vote so, or may: "Please +1 the patch", "Vote +1 if you agree"."""
    is_invited = _INVITED.fullmatch(m.segment) or (m.segment == "vote" and m.rest.lstrip().startswith("if you"))
    return bool(is_invited) and not (m.is_claimed or m.mine_follows or _FIRST_PERSON.search(m.sentence.text))


def is_of_any(m: Mention) -> bool:
    """Whether it is said about any such vote: "A +1 vote by a member would not imply help"."""
    is_talk = _OF_WHOMEVER.fullmatch(m.clause) is not None and _GOES_ON_OF_ANY.match(m.rest.strip()) is not None
    return is_talk and _FIRST_PERSON.search(m.sentence.text) is None


_SEVERAL = re.compile(
    r"\s*(?:(?:yes|no|(?:non-?)?binding|i?p?pmc|toc|tsc) ){0,2}(?:votes|veto(?:e?s)|ballots|statements)\b"
    r"(?P<behind>\s*[:(]|\s*$)?",
    re.IGNORECASE,
)


def is_of_several(m: Mention) -> bool:
    """Whether it is said about several votes: "the +1 votes carry over", or "+1 votes" above a list."""
    found = _SEVERAL.match(m.tail)
    if found is None or _FIRST_PERSON.search(m.sentence.text) is not None:
        return False
    return not m.opens or (found["behind"] is not None and bool(m.sentence.following.strip()))


_NUMBER_OF = re.compile(r"(?:.*(?<![\w.-]))?\d{1,3}\s*\(\s*")


def is_counted_in_brackets(m: Mention) -> bool:
    """Whether a number in front of brackets counts votes of this value: "3 (+1 binding) votes"."""
    return _NUMBER_OF.fullmatch(m.lead) is not None and re.match(r"[^)]*\)\s*(?:votes\b|\()", m.tail) is not None
