"""Numbers that look like votes and are none: measured, technical, dialled, cited."""

from __future__ import annotations

import re

from kipflow.mail.words import phrases
from kipflow.mail.words.smalltalk import is_smalltalk
from kipflow.mail.words.values import find_values

_GLADLY_BEFORE = re.compile(
    r"\b(?:happy|glad|pleased|delighted) to\s*$|\b(?:that|this|it)(?:['’]s| is) an? $", re.IGNORECASE
)
# "+1 for KIP-7, -1 for KIP-9": the digit before is a name's
_AFTER_KEY = re.compile(
    r"(?:\b[A-Za-z]{2,8}-\d{1,5}|\b\d+\.\d+[\w.-]*|\brc\s?-?\d+)\s*(?:[,;]|\band\b|\bbut\b){1,2}\s*$", re.IGNORECASE
)
# "KIP-7 +1", "RC2: +1"
KEY_ALONE = re.compile(r"^\W*(?:for )?(?:[A-Z]{2,8}-\d{1,5}|rc\s?-?\d{1,2})\W{1,3}$", re.IGNORECASE)
_PROPOSAL_KEY = re.compile(r"\b[A-Za-z]{2,8}-\d{1,5}\b|\brc\s?-?\d", re.IGNORECASE)
_PEOPLE_ARE = re.compile(r"\b(?:we|both|and i)\b[^.!?]{0,30}$", re.IGNORECASE)
#: "I meant +1", "that should read -1", "make that +1": mends an earlier mail
CORRECTS = re.compile(
    r"\b(?:(?:i|we) (?:actually |really |of course )?(?:meant|wanted to (?:say|write))|(?:that|this|it|which|votes?|"
    r"mine|"
    r"mails?|message) (?:should|was (?:meant|supposed) to) (?:have )?"
    r"(?:read|be|been|say|said)|make (?:that|it))\s+(?:a |an |to (?:be|say|vote) )?[\"']?$",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"^\s*(?:[-*•]\s+)?(?P<label>[^\W\d_][\w-]{0,24}(?: [\w-]{1,24})?|[^\W\d_][\w. -]{0,60}\d)\s*:\s*$"
)
# "Parent 30: +1", "Maven Shade Plugin 3.0: -1": what is voted on, by name and version
_ARTIFACT = re.compile(
    r"^\s*(?:[-*•]\s+)?(?:[A-Za-z][\w.-]* ){0,3}(?!option|alternative|variant|point|item|question|step|case|phase|"
    r"java|jdk|jre|scala|python|windows|win|linux|ubuntu|debian|fedora|"
    r"centos|"
    r"rhel|mac|macos|osx|node|maven \d|gradle \d|go )[A-Za-z][\w.-]*[ -]v?\d+(?:\.\d+){0,3}\s*:\s*$",
    re.IGNORECASE,
)
_VOTING_LABELS = frozenset(
    re.findall(
        r"\w+",
        """
    vote voting votes ballot my me mine overall result verdict conclusion summary final so thus hence therefore
    decision
    voto mi meu mio stimme votum meine mein avis mon röst głos stem голос мой 我的票 投票 我投
    no nope blocking nothing opinion position veto vetoing abstain abstaining abstention neutral here i in short then
    release rc kip
    proposal candidate yes agreed thanks thank you lgtm looks good
    great nice cool awesome congrats congratulations ok okay sure anyway otherwise well also again still now update
    edit
    tldr binding non cents hi hello all everyone folks bottom line stance choice stand from side lead answer count in
    """,
    )
)


def is_voting_label(before: str) -> bool:
    """Whether the word before a colon is one that votes stand behind: "Vote:+1", "KIP-7:-1"."""
    words = re.findall(r"[^\W_]+", before.lower())
    return (
        before.rstrip().endswith(":")
        and bool(words)
        and (words[-1] in _VOTING_LABELS or KEY_ALONE.match(before) is not None)
    )


def is_measured(before: str) -> bool:
    """Whether a label like those of a list of findings ("Retries:", "sigs:") stands before the value."""
    match = _MEASURED.match(before)
    if match is None or _PROPOSAL_KEY.search(before) or _ARTIFACT.match(before):
        return False
    if len(match.group("label")) > 2 and is_smalltalk(match.group("label")):
        return False
    words = re.findall(r"[^\W_]+", match.group("label").lower())
    return bool(words) and not any(word in _VOTING_LABELS or word.endswith("ly") for word in words)


_CALL_BEFORE = re.compile(r"[A-Za-z_]\([^()]{0,60}\)\s*$")


