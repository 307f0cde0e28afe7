"""Votes taken back or changed: "I withdraw my -1", "changing my vote to +1", "-1 -> +1"."""

from __future__ import annotations

import re
from dataclasses import replace

from kipflow.domain.votes import Expression, Standing
from kipflow.mail.relevance import Sought, fold_case, has_any
from kipflow.mail.words import phrases
from kipflow.mail.words.claims import find_claim
from kipflow.mail.words.conditions import CONDITION_AFTER
from kipflow.mail.words.smalltalk import is_smalltalk
from kipflow.mail.words.values import find_values, parse_value

_CHANGE = re.compile(
    r"\b(?:(?<!the )(?<!this )(?<!that )chang(?:e|ed|ing)|switch(?:ed|ing)?|(?<!the )(?<!this )(?<!latest )(?<!last "
    r")updat(?:e|ed|ing)|"
    r"revert(?:ed|ing)?|revis(?:e|ed|ing)|upgrad(?:e|ed|ing)|downgrad(?:e|"
    r"ed|ing)|mov(?:e|ed|ing)|convert\w*|"
    r"replac(?:e|ed|ing)|flip\w*|bump(?:ed|ing)?|turn(?:ed|ing)?|amend\w*|correct(?:ed|ing|ion)?|adjust\w*|"
    r"modif(?:y|ied|ying)|mak(?:e|"
    r"ing) (?:that|it)|"
    r"rais(?:e|ed|ing)|chang)\b"
    r"[^.!?]{0,80}?(?:\bvotes?\b|\bmind\b|[+\-±]\s?[01]|\bfrom\b)",
    re.IGNORECASE,
)
#: "Switching to +1 (binding)", "reverting to 0", "From -1 to +1 then!": the whole of a short sentence
_CHANGE_IN_SHORT = re.compile(
    r"^\W{0,4}(?:(?:ok|okay|thanks|great|so|and|then|now)\W{1,3}){0,2}(?:(?:i['’]?m|i am|i)\s+)?"
    r"(?:(?:chang|switch|revert|mov|flip|bump|go)\w{0,4}(?: back)?(?: from [+\-±]?\s?[01])?|from [+\-±]?\s?[01]) to "
    r"(?:a |an )?(?P<value>[+\-±]\s?[01](?:\.\d)?|0)"
    r"(?=\s*(?:$|[.!,;]\W*(?:$|[A-Za-z])|\((?:non|not|bind|pmc)|(?:non-?)?binding\b|then\b|now\b|after\b|since\b|"
    r"because\b|given\b|based on\b|in light\b|thanks to\b|following\b|as (?:the|my|"
    r"all)\b))(?![^?]*\?\s*$)(?!.*\b(?:if|unless|until|once|would|breaks?|will)\b)",
    re.IGNORECASE,
)
_ARROW = re.compile(r"(?<!\d )(?<!\d x )(?<!\d)[+\-±]\s?[01](?:\.\d)?\s*(?:->|=>|→|-->|==>)\s*[+\-±]?\s?[01]")
_NOW = re.compile(
    r"\b(?:i['’]?m|i am|my vote is) now\b|(?<!\bfor )\bnow (?:i['’]?m |i am |a |at )?[+\-]\s?[01]|"
    r"\bchange of (?:mind|"
    r"vote|heart)\b",
    re.IGNORECASE,
)
_WITHDRAWN_FIRST = re.compile(
    r"^\W{0,3}[+\-±]\s?[01] (?:is |now |hereby ){0,2}(?:withdrawn|retracted|rescinded|"
    r"revoked|lifted)\b",
    re.IGNORECASE,
)
_WITHDRAW = re.compile(
    r"\b(?:tak|pull|draw)\w* (?:my|the|this)\b[^.!?]{0,25}?(?:[+\-±]\s?[01](?:\.\d)?|\bvotes?\b|\bveto\b|"
    r"\bobjections?\b) back\b|"
    r"\b(?:i['’]m|i am) no longer (?:a )?[+\-]\s?[01](?!\d|\.\d)|\bconsider (?:my|this|that|"
    r"the)\b[^.!?]{0,20}(?:[+\-]\s?[01]|"
    r"vote|veto)[^.!?]{0,10}\b(?:as )?(?:withdrawn|lifted|retracted|void|"
    r"gone|"
    r"dropped|cancell?ed|removed|null|invalid|recalled)\b|"
    r"\bmy (?:\w+ ){0,2}(?:objections?|veto|vote|[+\-]\s?[01])\b[^.!?]{0,60}\bi(?:['’]ll| will| hereby| now|"
    r" therefore)? "
    r"(?:withdraw|retract|rescind|revoke|drop|lift) (?:it|that|them)\b|"
    r"\b(?:withdraw\w*|retire\w*|scrap\w*|d[ei]sconsider\w*|undo|erase\w*|delet\w*|retract\w*|rescind\w*|"
    r"revok\w*|tak(?:e|ing) back|remov(?:e|ed|ing)|drop(?:ped|ping)?(?! in\b|"
    r" off\b)|"
    r"cancel\w*|recall\w*|lift(?:ed|ing)?|"
    r"pull(?:ing|ed)?(?: back)?|undo\w*|disregard\w*|scratch(?:ing)?|forget|ignor(?:e|ing)|strik(?:e|ing)|"
    r"discard\w*|nullif\w*|"
    r"void)\b[^.!?]{0,40}?\b(?:my|the|this)\b[^.!?]{0,40}?"
    r"(?:[+\-±]\s?[01](?:\.\d)?|\bvotes?\b|\bveto\b|\bballot\b|\bobjections?\b)"
    r"|\bmy\b[^.!?]{0,30}(?:[+\-±]\s?[01](?:\.\d)?|\bvote\b|\bveto\b)[^.!?]{0,30}\b(?:is|are|be|has been|"
    r"as)\b[^.!?]{0,20}\b(?:withdrawn|retracted|moot|gone|void|removed|"
    r"dropped|lifted|rescinded|revoked|cancell?ed|invalid|no longer)\b",
    re.IGNORECASE,
)
#: whose vote is taken back: "my -1", or "I (hereby) withdraw the -1"
_MINE = re.compile(
    r"\b(?:my|mine|our)\b|\bthe [+\-]\s?[01] (?:that )?i (?:sent|gave|cast|posted|wrote|voted)\b|\b(?:i['’]m|"
    r"i am) no longer\b|\bconsider (?:this|that|the) [+\-]\s?[01]|\bi(?:['’]m|"
    r" am|['’]ll| will)?\s+(?:\w+ly\s+|hereby\s+|"
    r"now\s+|then\s+|also\s+|therefore\s+|thus\s+)?"
    r"(?:withdraw|retract|rescind|revok|tak|remov|drop|lift|cancel)\w* (?:back )?(?:the|this|that) "
    r"(?:\w+ )?[+\-]\s?[01]",
    re.IGNORECASE,
)
_YOURS = re.compile(
    r"\b(?:your|his|her|their|[A-Z][a-z]+['’]s)\b[ ,(]{1,2}(?:(?!(?:I|my)\b)[\w-]+[ ,(]{1,2}){0,4}(?:[+\-±]\s?[01]|"
    r"vote|veto)"
)
_UNREAL = re.compile(
    r"\b(?:not|never|haven['’]?t|hasn['’]?t|nobody|won['’]?t|don['’]?t|can['’]?t|cannot|didn['’]?t|isn['’]?t|"
    r"would(?! like to)|could|might|may|if|"
    r"unless|until|once|when|willing to|"
    r"(?:will|['’]ll|would) be (?:happy|glad) to|ready to|able to|as soon as|and i['’]?ll|and i will|after|"
    r"before|considering|"
    r"consider(?! (?:my|this|that|the)\b)|should|why)\b|\b(?:i|"
    r"we)['’]d(?! like "
    r"to)|\?\s*$",
    re.IGNORECASE,
)
# what, behind the words that take back or change, says that it is not done yet
_UNREAL_AFTER = re.compile(
    r"\b(?:if|unless|until|once|as soon as|provided|when (?:the|that|this|you|we|it|all))\b|\?\s*$", re.IGNORECASE
)
_LATER = re.compile(r"\b(?:after|before|when)\b", re.IGNORECASE)
_FUTURE = re.compile(r"\bwill\b|['’]ll\b", re.IGNORECASE)
# "now +0 ... no wait, +1 after all"
_SECOND_THOUGHTS = re.compile(
    r"\b(?:no,? wait|wait,|scratch that|oops|hold on|(?:on )?second thoughts?)\b", re.IGNORECASE
)

