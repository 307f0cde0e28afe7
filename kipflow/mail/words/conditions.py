"""Whether a vote hangs on something: "+1 if renamed", "-1 until …", "once this is fixed, +1"."""

from __future__ import annotations

import re

from kipflow.mail.relevance import has_any

_I = re.IGNORECASE
#: right behind the vote, perhaps behind "(binding)"
_AT_ONCE = r"^\W{0,4}(?:\([^()]{0,20}\)\s*)?"

_HARMLESS_IF_BEFORE = (
    r"(?<!know )(?<!see )(?<!check )(?<!wonder )(?<!wondering )(?<!ask )(?<!asking )(?<!sure )(?<!tell )(?<!verify "
    r")(?<!even )(?<!as )"
    r"(?<!nice )(?<!great )(?<!good )(?<!better )(?<!best )(?<!love )(?<!prefer )(?<!appreciate )(?<!helpful "
    r")(?<!mind )(?<!curious )"
    r"(?<!unsure )(?<!what )(?<!understand )(?<!cool )(?<!awesome )(?<!ideal )(?<!clear )(?<!matter )(?<!it "
    r")(?<!idea )"
)
_HARMLESS_IF_AFTER = (
    r"(?!\s+(?:(?:any|some)(?:one|body)(?: else)? (?:wants?|is|has|needs|likes|cares|wonders|would|asks)|"
    r"you (?:have|need|want|like|could|can|are|wish)|possible|needed|necessary|it "
    r"matters|that matters|"
    r"i (?:may|understand|recall|remember|read|might|can)|i['’]m not|i am not|not already|at all|so\b|any\b|that "
    r"counts|it counts|"
    r"(?:the |this )?(?:vote|voting|poll|thread|window) is (?:still|not)|(?:it['’]s|it is|i['’]m|"
    r"i am) (?:still )?(?:open|of (?:any )?use|in time|needed|counted|valid|"
    r"not too late)|[^.;!?]{0,60}\b(?:would|['’]d) have (?:been|voted|given|\w+ed)\b|"
    r"(?:that|this|it)(?:['’]s| is) (?:ok|okay|alright|all right|fine)|my vote|no(?:body|[ -]one) (?:minds|"
    r"objects|else|is against)|there['’]s time|time permits|memory serves))"
)
_IF = rf"{_HARMLESS_IF_BEFORE}(?<!without an )(?<!without any )\bif\b{_HARMLESS_IF_AFTER}|\biff\b"
_FORMS = (
    # conjunctions that set a condition wherever they stand behind the vote
    r"(?<!at )(?<!for )\bonce\b(?! again| more| in a while)",
    r"\bprovid(?:ed|ing)\b(?! by| in| the (?:link|details|info)| a | an )",
    r"\b(?:assuming|presuming|supposing)\b|\bunless\b|\b(?:un)?till?\b|\bpending\b|\bmodulo\b|\bbarring\b|"
    r"\bas soon as\b",
    r"\bcondition(?:al|ally|ed)?\b|\bcontingent\b|\bsubject to\b|\b(?:as|so) long as\b",
    r"\b(?:with|on|under) (?:the |one |a )?(?:condition|understanding|proviso|assumption|premise)\b|"
    r"\bwith the caveat\b",
    r"(?<!just )\bin case (?!of (?:doubt|need)|(?:any|some)(?:one|body)|it (?:helps|matters)|you(?:['’]re|"
    r" are)? (?:miss|"
    r"wonder|need|ask))",
    # "after" and "when" ahead of what must yet happen; "after reading the KIP" has happened
    r"\bafter (?!the (?:latest|last|recent|update|new|discussion|change|clarif|explanation|call|meeting|sync|"
    r"chat|talk|call|vote|review|holidays|weekend))(?:the|that|this|these|"
    r"we|you|it|"
    r"fixing|renaming|addressing|resolving|updating|removing|adding|merging|clarif\w+)\b",
    rf"{_AT_ONCE}(?:but |and )?(?:only )?(?:after|upon) (?!\w+ing\b|some\b|an?\b|the\b|your\b|his\b|her\b|their\b|"
    rf"all\b|much\b|many\b|more\b|"
    r"further\b|long\b|careful\b|i\b|we\b|\w+['’]s (?:explan|clarif|comment|reply|answer|update|mail|response))",
    rf"{_AT_ONCE}(?:but |and )?(?:after|upon|with|w/) (?:an? )?(?:rename|fix(?:es)?|changes?|update|rebase|respin|"
    rf"correction|cleanup|tweak|bump)\b",
    rf"{_AT_ONCE}(?:but |and )?only (?:after|when|once|upon)\b",
    rf"{_AT_ONCE}when (?!(?:is|are|will|do|does|can|should|would) |i\b|we (?:tested|tried|ran|built)\b|tested\b|"
    rf"testing\b|built\b|building\b|run\b|running\b|"
    rf"using\b|it comes\b)",
    # what is granted in advance
    r"\bgiven (?:that )?(?:the|that|this|it|we|you|all)\b[^.;]{0,60}\b(?:gets?|will|would|can|(?:is|are) going to)\b",
    r"\bgiven (?:that )?(?:the|that|this|it|we|you|all)\b[^.;]{0,60}\bfirst\b",
    r"\b(?:will|['’]ll|happy to|ready to|going to|glad to) (?:chang\w*|switch|turn|flip|revise|reconsider|"
    r"withdraw)\b[^.;]{0,60}"
    r"\b(?:when|as soon as)\b",
    r"\b(?:i['’]d|(?:i|we) (?:would|could|might)) (?:(?:be (?:happy|glad|willing|ready|open) to|then|gladly|"
    r"happily) )?(?:change|switch|turn|flip|revise|move)\b"
    r"[^.;]{0,40}(?:[+-]\s?[01]|\bvote\b|\bit\b)",
    r"\bbut\b[^.;!?]{0,60}(?<!\bmy )(?<!\bthe )\bfirst\s*(?:$|[.,;!)]|please\b)",
    rf"{_AT_ONCE}(?:but |which |it |this |that ){{0,2}}depend(?:s|ing|ent|ant) on\b",
    rf"{_AT_ONCE}(?:except|(?:with|w/) (?:the|one|a|that|this|your|these|those|\w+['’]s)(?: \w+){{0,3}} (?:fixed|"
    rf"addressed|resolved|"
    r"renamed|updated|corrected|removed|added|clarified|changed|change|fix|modification|rename|correction|tweak|"
    r"adjustment|edit|"
    r"update)s?\b)",
    r"\bbut\b[^.;!?]{0,60}\b(?:must|ha(?:s|ve) to|needs? to)\b[^.;!?]{0,60}\bbefore\b",
    r"\bin (?:general|principle|theory),? but\b",
    # a vote on a part
    r"\b(?:but|though|and) (?:only|not) (?:for|on|to|regarding|with|without|in|as)\b",
    r"^\W{0,4}only (?:for|on|to)\b|\b(?:for|on|to) [^.;,!?]{1,40} only\s*(?:$|[.!])",
)
CONDITION_AFTER = re.compile("|".join((_IF, *_FORMS)), _I)
_OPENING = re.compile(
    r"^\W{0,6}(?:(?:and|but|so|then|well|ok|okay|yes|lgtm|hi|hello|sure|great)\W{1,3}){0,2}(?:if(?! (?:it['’]s|"
    r"it is|i['’]m|"
    r"i am)? ?not too late| (?:the |this )?(?:vote|voting|poll|thread) is still)|once(?! more|"
    r" again)|presuming|supposing|provided|"
    r"providing|assuming|as long as|so long as|unless|"
    r"until|pending|as soon as|after (?:the|that|this|we|you|it|fixing|renaming|addressing|resolving)|when (?:the|we|"
    r"you|that|this|it)|should (?:you|we|the|this)|"
    r"with (?:the|that|this|these|those|your|a)(?: \w+){0,4} (?:fixed|addressed|resolved|changed|renamed|updated|"
    r"removed|added|merged|clarified|"
    r"change|fix|modification|rename|correction)s?)\b",
    _I,
)
_WITHIN = re.compile(
    r"\b(?<!at )once (?!again|more)(?:the|this|that|these|it|we|you|all)\b|\b(?:provided|assuming) (?:that|the|we|"
    r"you|this|it)\b|\bas long as\b|\bpending (?:the|a)\b|"
    r"\b(?:and|then) you(?:['’]ll| will)? (?:get|have|can have|can count on)\b",
    _I,
)
#: a condition set in front, at the start or behind a mark: "Running it now; if nothing breaks, +1"
_IN_FRONT = re.compile(
    r"[;:,–—-]\s+(?:(?:and|but|so|then)\s+)?(?:if|once(?! more| again)|provided|assuming|as long as|unless|until|"
    r"as soon as|when (?:the|that|this|it|we|you|all))\b(?!['’]?s? (?:I|i) (?:may|might|recall|remember))",
    _I,
)
#: a later sentence that hangs the vote on something: "My vote is conditional on …", "This assumes that …"
_HANGS = re.compile(
    r"\bmy (?:vote|approval|support|[+-]\s?[01])\b[^.!?]{0,30}\b(?:assumes?|depends?|hinges?|hangs?|conditional|"
    r"contingent|"
    r"dependent|conditioned|subject to|provided|only (?:if|when|counts|holds|stands))\b|"
    r"\bi(?:['’]ll| will| would|['’]d| may| might)\s+(?:have to |then |of course )?(?:withdraw|retract|revoke|"
    r"take back|"
    r"change|revise|reconsider|flip|switch)\s+(?:it|this|that|my (?:vote|[+-]\s?[01]))\b[^.!?]{0,30}\b(?:if|"
    r"unless|when|"
    r"should)\b|"
    r"\b(?:this|that) is not (?:yet )?(?:a|my) (?:final )?vote\b",
    _I,
)
_NUMBER = re.compile(r"[+-]\s?[01](?!\d)")
#: a condition that a sentence of its own or a heading above the vote sets
_SETS_CONDITION = re.compile(
    r"\b(?:this|that|it|vote) is (?:under|on|with) (?:the )?(?:condition|assumption|understanding)\b|"
    r"(?:^|\n)\W{0,3}(?:as soon as|once|if|provided|assuming|unless|after the (?:rename|fix|change|update|rebase))\b"
    r"[^.!?\n]{0,160}:\s{1,4}[+-]\s?[01](?!\d)",
    _I,
)
#: a mail that says of itself that it is no vote
_NO_VOTE = re.compile(
    r"\b(?:not|isn['’]t|no) (?:yet )?(?:an? |my )?vote\b|\bnot (?:yet )?vot(?:ing|ed)\b|\b(?:haven['’]t|"
    r"hasn['’]t) (?:yet )?voted\b|"
    r"\bbefore i (?:can |could )?vote\b|\b(?:will|shall|i['’]ll|able to|going to|and|then) vote (?:later|"
    r"afterwards?|tomorrow|soon|"
    r"when|once|after|on)\b|"
    r"\bi will be able to vote\b|\bfor my vote\b|\bmy vote (?:will|comes|follows)\b|"
    r"\bno vote (?:from me )?(?:yet|for now)\b",
    _I,
)
_HANG_WORDS = (
    "assum",
    "presum",
    "presup",
    "depend",
    "hing",
    "hang",
    "condition",
    "contingent",
    "subject to",
    "provided",
)
_HANG_WORDS_MORE = (
    "only",
    "withdraw",
    "retract",
    "revoke",
    "take back",
    "change",
    "revise",
    "reconsider",
    "flip",
    "switch",
    "not",
)
_NEXT = re.compile(
    r"^\W{0,4}(?:(?:but|and|though|however|of course|that is|that said)\W{1,2})?(?:(?:that is|"
    r"only)\W{1,2})?(?:if\b(?=.{0,60}"
    r"\b(?:agrees?|approves?|passes|is ok|are ok)\b)|only (?:if|when|once|after)|"
    r"(?:this|that|it) (?:of course )?(?:assumes|presumes|presupposes|depends on|hinges on|is (?:conditional|"
    r"contingent|"
    r"dependent|subject to))\b|provided|"
    r"providing|assuming|as long as|so long as|"
    r"pending|conditional|contingent|subject to|on (?:the )?condition|modulo|unless|if and only if|if the above|"
    r"if (?:it |this |that )?(?:is |gets )?(?:renamed|fixed|changed|addressed|removed|added|updated|resolved|done)|"
    r"if "
    r"you (?:fix|rename|change|address|remove|add))\b",
    _I,
)
#: "Rename it and I'm +1"
_DO_AND = re.compile(
    r"^\W*(?:please |just |simply )?(?:fix|rename|update|change|add|remove|address|resolve|drop|revert|merge|"
    r"mention|document|clarify|"
    r"make|move|split|bump|re-?spin|re-?roll|correct|adjust)\b[^.;:!?]{1,80}\band (?:then )?(?:i['’]m|i am|it['’]s|"
    r"that['’]s|i['’]ll be|"
    r"i will be|i['’]d be)\s*(?:an? )?$",
    _I,
)
#: "Please fix the build first. Then +1."
_THEN = re.compile(r"(?:^|[\s,;:])(?:and )?then\W*(?:it['’]?s |i['’]?m |i am |you have my |you get my )?(?:a )?$", _I)
_DEMANDED = re.compile(
    r"\b(?:first|please|(?:could|can|would) (?:you|we)|i['’]d like|i would like|needs? to|has to|must|should|"
    r"fix)\b",
    _I,
)


