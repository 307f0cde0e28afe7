"""Whether a value is anybody's, or others' in general: votes that are invited, asked about or talked of."""

from __future__ import annotations

import re

from kipflow.mail.votes.lexicon import fold, has
from kipflow.mail.votes.mentions import Mention
from kipflow.mail.votes.people import THINKS, YOURS
from kipflow.mail.votes.values import speaks_of_itself

#: "if Ola votes -1", "nobody has said -1"
_OF_THIRD = re.compile(
    r"\b(?:(?:nobody|no[ -]?one)(?: has| had| else)*|(?i:if|when|once|unless|until) (?:[A-Z]\w+|he|she|they|you))"
    r" (?:votes?|voted|casts?|says?|said|g[ai]ves?|sends?|sent) (?:an? )?$"
)
#: "Would you -1 it?", "Can someone who is no committer vote -1?", "Was Ravi going to vote -1?"
_ASKS_ANOTHER = re.compile(
    r"\b(?i:would|will|could|can|did|do|does|are|is|was|were|should|has|have|had)(?:n['’]t)? (?:it (?:so )?that )?"
    r"(?:you|some(?:one|body)|any(?:one|body)|he|she|they|who|[A-Z][a-z]+)"
    r"(?: [^.,;:?!]{0,60}(?:vot(?:e|ing)|go(?:ing)?|cast|say|mean|want)(?: with| to)?(?: an?)?)? $"
)
#: right before a value, others' votes: "all who voted +1", "if you are a -1", "when something got a -1"
_OTHERS = re.compile(
    r"\b(?:you(?! g[eo]t)|who|people|members|committers|voters|others|folks|those|all votes|no[ -]one"
    r"|(?:any|some|every|no)(?:one|body))(?:['’](?:ll|d|re|ve))?"
    r"(?: (?:has|have|had|all|also|already|really|just|to|will|would|can|could|may|might|should|must|not|never)){0,3}"
    r" (?:vot(?:e[sd]?|ing)|casts?|g(?:ive|ave)s?|are|were|be)(?: with)?(?: an?)? [\"“]?$"
    r"|\b(?:he|she|they) (?:will|would|can|could|may|might|should) $"
    r"|\b(?:when|if|once|whenever) (?:some|any)thing (?:gets?|got|received?s?) an? $"
    r"|\byou (?:\w+ ){0,3}right to (?:give|cast|vote)(?: an?)? $",
    re.IGNORECASE,
)
#: the same: "people voting -1", "technical reasons for a -1", "three +1 and no -1"
_OF_VOTING = re.compile(
    r"\bpeople voting $|\btechnical (?:reasons?|justification) for an? $|\b(?:and|or) no $", re.IGNORECASE
)
_WRITER = re.compile(
    r"\b(?:i|me|my|mine|myself|we|us|our|same|so (?:do|does|am|is|did|are)|too|add|one more|right|a point)\b"
)
#: "Please +1 the patch", "you may vote", "when anyone votes"
_INVITED = re.compile(
    r"please|(?:please|(?:can|could|would|will) (?:you|some(?:one|body)|any(?:one|body))(?: please)?"
    r"|(?:(?:if|when|once|until|as soon as) )?(?:you|one|(?:any|some|every)(?:one|body)|whoever))"
    r"(?: (?:can|could|may|must|should|would|will|still|want to|wish to))*"
    r" (?:votes?|casts?|gives?|leaves?|answers? with|repl(?:y|ies) with)(?: an?)?"
)
#: "To approve, answer with +1, to reject, with -1"
_INSTRUCTS = re.compile(
    r"\bto (?:approve|accept|agree|reject|object|veto|abstain|oppose|vote)\b[^.!?]*"
    r"\b(?:answer|reply|respond|write|send|say|vote|use|with)\b",
    re.IGNORECASE,
)
_OF_WHOMEVER = re.compile(
    r"(?:(?:and|but|so|that|once|when|if|as|because|where|note|please|remember|also|then|instead|usually) )*"
    r"(?:an?|any|all|every|each|no)"
)
#: "To me -0 would be", "to us -0 has always been": says what such a vote means; "whether a +0 should"
_TO_ME = re.compile(r"(?:(?:and|but|so) )?(?:to|for) (?:me|us)")
_MEANS = re.compile(r"(?:would be(?: about)?|would mean|means|has (?:always|never) (?:been|meant)) [\"“]")
_WHETHER = re.compile(r"(?:.*\b)?whether(?: an?)?")
#: right after a value: "vote by a member would", "without a reason is", "here means"
_GOES_ON_OF_ANY = re.compile(
    r"(?:votes?\s+|veto\s+)?(?:(?:here|there|on an? \w+)\s+|(?:by|from|of|with|without)\s+"
    r"(?:(?!(?:who|whose|that|which|on|for)\b)[\w'’-]+\s+){1,6}?)?(?:\w+ly\s+)?"
    r"(?:is(?! what)|isn['’]t|are|was|needs?|means?|counts?|must|should|can|cannot|requires?"
    r"|would|may|might|indicates?|implies|forces?)\b"
)
#: "Could you please count me as a +1?", "Is a +1 from me fine?"
_ASKS_FOR_MINE = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|count|cast|add|record|put|note|take|change|accept)\b", re.IGNORECASE
)
_ASKS_OF_ANY = re.compile(
    r"(?:^|[,.;:]\s)\W{0,5}(?:(?:so|and|but|just (?:wondering|asking))\W{1,5}){0,3}"
    r"(?:(?:is|are|does|do|did|would|could|can|should|will|what (?:does|is|would))(?: [^.;:?]{1,40})? an? "
    r"|(?:is|does|do|would|can|should) (?:any|one|every|each|the) |(?:do|did) you (?:mean|vote|say) (?:an? )?)$"
)