_NOTHING = Expression(choice=None, value="", claimed_binding=None, line="", rule="")
# "After reading it again, I change …": when it is done, not a condition
_OPENING_CLAUSE = re.compile(
    r"^\W{0,3}(?:after|since|before|when) [^,:]{0,120}?(?:[,:]|(?=\b(?:i(?:['’]m|['’]ve)?|please) ))",
    re.IGNORECASE,
)
_TO_ZERO = re.compile(r"\b(?:to|into|becomes|now|and (?:now )?vote)\s+(?:a\s+)?(?P<value>0)(?!\w|\.\d)", re.IGNORECASE)
#: "I pass my vote from 0 to +1", "make my -1 a +1"
_MY_VOTE_FROM = re.compile(
    r"\bmy (?:\w+ )?[+\-±]?\s?[01] becomes\b|"
    r"\bmy (?:\w+ )?votes? from [+\-±]?\s?[01] to (?:a |an )?(?P<value>[+\-±]?\s?[01])(?!\d|\.\d)|"
    r"\bmak(?:e|ing) my [+\-±]?\s?[01] (?:in)?(?:to )?(?:be )?(?:a |an )?(?P<made>[+\-±]\s?[01])(?!\d|\.\d)",
    re.IGNORECASE,
)
_LAST_TARGET = re.compile(
    r"(?:\bto\b|\binto\b|\bbecomes\b|->|=>|→|\bnow\b|:|\band\b|,|\binstead\b|\bwith\b|\bby\b)\s*(?:a |an |my |"
    r"vote |voting |is |"
    r"it['’]s |it |i['’]?m |i am |cast(?:ing)? |change (?:it )?to |\(|binding |non-?binding |strong |at |"
    r"of ){0,4}\s*$",
    re.IGNORECASE,
)

