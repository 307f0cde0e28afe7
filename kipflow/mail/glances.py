"""A look at the body of a mail that is put off: whether reading it could find anything at all.

Discussion is most of what a list says about proposals, and hardly any of it votes or announces. Its text is looked at
without its quotes and without taking it apart; "no" is certain, "yes" means that the mail must be read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kipflow.domain.facts import MailKind, SubjectReading
from kipflow.mail import limits
from kipflow.mail.content.mime import find_texts
from kipflow.mail.content.text import clean_lines
from kipflow.mail.heads import Head
from kipflow.mail.limits import Unread
from kipflow.mail.relevance import fold_case
from kipflow.mail.results import may_announce
from kipflow.mail.twins import read_twins


class Glance(NamedTuple):
    """Whether a mail may announce a result, and whether it may vote or leave that unclear."""

    may_announce: bool = True
    may_vote: bool = True


#: In the words of a mail under a discussion's subject that votes: only who claims to bind does.
CLAIM = "bind"
# its letters, as far as nothing stands between them that may be no text: markup, an entity, what cannot be seen
_HIDING = r"[<&\x00-\x08\x0e-\x1f\x7f-\U0010ffff]"
_CLAIM_IN_HTML = re.compile(
    rf"[bB](?:[iI](?:[nN](?:[dD]|{_HIDING})|{_HIDING})|{_HIDING})"
    r"|&#0*(?:66|98)(?!\d)|&#[xX]0*[46]2|[aA][lL][tT]\s*="  # "b" itself; what describes a picture is shown, too
)
#: HTML with no more elements is neither too deep nor too much to be read to its end.
_FEW, _FEW_MARKS = 200, 5_000


def glance_at(head: Head, reading: SubjectReading) -> Glance:
    """A look at a mail. Where something of its headers is not read, it is a question wherever it votes."""
    if reading.kind is not MailKind.DISCUSS or not reading.numbers:
        return Glance()
    if not reading.is_reply:
        return Glance(may_announce=False)
    notes = Unread()
    text, twins = find_texts(head.headers, head.body, notes)
    lines = _find_unquoted(text, notes)
    folded = fold_case(" ".join(lines))
    shown = (line for twin in read_twins(twins, notes, _may_claim) for line in _find_unquoted(twin, notes))
    claims = CLAIM in folded or CLAIM in fold_case(" ".join(shown))
    is_long = len(lines) > limits.OWN_LINES.size or len(folded) >= limits.OWN_TEXT.size
    is_unsure = is_long or head.is_sealed or not text or bool(str(head.notes) or str(notes))
    return Glance(may_announce=may_announce(folded), may_vote=claims or is_unsure)


def _may_claim(source: str) -> bool:
    """Whether the text of some HTML could hold a claim to bind, or not be read to its end."""
    opened = source.count("<") - source.count("</")
    is_small = len(source) <= limits.MARKUP.size and opened <= _FEW and source.count("</") <= _FEW_MARKS
    return not is_small or _CLAIM_IN_HTML.search(source) is not None


def _find_unquoted(text: str, note: limits.Note) -> list[str]:
    """The lines that may be the author's own: others begin so that they are quoted, or are an archive's "From"."""
    return [line for line in clean_lines(text, note) if line[:1] != ">" or line[:5] == ">From"]