def invites(m: Mention) -> bool:
    """Whether others are asked to vote so, or may: "Please +1 the patch", "Vote +1 if you agree"."""
    if m.is_claimed or m.mine_follows or m.in_first_person:
        return False
    is_invited = _INVITED.fullmatch(m.segment) or _INSTRUCTS.search(m.lead)
    return is_invited is not None or (m.segment == "vote" and m.rest.lstrip().startswith("if you"))


def is_of_third(m: Mention) -> bool:
    """Whether it is somebody's, or nobody's, and its writer does not join: "if Ola votes -1 it fails"."""
    return _OF_THIRD.search(m.lead) is not None and not speaks_of_itself(fold(m.sentence.text))


def is_of_others(m: Mention) -> bool:
    """Whether somebody else casts it, did or may: "all who voted +1 know", "there is no reason for voting -1"."""
    if m.opens or m.is_claimed or m.mine_follows or _WRITER.search(THINKS.sub(" ", fold(m.sentence.text))):
        return False
    is_talk = _OF_VOTING.search(m.lead) or _OTHERS.search(m.lead)
    return is_talk is not None and m.rest.lstrip()[:1] != ":"


def is_of_any(m: Mention) -> bool:
    """Whether it is said about any such vote: "A +1 vote by a member would not imply help"."""
    behind = m.rest.strip()
    if _TO_ME.fullmatch(m.clause) is not None and _MEANS.match(behind) and not m.is_claimed:
        return True
    if _GOES_ON_OF_ANY.match(behind) is None:
        return False
    if _OF_WHOMEVER.fullmatch(m.clause) is not None:
        return not m.in_first_person
    return _WHETHER.fullmatch(m.clause) is not None and not (m.is_claimed or has("first_person", m.clause))


def is_asked(m: Mention) -> bool:
    """Whether a question is about votes in general, not the writer's own: "Is a +1 from a committer enough?"."""
    if not m.sentence.text.rstrip(" !").endswith("?") or m.is_claimed:
        return False
    if YOURS.search(m.lead) is not None:  # "Do I read you as +1?"
        return re.search(r"\b(?:me|my|mine)\b", fold(m.sentence.text)) is None
    is_of_others = _ASKS_FOR_MINE.search(m.sentence.text) is None
    return is_of_others and (_ASKS_OF_ANY.search(fold(m.lead)) or _ASKS_ANOTHER.search(m.lead)) is not None