def hangs_on_something(text: str) -> bool:
    """Whether a mail says in a sentence of its own that its vote is conditional, or not yet one.

    >>> hangs_on_something("+1 (binding). My vote is conditional on the rename.")
    True
    """
    folded = text.lower()
    if has_any((*_HANG_WORDS, *_HANG_WORDS_MORE), folded) and _HANGS.search(text) is not None:
        return True
    found = _SETS_CONDITION.search(text)
    return found is not None and (":" in found.group() or _NUMBER.search(text[: found.start()]) is not None)


_REFUSES = re.compile(
    r"\bi (?:can['’]?t|cannot|can not|won['’]t|will not) (?:support|accept|agree to|vote for) (?:this|it|the)\b", _I
)


def refuses_support(text: str) -> bool:
    """Whether a mail says that its author does not support what is voted on, whatever number it has."""
    return has_any(("support", "accept", "agree", "vote for"), text.lower()) and _REFUSES.search(text) is not None


def says_no_vote(text: str) -> bool:
    """Whether a mail says of itself that it votes not, or later."""
    return "vot" in text.lower() and _NO_VOTE.search(text) is not None


def has_condition(before: str, after: str, *, preceding: str, following: str, leading: bool) -> bool:
    """Whether a condition stands with a vote.

    Args:
        before, after: the words of the vote's sentence around it.
        preceding, following: the sentence before and the one behind, as far as they are of the paragraph.
        leading: the vote opens its sentence, so that nothing before it can be a condition.
    """
    if CONDITION_AFTER.search(after) or _NEXT.match(following):
        return True
    if leading:
        return False
    if _OPENING.search(before) or _IN_FRONT.search(before[-160:]) or _DO_AND.match(before) or _WITHIN.search(before):
        return True
    return _THEN.search(before[-40:]) is not None and _DEMANDED.search(f"{preceding} {before}") is not None
