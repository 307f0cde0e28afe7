"""What makes a written vote one that a person must settle: conditions, questions, wishes, the past."""

from __future__ import annotations

import re

from kipflow.mail.words.conditions import has_condition
from kipflow.mail.words.sentences import Sentence

_I = re.IGNORECASE

_HYPOTHETICAL_BEFORE = re.compile(
    r"(?:\b(?:would(?! like to| love to| also like to)|could|might|may|should|going to|gonna|plan(?:ning)? to|about "
    r"to|intend\w*|lean\w*|"
    r"tend\w*|inclined|tempted|considering|consider(?! (?:this|that|it|me|my|mine)\b)|almost|nearly|close to|"
    r"tentative\w*|probably|likely|perhaps|maybe|"
    r"conditional\w*|provisional\w*|soft|"
    r"weak|half an?|slight\w*|mild|initially|originally|previously|wanted to|was|were|ready to|able to|unable to|"
    r"hope to|"
    r"hoping to|hesitant|"
    r"not|never|cannot|can['’]?t|won['’]?t|don['’]?t|didn['’]?t|isn['’]?t|wouldn['’]?t|haven['’]?t|no longer|neither|"
    r"nor|without(?! (?:a |any )?(?:doubt|hesitation|reservations?|question|further))|instead of|rather than)\b"
    r"|\b(?:i|we|it|that)['’]d(?! like to| love to| also like to))"
    r"(?:(?!\b(?:so|hence|thus|therefore|but|here)\b)[^,;:()!?=>→]){0,50}$",
    _I,
)
_LATER_AFTER = re.compile(r"\b(?:tomorrow|later|next week|then\b|soon|when i|after i|once i)\b", _I)
_NOT_SERIOUS = re.compile(r"\b(?:just kidding|joking|jk|not a vote|don['’]?t count)\b", _I)

_PAST = re.compile(
    r"(?<!\bas )(?<!\blike )\b(?:i|we)(?:['’]ve|\s+have|\s+had)?\s+(?:already\s+|also\s+|previously\s+)*(?:voted|"
    r"gave|given|said|was|"
    r"were|posted|started(?: out)? (?:with|at|as|from))\b(?:(?!\bbut\b|\bnow\b)[^.;]){0,50}$",
    _I,
)
# a line "- 0 failures" begins with a bullet, not with a minus
_BULLET_COUNT = re.compile(
    r"^\s*-\s+[01]\s+(?!bind|bid|non|not|from|for|on\b|because|as\b|since|due|sorry|the\b|"
    r"this)[a-z]"
)

# "my +1 on RC1 was a mistake"
_TOLD_OF_MINE = re.compile(
    r"^\s*(?:from|on|for|in|to|of)\b[^.;,]{0,40}\b(?:was|were|had|has been|is (?:resolved|fixed|addressed|settled|"
    r"answered|"
    r"moot|gone|obsolete))\b|"
    r"^\s*(?:is|are|has been|got)\s+(?:now )?(?:resolved|fixed|addressed|settled|answered|moot|"
    r"obsolete)\b",
    re.IGNORECASE,
)

_ASKING = re.compile(
    r"^\W*(?:is|are|was|do|does|did|should|shall|can|could|may|would|will|what|who|why|how|when|which|anyone|"
    r"anybody)\b"
    r"[^.!]*\?\s*$",
    re.IGNORECASE,
)

_PERFORMS = re.compile(
    r"\b(?:i would(?= go )|i['’]d(?= go )|i['’]?ll|i will|i['’]?m (?:just )?going to(?: have to)?|i am going to|"
    r"i['’]d like to|i would like to|"
    r"let me)\s+(?:also\s+|just\s+|then\s+|have to\s+|\w+ly\s+)?(?:vote|go with|give|"
    r"cast|add|say|be|stay|stick|keep|remain|leave|settle|change|put|express|throw in)\b",
    re.IGNORECASE,
)