# "+1 -1" of a diff's statistics
_STAT_AFTER = re.compile(r"^\s{0,2}(?P<sign>[+\-])\s?[01](?!\d|\.\d)(?!\s*[,(a-zA-Z])")
# "returns +1 if a > b and -1 otherwise": of one kind with the number before
_SAME_BREATH = re.compile(
    r"\b(?:returns?|returned|yields?|gives?|sets?|uses?|prints?|means?|is|be|are|either|from|"
    r"between)\s+[\"'`]?[+\-]?\s?[01]\b[\"'`]?"
    r"[^.,;:!?]{0,50}\b(?:and|or|else|otherwise|to|versus|vs)\s+(?:to\s+|a\s+)?[\"'`]?$",
    re.IGNORECASE,
)


# the lines of patch testing bots: "+1 javac.  The applied patch …", "-1 core tests."
_PRECOMMIT = re.compile(
    r"^\s+(?:@author|javac|javadoc|java ?doc|findbugs|spotbugs|checkstyle|shellcheck|whitespace|asflicense|"
    r"mvninstall|mvnsite|"
    r"shadedclient|release ?audit|tests? included|core tests|contrib tests|unit tests|compile|eclipse:eclipse|"
    r"hadoopcheck)\b"
)


# "Rename to foo.bar: +1", "Jun's suggestion: +1", "As for the name, +1": a matter within the proposal, not the proposal
_TOPIC = re.compile(
    r"^\W*(?:renam|remov|add|chang|us|dropp?|splitt?|mov|keep|support|allow|mak|document|merg|deprecat|introduc)(?:e|"
    r"ing)?\b(?:[^:.!?]|\.(?=\S)){0,60}:\s*$|"
    r"(?:['’]s|s['’]|\bthe|\byour|\bhis|\bher|\bthis|\bthat)\s(?:\w+ ){0,2}(?:suggestion|comment|remark|point|"
    r"question|concern|idea|name|naming)s?\s*:\s*$|"
    r"^\W*(?:re|on|regarding|about(?! time)|as for|as to|concerning|wrt|w\.r\.t\.)\b:?(?!.{0,30}\b(?:kips?|release|"
    r"proposal|"
    r"votes?|rc|me|my|mine|our|us|"
    r"whole|overall|everything|second|reflection|balance|hand|top|note|thoughts?|candidate|record|"
    r"that basis)\b)[^.!?:]{1,50}[,:]\s*$",
    re.IGNORECASE,
)


_OWN_VOTE = re.compile(r"\b(?:my|mine|our|votes?|ballot)\b", re.IGNORECASE)


def is_topic(before: str) -> bool:
    """Whether the words before a value name a matter within the proposal that it may be about."""
    near = before[-120:]
    return _TOPIC.search(near) is not None and _OWN_VOTE.search(near) is None


# "this needs another RC: -1"; "rc: -1" is a return code
_CANDIDATE_LAST = re.compile(r"\s(?:an|another|new|next) RC\s*:\s*$")


# "and so do I: +1"; "i: -1" is a variable
_I_SAY = re.compile(r"\s(?:I|me)\s*:\s*$|\bhere (?:it|this|mine) (?:is|goes|comes)\s*:?\s*$")


#: "+3 commits, -1 (reverted)": a count among counts
_COUNTS = re.compile(r"(?<![\w.+-])[+-](?:[2-9]|\d{2,4})\s+[a-z]{3,}")
#: "So it has to be -1."
_VERDICT = re.compile(
    r"(?:^|[.!?;,]\s*)\W*(?:so|hence|therefore|thus|then|sadly|unfortunately)\W+(?:it|this|that)(?:['’]s| is|"
    r" has to be| must be|"
    r" will be| needs to be| will have to be)\s+(?:an? )?$",
    re.IGNORECASE,
)


def is_verdict(before: str, after: str) -> bool:
    """Whether a value is what a mail comes to in the end: "So it has to be -1."."""
    return _VERDICT.search(before[-80:]) is not None and re.match(r"^\s*(?:$|[.!,;:(])", after) is not None


#: what carries numbers: "The result was unexpected: -1"
_QUANTITY = re.compile(
    r"\b(?:results?|outputs?|values?|returns?|respon\w+|lag|offsets?|counters?|fields?|states?|codes?|epochs?|"
    r"sentinels?|"
    r"defaults?|numbers?|entry|column|cell|config\w*|parameter|property|setting|formula|index|answer)\b"
    r"(?![^.;!?]*\b(?:i|we|my|me)\b)[^.;!?]{0,60}:\s*$",
    re.IGNORECASE,
)
#: "I saw three votes: +1, +1 and -1"
_LISTED = re.compile(
    r"[+-]\s?[01],\s*[+-]\s?[01],?\s+(?:and|or)\s+[+-]\s?[01]|[+-]\s?[01],\s*[+-]\s?[01],\s*[+-]\s?[01]"
)
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}[^A-Za-z]{0,20}$")
#: "I tested this with 3.9 and +1": the number before is not counted on
_AND_SO = re.compile(r"\b(?:i|we)\b(?!.*\bbetween\b)[^+-]{0,120}\b(?:and|so)\s*$", re.IGNORECASE)


