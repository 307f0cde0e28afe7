"""Finds the word classes of `lexicon.toml` in a text. That one file holds all words.

"approv*" means all words that begin so, "concern* ... resolved" allows up to 45 characters between. Chinese,
Japanese and Korean words need no blanks around them.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files

_NO_BLANKS = re.compile(r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff]")
_LETTERS = re.compile(r"[^\W\d_][\w'-]*")
_RUN = re.compile(r"\w+")
_BETWEEN_PIECES = re.compile(r" \.\.\. |[ *]")
_WIDE = r"[\u3040-\u9fff\uac00-\ud7af]"  # between these there is no boundary
_AFTER_WIDE, _BEFORE_WIDE = rf"(?:\b|(?<={_WIDE}))", rf"(?:\b|(?={_WIDE}))"


@cache
def load_words() -> dict[str, tuple[str, ...]]:
    """Class → its words, of all languages."""
    return parse_lexicon(files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8"))


def parse_lexicon(text: str) -> dict[str, tuple[str, ...]]:
    """Class → its words, of a lexicon's text."""
    written = {name: " , ".join(by.values()).split(",") for name, by in tomllib.loads(text).items()}
    return {name: tuple(_spell_out(entries, written)) for name, entries in written.items()}


def _spell_out(entries: Iterable[str], written: Mapping[str, list[str]]) -> Iterator[str]:
    """Each entry's words: "wrong (thread|list)" is two, "@greeting" those of another class."""
    for entry in map(str.strip, entries):
        if entry.startswith("@"):
            yield from _spell_out(written[entry[1:]], written)
        elif "(" in entry:
            choices = [part.split("|") for part in re.split(r"[()]", entry)]
            yield from (" ".join("".join(chosen).split()) for chosen in itertools.product(*choices))
        else:
            yield " ".join(entry.split())


def is_unspaced(text: str) -> bool:
    """Whether `text` begins with a letter of a script that puts no blanks between words."""
    return text[:1].isalpha() and _NO_BLANKS.match(text) is not None


def find_words(name: str, text: str) -> list[re.Match[str]]:
    """Where words of the class occur in `text` (lower case, see `fold`)."""
    held = _find_held(name, text)
    return list(_compile_signs(held).finditer(text)) if held else []


def has(name: str, text: str) -> bool:
    """Whether `text` (in lower case, see `fold`) holds a word of the class."""
    for sign in _find_held(name, text):  # noqa: SIM110  as in `has_any`
        if _compile_signs((sign,)).search(text) is not None:
            return True
    return False


def begins(name: str, text: str) -> bool:
    """Whether `text` (in lower case) begins with a word of the class, blanks aside."""
    return _match(name, text.lstrip()) is not None


def skip(name: str, text: str) -> str:
    """`text` (in lower case) after a word of the class, if it begins with one."""
    found = _match(name, text)
    return text if found is None else text[found.end() :].lstrip()


def ends(name: str, text: str) -> bool:
    """Whether `text` (in lower case) ends with a word of the class, marks and blanks aside."""
    text = text.rstrip(" ,.:;–—-")
    return any(match.end() == len(text) for match in find_words(name, text))


def fold(text: str) -> str:
    """`text` as the lexicon sees it: lower case, with one kind of apostrophe."""
    text = text.lower()
    return text if text.isascii() else text.replace("\u2019", "'").replace("\u2018", "'").replace("\u02bc", "'")


def speaks_of_votes(text: str) -> bool:
    """Whether `text` (see `fold`) holds any word that could cast a vote without a value."""
    return "bind" in text or has("voting", text)


def drop(name: str, text: str) -> str:
    """`text` with the words of the class blanked out, so that the words within them are not found."""
    held = _find_held(name, text)
    return _compile_signs(held).sub(lambda m: "·" * len(m.group()), text) if held else text


def leaves_only(names: Iterable[str], text: str) -> str:
    """The letters of `text` that belong to no word of the classes."""
    if _LETTERS.search(text) is None:
        return ""
    signs = tuple(sign for name in names for sign in _find_held(name, text))
    return " ".join(_LETTERS.findall(_compile_signs(signs).sub(" ", text) if signs else text))


