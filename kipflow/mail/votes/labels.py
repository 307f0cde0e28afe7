"""Whether what stands in front of a value, up to a colon, leads up to its writer's own vote: "Windows: +1" does not."""

from __future__ import annotations

import re

from kipflow.domain.votes import Choice
from kipflow.mail.announcements.names import find_names, is_own
from kipflow.mail.votes.conditions import MARK, UNDERSTOOD
from kipflow.mail.votes.lexicon import begins, drop, ends, fold, has, leaves_only
from kipflow.mail.votes.mentions import Mention

_ITEM = re.compile(r"\A\s*(?:[-*•·]|\(?(?:\d{1,2}|[a-h])[.)])\s")
_WRITER = re.compile(r"\b(?:i|we|(?<!and )me(?! and))\b")
#: the end of words that say what somebody else does, or what is to be done
_POINTS = re.compile(r"\b(?:(?<!nothing )to \w+|on|for|from|at|is|are|be|means?)$|\b(?:by|who|doubt)\b")
_NAME = r"(?-i:[A-Z][a-zß-öø-ÿ][\w-]*)"
_ADVERB = r"just|also|still|now|already|only|even|once|first|never|not|\w+ly"
_BE = r"am|are|is|was|were|been"
#: who acts, and a verb: behind it nothing, or no more than a person, a time, or where votes are found
_AWAITS = re.compile(
    r"(?P<who>\b(?:i|we|you|he|she|who|to(?! (?:this|that|it)\b))(?:['’](?:m|ve|d|ll|re))?|^)"
    rf"(?P<before>(?:\s*\b(?:{_BE}|have|had|has|did|do|will|all|keep|{_ADVERB}|(?:going|about|planning) to)\b){{0,5}})"
    r"(?:^|\s+)(?P<verb>(?!(?:all|in|from|during)\b)[^\W\d_]+)"
    rf"(?P<whom>(?: (?:me|you|him|her|them|us|everybody|everyone|{_NAME}))?)"
    rf"(?P<behind>(?: (?:down|up|out|over|together|here|there|today|yesterday|{_ADVERB}"
    r"|(?:last|this) (?:time|week|month|year|morning|night)|(?:in|from|during)(?: \w+){1,3})){0,3})$",
    re.IGNORECASE,
)
_IS = re.compile(rf"(?:['’](?:m|re)|\b(?:{_BE}))(?: (?:all|{_ADVERB}))*$", re.IGNORECASE)
_HAS = re.compile(rf"(?:['’]ve|\b(?:have|has|had))(?: (?:{_ADVERB}))*$", re.IGNORECASE)
_PARTICIPLE = re.compile(r"(?:ed|en|nd|rd|ad|ot|ght|wn|pt|lt|ld|de|put)$", re.IGNORECASE)
#: a preposition with nothing behind it, and none that a word of casting takes: "we agreed on", not "I go with"
_LACKS_NOUN = re.compile(r"(?<!· )(?<!dealt )\b(?:on|of|with|for|from|at|about|by|as)$")
#: "that was Jun"
_IS_SOMEBODY = re.compile(
    rf"\b(?i:that|this|it|these|those)(?:['’]s| is| was| were) {_NAME}(?: and {_NAME})?(?:['’]s)?$"
)
_CLAIM_BEHIND = re.compile(r"\s*\((?:non-?)?binding\)$", re.IGNORECASE)
_OTHER_ACTS = re.compile(r"(?:^|\band )(?:he|she)\b")
#: "I speak for Jun"
_FOR_NAME = re.compile(r"\b(?:for|from)\s+[A-Z][a-z]|['’]s proxy\b")
#: "Revision 6 says opt-in, so: +1"
_CONCLUDING = frozenset({"so", "hence", "thus", "therefore", "then"})
#: "#4711: +1" is on something else
_TICKET = re.compile(r"#\d+\s*$")
#: what a label says is not what the vote says: "Against: +1"
_OPPOSITE = {
    Choice.FOR: ("no", "rejection", "abstention"),
    Choice.AGAINST: ("yes", "approval", "assent", "abstention"),
}
#: one of these leads up to the own vote
_LEADS = (
    *("leads_in", "sums_up", "own", "my_vote", "from_me", "voted_on", "vote_for", "vote_against", "approval", "praise"),
    *("rejection", "abstention", "assent", "yes", "no", "change", "turned", "harmless", "correction"),
)
#: who speaks of one of these passes on what was voted; a label of few words, also what is lacking or asked for
_PASSED_ON = ("relays", "reports", "source")
_NOT_NOW = ("other", "earlier", "demand", "group")
_LACKING = ("need", "quantity")


def is_labelled(m: Mention) -> bool:
    """Whether what stands before it, up to a colon, is not known to lead up to the writer's own vote: "Windows: +1"."""
    if m.mine_follows and not _ITEM.match(m.sentence.line.text):  # "- the limits: -1 from me" is on a part
        return False
    if m.is_list_head or ends("example", fold(m.lead)):
        return True
    cites = fold(m.lead.rpartition(": ")[0])  # "Jun said: I vote +1"
    if any(ends(name, cites) for name in (*_PASSED_ON, "other")) and "i" not in cites.split():
        return True
    return bool(m.label) and not is_own(m.label, m.author) and not _leads_up(m.label, m.choice, is_claimed=m.is_claimed)


