"""Whether words are incomplete without what follows: "I collected: +1"."""

from __future__ import annotations

import re

from kipflow.mail.votes.lexicon import begins, drop, ends, fold, has, leaves_only

NAME = r"(?-i:[A-Z][a-zß-öø-ÿ][\w-]*)"
BE = r"am|are|is|was|were|been"
_ADVERB = r"just|also|still|now|already|only|even|once|first|never|not|\w+ly"
#: an actor and a verb, then nothing, or only a person, a time, or a place where votes are found
_AWAITS = re.compile(
    r"(?P<who>\b(?:i|we|you|he|she|who|to(?! (?:this|that|it)\b))(?:['’](?:m|ve|d|ll|re))?|^)"
    rf"(?P<before>(?:\s*\b(?:{BE}|have|had|has|did|do|will|all|keep|{_ADVERB}|(?:going|about|planning) to)\b){{0,5}})"
    r"(?:^|\s+)(?P<verb>(?!(?:all|in|from|during)\b)[^\W\d_]+)"
    rf"(?P<whom>(?: (?:me|you|him|her|them|us|everybody|everyone|{NAME}))?)"
    rf"(?P<behind>(?: (?:down|up|out|over|together|here|there|today|yesterday|{_ADVERB}"
    r"|(?:last|this) (?:time|week|month|year|morning|night)|(?:in|from|during)(?: \w+){1,3})){0,3})$",
    re.IGNORECASE,
)
_IS = re.compile(rf"(?:['’](?:m|re)|\b(?:{BE}))(?: (?:all|{_ADVERB}))*$", re.IGNORECASE)
_HAS = re.compile(rf"(?:['’]ve|\b(?:have|has|had))(?: (?:{_ADVERB}))*$", re.IGNORECASE)
_PARTICIPLE = re.compile(r"(?:ed|en|nd|rd|ad|ot|ght|wn|pt|lt|ld|de|put)$", re.IGNORECASE)
#: a preposition with nothing after it, except after a word of casting: "we agreed on", not "I go with"
_LACKS_NOUN = re.compile(r"(?<!· )(?<!dealt )\b(?:on|of|with|for|from|at|about|by|as)$")
#: "I found nothing to complain about"
_TO_SAY = re.compile(r"\b(?:nothing|little|no reason) to \w+ (?:about|of|with|on|against)$", re.IGNORECASE)
#: "that was Jun"
_IS_SOMEBODY = re.compile(rf"\b(?i:that|this|it|these|those)(?:['’]s| is| was| were) {NAME}(?: and {NAME})?(?:['’]s)?$")
_OTHER_ACTS = re.compile(r"(?:^|\band )(?:he|she)\b")


def is_incomplete(said: str) -> bool:
    """Whether a label's last clause is incomplete without the value: "I collected", "We agreed on", "That was Jun".

    A value that somebody collects, reads or agrees on need not be their vote. A sentence that is complete without the
    value ("I read it all") only gives the reason for it, unless it is about an earlier time or a hypothetical case.
    """
    bare = fold(said := _TO_SAY.sub("nothing", said))
    if _IS_SOMEBODY.search(said) or _OTHER_ACTS.search(bare):
        return True
    for name in ("leads_in", "casts", "own", "approval", "change", "restated", "from_me"):
        bare = drop(name, bare)
    if not bare.strip(" ·"):
        return False  # "Before I forget"
    found = _AWAITS.search(said)
    if found is None:
        return _LACKS_NOUN.search(bare) is not None
    before, verb = said[: found.start("verb")].rstrip(), fold(found["verb"])
    if ends("in_hand", fold(f"{found['who']} {verb}")):
        return True
    if _IS.search(before) and not verb.endswith("ing"):
        return has("incomplete", verb)  # "I am convinced", "I was told"
    if not found["who"]:
        return begins("leaves_out_i", verb) and " " in found["behind"]  # "Read in the thread"
    if _HAS.search(before) and not _PARTICIPLE.search(verb):
        return False  # "I have doubts"
    is_whole = bare[found.start("verb")] == "·" or not (leaves_only(("complete",), verb) or found["whom"])
    return not is_whole or has("earlier", fold(before)) or has("hypothetical", drop("polite", fold(before)))
