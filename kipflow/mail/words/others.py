"""Votes that are somebody else's: asked for, counted, thanked for, reported, or spoken of as such."""

from __future__ import annotations

import re

from kipflow.mail.announcements.names import find_names, is_same_person
from kipflow.mail.words.findings import CORRECTS, KEY_ALONE, is_voting_label
from kipflow.mail.words.sentences import Mention
from kipflow.mail.words.values import find_values

_I = re.IGNORECASE

_OTHERS_BEFORE = re.compile(
    r"(?:\b(?:your|his|her|their|its|whose|(?!it|here|that|what|let)[a-z]+['’]s)\s+(?:\w+\s+){0,2}$"
    r"|\b(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|more|additional|enough|all|several|many|"
    r"required|needed|no|any|"
    r"than|few|only|at least|multiple|(?<!\bi )(?<!\bwe )both|these|those|every|each)\s+(?:of the\s+)?(?:non[- "
    r"]?binding\s+|binding\s+|"
    r"pmc\s+|more\s+|explicit\s+)*$"
    r"|\b(?:need (?!this\b|it\b)|needs|needed|require|requires|waiting for (?!this\b|it\b|that\b)|wait for|missing|"
    r"received|receive|collect\w*|got "
    r"(?!it\b)|count(?! "
    r"me)\w*|"
    r"translate|"
    r"(?:interpret|treat|regard)(?! (?:this|me|my|mine|it)\b)|assume|meant|means|reply with|respond with|"
    r"vote with|write|type|say|says|saying|send|"
    r"asking for|ask for|"
    r"looking for|await\w*|appreciate|love (?=a|another|some|more)|get|gets|getting|"
    r"gather\w*)\b(?:(?![+\-]\s?[01])[^.;!?]){0,60}(?<!,)(?<!, )$"
    r"|\b(?:he|she|they|who|nobody|no one|none|anyone|everyone|everybody|people|someone|somebody|others?|members?|"
    r"committers?|voters?|"
    r"you|(?!(?:already|also|just|have|had|has|we|i|it|this|that|which|previously|"
    r"initially)\b)[A-Z][a-z]+ (?:voted|gave|said|has|had|"
    r"already))\b[^,.;:!?]{0,60}$)",
    _I,
)
#: "Thanks Jun for the +1"
_THANKED_BEFORE = re.compile(
    r"\bthank\w*\b[^.!?;]{0,60}\bfor (?:the|your|his|her|their|all|those|these)\s+(?:(?:non-)?binding |quick |many |"
    r"late |kind |last )?$",
    _I,
)
OTHERS_AFTER = re.compile(
    r"^\s*(?:\((?:non-?)?binding\)\s*)?(?:(?:non-?)?binding\s+)?(?:votes?\b|\(?s\)?\b|from (?!me\b|my\b|us\b|myself|"
    r"our\b|here\b))|^\s*\w{0,12}\s*(?:count|tally)\b",
    _I,
)
_HERE_IS = re.compile(
    r"\bhere(?:['’]?s| is| comes) (?:the|my|a|an|another|your)\b[^.!?]{0,25}$|\bi(?:['’](?:d|ll)| "
    r"would| will| can| can only| must| have to)? say (?:it['’]s )?(?:a )?$|\b(?:safe|fair|happy|"
    r"glad) to say (?:it['’]s )?(?:a )?$",
    re.IGNORECASE,
)

_COUNT_AFTER = re.compile(r"^\s*(?:\(?(?:non-?)?binding\)?\s*)?(?:votes?\s*)?[:=]\s*\d", re.IGNORECASE)

_NAMED_SENDER = re.compile(r"\s*[A-Z][\w.-]+(?:\s+[A-Z][\w.-]+)?\b(?!(?:['’]s)?\s+(?:side|team|community|project))")

