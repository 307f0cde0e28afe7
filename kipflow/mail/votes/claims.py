"""Whether a voter claims to bind: "(binding)", "non-binding", "(biding)", "(nb)". The roster decides if it does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache, lru_cache

from kipflow.mail.announcements.names import is_same_person
from kipflow.mail.relevance import fold_case, has_any
from kipflow.mail.votes.lexicon import load_words

_LOOKED_AT = 160
_WORD = re.compile(r"[^\W\d_]{4,13}")
_SHORT_NON = re.compile(r"\(\s*n\.?[-/]?\s?b\.?\s*\)|\bnon-?b\b|^\s*[,/-]?\s*nb\b[\s.!)]*$", re.IGNORECASE)
_SHORT_BINDING = re.compile(r"\(\s*b\.?\s*\)", re.IGNORECASE)
_NON_BEFORE = re.compile(
    r"(?<![^\W_])(?:non?e?|nonn|not|un|isn['’]?t)(?:[\s\-–_]{0,3}|\s+(?:a|really|sure if|"
    r"sure it's)\s+)$",
    re.IGNORECASE,
)
_NON_WITHIN = re.compile(r"^(?:nonn?|not|no|un|[非无無不未])-?(?=b)", re.IGNORECASE)
# "we need 2 more binding votes", "that makes three binding", "the Python bindings"
_NO_CLAIM_BEFORE = re.compile(
    r"(?:\d|\b(?:two|three|four|five|six|seven|more|another|enough|other|others?['’]?|required|needed|all|are|"
    r"the|these|those|language|native|python|java|rust|only))\s+$",
    re.IGNORECASE,
)
_NO_CLAIM_AFTER = re.compile(r"^\s*(?:votes?\b|[+-]1|\?)", re.IGNORECASE)
_VOTE_BEHIND = re.compile(r"[\s)\]}:,]*(?:\bvote(?: of)?)?[\s)\]}:,=-]*$", re.IGNORECASE)
# other words similar to "binding"; in brackets the last ones are typing errors
_OTHER_WORDS = frozenset({"building", "blinding", "banding", "rebinding", "binning", "being", "bring", "bind"})
_AT_A_GLANCE = frozenset({"bonding", "bidding", "bending"})


@lru_cache(maxsize=4096)
def is_binding_word(word: str, *, loosely: bool = False) -> bool:
    """Whether a word is "binding" as people type it: at most one slip away, two where the place allows (`loosely`).

    >>> is_binding_word("biding"), is_binding_word("building"), is_binding_word("bonding", loosely=True)
    (True, False, True)
    """
    lower = word.lower()
    if lower in _OTHER_WORDS or lower in _AT_A_GLANCE:
        return loosely and (lower in _AT_A_GLANCE or lower == "bind")
    if "b" not in lower[:2] or not 4 <= len(lower) <= 10:
        return False
    return SequenceMatcher(None, lower, "binding", autojunk=False).ratio() >= (0.7 if loosely else 0.85)


_CLAIM = (
    r"(?:[\[({,/–—&-]?\s*(?:non?e?|not|nn)?[\s-]{0,3}\(?(?:b[idn]{1,4}[idng]{1,4}s?|bind|(?:i?p?pmc|"
    r"committer)(?: member)?|nb|(?<=[(-])b)\b\.?\s*[\])}]?\s*){1,2}"
)
_AFTER_CLAIM = re.compile(
    rf"^\s*(?:{_CLAIM})?\s*(?:[\[(][^\[\]()]{{0,40}}[\])])?\s*(?:votes?\b(?!\s*(?:is|are|was)\b))?\s*", re.I
)


@cache
def _compile_other_languages() -> re.Pattern[str]:
    words = load_words()
    said, denied = (
        "|".join(sorted(map(re.escape, words[name]), key=len, reverse=True)) for name in ("binds", "no_bond")
    )
    bare = rf"(?<=[+-][01] )(?P<bare>(?:{denied})[\s-])?(?:{said})\b"
    return re.compile(rf"\(\s*(?P<not>(?:{denied})[\s-]?)?(?:{said})\s*(?=[,;:)])|{bare}", re.IGNORECASE)


def translate_claims(line: str) -> str:
    """ "+1 (no vinculante)" to "+1 (non-binding)"."""
    return _compile_other_languages().sub(_translate, line) if "(" in line or "1 " in line or "0 " in line else line


def _translate(found: re.Match[str]) -> str:
    opens = "(" if found.group().startswith("(") else ""
    return f"{opens}non-binding" if found["not"] or found["bare"] else f"{opens}binding"


def skip_claim(tail: str) -> str:
    """The text after a value and its claim to bind: "(binding) from me" is "from me"."""
    match = _AFTER_CLAIM.match(tail)
    return tail[match.end() :] if match is not None else tail


def find_claim(before: str, after: str) -> bool | None:
    """What a voter claims about the binding force of a vote, by the words around it; None: nothing."""
    near = after[:_LOOKED_AT]
    if _SHORT_NON.search(near):
        return False
    trimmed = _VOTE_BEHIND.sub("", before[-48:])
    # a label binds what follows it ("non-binding: +1"); words further off are about something else
    for start, _, claim in reversed(list(_find_claims(trimmed))):
        word = _WORD.match(trimmed, start)
        if word is not None and word.end() == len(trimmed):
            return claim
    for _, end, claim in _find_claims(near):
        if not _NO_CLAIM_AFTER.match(near[end:]):
            return claim
    return True if _SHORT_BINDING.search(near) else None


#: claims made elsewhere in the mail
_APART = (
    # "(non-binding) Tested with Go", on a line of its own below a box; "Binding: no"; "Not a binding vote, but …"
    re.compile(
        r"(?P<claim>(?:^[ \t]*|[.!]\s)[(\[]\s*(?:non[- ]?)?binding\b[^)\]\d]{0,20}[)\]]|"
        r"^[ \t]*(?:non[- ]?)?binding(?:[.!]|[ \t]*[:=][ \t]*(?:yes|no|true|false|y|n)\b\.?)?[ \t]*$|"
        r"^[ \t]*(?:non[- ]?|not an? )binding(?: vote)?(?=[,.;:]? (?:but|though|however|from|of course)\b))",
        re.IGNORECASE | re.MULTILINE,
    ),
    # "Please count it as non-binding", "my vote is not binding", "my vote does not bind"
    re.compile(
        r"\b(?:(?:count|consider|treat|take|regard|mark|file|note|record|put|list) "
        r"(?:it|this|that|me|mine|my (?:vote|[+-]1)) (?:down )?(?:as|under) (?:an? )?|"
        r"(?:my|this) (?:vote|[+-]1) (?:is|does|will|wo)(?:n['’]t| not)? (?:count as )?)"
        r"(?=(?:\w+[\s-]{1,2})?b)(?P<claim>.{0,24})",
        re.IGNORECASE,
    ),
)
# "Mehul (non-binding)", where a mail is signed
_SIGNED = re.compile(
    r"^[ \t~–—-]*(?P<name>[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,3}),? (?=\((?:non[- ]?)?binding\)\s*$)", re.I | re.M
)


def find_separate_claim(text: str, author: str = "") -> bool | None:
    """The claim to bind that a mail makes elsewhere in its words, or after its author's name at the end."""
    folded = fold_case(text)
    names_claim = "binding" in folded
    if not names_claim and not has_any(_COUNTED, folded):
        return None
    signed = _SIGNED.search(text) if names_claim else None
    if signed is not None and is_same_person(signed.group("name"), author):
        return find_claim("", text[signed.end() : signed.end() + 24])
    apart = next((match for pattern in _APART if (match := pattern.search(text)) is not None), None)
    if apart is None:
        return None
    return False if _DENIED.search(apart.group()) else find_claim("", apart["claim"])


