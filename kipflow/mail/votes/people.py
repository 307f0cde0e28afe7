"""Whose vote a value is: the names after it and before it."""

from __future__ import annotations

import re

from kipflow.domain.people import fold_name
from kipflow.mail.announcements.names import CLAIM_PAREN, COMMON_WORDS, find_names, is_own
from kipflow.mail.votes.claims import find_claim
from kipflow.mail.votes.conditions import has_condition
from kipflow.mail.votes.lexicon import begins, fold, has
from kipflow.mail.votes.mentions import Mention
from kipflow.mail.votes.values import find_values

_NAMED = re.compile(r"\s*\((?P<who>@?[A-Z][a-z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2})\)")
#: "acme (Jun Okafor)"
_OF_A_COMPANY = re.compile(r"[\w.&-]+ \((?P<who>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]+){1,2})\)\W*")
_NO_LATIN = re.compile(r"[^\x00-\u036f\u2000-\u206f]")
#: two words with capitals in a row; a letter that is not a small one counts as a capital
_CAPITAL = r"(?=[^\W\d_])[^a-zß-öø-ÿ\W][\w'’-]+"
_IN_A_ROW = re.compile(
    rf"\b(?P<one>{_CAPITAL})(?:\s*\([^()]{{1,30}}\))?(?:,| and| &| und| et)\s+(?=(?P<other>{_CAPITAL}))"
)
#: "from him": whoever it is, not the writer
OF_SOMEBODY = re.compile(r"(?:you(?! all)|him|her|them)\b", re.IGNORECASE)
#: "Jun's +1", not "that's +1"
_SOMEBODYS = re.compile(r"\b(?!(?:It|That|Here|There|What|Let|He|She|Vote|Mine)['’]s)[A-Z]\w+['’]s (?:earlier |own )?$")
#: "I'll count it as", "Noted,": said by the person who keeps the tally
_KEEPS_TALLY = re.compile(
    r"(?:^|[,.;:] )\W*(?:i|we)(?:['’](?:ll|d|ve))?(?: (?:have to|must|will|would|can|now|just|have))*"
    r" (?:count(?:ed)?|record(?:ed)?|put|tak(?:e|en)|took|read|have|moved?|list(?:ed)?|noted?)"
    r" (?:it|that|this|you|them|your \w+)(?: down)? (?:as|from|to)(?: an?)? $"
    r"|^\W*(?:\w+,? ){0,2}(?:noted|ack|acknowledged|counted|recorded)(?: as)?\W*$",
    re.IGNORECASE,
)
_ANOTHERS = re.compile(
    r"\b(?:your|his|her|their|[A-Z][a-z]+['’]s)\s+(?:\w+\s+){0,2}(?:[+\-±]\s?[01]|votes?|veto|objections?|concerns?)\b"
    r"|\b[A-Z][a-z]+['’]s (?:was|is)\b|\b(?:he|she|they) (?:go(?:es)?|went|(?:mov|switch|chang)e?[sd]?) (?:from|to)\b"
)
#: "Is that a +1?", "You scared me with that -1"
_YOURS = re.compile(
    r"^\W*(?:(?:so|and|but|ok|hm+|well|sorry),? )*"
    r"(?:(?:is|was) (?:that|this|it)|does (?:that|this|it) (?:mean|count as)) an? (?:\w+ )?$"
    r"|\b(?:should|shall|do) (?:i|we) (?:count|take|read|record) (?:that|this|it|yours) as (?:an? )?$"
    r"|\byou\b[^.!?]*\b(?:that|this) $",
    re.IGNORECASE,
)


def is_somebodys(lead: str) -> bool:
    """Whether the words right before a value say whose it is: "Jun's +1"."""
    return _SOMEBODYS.search(lead) is not None


def asks_of_it(lead: str) -> bool:
    """Whether the words before a value ask somebody about it, or address them about their vote: "Is that a +1?"."""
    return _YOURS.search(lead) is not None


def speaks_of_anothers(text: str) -> bool:
    """Whether a sentence is about somebody else's vote: "your veto", "Jun's -1"."""
    return _ANOTHERS.search(text) is not None


def keeps_tally(lead: str) -> bool:
    """Whether the words before a value are by somebody who counts others' votes: "I'll count it as"."""
    return _KEEPS_TALLY.search(lead) is not None


def is_named(m: Mention) -> bool:
    """Whether names of others, not the writer's, follow it: "+1 from Jun", "+1 (Jun)"."""
    beside = None if m.opens else _NAMED.match(m.tail)
    if beside is not None and find_claim("", beside.group()) is None:
        return not is_own(beside.group("who"), m.author)
    if m.whom and not OF_SOMEBODY.match(m.whom):
        first = m.whom.split()[0]
        aside = _OF_A_COMPANY.fullmatch(m.whom)
        is_aside = aside is not None and not is_own(aside["who"], m.author)
        if first.islower() and (has("other", m.near) or is_aside):
            return True  # "from my colleague", "from acme (Jun Okafor)"
        named = (first[0].isupper() and first.lower() != "the") or first[0] == "@"
        own = is_own(m.whom.rstrip(" .!"), m.author) or (m.is_claimed and bool(m.place))
        return named and not own and not begins("whole", fold(m.whom))
    if m.rest.lstrip()[:1] in tuple(",.!;，。！") or has("greeting", fold(m.rest)) or _NO_LATIN.search(m.rest):
        return False
    listed = re.split(r"[;.]|[,\s]+[+-]\s?\d|\(\d", CLAIM_PAREN.sub("", m.rest))[0]  # "Jun (binding), Ola"
    names = find_names(listed.strip(" :!-–—()[]"))
    names = [name for name in names if len(name) > 1]  # ":-D"
    is_list = m.rest.lstrip()[:1] == ":" and (m.is_claimed or not m.sentence.starts_line)
    is_list = is_list or bool(m.label) or len(find_values(m.sentence.text)) > 1  # "Binding: +1 Jun"
    several = len(names) > 1 or (bool(names) and (" " in names[0] or is_list))
    return several and not is_own(m.rest, m.author)


def lists_others(line: str, author: str) -> bool:
    """Whether a line puts two people or more in a row, none of them its writer: "with Jun, Mara (binding)"."""
    pairs = ((m["one"], m["other"]) for m in _IN_A_ROW.finditer(line))
    named = any(not {fold_name(word) for word in pair} & COMMON_WORDS for pair in pairs)
    words = {fold_name(word) for word in re.findall(r"\w+", line)}
    is_own = bool(words & set(fold_name(author).split())) or has("first_person", fold(line))
    return named and not is_own and not has_condition(line)
