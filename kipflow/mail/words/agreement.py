"""Agreement with what somebody said ("+1 on Jun's comment"), told apart from votes ("+1 on the KIP")."""

from __future__ import annotations

import re

from kipflow.domain.votes import Standing
from kipflow.mail.words.conditions import CONDITION_AFTER

_AGREEMENT_AFTER = re.compile(
    r"^\s*(?:(?:from me|here|too|as well|also)\s+)?(?P<word>on|to|with|for|about|regarding|"
    r"re)\b\s*:?\s*(?P<object>(?:[^.!?;]|\.(?=\d)){1,160})",
    re.IGNORECASE,
)
#: "Good point Jun, +1", "Agree with Jun here, +1": agreement before the number
AGREED_BEFORE = re.compile(
    r"\b(?:good|great|nice|excellent|fair|valid|interesting)\s+(?:point|catch|question|suggestion|call|find|remark|"
    r"observation|comment)s?\b[^.!?]{0,40}$"
    r"|^\W*(?:i |fully |totally |strongly |also ){0,3}agree(?:d)? with (?!the (?:kip|proposal|release|change)|"
    r"this\b|it\b|"
    r"all\b|everything\b)[^.!?]{0,40}$",
    re.IGNORECASE,
)
#: "+1 to everything Kim wrote": whatever it is about, it was said by somebody
_SAID_BY_SOMEBODY = re.compile(
    r"\b(?:what|everything|all|anything|whatever) (?:that )?[\w @.'’-]{1,40}?\b(?:said|wrote|says|writes|suggest\w*|"
    r"mentioned|proposed|pointed)\b",
    re.IGNORECASE,
)
#: "+1 for cancelling this RC", "+1 to extending the vote": about how to go on, seldom about the proposal
_PROCEDURE_OBJECT = re.compile(
    r"^\s*(?:the |a |an |this |to |not |us ){0,2}(?:(?:delay|defer|postpon|extend|prolong|cancel|abort|clos|"
    r"re-?open|re-?start|"
    r"re-?roll|re-?spin|redo|reject|abandon|withdraw|wait|hold)\w*\b|(?:start|open|call|mov|discuss|continu)\w* "
    r"(?:the |a |this |another |for ){0,2}(?:vot|discuss|thread|deadline|date)\w*|(?:new|another|next|second|fresh|"
    r"separate|different|follow-?up|dedicated) "
    r"(?:rc\b|release candidate|candidate|round|vote|thread|kip\b|pr\b|jira|issue|ticket|page|discussion))",
    re.IGNORECASE,
)
#: "+1 for rolling a new candidate", "+1 to extend the deadline": how to go on, and no vote on the proposal
_PROCESS = re.compile(
    r"^\s*(?:the |a |an |this |to |not |us ){0,2}(?:(?:extend|prolong)\w* (?:the |this |our )?(?:vot\w*|"
    r"deadline|period|window|discussion|thread|it)\b|wait(?:ing)?\b|(?:keep|leav)ing (?:the |this )?(?:vot\w*|"
    r"thread|discussion) open\b|"
    r"(?:re-?roll|re-?spin|roll|cut|spin|build)\w* (?:up |out )?(?:an? |the )?(?:new|another|next|fresh)\b|"
    r"mov\w* (?:the |this |our |that ){0,2}(?:vot\w*|discussion|meeting|deadline|date|thread|call)\b|"
    r"(?:new|another|next|fresh) (?:rc\b|release candidate|candidate\b))",
    re.IGNORECASE,
)
_AGREEMENT_DIRECT = re.compile(
    r"^\s*(?:[A-Z][\w.-]{1,30}['’]s?\s+(?:\w+\s+){0,2}(?:comment|suggest\w*|point|remark|idea|concern|question|"
    r"feedback|thought|opinion|proposal|mail|email|reply|note)"
    r"|(?:what|everything) [\w @.'-]{1,40} (?:said|wrote|says|suggested|mentioned|proposed|pointed)|(?:to )?th(?:at|"
    r"is|e above|ose|ese) "
    r"(?:comment|suggest\w*|point|remark|idea|concern|question|feedback|thought)s?\b|same (?:comment|question|"
    r"concern)|(?:i )?agree with [\w@.'’ -]{1,40}"
    r"(?:comment|suggest\w*|point|remark|idea|concern|question|feedback|thought|opinion)s?\b|that\b)",
    re.IGNORECASE,
)
_COMMENT_OBJECT = re.compile(
    r"\b(?:comments?|suggest\w*|points?|remarks?|ideas?|concerns?|questions?|feedback|opinion|thoughts?|notes?|"
    r"mention\w*|repl(?:y|ies)|answers?|"
    r"approach|options?|alternatives?|nam(?:e|es|ing)|renam\w*|wording|examples?|said|wrote|says|above|below|that|"
    r"those|these|"
    r"follow[- ]?up|separate|documenting|clarify\w*)\b|\bwhat\b|@\w|[a-z]['’]s\b|s['’]\s",
    re.IGNORECASE,
)
_STRONG_COMMENT_OBJECT = re.compile(
    r"\b(?:comments?|suggest\w*|points?|remarks?|concerns?|questions?|feedback|opinion|thoughts?|mention\w*|said|"
    r"wrote|says)\b|@\w|\b(?!it['’]s|let['’]s|that['’]s|what['’]s|here['’]s)[a-z]{2,}['’]s\b",
    re.IGNORECASE,
)
_VOTE_OBJECT = re.compile(
    r"\b(?:releas\w*|rc[-. ]?\d*|kips?|proposals?|vot(?:e|es|ing)|candidates?|accept\w*|adopt\w*|approv\w*|merg\w*|"
    r"ship\w*|graduat\w*|donat\w*|"
    r"promot\w*|publish\w*|go(?:ing)? (?:ahead|forward|for it)|mov(?:e|ing) (?:forward|ahead)|proceed\w*|me|my|it|us|"
    r"all|everything|rfc|"
    r"artifacts?|binar(?:y|ies)|sources?|great|good|nice|excellent|effort|work|part|side|version|package|feature|"
    r"design|this (?:one|change|feature|plan|pr|patch)|"
    r"pom|plugins?|tarballs?|archives?|inclusion|revision|(?:the|this|these) (?:\w+ )?(?:change|"
    r"improvement|enhancement|addition|initiative|fix)s?|"
    r"new (?:committer|pmc|member)|becoming|board|incubat\w*|[A-Z]{2,8}-\d+|retir\w*|resolution)\b|\b\d+\.\d+|"
    r"^\s*this\s*$",
    re.IGNORECASE,
)


