"""Names of people as lines list them: "Mara Lind, Jun Okafor (binding)"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kipflow.domain.people import fold_name
from kipflow.mail.announcements.tokens import join_words, load_classes

BRACKETS = re.compile(r"\([^()]*\)")
CLAIM_PAREN = re.compile(r"\(\s*[\w\s./-]{0,30}\)|\[[^\[\]]{0,30}\]")
COMMON_WORDS = frozenset(load_classes("patterns.toml")["common"])
_MINE = frozenset({"myself", "me", "i", "mine", "my own", "my own vote", "yours truly"})
_NO_NAME = re.compile(rf"\b(?:{join_words('no_name')}|i)\b|://", re.IGNORECASE)
_LONGEST_NAME, _LONGEST_LIST, _MOST_WORDS = 60, 600, 5
_PARTICLES = frozenset({"de", "van", "von", "da", "der", "dos", "del"})
# "Personally I'm", "Overall we"
_SPEAKER = re.compile(r"(?:i|we|it|my|that)\b", re.IGNORECASE)
#: "David A."
_INITIAL = re.compile(r"(?<=\w )[A-Z](?:\.|(?=\s*(?:[,;(]|$)))|(?:^|(?<=[,;] ))[A-Z]\. ")
#: "jokafor", "rune berg", "Ole de la Cruz (binding)", "jokafor(binding)"
_HANDLE = re.compile(r"^@?[\w.-]{2,30}(?:\s[\w.'’-]{1,30}){0,4}(?:\s?\([^()]{1,30}\))?[,;]?$")


def find_names(text: str) -> list[str]:
    """The names in "Mara Lind, Jun Okafor (binding)": empty unless all of the text is names.

    A name is one to four words that start with a capital; common opening words are not names.
    """
    bare = CLAIM_PAREN.sub(" ", text).strip(" :-–—,;.*")
    pieces = re.split(r"\s*[,;/]\s*|\s+and\s+|\s+&\s+", bare) if len(bare) <= _LONGEST_LIST else []
    names = [words for piece in pieces if (words := piece.strip(" .").split())]
    return [" ".join(words) for words in names] if all(map(_is_name, names)) else []


def _is_name(words: Sequence[str]) -> bool:
    is_said = any(_SPEAKER.match(word) or fold_name(word) in COMMON_WORDS for word in words)
    return len(words) < _MOST_WORDS and not is_said and all(map(_is_part_of_name, words))


def _is_part_of_name(word: str) -> bool:
    has_no_capitals = not (word[0].isascii() or word[0].islower())
    return word[0].isupper() or word[0] == "@" or has_no_capitals or word.lower() in _PARTICLES


def are_people(text: str) -> bool:
    """Whether a text holds only names: "Mara Lind (binding), Jun O."."""
    return bool(find_names(_INITIAL.sub("", BRACKETS.sub(" ", text))))


def parse_name(text: str) -> str | None:
    """A person as a list names them ("Mara Lind", "jokafor", "myself" for the writer); None if it is nobody."""
    words = text.strip(" -–—:.*\"'@<>").split()
    name = " ".join(words)
    if name.lower() in _MINE:
        return "myself"
    fits = 0 < len(words) <= _MOST_WORDS and len(name) <= _LONGEST_NAME and not name[0].isdigit()
    is_common = any(fold_name(word) in COMMON_WORDS for word in words if len(word.strip(".")) > 1)
    return None if not fits or is_common or name.endswith(("'s", "’s")) or _NO_NAME.search(name) else name


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