# "The +1 (binding) by Mara was …", but not "+1 by Friday"
_BY_NAME = re.compile(
    r"^\s*(?:\([^()]{0,20}\)\s*)?(?:(?:non-?)?binding\s+)?by (?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b)[A-Z]\w+"
)
# "Speaking for Kim: +1", "On behalf of my team, +1": not plainly the sender's own
_ON_BEHALF = re.compile(
    r"\b(?:on behalf of|in the name of|(?:speaking|voting|writing|relaying) (?:for|on behalf of))\s+"
    r"(?!(?:me|myself|mine|the record)\b)(?!.{0,60}\b(?:and|&) (?:me|myself)\b)[^.;!?]{1,60}$|"
    r"\basked me to (?:forward|relay|post|pass on|send|cast)\b[^.;!?]{0,40}$|"
    r"\bon behalf of (?!me\b|myself\b)(?!.{0,60}\b(?:and|&) (?:me|myself)\b)",
    _I,
)

#: "she asked me to pass on her +1"
PASSED_ON = re.compile(
    r"\b(?:asked|asks|told|begged|wants|wanted) me to (?:forward|relay|post|pass on|send|cast|hand on|hand in)\b"
    r"[^.;!?]{0,40}$",
    _I,
)
# "The bot commented: +1"
_SAID_BY_ANOTHER = re.compile(
    r"^(?!.*\b(?:i|we|i['’]ve|i['’]d)\s+(?:\w+ )?(?:comment|said|say|wrote|repl|answer|"
    r"add))[^.;!?]*\b(?:comment(?:s|ed)|said|says|wrote|"
    r"writes|replied|replies|voted)\s*:\s*[\"“]?$",
    _I,
)
_VOTE_ALONE = re.compile(r"^\s*\(?(?:(?:non-?)?binding\)?\s+)?vote[\s.!]*$", re.IGNORECASE)

# "A -1 on a release is not a veto", "Every +1 counts": a vote as such, nobody's
_VOTE_AS_SUCH = re.compile(
    r"(?:^|[;:.,]\s|\b(?:think|believe|say|mean|that)\s)\W*(?:(?:but|and|so|remember|note|btw|"
    r"also)\W{1,3}(?:that )?)?(?:an?|any|every|each|one|the|no|"
    r"such an?|"
    r"a single)\s+"
    r"(?:single |binding |non-?binding |plain |lone |simple |mere )?$",
    re.IGNORECASE,
)

_AS_SUCH_AFTER = re.compile(
    r"^\s*(?:\([^()]{0,20}\)\s*)?(?:(?:there|here)\s+)?(?:(?:votes?|on|for|from|in|without|by|at|with|to)\b"
    r"(?:(?!\b(?:as|because|since|and|but|so)\b)[^.,;:!?]){0,40}?\s)?(?:vote\s+)?"
    r"(?:isn['’]t|is|means|meant|counts?|does|doesn['’]t|do|would|wouldn['’]t|can|can['’]t|cannot|could|must|may|"
    r"might|"
    r"seems?|looks|sounds|feels|should|shall|will|won['’]t|needs?|requires?|has to|blocks?|kills?|stops?|ha(?:s|"
    r"ve) (?:no|to|a))\b",
    re.IGNORECASE,
)


# "Giving a -1 because of a typo seems harsh"
_GERUND_BEFORE = re.compile(r"^\W*(?:giving|casting|voting|getting|having|saying)\s+(?:an? )?$", re.IGNORECASE)
_JUDGED_AFTER = re.compile(
    r"^[^.,;:!?]{0,80}\b(?:seems?|feels?|looks?|sounds?|appears?|would (?:be|mean|not)|is (?:harsh|wrong|too|not|"
    r"a bit|unfair))\b"
)
# "+1 x 4, -1 x 0"
_TIMES = re.compile(r"^\s*(?:x|×|\*)\s?\d", re.IGNORECASE)


