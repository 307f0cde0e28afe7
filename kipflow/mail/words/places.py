"""The places in a sentence where a vote is cast: at its start, behind a clause, behind words that hand it over."""

from __future__ import annotations

import re

from kipflow.domain.votes import Expression
from kipflow.mail.words import phrases
from kipflow.mail.words.doubts import CARRIED
from kipflow.mail.words.findings import CORRECTS, KEY_ALONE, is_of_a_quantity, is_verdict
from kipflow.mail.words.sentences import Mention
from kipflow.mail.words.smalltalk import is_smalltalk
from kipflow.mail.words.values import find_values

FIRST_PERSON = re.compile(r"(?:^|\b)(?:i|i['’]m|my|me|we|we['’]re|our|here['’]?s|here is)\b", re.IGNORECASE)
#: What may stand right before a vote that is cast in the midst of a sentence.
_LEAD_IN = re.compile(
    r"(?:^|\b(?:my|mine|a|an|another|here['’]?s|here is|here goes|consider (?:this|me)(?: as)?|count me(?: in)?(?: "
    r"as)?|give|giving|gets?|"
    r"have|has|vote of|cast|casting|voting|vote|(?:put|mark|count|record|note|register) (?:me|us|mine|"
    r"my vote) (?:down )?(?:as|for|with)|i['’]?m|i am|we are|we['’]re|still|again|now|so|also|and|but|from me|strong|"
    r"big|huge|hard|(?:i['’]?m|i am) at|(?:happy|glad|pleased|delighted) to|going (?:for|with)|likewise|ditto|"
    r"accept(?:ed)?|belated|retroactive|conditional|provisional|tentative|cautious|qualified|fwiw|"
    r"imh?o|nb|same here|赞成|贊成|支持|同意|投票|投|賛成(?:です)?|"
    r"(?:a|an|my) (?:soft|weak|slight|mild|gentle|lukewarm)|full|easy|late|first|quick|happy|warm|reluctant|"
    r"weary|non-?binding|binding|definite|enthusiastic|solid|clear|"
    r"firm|hearty|resounding|"
    r"\w+ly|sure|of course|thus|hence|then|yes|yep|ok|okay|cool|nice|awesome|lgtm|good|thanks|thank you|as well|"
    r"to add|"
    r"add|adding|overall|me|please|hi|all|hello|hey|anyway|otherwise|is|as|it|its|this|kip|proposal|release|work|"
    r"great|me too|"
    r"initial|own|kudos|congrats|team|folks|everyone|well|agreed?|approved?))"
    r"\s*[:=]?\s*[\"'(]?\s*$|[,;:!.)\]–—-]\s*[\"'(]?\s*$|\.\.\.\s*$",
    re.IGNORECASE,
)
#: "Von mir auch +1", "moi aussi +1", "yo también +1": the same lead-ins in the languages that lists hear most
_LEAD_IN_FOREIGN = re.compile(
    r"(?:^|[\s,])(?:von mir(?: auch| aus)?|von uns|auch|ebenfalls|(?:pour )?moi(?: aussi)?|aussi|de ma part|"
    r"(?:de|por) mi parte|(?:yo )?tambi[eé]n|da parte mia|anch[’']io|(?:da|de) minha parte|tamb[eé]m|тоже|от меня|"
    r"我也?|私も|저도)\s*[:,，]?\s*$",
    re.IGNORECASE,
)
#: words of another script right before the number: votes, or talk, in a language that is not read here
_FOREIGN_BEFORE = re.compile(r"^[^.!?。！？]{0,30}[^\W\d_a-zA-Z][,，:：、]?\s*$")
#: "je ne voterai +1 que si …", "ich stimme mit +1": a vote spoken of in a language that is not read here
_VOTES_IN_WORDS = re.compile(
    r"\b(?!vot(?:e|es|ed|ing|ers?)\b)(?:vot\w{1,6}|stimm\w{1,4}|gł?osuj\w{1,4}|голосу\w{1,4})\s+(?:(?:mit|con|"
    r"avec|com|a|за|dla)\s+)?$",
    re.IGNORECASE,
)
_POINTS_AT = re.compile(r"(?:[A-Za-z)!.]|\brc\s?-?\d+)\s*(?:=>|→|->)\s*$")
_VOTE_WORDS = re.compile(r"\b(?:vot(?:e|es|ing)|lgtm)\b", re.IGNORECASE)
_CODE = re.compile(r"[=(){}<>;/\d_]|\b(?:rev|rank|term)\b")
#: "Please +1 if you agree", "feel free to +1": asks others
_ASKS = re.compile(
    r"^\W*(?:so |then |and )?(?:please|kindly|feel free to|just|do|let['’]s|give (?:it|this|us|the "
    r"\w+)?)\b(?!.{0,30}\b(?:my|me)\b)[^.,:;]{0,25}$"
    r"|\byou (?:can|could|may|should|might)\b(?!.{0,30}\b(?:my|me)\b)[^.,:;]{0,30}$",
    re.IGNORECASE,
)


