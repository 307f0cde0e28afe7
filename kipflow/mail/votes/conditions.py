"""Words that make a vote depend on something: after it, before it, or in the sentence above."""

from __future__ import annotations

import re

from kipflow.mail.votes.lexicon import drop, ends, find_words, fold, has, is_unspaced, leaves_only

#: the classes of words that may surround a vote that is still understood
UNDERSTOOD = ("own", "from_me", "filler", "approval", "assent", "abstention", "casts", "change")
#: where a clause ends: a mark, a dash between blanks
MARK = re.compile(r"[,:.!?…，、。；：！？\n(]|\s[–—-]{1,2}\s|[–—]|->|=>|→|\)|\]|;(?!\w)")
_ADVERB = re.compile(r"\b\w{3,}ly\b")
_OWN = (
    r"\W*(?:it(?:['’]?s| is|['’]d be| would be) |i(?:['’]?m| am|['’]d be| would be) |you (?:have|get) my )?(?:an? )?$"
)
_THEN = re.compile(rf"(?:^|[\s,;:])(?:and )?(?:then|in (?:that|this|which) case){_OWN}", re.I)
#: "Otherwise -1" depends on the text before it; "Otherwise +1" is a vote except for that
_ELSE = re.compile(rf"(?:^|[\s,;:])(?:otherwise|else|if not){_OWN}", re.I)
#: "With the name fixed, +1": is it fixed? "With all comments addressed" says so
_WITH_DONE = re.compile(
    r"(?:^|[.;:!?]\s)\W*with (?!.{0,60}\b(?:all|everything|now)\b)[^,.;:!?]{1,60}\b(?:\w{2,12}ed|done|in place)\b"
    rf"{_OWN}",
    re.I,
)
#: "Make it opt-in.", "Add tests."
_ORDER = re.compile(
    r"^\W*(?:(?:[^\W\d]+,|please|just|simply|so|but|also|ok|maybe|and|let['’]s) )*"
    r"(?:(?:make|change|move|use|take out|get rid of) (?:it|that|this|the|your|an?)\b"
    r"|(?:add|drop|remove|rename|fix|split|replace|document|write|update|clarify|explain|mention|define) "
    r"(?!(?:is|was|and|has|of|me|went|makes|looks|seems|works|reads|breaks|\w+ed)\b)\w)",
    re.IGNORECASE,
)
#: the main clause of a sentence that begins with a condition: "If it passes I will update the page"
_MAIN = re.compile(r"(?:\S+\s+)+?(?:please|let|just|i|we|i'\w+|we'\w+)\b|(?:\S+\s+){3,}?(?:you|it|they|there)\b")
#: after a vote in favour these only say when: "After three days in staging."
_OF_TIME = frozenset({"after", "when", "until", "till"})
_TIME = re.compile(r"\b(?:when|after)\b", re.IGNORECASE)
#: words of a condition that is a sentence by itself
_FEW = 6
#: "Rename it and I'm +1"
_DO_AND = re.compile(
    r"^\W*(?:please |just |simply )?(?!i\b|we\b|it\b)[a-z]+ (?:it|that|this|the|your)\b[^.;:!?]{0,80}\band (?:then )?"
    r"(?:i['’]m|i am|it['’]s|i['’]ll be|i will be|i['’]d be"
    r"|i(?:['’]ll| will)? (?:withdraw|take|lift|drop)\b[^.;:!?]*)\s*(?:an? )?$",
    re.IGNORECASE,
)
#: "Were I a committer, +1", "Had this been a release, -1"
_INVERTED = re.compile(r"^\W*(?:had|were|should) (?:i|we|he|she|they|it|this|that|there|the)\b", re.I)
#: "+1, and I'd be glad to help when it lands": the help depends on something
_OFFER = re.compile(
    r",? and i(?:['’](?:d|ll)| (?:will|would|can))\b(?![^.;!?]*\b(?:if|unless|until|provided)\b)[^.;!?]*", re.IGNORECASE
)
#: "-1, because if the broker restarts, we lose data": another clause depends on it
_OF_A_REASON = re.compile(r"\b(?:and|because|since|that|which|where) (?:if|when|once|after)\b", re.IGNORECASE)
#: "+1, one remark: refuse a weight of zero when parsing"
_REMARK = re.compile(
    r"[,;.–—-]\s*(?:(?:but|just|only|and) )?(?:(?:one|a|an|two|my only|minor|small|tiny|some|few|last) )*"
    r"(?:remarks?|nits?|notes?|thoughts?|suggestions?|nitpicks?)\s*[:–—-]",
    re.IGNORECASE,
)
_RESERVES = re.compile(
    r"(?:\W*\w+){0,2}\W*(?:only|if|unless|provided|providing|assuming|when|once|until|after|as long|pending|except)\b"
    r"|.*[+-]\s?[01]\b",
    re.IGNORECASE,
)
SENTENCES = re.compile(r"(?<=[.!?])\s")
#: "…, so +1"; not "if it stays so"
_CONCLUDED = re.compile(r"(?:[,;:.–—-]\s*(?:and )?so|\b(?:hence|therefore|thus))\b\W*(?:\w+\W+){0,3}$")
#: "Apart from this wish it's": an aside that does not change the vote, if it is no condition
_ADJUNCT = re.compile(
    r"^(?:(?:but|and|so) )?(?:(?:apart|aside) from (?:this|that|these|my)|(?:despite|in spite of) (?:the|this|that))"
    r" (?:(?!that\b|to\b|which\b|part\b)[\w-]+ ){1,5}?(?=(?:it's|it is|i'm|i am)\b)"
)


