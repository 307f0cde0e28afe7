"""Whose vote a value is: the names behind it, and the label or name before it."""

from __future__ import annotations

import re

from kipflow.domain.people import fold_name
from kipflow.domain.votes import Choice
from kipflow.mail.announcements.names import COMMON_WORDS, find_names, is_own
from kipflow.mail.votes.conditions import UNDERSTOOD, has_condition
from kipflow.mail.votes.lexicon import begins, drop, ends, fold, has, leaves_only
from kipflow.mail.votes.mentions import Mention
from kipflow.mail.votes.values import find_values

_NAMED = re.compile(r"\s*\((?P<who>@?[A-Z][a-z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2})\)")
_SENTENCE_END = re.compile(r"[.!?]\s")
_NO_LATIN = re.compile(r"[^\x00-\u036f\u2000-\u206f]")
_LABEL = re.compile(r"^\W*(?P<label>[^\W_][\w .'’/-]{0,30}?)\s?[:=>]\s*[\[(*\"'“]?$")
_ITEM = re.compile(r"\s*(?:[-*•·]|\d{1,2}[.)])\s")
_PERSON_PAREN = re.compile(r"[A-Z][\w.'’-]*\s*\([^()]*$")
#: two words with capitals in a row; what is no letter, digit or small letter is one
_CAPITAL = r"(?=[^\W\d_])[^a-zß-öø-ÿ\W][\w'’-]+"
_IN_A_ROW = re.compile(
    rf"\b(?P<one>{_CAPITAL})(?:\s*\([^()]{{1,30}}\))?(?:,| and| &| und| et)\s+(?=(?P<other>{_CAPITAL}))"
)
#: a label that speaks of a vote that was, is lacking or asked for, or is somebody else's
_NO_LEAD = ("earlier", "need", "demand", "other", "group")
#: what a label says is not what the vote says: "Against: +1"
_OPPOSITE = {Choice.FOR: ("no", "rejection"), Choice.AGAINST: ("yes", "approval", "assent")}
_I = re.compile(r"\bi\b")
_LABELS = ("own", "change", "from_me", "filler", "approval", "rejection", "abstention", "no", "yes", "assent", "whole")


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
    """Whether a label or name stands before it that does not say whose vote it is: "Windows: +1"."""
    if m.mine_follows and not _ITEM.match(m.sentence.line.text):  # "- the limits: -1 from me" is on a part
        return False
    lead = fold(m.sentence.preceding if m.opens else m.lead)
    clause = _SENTENCE_END.split(lead)[-1].rstrip()
    if clause[-1:] == ":" and has("reports", drop("casts", clause[-45:])) and not has("first_person", clause):
        return True
    if m.opens:
        return m.is_list_head
    if _is_cited(clause.rpartition(": ")[0]):
        return True
    is_led = _PERSON_PAREN.search(m.lead) is not None and not has("approval", lead.split("(")[0])
    if is_led and is_own(m.lead.split("(")[0], m.author):
        return False  # "Emeka (+1 non-binding)", where Emeka signs
    if is_led and leaves_only((*UNDERSTOOD, "whole"), lead):
        return True
    if clause[-1:] == ":" and len(find_names(_SENTENCE_END.split(m.lead)[-1])) > 1:
        return True  # "Thanks for voting! Jun, Mara and Tess: +1 (binding)"
    return _follows_label(m)


def _is_cited(said: str) -> bool:
    """Whether the words before a colon say whose words follow: "Jun said: I vote +1"."""
    return any(ends(name, said) for name in ("reports", "other")) and not _I.search(said)


def _follows_label(m: Mention) -> bool:
    """Whether the words before a colon, right before it, may name somebody or something else than the own vote."""
    # "Option A: +1, option B: -1": each has its own label
    match = _LABEL.match(m.lead.rsplit(",", 1)[-1] if find_values(m.lead) else m.lead)
    if match is None or is_own(match.group("label"), m.author) or begins("greeting", fold(match.group("label"))):
        return False
    label = fold(match.group("label"))
    if len(label.split()) > 3:
        return (has("other", label) and not _I.search(label)) or lists_others(m.lead, m.author)
    opposite = _OPPOSITE.get(m.choice, ())
    contradicts = any(has(name, label) for name in opposite) and not leaves_only(opposite, label)
    if contradicts or any(has(name, label) for name in _NO_LEAD):
        return True
    is_led = any(has(name, label) for name in ("sums_up", "casts", "vote_for", "vote_against", "from_me"))
    return not is_led and bool(leaves_only(_LABELS, label))


def lists_others(line: str, author: str) -> bool:
    """Whether a line puts two people or more in a row, and none of them its writer: "with Jun, Mara (binding)"."""
    pairs = ((m["one"], m["other"]) for m in _IN_A_ROW.finditer(line))
    named = any(not {fold_name(word) for word in pair} & COMMON_WORDS for pair in pairs)
    words = {fold_name(word) for word in re.findall(r"\w+", line)}
    is_own = bool(words & set(fold_name(author).split())) or has("first_person", fold(line))
    return named and not is_own and not has_condition(line)
