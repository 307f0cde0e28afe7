"""A zero that is a vote: alone on its line, or told as one ("my vote is 0", "not my area, so 0")."""

from __future__ import annotations

import re

# what may end a bare or told zero; "0." may end a sentence, "0.5" and "0 retries" are other numbers
_ENDS = r"(?![\w%]|\.\d|\s*(?:\w+s|percent)\b)"
_BARE = re.compile(
    r"^\s*(?P<value>0)(?=\s*(?:$|[.!]\s*$|\(|[-,:]?\s*(?:non|not)?[\s-]?binding\b|(?:from|for) me\b|from my\b|"
    r"since\b|because\b|(?:neutral|abstain\w*|no (?:strong )?opinion)\b|[/|(]\s*(?:abstain\w*|abstention|neutral|"
    r"no opinion|don['’]?t care)\b|"
    r"[,;:.-]\s*(?:i|as|because|since|just|don['’]?t|have|haven['’]?t|no|not|neutral|abstain\w*)\b))",
    re.IGNORECASE,
)
_MINE = re.compile(
    r"(?:\bmy vote(?: is|['’]s|:)|^\W*(?:my )?vote\s?[:=]|\bi vote|\bvoting|\bit['’]?s a|\bgoing with|"
    r"\b(?:i['’]?m|i am)(?: neutral:| voting| at| going with)?|\bi (?:stand|stay|remain) at|"
    r"\b(?:i|me|i['’]ll|i['’]d|i will|i would)(?: to)?(?: rather)? (?:go|stay|stick|settle|remain) (?:with|to|for|"
    r"at|on)"
    r"|\b(?:put|mark|count|record|note) (?:me|my vote) (?:down )?(?:as|for|with|at))"
    rf"\s*(?:a\s+)?[(\[]?(?P<value>0){_ENDS}",
    re.IGNORECASE,
)
# "please record a 0 for me"
_RECORDED = re.compile(
    r"\b(?:record|count|note|put|mark|register|take) (?:an? )?(?P<value>0)(?=\s*(?:\([^()]{0,20}\)\s*)?(?:for|"
    r"from) (?:me|us)\b)",
    re.IGNORECASE,
)
# "no opinion (0)", "I don't have an opinion: 0", "not my area, so 0 from me"
_WITHOUT_OPINION = re.compile(
    r"\b(?:opinions?|neutral|abstain\w*|abstention|indifferent|unfamiliar|not (?:my area|familiar)|"
    r"(?:don['’]?t|do not) (?:care|mind|know|use)|(?:did not|didn['’]?t) (?:test|check|look|try|follow|"
    r"review))\b[^.?!0-9]{0,60}?"
    r"[\s(\[:,;–-](?P<value>0)(?=[)\]]?[\s.!]*$|[)\]]\s*[,;]|\s*\(\s*(?:non[- ]?)?bind|[\s)]*(?:from|for) m[ey]\b)",
    re.IGNORECASE,
)
_FROM_ME = re.compile(
    r"(?:^|[,;:.!]|\b(?:so|thus|but|and|only|just|an?|then))\s*(?P<value>0)(?=\s+(?:from (?:me\b|my (?:side|end))|"
    r"for me\b))",
    re.IGNORECASE,
)


# "Я утримуюсь: 0 (non-binding)": whatever was said before it, a claim to bind or not makes it a vote
_CLAIMED = re.compile(r"(?:^|[,;:–—-]\s{0,2}|\bto (?:a )?)(?P<value>0)(?=\s*\((?:non[- ]?)?binding\))", re.IGNORECASE)


# "make my -1 a 0", "I change my vote from +1 to 0"
_CHANGED_TO = re.compile(
    r"(?:\b(?:my|from|chang\w*|mov\w*|revert\w*|turn\w*|switch\w*|becom\w*|go\w*)\b[^.!?]{0,40}\b(?:to|into|"
    r"becomes|a|now|vote|and vote)|"
    r"\band vote)\s+(?:a\s+)?(?P<value>0)(?!\w|\.\d)(?=\s*(?:$|[.,;!()]|instead|from|for|now))",
    re.IGNORECASE,
)


#: A zero that is no part of a longer number: the only one that may be a vote.
_ALONE = re.compile(r"(?<!\d)0(?!\d|\.\d)")


def find_zero(text: str) -> re.Match[str] | None:
    """The bare zero in a plain sentence that is meant as a vote; its group "value"."""
    if "0" not in text or _ALONE.search(text) is None:
        return None
    return (
        _BARE.match(text)
        or _CHANGED_TO.search(text)
        or _CLAIMED.search(text)
        or _RECORDED.search(text)
        or _MINE.search(text)
        or _FROM_ME.search(text)
        or _WITHOUT_OPINION.search(text)
    )
