"""A cheap check of a late mail's body: whether reading it could find anything at all.

Most mails about proposals are discussion, and hardly any of them votes or announces. Their text is searched without
quotes and without parsing. "No" is certain; "yes" means that the mail must be read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kipflow.domain.facts import MailKind, SubjectReading
from kipflow.mail import limits
from kipflow.mail.alternatives import read_alternatives
from kipflow.mail.content.mime import find_texts
from kipflow.mail.content.text import clean_lines
from kipflow.mail.heads import Head
from kipflow.mail.limits import Unread
from kipflow.mail.relevance import fold_case
from kipflow.mail.results import may_announce


class Prefiltered(NamedTuple):
    """Whether a mail may announce a result, and whether it may vote or leave that unclear."""

    may_announce: bool = True
    may_vote: bool = True


#: Every mail that votes under a discussion's subject holds this: without a claim to bind it casts no vote there.
CLAIM = "bind"
# what may come between its letters and be no text: markup, an entity, invisible characters
_HIDING = r"[<&\x00-\x08\x0e-\x1f\x7f-\U0010ffff]"
_CLAIM_IN_HTML = re.compile(
    rf"[bB](?:[iI](?:[nN](?:[dD]|{_HIDING})|{_HIDING})|{_HIDING})"
    r"|&#0*(?:66|98)(?!\d)|&#[xX]0*[46]2|[aA][lL][tT]\s*="  # "b" itself; a picture's description is shown, too
)
#: HTML with no more elements than this stays within the limits of depth and size.
_FEW, _FEW_MARKS = 200, 5_000


def prefilter(head: Head, reading: SubjectReading) -> Prefiltered:
    """Prefilter a mail. If a part of it is unread, it may vote: then its votes become questions."""
    if reading.kind is not MailKind.DISCUSS or not reading.numbers:
        return Prefiltered()
    if not reading.is_reply:
        return Prefiltered(may_announce=False)
    notes = Unread()
    text, alternatives = find_texts(head.headers, head.body, notes)
    lines = _find_unquoted(text, notes)
    folded = fold_case(" ".join(lines))
    shown = (
        line for other in read_alternatives(alternatives, notes, _may_claim) for line in _find_unquoted(other, notes)
    )
    claims = CLAIM in folded or CLAIM in fold_case(" ".join(shown))
    is_long = len(lines) > limits.OWN_LINES.size or len(folded) >= limits.OWN_TEXT.size
    is_unsure = is_long or head.is_sealed or not text or bool(str(head.notes) or str(notes))
    return Prefiltered(may_announce=may_announce(folded), may_vote=claims or is_unsure)


def _may_claim(source: str) -> bool:
    """Whether an HTML source could hold a claim to bind, or could exceed a limit."""
    opened = source.count("<") - source.count("</")
    is_small = len(source) <= limits.MARKUP.size and opened <= _FEW and source.count("</") <= _FEW_MARKS
    return not is_small or _CLAIM_IN_HTML.search(source) is not None


def _find_unquoted(text: str, note: limits.Note) -> list[str]:
    """The lines that may be the author's own: not those that begin as quotes, or as an archive's "From"."""
    return [line for line in clean_lines(text, note) if line[:1] != ">" or line[:5] == ">From"]