# nearly no sentence changes a vote: what must stand in one that does is looked for first
_TAKES_BACK = Sought(
    _WITHDRAW,
    (
        *("tak", "pull", "draw", "no longer", "consider", "retract", "rescind", "revok", "drop", "lift", "retire"),
        *("scrap", "undo", "erase", "delet", "remov", "cancel", "recall", "disregard", "scratch", "forget", "ignor"),
        *("strik", "discard", "nullif", "void", "moot", "gone", "invalid"),
    ),
)
_CHANGES = Sought(
    _CHANGE,
    (
        *(
            "chang",
            "switch",
            "updat",
            "revert",
            "revis",
            "grad",
            "mov",
            "convert",
            "replac",
            "flip",
            "bump",
            "turn",
            "amend",
        ),
        *("correct", "adjust", "modif", "mak", "rais"),
    ),
)
_SAYS_NOW = Sought(_NOW, ("now", "change of"))
_MOVES_MY_VOTE = Sought(_MY_VOTE_FROM, ("my ",))


# "Dropping my +1 here": cast, not taken back
_LEFT_HERE = re.compile(
    r"\bdrop\w* (?:in )?my [^.!?]{0,25}[+\-]\s?1[^.!?]{0,12}\b(?:here|in)\b(?! (?:favou?r|the light))", re.IGNORECASE
)


#: "I have changed my mind." and not to what
_MIND = re.compile(r"\bi\b[^.!?]{0,30}\bchang(?:e|ed|ing) my (?:vote|mind)\s*(?:$|[.!])", re.IGNORECASE)
_MIND_CHANGED = Expression(
    choice=None,
    value="",
    claimed_binding=None,
    line="",
    rule="change-without-value",
    standing=Standing.UNCLEAR,
    why="changes a vote, and does not say to what",
)
#: "s/-1/+1/", as one mends a line of text
_SUBSTITUTES = re.compile(r"^\W{0,3}s/\s?[+\-]?\s?[01]\s?/\s?(?P<value>[+\-]?\s?[01])\s?/?g?(?![\w/])")


