"""Maps a page's "Current state" to a `StatusWord`.

Authors write it freely: "Accepted Adopted (1.0)", "Not accepted", "superseded by KIP-848, which was
accepted". The first word that means a state decides, after negated, future and template text has been
removed.
"""

from __future__ import annotations

import re
import unicodedata
from operator import itemgetter

from kipflow.domain.pages import StatusWord

#: A status is shorter than this; the rest of a longer text is not read.
_MAX_STATUS = 500

_STATES = (
    r"(?:draft|work in progress|wip|under (?:discussion|vote|review)|discussion|voting|vote|accepted|adopted|approved"
    r"|rejected|declined|dormant|inactive|discarded|withdrawn|implemented|released)"
)
_BETWEEN = r"[\s\"'\u2018-\u201f,/|]{1,6}(?:or[\s\"'\u2018-\u201f]{1,4})?"

#: The template's hint, alone or after a real state: in brackets, or up to the end of its choices.
_HINT = re.compile(
    rf"\[\s*one of\b[^\]]*\]?|\bone of\W{{1,4}}(?:{_STATES}(?:{_BETWEEN}|\W{{0,3}})){{2,8}}", re.IGNORECASE
)
#: "Under Discussion | Accepted | Rejected": the template's choices, none of them selected.
_CHOICES = re.compile(rf"\W{{0,4}}{_STATES}(?:{_BETWEEN}{_STATES}){{2,8}}\W{{0,4}}", re.IGNORECASE)