def find_unknown(text: str) -> str:
    """The words of `text` (in lower case) that are not known to leave a vote unchanged, as "obviously" does."""
    said = _ADVERB.sub(lambda m: m[0] if has("hedging", m[0]) else " ", _ADJUNCT.sub("", text))
    return leaves_only(UNDERSTOOD, said)


#: no conditions: "after all", "what I was after.", "it broke once.", "if only we had this", "but only reluctantly"
_NO_CONDITION = re.compile(
    r"\bafter all(?=\s*(?:[^\w\s]|$))|\bafter(?=\s*[.!]*\s*$)|(?<=\w)\s+[^\W\d]\w+\s+once(?=\s*[.!]*\s*$|[.!]\s|\s*\()"
    r"|\bif only (?:we|i) had (?:this|it|that)\b"
    r"|\bbut only (?=(?:reluctant|grudging|hesitant|bare|narrow)ly\b)"
)


def has_condition(text: str) -> bool:
    folded = fold(text)
    return has("condition", folded) and has("condition", _drop_harmless(folded))


#: right after a vote: "+1 with docs added", "I'll give my +1 when I am home"
_ONCE_DONE = re.compile(
    r"\W*with (?!all\b|everything\b)(?:[^\W\d]+ ){1,4}"
    r"(?:fix|add|renam|chang|address|remov|resolv|correct|updat|dropp|clarifi)ed\b(?! or not)"
    r"|\s*(?:\([^()]{1,20}\)\s*)?when (?:i am|we are) (?:home|back|done|there)\b",
    re.IGNORECASE,
)


def has_condition_behind(tail: str) -> bool:
    """Whether a condition follows a vote, and does not belong to an offer of its writer."""
    remark = _REMARK.search(tail)
    # "one remark: only if the default stays off" is no remark
    said = tail if remark is None or _RESERVES.match(tail, remark.end()) else tail[: remark.start()]
    return _ONCE_DONE.match(tail) is not None or has_condition(_drop_times(_OF_A_REASON.sub("", _OFFER.sub("", said))))


def _drop_times(tail: str) -> str:
    """The text after a vote without "when" and "after" that say when something else happens: "we merge after lunch"."""
    return _TIME.sub(lambda m: " " if leaves_only(UNDERSTOOD, MARK.split(fold(tail[: m.start()]))[-1]) else m[0], tail)


def is_unsure(tail: str) -> bool:
    """Whether only "I think" or the like follows a vote: "+1, I think"."""
    said = fold(tail)
    return has("unsure", said) and not leaves_only(("unsure", "from_me"), said)