_NITS = re.compile(
    r"\s*(?:a |some |one |two |few |minor |small |the |no |my ){0,4}(?:\w+ )?"
    r"(?:comments?|nits?|questions?|remarks?|notes?|suggestions?|caveats?|concerns?)\b",
    re.IGNORECASE,
)
_THIS_ALONE = re.compile(r"^\s*(?:this|it|the whole thing|all of (?:it|this))\s*(?:$|[,;:!)(-])", re.IGNORECASE)
_CONDITION_NAMED = re.compile(
    r"^\s*(?:the |one |a |this ){0,2}(?:sole |only |small )?(?:condition|proviso|understanding)\b", re.IGNORECASE
)
#: "+1 on the idea but …": the proposal's, or somebody's in the thread
_THE_IDEA = re.compile(
    r"^\s*(?:the|this|its) (?:\w+ ){0,2}(?:ideas?|approach|concept|direction|motivation|goals?|intent\w*|principle|"
    r"plan)\b(?! (?:of|to|that|from|by)\b| [A-Z])"
)


#: "+1 to the change Jun suggested", but not "+1 for the KIP Jun proposed"
_BY_SOMEBODY = re.compile(
    r"^(?!.{0,20}\b(?:[Kk][Ii][Pp]|proposal|release|candidate|RC|work|effort)).{0,60}\b(?:[A-Z][a-z]+|you|he|she|"
    r"they|@\w+)\s+"
    r"(?:just |also |has |had |have |already ){0,2}(?:suggest|mention|propos|point|describ|rais|ask|said|wrote|"
    r"brought)"
)
#: "+1 for getting this in": the proposal itself
_DOING_THIS = re.compile(
    r"^\s*(?:finally )?(?:do|fix|add|gett|hav|mak|mov|implement|support|land|includ|bring|push|see|tackl|improv|"
    r"address|solv)ing (?:this|it)"
    r"(?: (?:in|done|happen(?:ing)?|forward|through|over the line|out|now|finally|please|soon)){0,2}\s*(?:$|[.,;!)])",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"\s*(?:also |just |not |only )?[a-z-]{2,}ing\b(?! (?:kip|release|proposal|feature)\b)", re.IGNORECASE
)