# "On the April draft I would have voted -1"
_WOULD_HAVE = re.compile(r"\bwould(?:n['’]t| not)? have (?:\w+ ){0,2}(?:voted|given|been|said|cast)\b[^.;]{0,20}$", _I)
# "So far we have: Lorna +1 (binding)"
_SO_FAR_NAMED = re.compile(
    r"\b(?i:so far|up to now|until now|currently|at the moment|"
    r"right now)\b[^.;!?]{0,60}[,:\s]\s*[A-Z][\w.'’-]+\s*[:(]?\s*$"
)
_DASH_LAST = re.compile(r"\s[-–—]\s*$")
# "Jun (+1 binding), Mara (+1)"
_NAME_IN_FRONT = re.compile(r"[A-Z][\w.-]+ \(\s*$")
# "Jun Okafor (LGTM, +1)"
_FULL_NAME_IN_FRONT = re.compile(r"(?P<name>[A-Z][\w.'’-]+ [A-Z][\w.'’-]+) \([^()]{0,24}$")
_NAMED_IN_BRACKETS = re.compile(r"[A-Z][\w.-]+ \([+-][01]\b")
# "so that it can be counted: +1 (binding)"
_COUNTED_COLON = re.compile(
    r"\b(?:it|this|mine|me|my (?:vote|mail))\b[^.;!?:]{0,24}\bcount\w*(?: \w+){0,3}\s*:\s*$|"
    r"\bfor (?:the|who\w*|all|those)\b[^.;!?:]{0,30}\bcount(?:ing|s)?\s*:\s*$",
    re.IGNORECASE,
)
_NEED_COLON = re.compile(r"\b(?:needs?|requires?|deserves?|gets?)\b[^.;!?]{0,60}:\s*$", re.IGNORECASE)
_THEN_LAST = re.compile(r"\bthen\W*$", re.IGNORECASE)
_GREETS_ALL = re.compile(r"\b(?:thanks|thank you|thanks to you|hi|hello|hey|dear|you) all\s*$", re.IGNORECASE)


# "In his mail Jun wrote: +1"
_REPORTED_BEFORE = re.compile(
    r"(?:^|[\s(,])(?!(?:I|We|Have|Had|Just|Also|Already|Been|It|Then|Now|My)\b)(?:[A-Z][a-z]+|he|she|they|somebody|"
    r"someone)"
    r"(?: (?:just|also|already|then|later))? (?:voted|votes|gave|gives|said|says|wrote|writes|posted|sent|replied|"
    r"replies|answered|"
    r"responded|cast)\b[^,.;:!?]{0,60}:?\s*[\"“]?\s*$"
)
# "Is that a +1?", "Can I read this as +1 (binding)?"
_ASKED_BACK = re.compile(
    r"^\W*(?:@?[A-Z][\w.-]+\W{1,3})?(?:(?:is|was|are|were) (?:that|this|your|you)\b|"
    r"(?:[Cc]an|[Ss]hould|[Ss]hall|[Mm]ay|[Dd]o|[Cc]ould) (?:I|we) (?:read|count|take|treat|interpret|consider)\b|"
    r"(?:Is|Was|Are|Were) (?:that|this|your|you)\b)"
    r"[^.!]*\?\s*$"
)


# "A happy +1 from …", "Binding +1 from …": the vote is all that the sentence has told so far
_CLAIM_ALONE = re.compile(
    r"^\W*(?:an?\s+)?(?:(?!single\b|lone\b|further\b)[\w-]+\s+)?$|^\W*(?:non[- ]?)?binding\W*$", _I
)
# "+1 (non-binding) from the stream processing team": the sender's own people
_OUR_PEOPLE = re.compile(r"^\s*\(?(?:non-?)?binding\)?\s+from (?:the|our|all of us|everyone|folks|here)\b", _I)
_FROM_PLACE = re.compile(r"^\s*from [A-Z][\w-]+[\s.!:;)(,-]*$")


# "You can put me down as +1"
_COUNTS_ME = re.compile(
    r"\b(?:put|count|mark|record|note|register) (?:me|us|my vote|mine) (?:down )?(?:as|for|with) (?:an? )?$|"
    r"\bmy (?:head|heart|gut|brain|instinct)s? (?:says?|tells me)\W*$|"
    r"\bcount (?:me|us|myself|ourselves) in\W*$|"
    r"\b(?:i['’]?m|i am|i vote|i['’]ll vote|i give(?: it)?|mine is|my vote is) (?:an? )?$",
    _I,
)