def is_condition(following: str, *, against: bool) -> bool:
    """Whether the sentence after a vote is only a condition: "If the tests pass.", "But only if …".

    After a vote against, such a sentence is mostly its reason: "When the leader fails the followers hang."
    """
    among = ("filler", "own", "from_me", "only")
    near = fold(following[:80])
    if any(not leaves_only(among, near[: m.start()]) for m in find_words("depends", near)[:1]):
        return True
    folded = _drop_harmless(fold(SENTENCES.split(following.strip())[0])).strip(" .!…()。！")
    for found in find_words("condition", folded)[:1]:
        before, behind = folded[: found.start()], folded[found.end() :].lstrip(" ,")
        is_all = MARK.search(behind) is None and _MAIN.match(behind) is None and len(behind.split()) <= _FEW
        word = found.group()
        holds = word == "unless" or has("so_long", word) if against else word not in _OF_TIME
        return (has("only", before) or (is_all and holds)) and folded[-1] != "?" and not leaves_only(among, before)
    return False


def is_dependence(folded: str) -> bool:
    """Whether a sentence (in lower case) only states what a vote depends on: "Subject to the license fix."."""
    for found in find_words("depends", folded)[:1]:
        behind = folded[found.end() :].strip(" .!")
        is_all = MARK.search(behind) is None and _MAIN.match(behind) is None
        return is_all and not leaves_only(("filler", "only"), folded[: found.start()])
    return False


def _drop_harmless(folded: str) -> str:
    folded = _NO_CONDITION.sub(" ", folded)
    return folded if has("awaited", folded) else drop("no_condition", folded)


def opens_condition(lead: str) -> bool:
    """Whether a clause of `lead` begins with a condition, without a concluding "so" after it."""
    folded = _drop_harmless(fold(lead))
    if _CONCLUDED.search(folded):
        return False
    if _INVERTED.match(folded):
        return True
    for at in [0, *(m.end() for m in MARK.finditer(folded))]:
        clause = folded[at : at + 60]
        for match in find_words("condition", clause):
            before = clause[: match.start()]
            if at == 0 and not re.search(r"\w", before):
                return True
            if match.group() not in {"after", "when"} and not leaves_only(UNDERSTOOD, before):
                return True
    return False


#: "Add a test and you have my": a condition, unlike "I read it and you have my"
_AND_MINE = re.compile(
    r"(?P<done>.*)\band (?:then )?(?:you|it|this|that)(?:['’]ll| will)? (?:ha(?:ve|s)|gets?) my\s*$", re.I
)
_IS_DONE = re.compile(
    r"\b(?:i|we|i['’]\w+|we['’]\w+|(?:it|all|everything) (?:is|was|looks|works))\b"
    r"|^\W*(?:looks?|read|(?!speed|feed|need|proceed|embed)\w+ed)\b",
    re.I,
)


def follows_condition(lead: str, above: str, *, opens: bool, against: bool) -> bool:
    """Whether a vote depends on the words before it: "Rename it and then +1", "If the name is fixed:" above it.

    `above` is the text before the sentence, which the vote may open.
    """
    if _ELSE.search(lead) and (against or has_condition(SENTENCES.split(above.strip())[-1])):
        return True
    if opens:
        return above.rstrip().endswith(":") and opens_condition(SENTENCES.split(above)[-1])
    if _THEN.search(lead) and (
        above.rstrip().endswith("?") or has("demand", fold(f"{above} {lead}")) or orders(above) or orders(lead)
    ):
        return True
    asked = _AND_MINE.match(lead)
    if asked is not None and _IS_DONE.search(asked["done"]) is None:
        return True
    if is_unspaced(lead.rstrip()[-1:]) and ends("condition", fold(lead)):
        return True  # "修正されるなら +1"
    return _DO_AND.match(lead) is not None or _WITH_DONE.search(lead) is not None or opens_condition(lead)


def orders(above: str) -> bool:
    """Whether the last sentence above asks for something to be done: "Make it opt-in."."""
    return _ORDER.match(SENTENCES.split(above.strip())[-1]) is not None