# "It does not convince me, but I don't want to be in the way, so I change …": what is done stands in the last clause
_LAST_CLAUSE = re.compile(r"[,;:]\s+(?:so|hence|therefore|thus)\s+(?=(?:i|i['’]\w+|please)\b)", re.IGNORECASE)


def read_change(text: str) -> Expression | None:
    """A vote withdrawn or changed in this sentence; an expression without rule means: talk, no vote."""
    last = _LAST_CLAUSE.split(text)[-1]
    if find_values(last):
        text = last
    mended = _SUBSTITUTES.match(text)
    if mended is not None:
        why = "corrects an earlier mail: does this vote replace it?"
        return replace(_change_to(mended, text), rule="correction", standing=Standing.UNCLEAR, why=why)
    folded = fold_case(text)
    takes_back = _TAKES_BACK.search(text, folded)
    withdraws = takes_back is not None and _MINE.search(text) is not None
    withdraws = withdraws or _WITHDRAWN_FIRST.match(text) is not None
    withdraws = withdraws and _LEFT_HERE.search(text) is None
    short = _CHANGE_IN_SHORT.match(text)
    if short is not None and not withdraws:
        return _change_to(short, text)
    changes = _speaks_of_change(text, folded)
    if not (withdraws or changes):
        if takes_back is not None and find_values(text) and _YOURS.search(text):
            return _NOTHING
        return None
    values = find_values(text)
    targets = _find_targets(text, values, withdraws=withdraws)
    if not withdraws and not targets:
        return (
            _MIND_CHANGED
            if not values and _MIND.search(text) and not _UNREAL.search(_OPENING_CLAUSE.sub("", text))
            else None
        )
    if targets and _is_changed_on_condition(text, targets[-1]):
        changed = _change_to(targets[-1], text)
        why = "a condition stands with the change: is it met?"
        return replace(changed, rule="conditional", standing=Standing.UNCLEAR, why=why)
    taken_back = takes_back or _WITHDRAWN_FIRST.match(text) if withdraws else None
    done_at = max([m.end() for m in (taken_back, *targets[-1:]) if m is not None], default=len(text))
    if _is_unreal(text, done_at) or _YOURS.search(text):
        return _NOTHING  # "I'd withdraw my -1 if …": the vote stands as it was
    if targets and len(values) > 1 and _SECOND_THOUGHTS.search(text):
        why = "second thoughts within the sentence: which vote stands?"
        return replace(_change_to(targets[-1], text), rule="second-thoughts", standing=Standing.UNCLEAR, why=why)
    if targets and _PAST_ALONE.match(text) and not _MINE.search(text) and "vote" not in text.lower():
        why = "tells of a change: of the vote, or of something else?"
        return replace(_change_to(targets[-1], text), rule="change-of-what", standing=Standing.UNCLEAR, why=why)
    if targets:
        return _change_to(targets[-1], text)
    value = parse_value(values[0].group("value"))[1] if values else ""
    return Expression(
        choice=None, value=value, claimed_binding=None, line="", rule="withdrawn", standing=Standing.WITHDRAWAL
    )


def _is_unreal(text: str, done_at: int) -> bool:
    """Whether a sentence that takes back or changes (in its words up to `done_at`) only speaks of doing so."""
    head, tail = _OPENING_CLAUSE.sub("", text[:done_at]), text[done_at:]
    if _UNREAL.search(head) or _UNREAL_AFTER.search(tail):
        return True
    return _FUTURE.search(head) is not None and _LATER.search(tail) is not None


#: "After reading the thread I'm switching to -1"
_I_CHANGE_TO = re.compile(
    r"\b(?:i['’]?m|i am|i['’]?ve|i have|i)\s+(?:now |hereby |therefore |thus )?(?:chang|switch|revert|mov|flip|"
    r"go)\w*\s+"
    r"(?:back |over )?to (?:a |an )?[+\-]\s?[01](?!\d|\.\d)",
    re.IGNORECASE,
)