def _leads_up(written: str, choice: Choice, *, is_claimed: bool) -> bool:
    """Whether a label is known to introduce an own vote: by all its words, or as what its writer says of themselves.

    Of a vote with a claim to bind it is enough that the label is no name of a thing or a person.
    """
    written = _CLAIM_BEHIND.sub("", _ITEM.sub("", written))
    label, end = fold(written), MARK.split(written.rstrip(" .,:;…)"))[-1]
    last = fold(end)
    told = drop("from_me", drop("leads_in", drop("casts", drop("harmless", last)))).removesuffix(" please")
    opposite = _OPPOSITE.get(choice, ())
    if last.strip() in _CONCLUDING or (has("not_voted", last) and has("first_person", last)):
        return True  # "Since I have not voted so far"
    if _TICKET.search(end):
        return False
    if (
        any(has(name, drop("not_voted", drop("leads_in", drop("casts", label)))) for name in _PASSED_ON)
        or (has("other", told) and "vote" in last)
        or begins("asks", drop("leads_in", drop("sums_up", label)))
        or _awaits_value(end.strip())
        or (any(has(name, last) for name in opposite) and not leaves_only(opposite, last))
    ):
        return False
    if begins("greeting", last):
        return "vote" not in last
    if has("my_vote", last) and ends("need", told):
        return True  # "my own vote is still missing"
    # nobody collects votes against
    lacks = [has(name, told) for name in _LACKING] if choice is Choice.FOR else [False]
    leads = any(has(name, f"{label}:") for name in _LEADS) or not leaves_only(("casts",), f"{label}:")
    counts = choice is Choice.FOR and (has("need", told) or ends("quantity", told)) and not has("presents", label)
    is_told = (any(lacks) and not has("presents", label)) or any(has(name, told) for name in _NOT_NOW)
    if leads and not is_told and not leaves_only((*UNDERSTOOD, *_LEADS, *_LACKING, "whole"), f"{last}:"):
        return True
    names_other = _FOR_NAME.search(end) or (len(end) < len(written) and find_names(end))  # "Sorry, Jun"
    is_lacking = all(lacks) or (lacks[0] and ends("need", told))
    grounds = _gives_grounds(last) and not find_names(written)
    is_adverb = is_claimed and _ADVERBIAL.match(last) is not None
    is_talk = counts or any(has(name, told) for name in _NOT_NOW) or (find_names(end) and not is_adverb)
    is_long = is_adverb or (is_claimed and len(written.split()) >= _MANY)
    is_prose = not is_talk and _is_prose(end, told, is_long=is_long)
    return not (names_other or is_lacking) and (grounds or is_prose or _is_statement(label, last, told))


#: a sentence, and no name of a thing
_SAYS = re.compile(rf"(?:['’](?:s|re|ve|ll|m)|\b(?:{_BE}|has|have|will|does|do|looks|seems|sounds|feels))\b")
_MANY = 4
#: "With regret", "Seriously": no thing that is voted on
_ADVERBIAL = re.compile(r"\W*(?:(?:with|in|after|as|at|by|despite|without)\s+\w|\w{3,}ly$)")
#: a capital within it, or who does something at its start: "Jun is away", "Babcia was right", not "It is ready"
_NAMES_ONE = re.compile(
    rf"\w\W+(?!I\b){_NAME}|^\W*(?!(?:It|This|That|There|All|Everything|Nothing|No|Mine|What|I|[A-Z][a-z]+ing)\b)"
    rf"{_NAME}(?:['’]s)? (?:{_BE}|has|have|had|will|does|do|did|(?!this|his)\w+(?:s|ed))\b"
)


def _is_prose(end: str, told: str, *, is_long: bool) -> bool:
    """Whether a label's last clause is a sentence, or words enough beside a claim to bind: about no vote and nobody."""
    names = ("hypothetical", "hedging", "part", "measure", *(() if _WRITER.search(told) else ("approval", "rejection")))
    talks = "vote" in drop("my_vote", told) or any(has(name, told) for name in names)
    if talks or _NAMES_ONE.search(end) is not None:
        return False
    return is_long or _SAYS.search(end) is not None


def begins_with_ground(clause: str) -> bool:
    """Whether a clause (in lower case) begins as one that says why the vote follows: "but as it does not"."""
    return begins("grounds", clause.removeprefix("but "))


def _gives_grounds(last: str) -> bool:
    """Whether a label's last clause says why the vote follows, or as whom: "Since it is fixed", "After a long test"."""
    is_ground = begins_with_ground(last) or (last.startswith("after ") and begins("harmless", last))
    return is_ground and not ends("leaves_open", last)


def _awaits_value(said: str) -> bool:
    """Whether the value is what a label's last clause lacks: "I collected", "We agreed on", "That was Jun".

    What somebody collects, reads or agrees on need not be a vote of theirs. A sentence that is whole without the value
    ("I read it all") only says why it follows; of words that need no more, those that cast may not be of another day.
    """
    bare = fold(said)
    if _IS_SOMEBODY.search(said) or _OTHER_ACTS.search(bare):
        return True
    for name in ("leads_in", "casts", "own", "approval", "change", "restated", "from_me"):
        bare = drop(name, bare)
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


def _is_statement(label: str, last: str, told: str) -> bool:
    """Whether a label speaks of its writer, and not of what somebody else does or is to do: "I could find no bug"."""
    if label.endswith(" but") and not leaves_only(UNDERSTOOD, label):
        return True  # "Late but", not "Jun is away but"
    if _POINTS.search(drop("polite", told)) is not None:
        return False
    return _WRITER.search(label) is not None or any(begins("leaves_out_i", text) for text in (label, last))
