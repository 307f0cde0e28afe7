"""What a value is on, and where it comes from, by the words around it: "+1 for KIP-7", "+1 to Jun's comment"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from kipflow.domain.people import fold_name
from kipflow.mail.votes.lexicon import begins, fold, has, leaves_only

_OBJECT = re.compile(
    r"^\s*\(?(?P<how>to|on|for|with|about|für|pour|para|sur|sobre|nesta|neste|dla|voor)\s+(?P<what>\S.*)$", re.I
)
#: "+1 on on this"
_DOUBLED = re.compile(r"^(\s*\w+)(?:\s+\1)(?=\s)")
#: on a remark, in other languages: "zu Juns Anmerkung", "al comentario de Jun", "zu dem, was Jun schrieb"
_OTHER_REMARK = re.compile(
    r"^\s*(?:zu[mr]?|à|aux?|al?|alla|ao|к)\s+"
    r"(?:(?:(?:dem|das|tego|тому),? (?:was|co|что)|ce qu|lo que|(?:quell)?o (?:que|che))"
    r"|(?:(?:la|les?|il|lo|el|o|den|dem|der|deine[mnr]?|ihre[mnr]?|votre|tu|su|[A-Z][\w'’-]+s)\s+)?(?P<noun>\w+))",
)
_OTHER_OPINION = re.compile(
    r"^\s*(?:(?:对|對|同意)\s*[^\s，。]{0,12}\s?(?:的(?:意见|意見|评论|評論|看法|观点|觀點|建议|建議)|楼上|樓上)"
    r"|\S{1,20}(?:さんの(?:意見|コメント|指摘)に|님의? (?:의견|댓글)에))"
)
#: "For the config name I'm -0", "I like it, and for the name I'm -1", "Without the second part, +1"
_LED_IN = re.compile(
    r"(?:^|[.!?;]\s|(?:,|\s[–—-]{1,2}|(?=\s(?:and|but)\s))\s(?=(?:(?:and|but) )?(?:for|on|with)\b))"
    r"\W*(?:but |and )?(?:as )?(?P<how>for|on|to|with|without|regarding|concerning)\s+"
    r"(?P<what>[^.,;:!?]{1,60}?)(?:,|,?\s+(?:i am|i'm|i give|i vote|it is|it's|my vote is))\s*(?:at )?(?:an? )?$"
)
#: what is there already: "With the new name I'm +1", "with rev 22", not "with a new name"
_NEW = re.compile(r"the (?:new|updated|latest|changed|current|added) |(?:rev(?:ision)?|version|draft|v)\.? ?\d")
#: one noun at the end of its clause: "… paragraph.", not "… change undone"
_NOUN = re.compile(r"[\w.-]*\s*(?:$|[,.;:!)])")
_DETERMINERS = re.compile(
    r"(?:(?:the|this|that|these|those|your|his|her|their|our|my|all|both|new|updated|latest|proposed|current|"
    r"whole|entire|overall|de|het|hele|das|den|ganzen?|la|le|el|il|todo|(?!(?:reject|abandon|dropp|revert|request|remov)ed)\w+ed|final|smaller|shorter)\s+){0,3}"
)
#: "KIP-7", "rc 2", "the release 2.4": a whole proposal or release by its name
_NAMES_WHOLE = re.compile(
    r"(?:[a-z]{2,8}-|rc ?|kip |(?:revision|draft|version|rev\.?) )\d{1,5}\b|"
    r"(?:releas\w+ |version )*(?:[a-z]\w* ){0,2}(?:v?\d+\.\d|v\d+\b)"
)
_SOMEBODYS = re.compile(r"\b[A-Z]\w+(?:['’]s\b|s['’](?=\s))")
_DEFINITE = re.compile(r"(?:the|that|this|your|his|her|\w+['’]s)\b")
#: whose it is: "your KIP", "Jun's proposal"
_THEIRS = re.compile(r"(?:your|his|her|their|[^\W\d]\w*['’]s)\s+")
#: "+1 on this as a first step"
_AS = re.compile(r" as (?=(?:(?:a|the) (?:first )?step|it is|is|well|such)\s*(?:$|[.!]))")
#: "+1 with no reservations"
_NO_RESERVE = re.compile(r"no (?:reservations?|objections?|doubts?)[\s.!,;)]*$", re.IGNORECASE)
#: "+1 on the whole package"
_ALL_OF_IT = re.compile(
    r"(?:(?:the|this) (?:whole|entire) (?:package|thing|lot|bundle)"
    r"|(?:both|all) (?:of )?(?:the )?(?:parts|changes|halves|proposals)|the two)(?: then| too)?\s*(?:$|[.!])"
)
_CLAUSE_END = re.compile(r"[,;:!?–—(]|\.(?!\w)")
_REASON = re.compile(r"\b(?:because|since|with|but|though|although)\b")
#: "Add the queue and drop the bot"
_SEVERAL = re.compile(r"\b(?:and|or|with|plus)\b|[,/&+;]", re.IGNORECASE)
#: letters by which a title's word is known with any ending: "retire", "retiring"
_STEM = 5
_KEY_NUMBER = re.compile(r"\b[A-Za-z]{2,12}-(\d{1,6})\b")
_SHORTEST, _SHORT_NUMBER = 4, 2
#: "the release notes", "the KIP title", "move the deadline": a noun of something else, or another verb
_ENDS_NOUN = re.compile(
    r"\b(?:notes|date|manager|title|name|extension|bump|process|policy|schedule|cycle|page|text|draft|deadline|meeting|call)\b"
    r"|\bwithout\b|\bnot\b|\bnext\b|\bfirst\b|\bone line\b|\bdiscussion\b"
)
#: "the three changes mentioned" are no remark
_MENTIONED = re.compile(r"(?<!\w)(?P<noun>[a-z]+) (?:mentioned|listed|described)\W*$")
_ABOVE = re.compile(r"\b(?:above|below|that|what)\b")
_PRONOUNS = frozenset({"this", "it", "both", "all", "yours", "the whole"})
#: "+1 to version -1"
_VALUE = re.compile(r"(?:(?!\b(?:but|and)\b)[^.,;:(])*(?<![\w.+-])[+-] ?[01]\b")
#: "+1 on the whole then"
_ADDED = re.compile(r"(?:then|now|too|again)\b")
#: "+1 (binding) from Accra" is its writer's, unless somebody of that name is known
_PLACE = re.compile(
    r"\W{0,3}from (?!(?:the|a|an|my|our|your|some|any|every|all)\b)(?:[a-z]+ ){0,2}"
    r"(?P<place>[^\W\d_a-z][\w'’-]+)(?![\w'’-]|\W{1,3}who\b)(?P<behind>.{0,3})"
)


class About(StrEnum):
    """What a value is on: nothing stated, the proposal, a part of it, somebody's remark, or something unknown."""

    NOTHING = "nothing"
    WHOLE = "whole"
    PART = "part"
    REMARK = "remark"
    UNKNOWN = "unknown"


