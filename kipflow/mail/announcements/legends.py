"""Groups of votes that a mail marks by a star or by the voters' roles, written out: "Mara *", "PMC: Mara"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kipflow.mail.announcements.tallywords import MAX_LINE
from kipflow.mail.announcements.tokens import join_words

#: "* marks binding votes", "(* = binding)", "binding votes are marked with an asterisk"
_STAR_LEGEND = re.compile(
    r"(?:(?<![\w*])\*\)?\s*(?:[=:–—-]|means?|marks?|denotes?|indicates?|stands for|is|are)|\(\s*\*)\s*"
    r"(?:an?\s+|(?:[^\W\d]+\s+){1,2}/\s+)?binding\b"
    r"|\bbinding\b[^.*\n]{0,40}\b(?:marked|denoted|indicated)\b[^.*\n]{0,20}(?:\*|asterisk|star\b)",
    re.IGNORECASE,
)
_STARRED = re.compile(r"(?<=[\w.)])\s?\*+(?=\s*(?:[,;]|$))")
_LONGEST_LEGEND = 7
#: "PMC:" is "Binding:" where votes of PMC members are said to bind
_PMC_BINDS = re.compile(r"\bPMC\b[^.]{0,30}\bbinding\b")
_PMC = re.compile(r"\bPMC(?: [Mm]embers?)?(?=\s*[:)|])(?!\s*:?\s*\(?binding)")
#: "Community:" is "Non-binding:" beside votes that bind
_OUTSIDERS = re.compile(rf"(?:^|(?<=[.;,]\s))(\s*(?:[-*•]\s+)?)(?:{join_words('outsiders')})(?=\s*[:|])", re.IGNORECASE)
#: a group of votes by role: a label ("PMC (+1):", "+1 PMC:", "Community in favour:") or a line of its own, behind a
#: number ("3 +1s from the PMC"), or alone in brackets ("3 (PMC)", "4 (3 PMC, 1 committer)")
_ROLE = (
    r"(?:(?P<label>^\s*(?:[-*•]\s+)?(?:[+-]\s?[01]\s+)?)(?:{roles})(?: members?)?(?=\s*(?:\([^()]{{1,12}}\))?"
    r"(?:\s*(?:in favou?r|for|against|votes?))?\s*(?::|\|\s*$|$))"
    r"|(?P<number>\b(?:\d{{1,3}}|{numbers})(?: [+-]\s?[01]['’]?s?)?(?: votes?)? (?:from|by|of) (?:the )?)(?:{roles})"
    r"(?: members?)?(?![\w-]|\s*(?:,|/|and|or)\s+(?:the )?(?:{others}))"
    r"|(?P<aside>\(\s*(?:\d{{1,3}} )?|(?<=, )\d{{1,3}} )(?:{roles})(?: members?)?(?=\s*[,)]))"
)
_ROLES = {
    group: re.compile(
        _ROLE.format(roles=join_words(name), numbers=join_words("number"), others=join_words("insiders", "outsiders")),
        re.IGNORECASE,
    )
    for group, name in (("binding", "insiders"), ("non-binding", "outsiders"))
}
_PMC_ASIDE = re.compile(r"\(\s*i?pmc(?: member)?\s*\)", re.IGNORECASE)
_ANY_PMC = re.compile(r"(?<![\w-])i?p?pmc\b", re.IGNORECASE)
_COMMITTERS = re.compile(r"(?<![\w-])committers?(?![\w-])", re.IGNORECASE)
#: which of the voters bind is said; not in "5 +1 votes (3 binding)"
_BINDING = re.compile(r"(?<!\d )(?<!\d non-)\bbinding\b", re.IGNORECASE)


def write_out_stars(lines: Sequence[str]) -> list[str]:
    """The lines with "(binding)" for each star, if they explain it: "* = binding". Before emphasis is made plain."""
    cut = [line[:MAX_LINE] for line in lines]
    if not any("*" in line and _STAR_LEGEND.search(line) for line in cut):
        return cut
    return [_write_out_star(line) for line in cut]


def _write_out_star(line: str) -> str:
    is_legend = _STAR_LEGEND.search(line) is not None and len(line.split()) <= _LONGEST_LEGEND
    return "" if is_legend else _STARRED.sub(" (binding)", line)


def write_out_roles(lines: Sequence[str]) -> list[str]:
    """The lines with the groups that they explain: "Community:" as "Non-binding:", "PMC:" as "Binding:"."""
    text = "\n".join(lines)
    if _BINDING.search(text) is None:
        return _group_by_role(lines)
    written = [_PMC.sub("Binding", line) for line in lines] if _PMC_BINDS.search(text) else lines
    return [_OUTSIDERS.sub(r"\1Non-binding", line) for line in written]


def _group_by_role(lines: Sequence[str]) -> list[str]:
    """The lines of a mail that never says what binds: by role, if some roles bind and others do not, or by "(PMC)"."""
    has_pmc = any(map(_ANY_PMC.search, lines))  # beside its members, committers are others
    written = [_COMMITTERS.sub("contributors", line) if has_pmc else line for line in lines]
    if not all(any(map(role.search, written)) for role in _ROLES.values()):
        return [_PMC_ASIDE.sub("(binding)", line) for line in lines]
    for group, role in _ROLES.items():
        written = [role.sub(rf"\g<label>\g<number>\g<aside>{group}", line) for line in written]
    return written
