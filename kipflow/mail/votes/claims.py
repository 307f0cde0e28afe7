"""Whether a voter claims to bind: "(binding)", "non-binding", "(biding)", "(nb)". The roster decides if it does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from kipflow.mail.announcements.names import is_same_person

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
# words near to "binding" that are words of their own
_OTHER_WORDS = frozenset(
    {"building", "bidding", "bending", "blinding", "bonding", "banding", "rebinding", "binning", "being", "bring"}
)


@lru_cache(maxsize=4096)
def is_binding_word(word: str, *, loosely: bool = False) -> bool:
    """Whether a word is "binding" as people type it: at most one slip away, two where the place allows (`loosely`).

    >>> is_binding_word("biding"), is_binding_word("building"), is_binding_word("bonding", loosely=True)
    (True, False, True)
    """
    lower = word.lower()
    if lower in {"binding", "bindings", "bind"}:
        return lower != "bind" or loosely
    if lower in _OTHER_WORDS and not (loosely and lower in {"bonding", "bidding", "bending"}):
        return False
    if "b" not in lower[:2] or not 4 <= len(lower) <= 10:
        return False
    return _count_slips(lower, "binding") <= (2 if loosely else 1)


def _count_slips(a: str, b: str) -> int:
    """Letters to add, drop, replace or swap with a neighbour until `a` is `b`."""
    two_back: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            cost = min(row[j] + 1, current[j - 1] + 1, row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, two_back[j - 2] + 1)
            current.append(cost)
        two_back, row = row, current
    return row[-1]


def find_claim(before: str, after: str) -> bool | None:
    """What a voter says of the binding force of a vote, from the words around it; None: nothing."""
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


# "Please count it as non-binding", "my vote is not binding": said in a sentence of its own
_TOLD_APART = re.compile(
    r"\b(?:(?:count|consider|treat|take|regard|mark|file|note|record|put|list) "
    r"(?:it|this|that|me|mine|my (?:vote|[+-]1)) (?:down )?(?:as|under) (?:an? )?|"
    r"(?:my|this) (?:vote|[+-]1) (?:is|isn['’]t) )(?=(?:\w+[\s-]{1,2})?b)",
    re.IGNORECASE,
)


# "(non-binding) Tested with Go", on a line of its own below a checked box
_ALONE_IN_FRONT = re.compile(
    r"(?:^[ \t]*|[.!]\s)[(\[]\s*(?:non[- ]?)?binding\b[^)\]\d]{0,20}[)\]]|^[ \t]*(?:non[- ]?)?binding[.!]?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)


_BINDS_NOBODY = re.compile(
    r"\bmy (?:vote|[+-]1) (?:does(?: not|n['’]t)|will not|won['’]t) (?:bind|count as binding)\b", re.I
)


# "Mehul (non-binding)", where a mail is signed
_SIGNED = re.compile(
    r"^[ \t~–—-]*(?P<name>[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,3}),? (?=\((?:non[- ]?)?binding\)\s*$)", re.I | re.M
)


def find_claim_told_apart(text: str, author: str = "") -> bool | None:
    """The claim that a mail makes of its vote elsewhere in its words, or behind its author's name at the end."""
    signed = _SIGNED.search(text)
    if signed is not None and is_same_person(signed.group("name"), author):
        return find_claim("", text[signed.end() : signed.end() + 24])
    if _BINDS_NOBODY.search(text) is not None:
        return False
    alone = _ALONE_IN_FRONT.search(text)
    if alone is not None:
        return find_claim("", alone.group())
    told = _TOLD_APART.search(text)
    return None if told is None else find_claim("", text[told.end() - 6 : told.end() + 24])


def _find_claims(text: str) -> Iterator[tuple[int, int, bool]]:
    """Where the text says binding or not: start and end of the word, and which."""
    for match in _WORD.finditer(text):
        word = match.group()
        if "b" not in word and "B" not in word:
            continue  # nobody's slip leaves out the letter that it begins with
        before = text[: match.start()]
        bare = _NON_WITHIN.sub("", word)
        if bare != word and is_binding_word(bare, loosely=True):
            yield match.start(), match.end(), False
            continue
        denied = _NON_BEFORE.search(before[-24:]) is not None
        bracketed = before.rstrip()[-1:] in {"(", "["}
        if not is_binding_word(word, loosely=denied or bracketed):
            continue
        if denied:
            yield match.start(), match.end(), False
        elif (
            before[-1:] not in {"-", "_"}
            and not _NO_CLAIM_BEFORE.search(before[-20:])
            and not (word.lower() == "bindings" and any(c.isalpha() for c in before))
        ):
            yield match.start(), match.end(), True
