"""Whose vote a value is, by the words around it: its writer's, somebody's, several people's, or anybody's."""

from __future__ import annotations

import re
from functools import lru_cache

from kipflow.domain.people import fold_name
from kipflow.mail.announcements.names import CLAIM_PAREN, COMMON_WORDS, can_be_listed, find_names, is_own
from kipflow.mail.votes.claims import find_claim, skip_claim
from kipflow.mail.votes.conditions import has_condition
from kipflow.mail.votes.lexicon import begins, fold, has
from kipflow.mail.votes.mentions import Mention
from kipflow.mail.votes.values import find_values

_NAMED = re.compile(r"\s*\((?P<who>@?[A-Z][a-z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2})\)")
_LISTED_BEHIND = re.compile(r"(?: \(?(?:non-?)?binding\)?)?\s*\((?P<who>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2})[,)]")
_NAMED_BEFORE = re.compile(r"\b[A-Z][\w'’-]+:? \(?[+\-±][01](?=\W)")
_LISTED_BEFORE = re.compile(r"(?P<who>\b[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2}):? $")
_OF_WRITER = re.compile(r"\b(?:i|i['’]\w+|me|mine|myself|my (?:own|vote))\b", re.IGNORECASE)
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
#: right before a value, whose it is: "Jun's +1", not "that's +1"
SOMEBODYS = re.compile(r"\b(?!(?:It|That|Here|There|What|Let|He|She|Vote|Mine)['’]s)[A-Z]\w+['’]s (?:earlier |own )?$")
#: right before a value, by somebody who counts others' votes: "I'll count it as", "Noted,"
KEEPS_TALLY = re.compile(
    r"(?:^|[,.;:] )\W*(?:i|we)(?:['’](?:ll|d|ve))?(?: (?:have to|must|will|would|can|now|just|have))*"
    r" (?:count(?:ed)?|record(?:ed)?|put|tak(?:e|en)|took|read|have|moved?|list(?:ed)?|noted?)"
    r" (?:it|that|this|you|them|your \w+)(?: down)? (?:as|from|to)(?: an?)? $"
    r"|^\W*(?:\w+,? ){0,2}(?:noted|ack|acknowledged|counted|recorded)(?: as)?\W*$",
    re.IGNORECASE,
)
#: "[14:03] jun: same, ", "<jun> "
IN_CHAT = re.compile(r"\W*(?:\d{1,2}:\d\d\W{1,3}<?[\w-]+[>:]\s|<[\w-]+>:?\s*$)")
#: a sentence about somebody else's vote: "your veto", "Jun's -1"
ANOTHERS = re.compile(
    r"\b(?:your|his|her|their|[A-Z][a-z]+['’]s)\s+(?:\w+\s+){0,2}(?:[+\-±]\s?[01]|votes?|veto|objections?|concerns?)\b"
    r"|\b[A-Z][a-z]+['’]s (?:was|is)\b|\b(?:he|she|they) (?:go(?:es)?|went|(?:mov|switch|chang)e?[sd]?) (?:from|to)\b"
)
#: right before a value, asks somebody about it, or addresses them: "Is that a +1?", "You scared me with that -1"
YOURS = re.compile(
    r"^\W*(?:(?:so|and|but|ok|hm+|well|sorry),? )*"
    r"(?:(?:is|was) (?:that|this|it)|does (?:that|this|it) (?:mean|count as)) an? (?:\w+ )?$"
    r"|\b(?:should|shall|do) (?:i|we) (?:count|take|read|record) (?:that|this|it|yours|you) as (?:an? )?$"
    r"|\byou\b[^.!?]*\b(?:that|this) $",
    re.IGNORECASE,
)
#: how a writer leads in what is said of others: "I think that"
THINKS = re.compile(r"\bi (?:\w+ )?(?:think|thought|believe|guess|know|feel|see|hope|cancelled|have cancelled)\b", re.I)
_SEVERAL = re.compile(
    r"\s*(?:(?:yes|no|(?:non-?)?binding|i?p?pmc|toc|tsc) ){0,2}(?:votes|veto(?:e?s)|ballots|statements)\b"
    r"(?P<behind>\s*[:(]|\s*$)?",
    re.IGNORECASE,
)
#: "And a third +1 (binding)", "Here goes another binding +1"
_ONE_MORE = re.compile(
    r"^(?:(?:and|so|with|(?:here|there|that) is|(?:here|there|that)'s|here (?:goes|comes)|plus) )*"
    r"(?:(?:a|the|one|yet|your|our) )?(?:another|more|second|third|fourth|fifth)"
    r"$|^(?:and )?here(?:'s| is| comes| goes) (?:another|one more|a (?:second|third|fourth|fifth)) (?:non-?)?binding$"
)
_KIND = re.compile(r"\W*(?:non-?)?binding ", re.IGNORECASE)
_DOTS = re.compile(r"[.…]{3,}|…")
_PLEADS = re.compile(r"\W*(?:please|pls|plz)\W*$")
#: behind one more vote: "please", "and we are done", "to go", "from a PMC member and it passes"
_IS_WANTED = re.compile(
    r"\W*(?:(?:please|pls|plz)\W*$|(?:and|so|then)\W+(?:we|it|this|that|then|i can|i'll|the)\b"
    r"|(?:to (?:go|pass|close|get|reach|make)|until|before|we|who|any(?:one|body)?|from an? .*\b(?:and|so|then))\b)"
)
_MOST_LISTED = 20
#: where a list of voters ends in a line
_LIST_END = re.compile(r"[;.!?]|,\s*$")
_NUMBER_OF = re.compile(r"(?:.*(?<![\w.-]))?\d{1,3}\s*\(\s*")


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
    names = [name for name in find_names(listed.strip(" :!-–—()[]")) if len(name) > 1]  # ":-D"
    is_list = m.rest.lstrip()[:1] == ":" and (m.is_claimed or not m.sentence.starts_line)
    is_list = is_list or bool(m.label) or len(find_values(m.sentence.text)) > 1  # "Binding: +1 Jun"
    several = len(names) > 1 or (bool(names) and (" " in names[0] or is_list))
    return several and not is_own(m.rest, m.author)