def read_object(rest: str) -> str:
    """The words after "on", "for", "to" or "with", in lower case; `rest` is the text after a value."""
    match = _OBJECT.match(_DOUBLED.sub(r"\1", rest))
    return fold(match.group("what")) if match is not None else ""


def read_title(topic: str) -> frozenset[str]:
    """The stems of the words of a vote's title, by which voters may call the proposal: "+1 for the queue".

    Empty if the title may put several things to the vote.
    """
    if _SEVERAL.search(topic):
        return frozenset()
    words = leaves_only(("filler", "whole", "part"), fold(topic)).split()
    return frozenset([*_KEY_NUMBER.findall(topic), *(_find_stem(word) for word in words if len(word) >= _SHORTEST)])


def _find_stem(word: str) -> str:
    return word[:_STEM] if len(word) > _STEM else word.removesuffix("s")


def _read_led_in(lead: str, title: frozenset[str]) -> About | None:
    """What a value is on by the words before its subject: "For the name I'm -0", "With tests I'm +1"."""
    led = _LED_IN.search(fold(lead))
    what = led.group("what") if led is not None else ""
    if led is None or has("whole", what):
        return None
    if led.group("how") == "with" and leaves_only(("filler", "manner", "no_condition"), f"with {what}"):
        is_there = _NEW.match(what) is not None and _VALUE.match(lead) is None
        return About.NOTHING if is_there else About.UNKNOWN
    if has("part", what):
        return About.PART
    is_number = what.isdigit() and len(what) > _SHORT_NUMBER and what not in title  # "For 431 I'm at +0"
    is_thing = led.group("how") in {"for", "on"} and (is_number or _is_a_thing(what, title))
    return About.UNKNOWN if is_thing else None


