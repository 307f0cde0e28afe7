"""Whether a mail calls a vote: used where a subject alone can't tell an opening from a reply."""

from __future__ import annotations

import re

from kipflow.domain.facts import Message

_CALL = re.compile(
    r"\b(?:call(?:ing)?(?: for)?|start(?:ing)?|open(?:ing)?|initiat\w+|rais(?:e|ing)|begin(?:ning)?|put\w*|"
    r"restart(?:ing)?|re-?open(?:ing)?|kick(?:ing)? off|hold(?:ing)?)\b[^.!?\n]{0,50}\b(?:re-?)?vot(?:e|ing)\b"
    r"|\bvot(?:e|ing)\b[^.!?\n]{0,40}\b(?:is|will be|will remain|remains|stays|shall be|to "
    r"remain)\b[^.!?\n]{0,12}\bopen|\bopen for (?:at least |a minimum of )?\d+|\bplease (?:cast|vote|review and vote|"
    r"test and vote|download)\b"
    r"|\bcast your vote|\[ ?\] ?[+\-]?[01]\b|\bvote (?:thread )?for\b|\b72 ?(?:h|hours|hrs)\b|\bi propose\b|\bwe "
    r"(?:solved|fixed)\b|\bstaging repo\w*|\bnext 72\b",
    re.IGNORECASE,
)


def is_call(message: Message) -> bool:
    """Whether the mail's own words call for votes, rather than cast one."""
    return _CALL.search(message.own_text[:8_000]) is not None