def gives_others(line: str, author: str) -> bool:
    """Whether each value of a line has another's name beside it: "Jun +1, Ola: +0.5", "+0.9 (Jun, rounded up)"."""
    values = find_values(line)
    behind = [_LISTED_BEHIND.match(line[value.end() :]) for value in values]
    before = [_LISTED_BEFORE.search(line[: value.start()]) if len(values) > 1 else None for value in values]
    who = [(one or other) for one, other in zip(behind, before, strict=True)]
    named = all(x is not None and fold_name(x["who"]) not in COMMON_WORDS and not is_own(x["who"], author) for x in who)
    return bool(values) and named and _OF_WRITER.search(line) is None


def lists_others(line: str, author: str) -> bool:
    """Whether a line puts two people or more in a row, none of them its writer: "with Jun, Mara (binding)"."""
    pairs = ((m["one"], m["other"]) for m in _IN_A_ROW.finditer(line))
    named = any(not {fold_name(word) for word in pair} & COMMON_WORDS for pair in pairs)
    words = {fold_name(word) for word in re.findall(r"\w+", line)}
    names_writer = bool(words & set(fold_name(author).split())) or has("first_person", fold(line))
    return named and not names_writer and not has_condition(line)


def is_of_several(m: Mention) -> bool:
    """Whether it is said about several votes: "the +1 votes carry over", or "+1 votes" above a list."""
    below, behind = m.sentence.following.lstrip(" -*•"), m.rest.strip()
    if _KIND.fullmatch(m.lead) and ((behind == ":" and can_be_listed(below[:60])) or _DOTS.fullmatch(behind)):
        return True  # "Binding +1:" above names, "binding +1 ..... 2"
    found = _SEVERAL.match(m.tail)
    if found is None or has("first_person", THINKS.sub(" ", fold(m.sentence.text))):
        return False  # "I repeat my +1 votes", not "I thought that -1 votes need a reason"
    return not m.opens or (found["behind"] is not None and bool(m.sentence.following.strip()))


def is_of_tally(m: Mention) -> bool:
    """Whether its line lists others beside two values or more: "+1 binding Jun, Ola; -1 Ravi", "Jun +1, Ola -1"."""
    if m.segment in {"me", "myself"} and len(_NAMED_BEFORE.findall(m.lead)) > 1 and not m.is_claimed:
        return True
    listed = _find_listed(m.sentence.line.text)
    return bool(listed) and not any(is_own(name, m.author) for value, name in listed if value == m.written)


@lru_cache(maxsize=256)  # for each value of a line
def _find_listed(line: str) -> tuple[tuple[str, str], ...]:
    """The values of a line with the names behind each; empty if it has one value, or one without names."""
    values = find_values(line)
    if not 1 < len(values) <= _MOST_LISTED:
        return ()
    ends = [value.start() for value in values[1:]] + [len(line)]
    behind = (skip_claim(line[v.end() : end]) for v, end in zip(values, ends, strict=True))
    named = [find_names(_LIST_END.split(text)[0].strip(" :-–—")) for text in behind]
    if not all(names and names[0][0].isupper() for names in named):
        return ()
    return tuple((v["value"], name) for v, names in zip(values, named, strict=True) for name in names)


def is_one_more(m: Mention) -> bool:
    """Whether it is added to others' votes: "Another +1 from me", "One more +1, please"."""
    return _ONE_MORE.match(m.clause) is not None


def is_wanted(m: Mention) -> bool:
    """Whether a vote may be waited for, not cast: "One more +1 and we are done", "A +1, please"; not "Another +1"."""
    rest = fold(m.rest)
    if is_one_more(m):
        return not (m.ends_clause or m.is_claimed) or _IS_WANTED.match(rest) is not None
    return m.segment.startswith(("a ", "an ")) and _PLEADS.match(rest) is not None


def is_counted_in_brackets(m: Mention) -> bool:
    """Whether a number in front of brackets counts votes of this value: "3 (+1 binding) votes"."""
    return _NUMBER_OF.fullmatch(m.lead) is not None and re.match(r"[^)]*\)\s*(?:votes\b|\()", m.tail) is not None