def read_about(lead: str, rest: str, title: frozenset[str] = frozenset()) -> About:
    """What a value is on, by the text before and after it, and the `title` of the vote."""
    led = _read_led_in(lead, title)
    if led is not None:
        return led
    match = _OBJECT.match(_DOUBLED.sub(r"\1", rest))
    if match is None:
        return _read_other_object(rest)
    if begins("no_object", fold(match.group("what"))) or _NO_RESERVE.match(match.group("what")):
        return About.NOTHING
    what = _AS.split(fold(match.group("what")))[0]
    bare = what[_DETERMINERS.match(what).end() :]  # type: ignore[union-attr]  # the pattern matches any text
    is_with = match.group("how").lower() == "with"
    if what.startswith(("a ", "an ")) or (_VALUE.match(what) and not is_with):
        return About.UNKNOWN
    is_all = not bare.strip(" .,;!)") or what.split("(")[0].strip(" .,;!)") in _PRONOUNS
    named_number = _KEY_NUMBER.match(bare)
    numbers = {word for word in title if word.isdigit()}
    if named_number is not None and numbers and named_number[1].lstrip("0") not in numbers:
        return About.UNKNOWN  # another proposal
    if is_all or (bare != what and _ADDED.match(bare)) or _NAMES_WHOLE.match(bare) or _ALL_OF_IT.match(what):
        return About.WHOLE
    if is_with and (new := _NEW.match(what)) is not None and _NOUN.match(what, new.end()) is not None:
        return About.NOTHING
    if is_with and not begins("whole", bare):  # "+1 with minor comments"
        aside = " ".join(bare.split()[:4])
        is_aside = any(has(name, aside) for name in ("part", "remark", "manner")) and not _DEFINITE.match(what)
        return About.WHOLE if is_aside else About.UNKNOWN
    named = leaves_only(("filler", "manner"), _CLAUSE_END.split(bare)[0]).split()
    is_titled = bool(named) and not has("part", bare) and title.issuperset(map(_find_stem, named))
    if is_titled or bare.strip(" #.!,;)") in title:  # "+1 for 515"
        return About.WHOLE
    return _read_named(match.group("what"), what, bare)


def _read_other_object(rest: str) -> About:
    """Whether a value may be on what somebody said, in another language; what else it is on is not read there."""
    match = _OTHER_REMARK.match(rest)
    is_remark = match is not None and (match["noun"] is None or has("remark", match["noun"].lower()))
    return About.UNKNOWN if is_remark or _OTHER_OPINION.match(rest) is not None else About.NOTHING


#: "On the other hand", "For the sake of progress"
_OPENER = re.compile(r"\b(?:reasons?|sake|grounds|hand|time|balance|strength|basis|moment)\b")


def _is_a_thing(what: str, title: frozenset[str]) -> bool:
    """Whether words name one thing of several: "the core"; not "the record", and not what the vote's title names."""
    named = leaves_only(("filler", "manner"), what).split()
    is_named = what.startswith("the ") and not begins("no_object", what) and not begins("no_condition", f"for {what}")
    return is_named and _OPENER.search(what) is None and bool(named) and not title.issuperset(map(_find_stem, named))


def _read_named(written: str, what: str, bare: str) -> About:
    """What a value is on, by its name; `what` is `written` in lower case, `bare` also without articles."""
    said = _CLAUSE_END.split(what[:60])[0]
    theirs = _THEIRS.match(what)
    if theirs is not None and begins("whole", noun := what[theirs.end() :]):
        return About.WHOLE if begins("voted_on", noun) else About.UNKNOWN
    if _ABOVE.search(said) and begins("whole", bare.removeprefix("above ")) and not bare.startswith("everything"):
        return About.WHOLE  # "the KIP above"
    named = _REASON.split(said)[0]
    mentioned = _MENTIONED.search(written[: len(named)])
    if mentioned is not None:
        named = named[: mentioned.end("noun")]
    if has("remark", named) or _SOMEBODYS.search(written[: len(named)]):
        return About.REMARK
    if has("part", said):
        return About.PART
    if bare.split()[0].endswith("ing") and leaves_only(("whole", "filler", "manner"), said):
        return About.UNKNOWN  # "-1 for shipping it enabled in this release"
    is_whole = begins("whole", bare) or what.startswith(("this ", "the current ", "the latest "))
    return About.WHOLE if is_whole and _ENDS_NOUN.search(said) is None else About.UNKNOWN


def find_place(rest: str) -> str:
    """The one word with a capital after a vote's "from", if no other follows; "" if there is none.

    >>> find_place(" from sunny Accra!"), find_place(" from Jun Okafor"), find_place(" from Jun's team")
    ('Accra', '', '')
    """
    match = _PLACE.match(rest)
    if match is None or re.match(r"\s*\(|\s+[^\W\d_a-z]|\s*[&,]\s*[^\W\d_a-z]|\s+(?:an|on|to)", match["behind"]):
        return ""
    return "" if "'" in match["place"] or "’" in match["place"] else match["place"]


def is_named_so(place: str, names: Iterable[str]) -> bool:
    """Whether the word is part of any of the names."""
    word = fold_name(place)
    return any(word in fold_name(name).split() for name in names)
