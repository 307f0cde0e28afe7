"""Rules for values that are a number, code or a citation, and no vote.

Each docstring holds what its rule takes, and what it must leave to others ("not:").
"""

from __future__ import annotations

import re

from kipflow.domain.votes import Choice
from kipflow.mail.votes import technical
from kipflow.mail.votes.about import About
from kipflow.mail.votes.claims import is_in_quotes
from kipflow.mail.votes.lexicon import begins, drop, fold, has
from kipflow.mail.votes.mentions import Mention
from kipflow.mail.votes.verdicts import Table, Verdict

ASK, IGNORE = Verdict.ASK, Verdict.IGNORE
rule = Table()
#: "Vote = +1"
_FORM = ("vote", "my vote", "ballot", "my ballot", "p.s", "verdict", "my verdict", "overall", "conclusion", "me")
#: "val next = current" and "+ 1" below it
_ASSIGNS = re.compile(r"\w = [\w.()]+$")
#: "lastOffset", "end_offset"
_VARIABLE = re.compile(r"\b[a-z]+(?:[A-Z]\w*|_\w+)\s+$")


@rule(IGNORE, "a number like any other, or code", standalone=ASK)
def measurement(m: Mention) -> bool:
    """The offset is -1 then. | Call +1 408 555 0100 | @@ -1 +1 @@ | not: My -1 means that it is off"""
    if m.choice is Choice.ABSTAIN and has("abstention", fold(m.lead)):
        return False  # "No strong opinion => 0"
    if fold(m.label).rstrip(".") in _FORM:
        return False
    above = m.sentence.preceding.rstrip() if m.opens else ""
    if " " in m.written and (m.lead.rstrip().endswith(")") or _VARIABLE.search(m.lead) or _ASSIGNS.search(above)):
        return True  # "foo() - 1", "lastOffset + 1"
    if (above.startswith(("$ ", ">>> ")) and not m.is_claimed) or technical.is_code(m.sentence.line.text):
        return True
    if technical.COMPARES.search(m.sentence.text) and not (m.is_claimed or (m.ends_clause and not m.segment)):
        return True  # not 'find("") == -1 as documented, +1'
    if above.endswith(("(", "[", "{", "=")) and m.tail.strip() in {",", ";"}:  # an argument on a line of its own
        return True
    if above.endswith(":") and technical.is_technical(above, ""):  # "retries.max:" and "-1" below it
        return True
    is_discussed = m.clause.endswith("my") and begins("discussed", fold(m.rest).lstrip())
    if m.mine_follows or is_discussed or (m.ends_clause and (m.is_claimed or has("my_vote", fold(m.lead)))):
        return False
    is_bare_plus = m.written.startswith("+1") and m.label and not m.tail.strip(" .!")
    lead = "" if m.opens else drop("leads_in", fold(m.lead))  # "The short version"
    if technical.is_number_before(m.lead, m.tail) or (is_bare_plus and technical.is_only_named(lead)):
        return False  # "The short version: +1"
    return technical.is_technical(lead, m.tail)  # marks alone make no formula: "1) +1", "=> +1"


_CODE = re.compile(
    r"^(?:return\b|(?:if|for|while)\s*\(|else\s*\{|(?:int|long|var|let|const|val|def)\s+\w+\s*[=(])|[{}]$"
    r"|^[\w.]+\([\w., ]*\);?$"
)
_POINT = re.compile(r"\s*[+-] \d+ [a-z]")


@rule(ASK, "a line of a list or of code, or a vote?")
def bulleted(m: Mention) -> bool:
    """- 1 test failed here | not: - 1, a test failed | not: - 1 for KIP-7 | not: + 1 great work"""
    above = m.sentence.preceding.rstrip().rpartition("\n")[2]
    is_indented = m.sentence.line.text.startswith("    ") and not m.is_claimed
    if (m.opens and m.tail.strip() == ";" and above) or (is_indented and _CODE.search(above)):
        return True
    is_loose = m.written[1:2] == " " and m.opens and m.about is About.NOTHING
    if m.choice is Choice.FOR:  # "+ 1 page of docs" beside "- 2 weeks"
        is_loose = is_loose and any(_POINT.match(x) for x in (m.sentence.following, above))
    return is_loose and not m.is_claimed and not m.mine_follows and re.match(r"\s+[a-z]", m.tail) is not None


#: the end of a quotation that is a whole vote, and what may follow it: thanks
_IS_OVER = re.compile(
    r"[^.!?\w]{0,3}(?:(?:non\W?)?binding\W{0,3})?[\"'”’»」“]\W*(?:(?:non\W?)?binding\b\W{0,2})?[,.!–—-]\s*"
)


@rule(ASK, "opens its line in quotation marks: a vote, or a citation?")
def quoted_opening(m: Mention) -> bool:
    """«+1» (non-binding), merci Jun | "+1", thanks | not: "+1" | not: "+1", wrote Jun."""
    is_quoted = m.opens and m.sentence.starts_line and is_in_quotes(m.lead, m.tail, is_claimed=m.is_claimed)
    over = _IS_OVER.match(m.tail) if is_quoted and not m.is_mine else None
    return over is not None and any(begins(name, fold(m.tail[over.end() :])) for name in ("greeting", "praise"))


@rule(IGNORE, "cites a value")
def quoted_value(m: Mention) -> bool:
    """Please write "+1 (binding)" next time. | not: "+1" """
    says_me = m.is_mine and (not m.mine_follows or re.match(r"\s*[\"'”’»]", m.tail) is not None)
    is_mine = says_me or has("my_vote", fold(m.lead))  # 'My vote is: "+1"'
    is_quoted = is_in_quotes(m.lead, m.tail, is_claimed=m.is_claimed)
    return is_quoted and (not is_mine or has("hypothetical", m.clause))