_OBJECT_ENDS = re.compile(r",\s|\s[–—-]\s|\s(?:because|but|though|although|since)\s")


def read_agreement(after: str) -> Standing | None:
    """None: no agreement. CLEAR: agreement with a comment, no vote. UNCLEAR: could be either."""
    if _AGREEMENT_DIRECT.match(after):
        return Standing.CLEAR
    match = _AGREEMENT_AFTER.match(after)
    if match is None:
        return None
    # "+1 on the KIP, let's not wait": what stands behind the comma is no longer what the number is about
    word, what = match.group("word").lower(), _OBJECT_ENDS.split(match.group("object"), maxsplit=1)[0]
    if re.match(
        r"\s*(?:the |a |this )?(?:side|other|sure|now|what it['’]s worth|the record|start(?:ers| with| off)|"
        r"begin with|open with|kick (?:it|this|things) off)\b|\s*(?:me|my (?:side|part|"
        r"end))\b",
        what,
        re.IGNORECASE,
    ):
        return None
    if _THIS_ALONE.match(what) or _CONDITION_NAMED.match(what):
        return None  # "+1 on this, great idea"; "+1 on condition that …" is weighed elsewhere
    votes = _VOTE_OBJECT.search(what[:60])
    if re.match(
        r"\s*(?:(?:all|exactly|the|those|these|same|above|stated|following|many|several|two) "
        r"){0,3}reasons?\b",
        what,
    ):
        return None
    strong = _STRONG_COMMENT_OBJECT.search(what)
    if _SAID_BY_SOMEBODY.search(what):
        return Standing.CLEAR
    if _BY_SOMEBODY.search(what):
        return Standing.CLEAR
    if word == "for" and _DOING_THIS.match(what):
        return None
    if _PROCESS.match(what):
        return Standing.CLEAR
    if _PROCEDURE_OBJECT.match(what):
        return Standing.UNCLEAR
    if word == "with" and (CONDITION_AFTER.match(after) or _NITS.match(what)):
        return None
    if word in {"with", "for"} and strong is not None and (votes is None or strong.start() <= votes.start()):
        return Standing.CLEAR
    if _DOING.match(what) and not _VOTE_OBJECT.match(what.lstrip()):
        # "+1 to adding …" is about doing something, not about the proposal
        return Standing.UNCLEAR if word in {"with", "for"} else Standing.CLEAR
    if word == "with":
        # "+1 with Kim" joins in with somebody; "+1 with caveats" is a vote
        return Standing.UNCLEAR if re.match(r"\s*@?[A-Z][a-z]+\s*$", what) else None
    if word == "for":
        return None if votes is not None else Standing.UNCLEAR
    if _THE_IDEA.match(what):
        return Standing.UNCLEAR
    comment = _COMMENT_OBJECT.search(what)
    if comment is not None and (votes is None or comment.start() <= votes.start() + 12):
        return Standing.CLEAR
    return (
        None if votes is not None else (Standing.CLEAR if re.match(r"\s*[A-Z][a-z]+\s*$", what) else Standing.UNCLEAR)
    )
