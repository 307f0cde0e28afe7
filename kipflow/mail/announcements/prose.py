"""Rewrites lists of voters in prose as lines of their own: "Closing. +1 binding: Mara, Jun. The KIP passes."."""

from __future__ import annotations

import re

from kipflow.mail.announcements.figures import GROUP, parse_group
from kipflow.mail.announcements.name_lists import ALL_OF_GROUP, is_uncounted, split_people
from kipflow.mail.announcements.names import find_names
from kipflow.mail.announcements.tokens import join_words

_PERSON = r"(?-i:(?=[^\W\d_])[^a-zß-öø-ÿ])[\w'’-]*"
_PEOPLE = rf"{_PERSON}(?: {_PERSON}){{0,3}}(?:(?:,| and|, and) {_PERSON}(?: {_PERSON}){{0,3}}){{1,30}}"
#: "Closing. +1 binding: Mara, Jun. -0: Kim. The KIP passes.": each list becomes a line of its own
_LIST_WITHIN = re.compile(
    rf"(?:^|(?<=[.;:!]\s))(?P<list>[+\-]\s?[01](?:\s*\(?(?:{GROUP})\)?)?(?:\s+votes?)?\s*:\s+"
    r"(?P<names>(?:[^.;:+\d]|(?<=\b[A-Z])\.){2,600}))(?:[.;]\s+|[.;]?$)",
    re.IGNORECASE,
)
#: "Passes. Binding: Jun, Ravi, Tess. Non-binding: Gunther."
_GROUP_WITHIN = re.compile(
    rf"(?:^|(?<=[.;:!]\s))(?P<group>{GROUP})(?: votes?)?: (?:\+1 (?:from )?)?"
    r"(?P<names>(?-i:[^\W\d_a-z])(?:[^.;:+\d]|(?<=\b[A-Z])\.){1,600})(?:[.;]\s+|[.;]?$)",
    re.IGNORECASE,
)
#: "Mara +1, Jun: +1 (binding) and Kim -0.5, all binding"
_VOTER = rf"(?P<who>{_PERSON}(?: {_PERSON}){{0,3}}):? (?P<vote>[+-](?:[01](?:\.\d)?|\.\d))(?P<kind> \(?(?:{GROUP})\)?)?"
_ONE_VOTER, _BARE_VOTER = re.compile(_VOTER, re.IGNORECASE), re.sub(r"\?P<\w+>", "?:", _VOTER)
_VOTERS_WITHIN = re.compile(
    rf"(?:^|(?<=[.;:!]\s))(?P<list>{_BARE_VOTER}(?:(?:,|;| and|, and) {_BARE_VOTER}){{1,30}})"
    rf"(?:, all (?P<group>(?:{GROUP}))| \(all (?P<kind>(?:{GROUP}))\))?(?:[.;]\s*|$)",
    re.IGNORECASE,
)
#: "It passes: Mara, Jun (all binding).", "Mara and Jun (both binding) and Kim (non-binding) voted +1"
_VOTED = r"(?: have| has)? vot(?:ed|ing) (?:in favou?r|for it|yes|\+1)"
_ALL_WITHIN = re.compile(
    rf"(?P<lead>^|^.*?(?:[.:]\s|\bwith ))(?P<names>{_PEOPLE})(?P<voted>{_VOTED}| \+1)? {ALL_OF_GROUP}"
    rf"(?:(?:,? and (?P<more>{_PERSON}(?: {_PERSON}){{0,3}}) \((?P<kind>{GROUP})\))?(?P<behind>{_VOTED}))?"
    r"(?=[\s.,;+]|$)",
    re.IGNORECASE,
)
#: "+1 from Jun, Mara and me (binding), +1 from Kim (non-binding)"
_FROM_WITHIN = re.compile(
    rf"(?:^|(?<=[.;:,]\s)|(?<=\band )|(?<=\bwith )|(?<=\ba ))(?P<c>[+\-]\s?[01]) from "
    rf"(?P<names>(?:{_PERSON}|(?-i:me))(?:(?:,? and|,)? (?:{_PERSON}|(?-i:me))){{0,40}})"
    rf" \((?:(?:all|both) )?(?P<group>{GROUP})\)(?:[.;]|,?(?= (?:and )?(?:an? )?[+\-]\s?\d)|$)",
    re.IGNORECASE,
)
_PASSES = re.compile(
    rf"\b(?:pass(?:es|ed)|accepted|adopted|approved|makes (?:{join_words('number')})):\s$", re.IGNORECASE
)


_AGAINST = re.compile(r"-\s?1|\b(?:against|opposed|objected|abstain\w*|rejected)\b", re.IGNORECASE)


def part_lists(line: str) -> list[str]:
    """The lists of voters within a line as lines of their own, each with its value in front."""
    for pattern, write in _WRITERS:
        line = pattern.sub(write, line)
    return [part for part in line.split("\n") if part.strip()] or [line]


def _is_counted(found: re.Match[str]) -> bool:
    return not is_uncounted(re.split(r"[.!?;\n]", found.string[: found.start()].rstrip())[-1])


def _write_list(found: re.Match[str]) -> str:
    names = [name for name, _ in split_people(found["names"])]
    if not (names and _is_counted(found) and all(name == "myself" or find_names(name) for name in names)):
        return found.group()
    return f"\n{found['list'].rstrip(' .')}\n"


def _write_group(found: re.Match[str]) -> str:
    names = [name for name, _ in split_people(found["names"])]
    before = re.split(r"(?<=[.!?])\s", found.string[: found.start()].rstrip())[-1]
    is_for = _AGAINST.search(before) is None  # not below "The following voted -1."
    if not (is_for and names and _is_counted(found) and all(name == "myself" or find_names(name) for name in names)):
        return found.group()
    return f"\n+1 ({parse_group(found['group'])}): {found['names']}\n"


def _write_voters(found: re.Match[str]) -> str:
    if not _is_counted(found):
        return found.group()
    group = found["group"] or found["kind"]
    shared = f" ({parse_group(group)})" if group else ""
    votes = _ONE_VOTER.finditer(found["list"])
    return "\n" + "\n".join(f"{v['vote']} {v['who']}{v['kind'] or shared}" for v in votes) + "\n"


def _write_all(found: re.Match[str]) -> str:
    """Such a list counts only if its words say that it is of votes for it."""
    label = re.split(r"[.!?;]\s", found["lead"])[-1]
    if is_uncounted(label) or not (found["voted"] or found["behind"] or _PASSES.search(label)):
        return found.group()
    more = f"+1 ({parse_group(found['kind'])}): {found['more']}\n" if found["more"] else ""
    return f"{found['lead']}\n+1 ({parse_group(found['g'])}): {found['names']}\n{more}"


def _write_from(found: re.Match[str]) -> str:
    if not _is_counted(found):
        return found.group()
    return f"\n{found['c']} ({parse_group(found['group'])}): {found['names']}\n"


_WRITERS = (
    (_LIST_WITHIN, _write_list),
    (_GROUP_WITHIN, _write_group),
    (_VOTERS_WITHIN, _write_voters),
    (_ALL_WITHIN, _write_all),
    (_FROM_WITHIN, _write_from),
)
