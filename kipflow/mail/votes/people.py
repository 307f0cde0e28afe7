"""Whose vote a value is: the names behind it, and the label or name before it."""

from __future__ import annotations

import re

from kipflow.domain.people import fold_name
from kipflow.domain.votes import Choice
from kipflow.mail.announcements.names import COMMON_WORDS, find_names, is_own
from kipflow.mail.votes.conditions import MARK, UNDERSTOOD, has_condition
from kipflow.mail.votes.lexicon import begins, drop, ends, fold, has, leaves_only
from kipflow.mail.votes.mentions import Mention

_NAMED = re.compile(r"\s*\((?P<who>@?[A-Z][a-z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2})\)")
_NO_LATIN = re.compile(r"[^\x00-\u036f\u2000-\u206f]")
_ITEM = re.compile(r"\s*(?:[-*•·]|\d{1,2}[.)])\s")
#: two words with capitals in a row; what is no letter, digit or small letter is one
_CAPITAL = r"(?=[^\W\d_])[^a-zß-öø-ÿ\W][\w'’-]+"
_IN_A_ROW = re.compile(
    rf"\b(?P<one>{_CAPITAL})(?:\s*\([^()]{{1,30}}\))?(?:,| and| &| und| et)\s+(?=(?P<other>{_CAPITAL}))"
)
_WRITER = re.compile(r"\b(?:i|we|(?<!and )me(?! and))\b")
#: the end of words that say what somebody else does, or what is to be done
_POINTS = re.compile(r"\b(?:(?<!nothing )to \w+|on|for|from|at|is|are|be|means?)$|\b(?:by|who|doubt)\b")
#: "I speak for Jun"
_FOR_NAME = re.compile(r"\b(?:for|from)\s+[A-Z][a-z]|['’]s proxy\b")
#: what a label says is not what the vote says: "Against: +1"
_OPPOSITE = {
    Choice.FOR: ("no", "rejection", "abstention"),
    Choice.AGAINST: ("yes", "approval", "assent", "abstention"),
}
#: one of these leads up to the own vote
_LEADS = (
    *("leads_in", "sums_up", "own", "my_vote", "from_me", "voted_on", "vote_for", "vote_against", "approval", "praise"),
    *("rejection", "abstention", "assent", "yes", "no", "change", "turned", "harmless", "correction"),
)
#: who speaks of one of these passes on what was voted; a label of few words, also what is lacking or asked for
_PASSED_ON = ("relays", "reports", "source")
_NOT_NOW = ("other", "earlier", "demand", "group")
_LACKING = ("need", "quantity")


def is_named(m: Mention) -> bool:
    """Whether names stand behind it, and not the writer's: "+1 from Jun", "+1 (Jun)"."""
    if not m.opens and (beside := _NAMED.match(m.tail)) is not None:
        return not is_own(beside.group("who"), m.author)
    if m.whom:
        first = m.whom.split()[0]
        named = (first[0].isupper() and first.lower() != "the") or first[0] == "@" or has("other", fold(first))
        own = is_own(m.whom.rstrip(" .!"), m.author) or (m.is_claimed and bool(m.place))
        return named and not own and not begins("whole", fold(m.whom))
    if m.rest.lstrip()[:1] in tuple(",.!;，。！") or has("greeting", fold(m.rest)) or _NO_LATIN.search(m.rest):
        return False
    names = find_names(re.split(r"[;.]", m.rest)[0].strip(" :!-–—()[]"))
    is_list = m.rest.lstrip()[:1] == ":" and (m.is_claimed or not m.sentence.starts_line)
    several = len(names) > 1 or (bool(names) and (" " in names[0] or is_list))
    return several and not is_own(m.rest, m.author)


def is_labelled(m: Mention) -> bool:
    """Whether what stands before it, up to a colon, is not known to lead up to the writer's own vote: "Windows: +1"."""
    if m.mine_follows and not _ITEM.match(m.sentence.line.text):  # "- the limits: -1 from me" is on a part
        return False
    if m.is_list_head or ends("example", fold(m.lead)):
        return True
    cites = fold(m.lead.rpartition(": ")[0])  # "Jun said: I vote +1"
    if any(ends(name, cites) for name in (*_PASSED_ON, "other")) and "i" not in cites.split():
        return True
    return bool(m.label) and not is_own(m.label, m.author) and not _leads_up(m.label, m.choice)


def _leads_up(written: str, choice: Choice) -> bool:
    """Whether a label is known to introduce an own vote: by all its words, or as what its writer says of themselves."""
    label, end = fold(written), MARK.split(written.rstrip(" .,:;…)"))[-1]
    last = fold(end)
    told = drop("leads_in", drop("casts", drop("harmless", last)))
    opposite = _OPPOSITE.get(choice, ())
    if (
        any(has(name, drop("leads_in", drop("casts", label))) for name in _PASSED_ON)
        or (has("other", told) and "vote" in last)
        or begins("asks", drop("sums_up", label))
        or (any(has(name, last) for name in opposite) and not leaves_only(opposite, last))
    ):
        return False
    if begins("greeting", last):
        return "vote" not in last
    # nobody collects votes against
    lacks = [has(name, told) for name in _LACKING] if choice is Choice.FOR else [False]
    leads = any(has(name, f"{label}:") for name in _LEADS) or not leaves_only(("casts",), f"{label}:")
    is_told = (any(lacks) and not has("presents", label)) or any(has(name, told) for name in _NOT_NOW)
    if leads and not is_told and not leaves_only((*UNDERSTOOD, *_LEADS, *_LACKING, "whole"), last):
        return True
    names_other = _FOR_NAME.search(end) or (len(end) < len(written) and find_names(end))  # "Sorry, Jun"
    is_lacking = all(lacks) or (lacks[0] and ends("need", told))
    return not (names_other or is_lacking) and _is_statement(label, last, told)


def _is_statement(label: str, last: str, told: str) -> bool:
    """Whether a label speaks of its writer, and not of what somebody else does or is to do: "I could find no bug"."""
    if _POINTS.search(drop("polite", told)) is not None:
        return False
    return _WRITER.search(label) is not None or any(begins("leaves_out_i", text) for text in (label, last))


def lists_others(line: str, author: str) -> bool:
    """Whether a line puts two people or more in a row, and none of them its writer: "with Jun, Mara (binding)"."""
    pairs = ((m["one"], m["other"]) for m in _IN_A_ROW.finditer(line))
    named = any(not {fold_name(word) for word in pair} & COMMON_WORDS for pair in pairs)
    words = {fold_name(word) for word in re.findall(r"\w+", line)}
    is_own = bool(words & set(fold_name(author).split())) or has("first_person", fold(line))
    return named and not is_own and not has_condition(line)