@cache
def _find_signs(name: str) -> dict[str, list[str]]:
    """The longest piece without a blank of each word of a class, with the words that contain it. A text without the
    piece holds none of them, and this test costs far less than building or trying a pattern."""
    found: dict[str, list[str]] = {}
    for word in load_words()[name]:
        found.setdefault(max(_BETWEEN_PIECES.split(word), key=len), []).append(word)
    return found


#: (class, sign)
Signs = tuple[tuple[str, str], ...]


@cache
def _index(name: str) -> tuple[dict[str, list[str]], list[str], list[str]]:
    """The signs of a class: those that are found by the complete run of letters that they begin with; the rest, which
    may be inside such a run; and those of the rest that a text in ASCII can hold."""
    by_run: dict[str, list[str]] = {}
    rest = []
    for sign, words in _find_signs(name).items():
        first = _RUN.match(sign)
        begins_run = first is not None and all(_is_lettered(word) and f"*{sign}" not in word for word in words)
        if first is None or not begins_run or (first.end() == len(sign) and any(f"{sign}*" in word for word in words)):
            rest.append(sign)
        else:
            by_run.setdefault(first.group(), []).append(sign)
    return by_run, rest, [sign for sign in rest if sign.isascii()]


@lru_cache(maxsize=512)  # one text is tested for many classes
def _split_runs(text: str) -> frozenset[str]:
    return frozenset(_RUN.findall(text))


@lru_cache(maxsize=512)  # several rules test for one class
def _find_held(name: str, text: str) -> Signs:
    """The signs of the class in `text`: a text without a sign holds none of its words."""
    by_run, rest, ascii_rest = _index(name)
    runs = by_run.keys() & _split_runs(text)
    begun = [sign for run in sorted(runs) for sign in by_run[run]] if runs else []
    return tuple((name, sign) for sign in (*begun, *(ascii_rest if text.isascii() else rest)) if sign in text)


def _match(name: str, text: str) -> re.Match[str] | None:
    held = _find_held(name, text)
    return _compile_signs(held).match(text) if held else None


@lru_cache(maxsize=8_192)
def _compile_signs(signs: Signs) -> re.Pattern[str]:
    return _join([word for name, sign in signs for word in _find_signs(name)[sign]])


def _join(words: Iterable[str]) -> re.Pattern[str]:
    """One pattern for all the words: those of letters share one check of their boundaries, which is fast."""
    ordered = sorted(set(words), key=lambda w: (" ... " in w, -len(w), w))
    lettered = [w for w in ordered if _is_lettered(w)]
    spaced, begun = ([w for w in lettered if (w[-1] == "*") is begins] for begins in (False, True))
    rest = [w for w in ordered if not _is_lettered(w)]
    before, after = r"(?<![\w'-])", r"(?!\w|-\w|'(?!s\b))"
    parts = [f"{before}(?:{'|'.join(map(_write_pattern, begun))})"] if begun else []
    parts += [f"{before}(?:{'|'.join(map(_write_pattern, spaced))}){after}"] if spaced else []
    return re.compile("|".join([*parts, *map(_write_pattern, rest)]))


def _is_lettered(word: str) -> bool:
    """Whether a word, and so each of its pieces, can begin only where a run of letters begins."""
    return (
        word[0].isalnum()
        and (word[-1] == "*" or word[-1].isalnum())
        and (word.isascii() or not _NO_BLANKS.search(word))
    )


def _write_pattern(word: str) -> str:
    pieces = word.split(" ... ")
    pattern = _write_piece(pieces[0])
    for before, after in itertools.pairwise(pieces):
        pattern += _write_gap(before[-1], after[0]) + _write_piece(after)
    return pattern


def _write_piece(piece: str) -> str:
    pattern = re.escape(piece).replace(r"\*", r"\w*").replace(r"\ ", r"\s+")
    return rf"(?<![A-Za-z0-9]){pattern}" if piece[0] in "+-" else pattern  # not "GMT+1"


def _write_gap(before: str, after: str) -> str:
    """What may stand between two pieces, by the characters beside it. Wide letters are looked for only where there
    can be one: to compile that class takes longer than to compile the rest of the pattern."""
    begins, ends = (r"\b" if c.isascii() and c != "*" else None for c in (before, after))
    return rf"{begins or _AFTER_WIDE}[^.!?;。\n]{{0,45}}?{ends or _BEFORE_WIDE}"
