"""A page's "Current state" as a word of the stages' vocabulary.

Pages say it in their own ways: "Accepted Adopted (1.0)", "Not accepted", "superseded by KIP-848, which
was accepted". The first word that stands for a state decides, after what is denied, hoped for or only
the template's choice has been taken out.
"""

from __future__ import annotations

import re
import unicodedata

from kipflow.domain.facts import StatusWord

#: Longer texts are not a status; what follows is not read.
_MAX_STATUS = 500

#: The template's hint, alone or left behind a real state.
_HINT = re.compile(r"\[?\s*one of\b[^\]]*\]?", re.IGNORECASE)

_YES = r"(?:accepted|adopted|approved|passed|voted\ in)"
#: Said of a state that is not there (yet, any more): these words are taken out before the rest is read.
_NOT_MEANT = re.compile(
    rf"""
      \b(?:no\ longer|not?\ yet(?:\ been)?|previously|formerly)\s+(?:\w+\s+){{0,2}}?
        (?:{_YES}|rejected|dormant|inactive|draft|wip|voting|under\ (?:\w+\ )?(?:discussion|vote)|discuss\w*)
    | \b(?:to\ be|will\ be|can\ be|could\ be|should\ be|may\ be|might\ be|would\ be|once|if|when|until|unless|before|
        hopefully|expect(?:ed|ing)?(?:\ to\ be)?|waiting\ (?:for|to\ be)|awaiting)\s+(?:\w+\s+){{0,2}}?
        (?:{_YES}|rejected|discarded|withdrawn|superseded|discussed|merged|implemented|released)\b
    | \bvot(?:e|ing)\s+(?:thread\s+)?(?:was\s+|is\s+|has\s+been\s+)?(?:cancell?ed|withdrawn|called\s+off)
    """,
    re.IGNORECASE | re.VERBOSE,
)

#: Typographic apostrophes, and marks of emphasis that were typed rather than set.
_PLAIN = str.maketrans({"\u2019": "'", "_": " ", "*": " ", "~": " "})

#: In order of precedence where two begin at one place.
_WORDS: tuple[tuple[StatusWord, re.Pattern[str]], ...] = tuple(
    (word, re.compile(pattern, re.IGNORECASE))
    for word, pattern in (
        (
            StatusWord.REJECTED,
            rf"\b(?:not|never|wasn't|isn't|hasn't been|was not|is not)\s+(?:been\s+)?{_YES}\b"
            r"|\brejected\b|\bdeclined\b|\bdenied\b|\brefused\b|\bvoted down\b"
            r"|\bvot(?:e|ing)\s+(?:has\s+|was\s+)?(?:failed|rejected|not passed)",
        ),
        (
            StatusWord.DISCARDED,
            r"\bdiscard(?:ed)?\b|\bwithdrawn\b|\bwithdrew\b|\bsuper[sc]eded\b|\babandoned\b|\bcancell?ed\b|\bdropped\b"
            r"|\bobsoleted?\b|\bdeprecated\b|\breplaced (?:by|with)\b|\bduplicat(?:e|ed|es)\b|\bsubsumed\b"
            r"|\b(?:merged|folded|incorporated|moved) (?:in|into|to|with)\b|\bin favou?r of\b"
            r"|\bno longer (?:needed|pursued|relevant)",
        ),
        (
            StatusWord.ACCEPTED,
            r"\bvot(?:e|ing)\s+(?:has\s+|was\s+|is\s+)?(?:passed|accepted|approved)\b|\bvoted in\b"
            r"|\baccepted\b|\badopted\b|\bapproved\b|\bpassed\b|\bimplemented\b|\breleased\b|\bmerged\b|\bcompleted?\b"
            r"|\bshipped\b|\bdone\b|\bfinali[sz]ed\b",
        ),
        (StatusWord.DORMANT,
            r"\bdormant\b|\binactive\b|\bon hold\b|\bparked\b|\bstalled\b"
            r"|\bpaused\b|\bpostponed\b|\bdeferred\b"),
        # "ready for vote": the vote has not been called
        (StatusWord.DISCUSSION, r"\bready (?:for|to) (?:a )?vot\w+|\b(?:before|pre-?)\s*vot\w+"),
        (StatusWord.VOTE, r"\bvoting\b|\b(?:under|in|open for|up for|being|currently)\s+(?:a\s+)?vot\w+|\bvotes?\b"),
        (
            StatusWord.DISCUSSION,
            r"discuss?i?on|discuss(?:ing|ed)?\b|\b(?:under|in) review\b|\breviewing\b|\bproposed\b"
            r"|\brequest for comments?\b|\brfc\b",
        ),
        (
            StatusWord.DRAFT,
            r"\bdraft(?:ing|ed)?\b|\bwip\b|\bwork[- ]in[- ]progress\b|\bin progress\b|\bin development\b"
            r"|\bunder construction\b|\bbrainstorm\w*\b|\bincomplete\b|\bpre-?proposal\b",
        ),
    )
)  # fmt: skip

_CHOICES = re.compile(r"under discussion\W{1,8}(?:or\W{1,4})?accepted\W{1,8}(?:or\W{1,4})?rejected", re.IGNORECASE)


def parse_status(text: str) -> StatusWord:
    """What the Current state of a page means; UNKNOWN if no rule knows it, TEMPLATE if nobody filled it in.

    >>> parse_status("superseded by KIP-848, which was accepted")
    <StatusWord.DISCARDED: 'discarded'>
    """
    said = " ".join(unicodedata.normalize("NFKC", text[:_MAX_STATUS]).translate(_PLAIN).split())
    rest = _CHOICES.sub(" ", _HINT.sub(" ", said))
    if not re.search(r"\w", rest):
        return StatusWord.TEMPLATE if re.search(r"\w", said) else StatusWord.UNKNOWN
    return _first_word(_NOT_MEANT.sub(" … ", rest))


def _first_word(text: str) -> StatusWord:
    found: tuple[int, StatusWord] | None = None
    for word, pattern in _WORDS:
        match = pattern.search(text)
        if match is not None and (found is None or match.start() < found[0]):
            found = match.start(), word
    return found[1] if found is not None else StatusWord.UNKNOWN