_YES = r"(?:accepted|adopted|approved|passed|voted\ in)"
_BUILT = r"(?:implemented|merged|released|completed?|shipped|done|finished|final(?:i[sz]ed)?|started|available)"
#: Another proposal's key; "in 3.1" must not pass for one.
_PROPOSAL = r"(?:the )?(?:(?-i:[A-Z]{2,12})|[a-z]{1,3}ip)[ -]?\d{1,5}\b"
#: Phrases about a state that does not hold (yet, or any more): removed before the rest is read.
_NOT_MEANT = re.compile(
    rf"""
      \b(?:no\ longer|not?\ yet(?:\ been)?|previously|formerly|originally|used\ to\ be|was:|were:)\s*(?:\w+\s+){{0,2}}?
        (?:{_YES}|rejected|dormant|inactive|draft|wip|voting|under\ (?:\w+\ )?(?:discussion|vote)|discuss\w*)
    | \b(?:not|isn't|hasn't|wasn't|never)\ (?:\w+\ )?{_YES}\ yet\b
    | \b(?:not|isn't|hasn't\ been)\ (?:yet\ |fully\ |been\ )?{_BUILT}\b
    | \b(?:to\ be|will\ be|can\ be|could\ be|should\ be|may\ be|might\ be|would\ be|once|if|when|until|unless|before|
        hopefully|expect(?:ed|ing)?(?:\ to\ be)?|waiting\ (?:for|to\ be)|awaiting)\s+(?:\w+\s+){{0,2}}?
        (?:{_YES}|rejected|discarded|withdrawn|superseded|discussed|merged|implemented|released)\b
    | \bvot(?:e|ing)\s+(?:thread\s+)?(?:was\s+|is\s+|has\s+been\s+)?(?:cancell?ed|withdrawn|called\s+off)
    | \bimplementation\s+(?:is\s+|work\s+)?(?:in\ progress|ongoing|pending|under\ way|started|not\ started)
    | \bvot(?:e|ing)\s+(?:is\s+)?(?:about\ to|will|to\ (?:follow|be|come)|planned|coming|soon|next)\b
    | \b(?:not|never)\s+(?:yet\s+|been\s+)?
        (?:discussed|dormant|inactive|under\ discussion|under\ vote|voting|draft|rejected|withdrawn|discarded)\b
    | \bwas\b[^.;]{{1,40}}?\bnow\b
    | ~~[^~]{{1,80}}~~
    | [^.;:!?]{{1,100}}\?+(?!\S)
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: Phrases about another proposal: "KIP-12 (Accepted)", "superseded by KIP-848, which was accepted".
_OF_ANOTHER = re.compile(
    r"(?<![A-Za-z0-9])([A-Z]{2,12}[ -]?\d{1,5})(?:\s*\([^)]{0,100}\)|,?\s+(?:which\s+|that\s+)?"
    r"(?:is|was|has been|had been|got|gets)\s+(?:\w+\s+){0,2}?[a-z]{4,12}\b)"
)
_ASIDE = re.compile(r"\([^()]{0,200}\)?")
_ARROW = re.compile(r"\s*(?:->|=>|-->|[\u2190-\u21ff\u27f5-\u27ff])\s*")

#: Typographic apostrophes, and emphasis typed as "_" or "*".
_PLAIN = str.maketrans({"\u2019": "'", "_": " ", "*": " "})

#: In order of precedence if two begin at the same place.
_WORDS: tuple[tuple[StatusWord, re.Pattern[str]], ...] = tuple(
    (word, re.compile(pattern, re.IGNORECASE))
    for word, pattern in (
        (
            StatusWord.REJECTED,
            r"\b(?:not|never|wasn't|isn't|hasn't been|was not|is not)\s+(?:been\s+)?"
            r"(?:accepted|adopted|approved|passed|voted in)\b"
            r"|\brejected\b|\bdeclined\b|\bdenied\b|\brefused\b|\bvoted down\b|^\W*failed\b|\bvetoed\b|\bturned down\b"
            r"|\bvot(?:e|ing)\s+(?:has\s+|was\s+)?(?:failed|rejected|not passed|did not pass|didn't pass)",
        ),
        (
            StatusWord.DISCARDED,
            r"\bdiscard(?:ed)?\b|\bwithdrawn\b|\bwithdrew\b|\bsuper[sc]ee?ded\b|\babandonn?ed\b|\bcancell?ed\b"
            r"|\bdropped\b|\bobsoleted?\b|\bdeprecated\b|\breplaced (?:by|with)\b|\bduplicat(?:e|ed|es)\b|\bsubsumed\b"
            r"|\bretracted\b|\bretired\b|\bwon'?t (?:do|fix)\b|\bnot (?:being )?pursued\b"
            r"|\bnot (?:needed|relevant) any\s?more\b"
            r"|\b(?:folded|incorporated|absorbed|integrated) (?:in|into|by)\b|\bsplit (?:up )?(?:in|into|to|between)\b"
            rf"|\b(?:merged|moved|included|combined|part of|covered)\s?(?:in|into|to|with|by|of)? {_PROPOSAL}"
            r"|\bin favou?r of\b|\bno longer (?:needed|pursued|relevant)",
        ),
        (
            StatusWord.ACCEPTED,
            r"\bvot(?:e|ing)\s+(?:has\s+|was\s+|is\s+)?(?:passed|accepted|approved)\b|\bvoted in\b"
            r"|\baccepted\b|\badopted\b|\bapproved\b|\bpassed\b|\bimplemented\b|\breleased\b|\bmerged\b|\bcompleted?\b"
            r"|\bshipped\b|\bdone\b|\bfinal\b|\bfinali[sz]ed\b|\bfixed in\b|\bavailable (?:in|since|from)\b",
        ),
        (StatusWord.DORMANT,
            r"\bdormant\b|\binactive\b|\bon[ -]hold\b|\bparked\b|\bstalled?\b|\bsuspended\b|\bshelved\b|\bstale\b"
            r"|\btabled\b"
            r"|\bpaused\b|\bpostponed\b|\bdeferred\b|\bno (?:more |further )?activity\b"),
        # "ready for vote": the vote has not been called
        (StatusWord.DISCUSSION,
            r"\bready (?:for|to) (?:a )?vot\w+"
            r"|\b(?:before|pre-?|preparing|pending|awaiting|waiting for)\s*(?:a |the )?vot\w+(?! results?)"
            r"|\bvot(?:e|ing) pending\b"),
        (StatusWord.VOTE, r"\bvoting\b|\b(?:under|in|open for|up for|being|currently)\s+(?:a\s+)?vot\w+|\bvotes?\b"),
        (
            StatusWord.DISCUSSION,
            r"discuss?i?on|discuss(?:ing|ed)?\b|\b(?:under|in) review\b|\breviewing\b|\bproposed\b"
            r"|\brequest for comments?\b|\brfc\b",
        ),
        (
            StatusWord.DRAFT,
            r"\bdraft(?:ing|ed)?\b|\bwip\b|\bwork[- ]in[- ]progress\b|\bin progress\b|\bin development\b"
            r"|\bunder construction\b|\bbrainstorm\w*\b|\bincomplete\b|\bpre-?proposal\b|\bin preparation\b",
        ),
    )
)  # fmt: skip

#: An end that came after the acceptance: "Accepted; superseded by KIP-12", "was accepted, then withdrawn".
_UNDONE = re.compile(
    r"(?:[,;.]|\b(?:then|later|but|now|since|and))\s+(?:(?:was|is|has been|then|later|now|since|but)\s+){0,3}"
    r"(?:super[sc]ee?ded by|replaced by|obsoleted by|withdrawn|retracted|abandonn?ed|discarded)\b",
    re.IGNORECASE,
)
_REVERTED = re.compile(r"\b(?:reverted|rescinded|revoked|rolled back)\b", re.IGNORECASE)
_OUTCOMES = frozenset({StatusWord.ACCEPTED, StatusWord.REJECTED})


def parse_status(text: str) -> StatusWord:
    """The meaning of a page's Current state; UNKNOWN if no rule matches, TEMPLATE if nobody filled it in.

    >>> parse_status("superseded by KIP-848, which was accepted")
    <StatusWord.DISCARDED: 'discarded'>
    """
    said = " ".join(unicodedata.normalize("NFKC", text[:_MAX_STATUS]).translate(_PLAIN).split())
    rest = _HINT.sub(" ", said)
    if not re.search(r"\w", rest) or _CHOICES.fullmatch(rest.strip()):
        return StatusWord.TEMPLATE if re.search(r"\w", said) else StatusWord.UNKNOWN
    meant = _NOT_MEANT.sub(" … ", rest).replace("~", " ")
    # "Draft -> Accepted": the state after the arrow is the current one
    own = _ARROW.split(_OF_ANOTHER.sub(r"\1", meant))[-1]
    for part in (_ASIDE.sub(" ", own), own, meant):
        found = _find_word(part)
        if found is not StatusWord.UNKNOWN:
            return found
    return StatusWord.UNKNOWN


def _find_word(text: str) -> StatusWord:
    """The first word that means a state, or a later one that overrides it."""
    places = [(match.start(), word) for word, pattern in _WORDS if (match := pattern.search(text)) is not None]
    if not places:
        return StatusWord.UNKNOWN
    start, word = min(places, key=itemgetter(0))
    if word is StatusWord.VOTE:
        # "Vote closed: accepted": the word that follows is the outcome
        return next((w for _, w in sorted(places) if w in _OUTCOMES), word)
    if word is StatusWord.ACCEPTED and _REVERTED.search(text, start):
        return StatusWord.UNKNOWN
    if word is StatusWord.ACCEPTED and _UNDONE.search(text, start):
        return StatusWord.DISCARDED
    return word
