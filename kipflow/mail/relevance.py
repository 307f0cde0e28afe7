"""Cheap tests that spare a closer look: searching a pattern costs a hundred times what looking for a word costs.

A test may say yes in vain; it never says no where the closer look would find something. `fold_case` makes
that exact for patterns that ignore case.
"""

from __future__ import annotations

from collections.abc import Iterable

#: What `re.IGNORECASE` takes for an ASCII letter though `str.lower` does not make it one.
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
