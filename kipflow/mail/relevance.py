"""Cheap tests before a full search: searching a pattern costs a hundred times as much as looking for a word.

A test may return a false positive, never a false negative. `fold_case` guarantees this for patterns
that ignore case.
"""

from __future__ import annotations

from collections.abc import Iterable

#: Characters that `re.IGNORECASE` treats as ASCII letters, but `str.lower` does not turn into one.
_ODD_LETTERS = str.maketrans({"\u017f": "s", "\u0131": "i", "\u0130": "i", "\u212a": "k"})


def fold_case(text: str) -> str:
    """`text` in lower case, as patterns that ignore case see its ASCII letters."""
    return text.lower() if text.isascii() else text.translate(_ODD_LETTERS).lower()


def has_any(signs: Iterable[str], text: str) -> bool:
    """Whether `text` holds one of the signs."""
    for sign in signs:  # noqa: SIM110  `any` over a generator costs three times as much
        if sign in text:
            return True
    return False