def is_of_others(mention: Mention, author: str) -> bool:
    """Whether the value is somebody else's vote, or one that is asked for."""
    before, after = mention.before, mention.after
    if CORRECTS.search(before[-60:]) or KEY_ALONE.match(before):
        return False
    if _HERE_IS.search(before[-60:]) or _COUNTS_ME.search(before[-60:]):
        return False
    if _VOTE_AS_SUCH.search(before[-60:]) and _AS_SUCH_AFTER.match(after) and not mention.is_mine:
        return True
    if not (mention.leading or mention.is_vote_word) and _REPORTED_BEFORE.search(before[-120:]):
        return True
    if not (mention.leading or mention.is_vote_word) and _SAID_BY_ANOTHER.search(before[-160:]):
        return True
    if not mention.leading and _ASKED_BACK.match(mention.sentence.text):
        return True
    if _GERUND_BEFORE.match(before) and _JUDGED_AFTER.match(after):
        return True
    if _TIMES.match(after) and len(find_values(mention.sentence.text)) > 1:
        return True
    if not mention.leading and _COUNT_AFTER.match(after):
        return True
    if _WOULD_HAVE.search(before[-60:]):
        return True
    if not mention.leading and _SO_FAR_NAMED.search(before[-120:]):
        return True
    if _THANKED_BEFORE.search(before[-120:]):
        return True
    if _NAME_IN_FRONT.search(before[-50:]) and len(_NAMED_IN_BRACKETS.findall(mention.sentence.text)) > 1:
        return True
    in_front = _FULL_NAME_IN_FRONT.search(before[-60:])
    if (
        in_front is not None
        and find_names(in_front.group("name"))
        and not is_same_person(in_front.group("name"), author)
    ):
        return True
    counted = (
        _NEED_COLON.search(before[-90:]) is None
        and _COUNTED_COLON.search(before[-90:]) is None
        and _DASH_LAST.search(before[-4:]) is None
        and _THEN_LAST.search(before[-8:]) is None
        and _GREETS_ALL.search(before[-30:]) is None
    )
    if (
        counted
        and not (mention.leading or mention.is_mine or mention.is_vote_word)
        and _OTHERS_BEFORE.search(before[-120:])
    ):
        return True
    if mention.is_mine:
        return False
    if not mention.leading and _BY_NAME.match(after):
        return True
    whom = OTHERS_AFTER.match(after)
    if mention.leading and _VOTE_ALONE.match(after):
        return False  # "+1 vote": one vote, cast or wished for
    opens = mention.leading or _CLAIM_ALONE.match(before) is not None
    if opens and mention.sentence.starts_line and _FROM_PLACE.match(after):
        return False  # "+1 from Bangalore": a place, or a person?
    if whom is not None and not (opens and whom.group(0).strip().lower().endswith("from")):
        return True
    sender = _NAMED_SENDER.match(after[whom.end() :]) if whom is not None else None
    if sender is not None:
        return not is_same_person(sender.group(0), author)
    names = [] if mention.leading or is_voting_label(before) else find_names(before)
    if len(names) == 1 and len(names[0].split()) > 1 and not is_same_person(names[0], author):
        return True
    return len(names) == 1 and not is_same_person(names[0], author) and len(find_values(mention.sentence.text)) > 1


def is_from_elsewhere(mention: Mention, author: str) -> bool:
    """ "+1 from the Lisbon office", "on behalf of the team: +1": whose vote that is, a person must say."""
    if _ON_BEHALF.search(mention.before[-120:]) or _ON_BEHALF.search(mention.after[:60]):
        return True
    own = is_same_person(mention.after.partition("from")[2].strip(" .!,"), author)
    if mention.is_mine or own or _OUR_PEOPLE.match(mention.after):
        return False
    return OTHERS_AFTER.match(mention.after) is not None