#: Every text that matches the second pattern of `_APART` has one of these.
_COUNTED = ("as ", "under ", "vote ", "1 ")
_DENIED = re.compile(r"n['’]t\b|\bnot\b|[:=]\s*(?:no?|false)\b", re.IGNORECASE)


def _find_claims(text: str) -> Iterator[tuple[int, int, bool]]:
    """Where the text says binding or not: start and end of the word, and which."""
    for match in _WORD.finditer(text):
        word = match.group()
        if "b" not in word and "B" not in word:
            continue  # no typing error leaves out the first letter
        before = text[: match.start()]
        bare = _NON_WITHIN.sub("", word)
        denied = _NON_BEFORE.search(before[-24:]) is not None
        bracketed = before.rstrip()[-1:] in {"(", "["}
        is_binding = is_binding_word(word, loosely=denied or bracketed)
        if (bare != word and is_binding_word(bare, loosely=True)) or (denied and is_binding):
            yield match.start(), match.end(), False
        elif (
            is_binding
            and before[-1:] not in {"-", "_"}
            and not _NO_CLAIM_BEFORE.search(before[-20:])
            and not (word.lower() == "bindings" and any(c.isalpha() for c in before))
        ):
            yield match.start(), match.end(), True


_OPENED = re.compile(r"(?P<before>.*)[\"“'‘«「„][( ]*", re.DOTALL)
_OPENED_EARLIER = re.compile(r'(?P<before>(?:[^"]*"[^"]*")*[^"]*(?<!\d))"[^"]{1,30}')
_CLOSED = re.compile(r"[^.!?]{0,25}[\"”'’»」“](?P<after>.*)$", re.DOTALL)
_CLOSED_LATER = re.compile(r'[^.!?"]{0,25}"(?P<after>.*)$', re.DOTALL)
_FIRST_PERSON = re.compile(r"\b(?:I|my|me|mine)\b", re.IGNORECASE)  # not "our process: answer 'yes, +1'"


def is_in_quotes(lead: str, tail: str, *, is_claimed: bool) -> bool:
    """Whether a value between these texts is in quotation marks, with words around them.

    They may open some words earlier ('answer "yes, +1"'), unless the vote has a claim or words in the first person.
    """
    opened, closed = _OPENED.fullmatch(lead), _CLOSED.match(tail)
    if opened is None and not is_claimed and _FIRST_PERSON.search(lead + tail) is None:
        opened, closed = _OPENED_EARLIER.fullmatch(lead), _CLOSED_LATER.match(tail)
    return bool(opened and closed and re.search(r"\w", opened["before"] + skip_claim(closed["after"])))
