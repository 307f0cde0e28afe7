"""Groups of votes that a mail marks by a star or by the voters' roles, written out: "Mara *", "PMC: Mara"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kipflow.mail.announcements.tallywords import MAX_LINE
from kipflow.mail.announcements.tokens import join_words

#: "* marks binding votes", "(* = binding)", "binding votes are marked with an asterisk"
_STAR_LEGEND = re.compile(
    r"(?:\*\)?\s*(?:[=:–—-]|means?|marks?|denotes?|indicates?|stands for|is|are)|\(\s*\*)\s*"
    r"(?:\w+\s+){0,2}(?:\w+ / )?binding\b"
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
#: roles, in a mail that never says what binds: "3 from the PMC", "Community: Kim"; not "Ola is no committer"
_ROLES = {
    group: re.compile(rf"(?<![\w-])(?<!\ba )(?<!\bno )(?:{join_words(role)})(?: members?)?(?![\w-])", re.IGNORECASE)
    for group, role in (("binding", "insiders"), ("non-binding", "outsiders"))
}
_ANY_PMC = re.compile(r"(?<![\w-])i?p?pmc\b", re.IGNORECASE)
_COMMITTERS = re.compile(r"(?<![\w-])committers?(?![\w-])", re.IGNORECASE)
_BINDING = re.compile(r"\bbinding\b", re.IGNORECASE)


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
    written = list(lines)
    if _BINDING.search(text) is None:
        if _ANY_PMC.search(text) is not None:  # beside its members, committers are others
            written = [_COMMITTERS.sub("non-binding", line) for line in written]
        for group, role in _ROLES.items():
            written = [role.sub(group, line) for line in written]
        return written
    if _PMC_BINDS.search(text):
        written = [_PMC.sub("Binding", line) for line in written]
    return [_OUTSIDERS.sub(r"\1Non-binding", line) for line in written]
