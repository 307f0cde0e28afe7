"""Names of people as lines list them: "Mara Lind, Jun Okafor (binding)"."""

from __future__ import annotations

import re

from kipflow.domain.people import fold_name
from kipflow.mail.announcements.tokens import load_classes

CLAIM_PAREN = re.compile(r"\(\s*[\w\s./-]{0,30}\)|\[[^\[\]]{0,30}\]")
COMMON_WORDS = frozenset(load_classes("patterns.toml")["common"])
# "Personally I'm", "Overall we"
_SPEAKER = re.compile(r"^(?:I|we|We|it|It|my|My|that|That)(?:['’]\w{1,2})?$")


def find_names(text: str) -> list[str]:
    """The names in "Mara Lind, Jun Okafor (binding)": empty unless all of the text is names.

    A name is one to four words that start with a capital; common opening words are not names.
    """
    bare = CLAIM_PAREN.sub(" ", text).strip(" :-–—,;.*")
    if not bare or len(bare) > 600:
        return []
    names: list[str] = []
    for piece in re.split(r"\s*[,;/]\s*|\s+and\s+|\s+&\s+", bare):
        words = piece.strip(" .").split()
        if any(_SPEAKER.match(w) for w in words):
            return []
        if not words:
            continue
        if len(words) > 4 or any(fold_name(w) in COMMON_WORDS for w in words):
            return []
        if not all(
            w[0].isupper()
            or w[0] == "@"
            or not (w[0].isascii() or w[0].islower())  # a script without capitals
            or w.lower() in {"de", "van", "von", "da", "der", "dos", "del"}
            for w in words
        ):
            return []
        names.append(" ".join(words))
    return names


#: "jokafor", "rune berg", "Ole de la Cruz (binding)", "jokafor(binding)"
_HANDLE = re.compile(r"^@?[\w.-]{2,30}(?:\s[\w.'’-]{1,30}){0,4}(?:\s?\([^()]{1,30}\))?[,;]?$")


def is_handle(text: str) -> bool:
    """Whether a line of a list can be a person who writes their name in lower case, or a login."""
    words = re.findall(r"\w+", CLAIM_PAREN.sub(" ", text))
    return _HANDLE.match(text) is not None and not any(fold_name(word) in COMMON_WORDS for word in words)


def can_be_listed(text: str) -> bool:
    """Whether a line below a heading can be one or several voters."""
    return bool(find_names(text)) or is_handle(text)


def is_same_person(written: str, author: str) -> bool:
    """Whether a name as written in a line ("Mara", "M. Lind", "mlind") can be the author's own."""
    said, known = fold_name(written).split(), fold_name(author).split()
    return (
        bool(said)
        and bool(known)
        and (set(said) <= set(known) or "".join(said) in {"".join(known), known[0][0] + known[-1]})
    )


def names_someone(after: str) -> bool:
    """Whether the text after a vote can be its voter's name: one to three words, perhaps a role."""
    bare = CLAIM_PAREN.sub(" ", after).strip(" :-–—,;.*@")
    words = bare.split()
    return (
        1 <= len(words) <= 4 and not any(fold_name(w) in COMMON_WORDS for w in words) and not bare.endswith(("!", "?"))
    )


def is_own(text: str, author: str) -> bool:
    names = find_names(text) or [CLAIM_PAREN.sub(" ", text).strip(" :-–—,;.*")]
    return len(names) == 1 and is_same_person(names[0], author)