# "I voted +1 on the dev list and carry it over"
CARRIED = re.compile(
    r"\b(?:carr(?:y|ying)|bring(?:ing)?|repeat(?:ing)?|copy(?:ing)?) (?:it|that|this|them|my vote|"
    r"the vote)\b",
    re.IGNORECASE,
)


_ANNOUNCED_AFTER = re.compile(
    r"^[^.,;:!?(]{0,30}\b(?:tomorrow|tonight|later today|next week|this weekend|will follow|to follow|is coming|"
    r"coming up|shortly)\b",
    re.IGNORECASE,
)


_ASKING_MINE = re.compile(r"\b(?:is|was|does|did|do|should|would|has|will|can) my (?:\w+ ){0,2}$", re.IGNORECASE)
# "Rename? +1"
_SHORT_QUESTION = re.compile(
    r"(?:^|[.!?]\s)(?!(?:why|who|what|any|did|how|is|are|was|ok|okay|right|really|no|when|"
    r"where)\b)[\w-]+(?: [\w.-]+){0,2}\?\s*$",
    re.IGNORECASE,
)
_ANYONE = re.compile(r"^\W{0,3}(?:anyone|anybody|someone|somebody|right|correct|no)\s*\?", re.IGNORECASE)
# "-1 doesn't work as a sentinel": the number is what the sentence is about; or a vote for that reason
_SUBJECT = re.compile(
    r"^\s+(?:does(?:n['’]t| not)|is(?:n['’]t| not)|would(?:n['’]t| not)|wo(?:n['’]t| not)|can(?:['’]t|not))\b|"
    r"^\s+(?!because\b|as\b|since\b|for\b)\w[^,.;:()–-]{0,50}\b(?:sentinel|magic (?:value|number)|(?:legal|valid|"
    r"special|reserved|default) "
    r"value|by default|unlimited|unbounded|infinite)\b",
    re.IGNORECASE,
)
# "+1, same question here": joins in with somebody
_ECHO = re.compile(
    r"^\W{0,4}(?:i (?:also )?(?:have|had|share|was having) the same|(?:the )?same (?:question|thoughts?|concerns?|"
    r"problem|issue)|th(?:is|at) (?:also )?"
    r"(?:concerns|worries|bothers) me|i was (?:about|going) to (?:say|ask|suggest)|exactly what|my thoughts? exactly|"
    r"i was thinking the same|was wondering the same)\b",
    re.IGNORECASE,
)
# "there is no +1 from me yet"; "my +1 would make it three"
_DENIED = re.compile(r"\bno\s+(?:non-?binding |binding )?$", re.IGNORECASE)
_MINE_LAST = re.compile(r"\bmy\s+(?:\w+\s+)?$", re.IGNORECASE)
_MODAL = re.compile(
    r"^\s+(?:(?:would|could|might|will|won['’]t|can|goes|went|belongs|refers)\b|(?:is|was)\s+(?!(?:still|valid|"
    r"binding|non-?binding|here|"
    r"hereby|given|"
    r"cast|for|on (?:this|the (?:kip|release|proposal))|because|based|unchanged|firm|as)\b)\w)",
    re.IGNORECASE,
)
# "I'd love to give a +1 but the page isn't public"
_WISH = re.compile(r"(?:\bwould|['’]d) (?:also )?(?:like|love) to\b[^.]{0,30}$|\bwish\b[^.]{0,30}$", re.IGNORECASE)
_TURNED = re.compile(r"\b(?:but|however|though|although|except)\b", re.IGNORECASE)


# "In theory I'm +1"
_SO_FAR = re.compile(
    r"\b(?:so far|in theory|in principle|in spirit|on paper|(?:for|at) (?:the|this) moment|"
    r"as of now)\b[^.;:!?]{0,14}$",
    re.IGNORECASE,
)
_PLUS_LAST = re.compile(r"\+\s?$|\+.$")