#: "RC2 is fixed, so from -1 to +1"
_FROM_TO = re.compile(
    r"(?:^\W*|\b(?:so|hence|thus|therefore|i['’]?m|i am|me|"
    r"vote)\b[^.0-9]{0,20})\bfrom [+\-]\s?[01] to [+\-]\s?[01](?!\d|\.\d)(?=\s*(?:$|[.,:;!(]|for me|now|then))",
    re.IGNORECASE,
)


#: "changing from", "switching back from", but not "changed the default from"
_AT_ONCE_FROM = re.compile(r"^\w+\s+(?:back\s+|over\s+|here\s+|now\s+)?from\b", re.IGNORECASE)
#: "Changed from 0 to -1.": who, or what?
_PAST_ALONE = re.compile(
    r"^\W*(?:\w{1,8}\W+)?(?:chang|updat|mov|switch|bump|revert|convert|correct|adjust)\w*ed\b", re.IGNORECASE
)
_I_DO = re.compile(r"\b(?:i|i['’]m|i['’]ve|i['’]ll|me)\s+(?:\w+\s+){0,3}$", re.IGNORECASE)


_ARROWS = ("->", "=>", "→")


def _speaks_of_change(text: str, folded: str) -> bool:
    """Whether a sentence changes a vote: an arrow, "now I'm +1", or a verb of change with a vote or a "my"."""
    if _SAYS_NOW.search(text, folded) or _MOVES_MY_VOTE.search(text, folded):
        return True
    if has_any(_ARROWS, text) and _ARROW.search(text):
        return True
    if "to " in folded and (_I_CHANGE_TO.search(text) or _FROM_TO.search(text)):
        return True
    change = _CHANGES.search(text, folded)
    if change is None:
        return False
    if re.search(r"\b(?:my|mine|vote|mind)\b", text, re.IGNORECASE):
        return True
    # "Changing from +1 to -1" is the voter's; "the exit code changed from 0 to -1" is the code's
    opening = _OPENING_CLAUSE.sub("", text[: change.start()])
    own = not re.search(r"\w", opening) or is_smalltalk(opening) or _I_DO.search(opening) is not None
    return own and _AT_ONCE_FROM.match(text[change.start() :]) is not None


def _find_targets(text: str, values: list[re.Match[str]], *, withdraws: bool) -> list[re.Match[str]]:
    """The votes that a changing sentence arrives at; what is being withdrawn is none."""
    targets = [v for v in values if _LAST_TARGET.search(text[: v.start("value")])]
    taken_back = _WITHDRAW.search(text) if withdraws else None
    if taken_back is not None:
        targets = [v for v in targets if not taken_back.start() <= v.start("value") < taken_back.end()]
    made = _MY_VOTE_FROM.search(text)
    if not targets and made is not None and made.group("made"):
        targets = [v for v in values if v.start("value") == made.start("made")]
    targets = targets or list(_TO_ZERO.finditer(text))
    targets = [v for v in targets if phrases.TECHNICAL_AFTER.match(text[v.end("value") :]) is None]
    if targets or withdraws or not values or _ARROW.search(text) is not None:
        return targets
    before_last = text[: values[-1].start("value")]
    arrives = _NOW.search(text) or re.search(r"\bvote\b[^.]{0,20}$", before_last, re.IGNORECASE)
    return values[-1:] if arrives else []


def _is_changed_on_condition(text: str, target: re.Match[str]) -> bool:
    """ "Changing my vote to -1 until …" changes it, for a while; "I will change it if …" does not yet."""
    head = _OPENING_CLAUSE.sub("", text[: target.start("value")])
    if _UNREAL.search(head) or _YOURS.search(text) or re.search(r"\bwill\b|['’]ll\b", head):
        return False
    return CONDITION_AFTER.search(text[target.end("value") :]) is not None


def _change_to(target: re.Match[str], text: str) -> Expression:
    choice, value = parse_value(target.group("value"))
    claimed = find_claim(text[: target.start("value")], text[target.end("value") :])
    return Expression(choice=choice, value=value, claimed_binding=claimed, line="", rule="changed")
