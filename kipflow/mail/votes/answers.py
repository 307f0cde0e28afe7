"""A "+1" below a quoted remark, or followed by what will be done about it: an answer, and perhaps no vote."""

from __future__ import annotations

import re

from kipflow.mail.quoting import OwnLine

_VOTE_CALL = re.compile(r"\bvot(?:e|es|ing)\b|\[ ?\]|[+-]1|\brelease\b|\b72 hours\b|\bKIP\b", re.IGNORECASE)


# "+1, I will add a section": who answers a remark on the own proposal
_WILL_DO = re.compile(
    r"^\s*[,.;:!-]*\s*(?:(?:i|we)(?:['’]ll| will|['’]ve| have)?|will|done)\s+(?:also |just |then |already )?"
    r"(?:add|fix|change|update|rename|remove|rework|clarify|adjust|amend|correct|do (?:that|this|so)|include|"
    r"incorporate|mention)"
    r"(?:e?d)?\b(?!\s+(?:my|our)\b)",
    re.IGNORECASE,
)
# questions that a vote answers
_OPEN_QUESTION = re.compile(
    r"\b(?:thoughts|wdyt|what do you think|opinions?|objections?|concerns|vote\?|votes\?|ship it|go ahead|proceed|"
    r"(?:release|accept|approve|adopt|merge|graduate) (?:this|it|the)|ready)\b",
    re.IGNORECASE,
)


#: a quoted remark that an agreeing "+1" may answer
_SUGGESTS = re.compile(
    r"\b(?:i['’]d|i would|should|could|maybe|perhaps|let['’]s|suggest\w*|prefer\w*|i think|why not|how about|what if|"
    r"instead|better)\b",
    re.IGNORECASE,
)


#: "+1, that's what we do elsewhere too", "+1 to this": takes up the remark above it
TAKES_UP = re.compile(
    r"^\s*[,.;:!–—-]*\s*(?:(?:that['’]?s|that is|this is|which is) (?:what|how|why|exactly|also|my|the (?:same|way))\b|"
    r"(?:exactly|precisely) (?:this|that|my)\b|(?:to|on|for) (?:this|that)\s*(?:$|[.,;!]))",
    re.IGNORECASE,
)


def is_inline_answer(line: OwnLine) -> bool:
    """Whether a line stands right below a quoted remark that is no call for votes, in the midst of quotes."""
    if (
        line.answers
        and line.answers.endswith("?")
        and len(line.answers) < 240
        and not _OPEN_QUESTION.search(line.answers)
    ):
        return True
    if line.answers and len(line.answers) < 240 and _SUGGESTS.search(line.answers):
        return _VOTE_CALL.search(line.answers) is None
    return bool(line.answers) and line.quote_follows and _VOTE_CALL.search(line.answers) is None


def says_what_will_be_done(after: str) -> bool:
    """Whether a value is followed by what its writer will do: "+1, I will add a section"."""
    return _WILL_DO.match(after) is not None