def is_of_a_quantity(before: str) -> bool:
    """Whether the words before a value name something that has numbers, and nobody who votes."""
    return _QUANTITY.search(before[-100:]) is not None


def is_number(before: str, after: str, *, leading: bool, told: bool) -> bool:
    """Whether a value belongs to the matter: a phone's, an offset, a default. `told`: "my vote is" stands before."""
    if phrases.PHONE_AFTER.match(after) or phrases.PHONE_BEFORE.search(before[-20:]):
        return True
    if phrases.TECHNICAL_AFTER.match(after[:80]):
        return True
    if _CALL_BEFORE.search(before[-80:]):
        return True  # "max(0, n) + 1"
    if before.endswith(":") and not is_voting_label(before):
        return True  # "errorCode:-1"
    if _PRECOMMIT.match(after) or (leading and _OR_ANOTHER.match(after) and not phrases.FROM_ME.search(after[:40])):
        return True
    if _DATED.search(before[-40:]) or (_LISTED.search(before[-40:] + "+1" + after[:20]) and not leading):
        return True
    if _AND_SO.search(before) and re.match(r"^\s*(?:$|[.!(])", after):
        return False
    if _SAME_BREATH.search(before[-120:]) or _COUNTS.search(before) or _COUNTS.search(after):
        return True
    if is_verdict(before, after):
        return False
    if (
        leading
        or told
        or phrases.FROM_ME.match(after.lstrip())
        or KEY_ALONE.match(before)
        or _I_SAY.search(before[-24:])
    ):
        return False
    if (
        (_AFTER_KEY.search(before[-30:]) and find_values(before))
        or _GLADLY_BEFORE.search(before[-30:])
        or CORRECTS.search(before[-60:])
    ):
        return False
    if re.search(r"\b(?:are|both)\s+$", before) and _PEOPLE_ARE.search(before):
        return False
    if re.search(
        r"\b(?:i|i['’](?:m|d|ll)|my|me|vote|voting|we)\s+(?:\w+\s+){0,2}$|\b(?:lgtm|good|thanks|it|this)\W*$",
        before[-30:],
        re.IGNORECASE,
    ):
        return (
            re.search(r"\b(?:by|with value|equals?|returns?|set|sets|set to)\s*$", before[-20:], re.IGNORECASE)
            is not None
        )
    if _CANDIDATE_LAST.search(before):
        return False
    return phrases.TECHNICAL_BEFORE.search(before[-50:]) is not None and not re.search(
        r"\bvote\b", before[-30:], re.IGNORECASE
    )


# "-1 or Long.MAX_VALUE": one of two values
_OR_ANOTHER = re.compile(r"^\s+or\s+(?![+\-]\s?[01]\b)(?!so\b|rather\b|even\b|not\b|otherwise\b)[\w.`\"']+")


def is_statistic(value: str, after: str) -> bool:
    """Whether a value is one of a pair of opposite signs, as in "1 file changed, +1 -1"."""
    match = _STAT_AFTER.match(after)
    return match is not None and value[:1] in "+-" and match.group("sign") != value[:1]


def is_cited(before: str, after: str, text: str) -> bool:
    """Whether the value stands in quotation marks within a longer sentence: cited, not cast."""
    opened, closed = before.rstrip()[-1:], after.lstrip()[:1]
    if opened in {'"', "“", "‘", "«"} and _CITED_THEN_TOLD.match(after):
        return True
    if len(before.split()) > 2 and _CITED_WITH_CLAIM.match(after) and opened in {'"', "“", "‘", "«"}:
        return True
    return (
        opened in ('"', "“", "'", "‘", "`", "«")
        and closed in ('"', "”", "'", "’", "`", "»", ",")
        and (len(text.strip()) > 24 or _WORD_BEHIND.match(after) is not None)
    )


# 'Jun writes "+1 (binding)"'
# '"+1 (binding)" is what Jun wrote'
_CITED_THEN_TOLD = re.compile(r"^[^\"”’»]{1,40}[\"”’»]\s+(?!from (?:me|my|us)\b)[^\W\d_]")
_CITED_WITH_CLAIM = re.compile(r"^[^\"”’»]{1,40}[\"”’»]")
# "« +1 » dit Jun": a word right behind the closing mark
_WORD_BEHIND = re.compile(r"^\s*[\"”'’`»]\s+[^\W\d_]")