_NUMBERED = re.compile(
    r"\b(?:sentinel|value|default|number|offset|epoch|constant|result|code|version)\s*,\s*$", re.IGNORECASE
)


def is_apposed(mention: Mention) -> bool:
    """Whether a value is an aside of a sentence about numbers: "the sentinel, -1, before the loop"."""
    if mention.leading or mention.is_mine or mention.is_vote_word:
        return False
    if is_of_a_quantity(mention.before):
        return True
    amid = mention.before.rstrip().endswith(",") and re.match(r"^\s*,\s*[a-z]", mention.after) is not None
    if not amid or is_smalltalk(mention.before):
        return False
    return _NUMBERED.search(mention.before) is not None or FIRST_PERSON.search(mention.before) is None


_MY_LAST = re.compile(r"^(?P<lead>.*)\bmy\s+(?:(?!vote\b)[\w()-]+\s+){0,2}[\"'(]?$", re.IGNORECASE)
#: what hands over a vote that is called "my": "here's my", "adding my", "I stand by my"
_HANDS_OVER = re.compile(
    r"(?:^|[,;:.!)–—-]|\b(?:here(?:['’]?s| is| goes| comes)|add\w*|cast\w*|giv\w*|given|count\w*|record\w*|"
    r"register\w*|note|"
    r"put\w*|throw\w*|toss\w*|drop\w*|leav\w*|left|keep\w*|kept|maintain\w*|hold\w*|stand\w*|stick\w*|stay\w*|"
    r"have|has|"
    r"got|get|gets|gave|it['’]?s|it is|this is|that['’]?s|that is|this|consider|take|accept|tak\w*|carry\w*|"
    r"carried|recast\w*|renew\w*|"
    r"reiterat\w*|repeat\w*|confirm\w*|reaffirm\w*|affirm\w*|restat\w*|submit\w*|send\w*|sent|post\w*|"
    r"express\w*|offer\w*|"
    r"with|so|and|but|also|still|again|now|then|yes|please|by|to|in|down|over|as|is|be|chang\w*|switch\w*|"
    r"updat\w*|because|since|"
    r"bring\w*|contribut\w*|chim\w*|lend\w*|extend\w*|pledg\w*|state|stating|log|plus|thanks|hi|all|ok|okay|"
    r"deserves|earn\w*))"
    r"\s*[:=]?\s*$",
    re.IGNORECASE,
)


def _hands_over(before: str) -> bool:
    """Whether "my" before a vote comes with words that hand it over: "here's my", not "I regret my"."""
    mine = _MY_LAST.match(before[-160:])
    return mine is None or _HANDS_OVER.search(mine.group("lead")) is not None


def is_sure_place(mention: Mention, read: Expression) -> bool | None:
    """Whether a vote is cast in this place of a sentence: surely, perhaps (False), or not (None)."""
    before, after, text = mention.before, mention.after, mention.sentence.text
    if read.claimed_binding is None and not _hands_over(before):
        return False
    if mention.leading or mention.is_vote_word or mention.is_mine or read.claimed_binding is not None:
        return True
    if _ASKS.search(before):
        return None
    if is_verdict(before, after):
        return True
    if CARRIED.search(after):
        return True
    if phrases.REAFFIRMED_AFTER.search(after) and phrases.MINE_BEFORE.search(before[-20:]):
        return True
    if CORRECTS.search(before[-60:]) or KEY_ALONE.match(before):
        return True
    if is_smalltalk(before) and _ASIDE_BEFORE.search(before) is None:
        return True
    if _LEAD_IN_FOREIGN.search(before[-40:]) and len(before) < 60:
        return True
    if _LEAD_IN.search(before[-60:]):
        near = FIRST_PERSON.search(before[-60:]) is not None or before.rstrip()[-1:] in ",;:!.-–—"
        return len(before) < 160 or near
    if FIRST_PERSON.search(before) and (_VOTE_WORDS.search(text) or len(before) < 60):
        return False
    if _VOTES_IN_WORDS.search(before[-40:]):
        return False
    if (_FOREIGN_BEFORE.match(before) and len(text) < 80) or _POINTS_AT.search(before[-20:]):
        return False
    short = (
        len(text) < 50
        and not find_values(before)
        and not after.strip(" .!")
        and re.search(r"[A-Za-z]{3}", before) is not None
    )
    return False if short and _CODE.search(before) is None else None


# "I have the", "we got a": told of having, not of casting
_ASIDE_BEFORE = re.compile(
    r"\b(?:the|any|some|all|more|one|got|get|had|like|in|of|or|than|(?:love|like|going) to)\s*$", re.IGNORECASE
)