# "+1 (non-binding) three times, from Ana, Ben and Cleo"
_TIMES_OVER = re.compile(
    r"^\s*(?:\([^()]{0,20}\)\s*)?(?:twice|thrice|(?:two|three|four|five|[2-9]) times)\b(?!\s+(?:as|over|"
    r"faster|more)\b)",
    re.IGNORECASE,
)


def find_doubt(sentence: Sentence, before: str, after: str, *, leading: bool) -> tuple[str, str] | None:
    """Why a person must look at this vote: rule name and question."""
    if leading and re.match(r"^-\s+[A-Z0-9]", after) and before.strip() == "" and sentence.text.lstrip()[:1] == "-":
        return "bullet-or-minus", "between two strokes: a vote, or a mark?"
    if _TIMES_OVER.match(after):
        return "several-voters", "one mail for several people: whose votes are they?"
    if leading and _BULLET_COUNT.match(sentence.text):
        return "bullet-or-minus", "a minus, or the bullet of a list?"
    if (
        re.match(r"^\s*\)?\s*\?", after)
        or re.match(r"^\s*or\s+\w+\s*\?", after)
        or re.match(
            r"^\s*(?:or|"
            r"/)\s*(?:an? )?[+\-±]?\s?[01]\b",
            after,
        )
    ):
        return "question", "asked rather than cast?"
    if _ASKING_MINE.search(before) and sentence.text.rstrip().endswith("?"):
        return "question", "asked rather than cast?"
    if leading and _SHORT_QUESTION.search(sentence.preceding):
        return "object-unclear", "a vote, or agreement with something said?"
    if (leading and _ANYONE.match(after)) or _SUBJECT.match(after):
        return "subject-unclear", "a vote, or a number that is spoken of?"
    if leading and after.strip().lower() == "overall":
        return "labelled", "sums something up: a vote, or what a program found?"
    if leading and _ECHO.match(after):
        return "object-unclear", "a vote, or agreement with something said?"
    if not leading and _ASKING.match(sentence.text):
        return "question", "asked rather than cast?"
    if _NOT_SERIOUS.search(sentence.text):
        return "not-serious", "is this meant as a vote?"
    if has_condition(before, after, preceding=sentence.preceding, following=sentence.following, leading=leading):
        return "conditional", "a condition stands with the vote: is it met?"
    if re.match(r"^\s*(?:was|were|had been)\b", after):
        return "told-of-the-past", "tells of an earlier vote: does it count here?"
    if _ANNOUNCED_AFTER.match(after):
        return "announced", "announced for later: cast?"
    if leading:
        return None
    if re.match(r"^\s*\d{1,2}[.)]\s*$", before):
        return "item-of-a-list", "stands in a numbered list: a vote on what?"
    if (_PAST.search(before[-80:]) and not CARRIED.search(after)) or _TOLD_OF_MINE.match(after):
        return "told-of-the-past", "tells of an earlier vote: does it count here?"
    if _SO_FAR.search(before[-60:]) and _PLUS_LAST.search(sentence.text[: len(before) + 2]):
        return "hypothetical", "a wish or a leaning: cast as a vote?"
    if _WISH.search(before[-60:]) and _TURNED.search(after):
        return "hypothetical", "a wish or a leaning: cast as a vote?"
    if _DENIED.search(before[-30:]) or (_MINE_LAST.search(before[-20:]) and _MODAL.match(after)):
        return "hypothetical", "a wish or a leaning: cast as a vote?"
    if _PERFORMS.search(before[-60:]):
        return ("announced", "announced for later: cast?") if _LATER_AFTER.search(after) else None
    if _HYPOTHETICAL_BEFORE.search(before[-110:]):
        return "hypothetical", "a wish or a leaning: cast as a vote?"
    if re.search(r"\b(?:will|['’]ll)\b[^,.;:!]{0,30}$", before, re.IGNORECASE):
        return "announced", "announced for later: cast?"
    return None
