"""Sentences of an announcement as tokens: each word with the classes that the lexicon gives it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib.resources import files

from kipflow.mail.relevance import fold_case, has_any
from kipflow.mail.votes.lexicon import parse_lexicon


@dataclass(frozen=True, slots=True)
class Token:
    """A word or phrase as written (in lower case), and what it can be."""

    text: str
    words: frozenset[str]

    def can_be(self, *kinds: str) -> bool:
        return not self.words.isdisjoint(kinds)


WIDE = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(
    rf"(?<!\d)[+\-]\s?[01](?=['’]?s\b|(?!\.?\w))|[A-Za-z]{{2,12}}-\d+|rc\d+|\d[\d.,]*|[{WIDE}]+|[^\W\d_{WIDE}]+(?:_[^\W\d_{WIDE}]+)*|['’][a-z]{{1,2}}\b|[^\w\s]|_"
)
_IS_WIDE, _LAST_NARROW = re.compile(rf"[{WIDE}]"), "\u303f"
_KEY = re.compile(r"[a-z]{2,12}-\d+|rc\d*")
QUOTATION = "quotation"  # what a longer quotation is read as
_LONG_QUOTE = re.compile(r"[\"“”„«»][^\"“”„«»]{12,300}[\"“”„«»]")
#: "KIP-7 queda aceptado / is accepted": one statement in two languages
_SAID_TWICE = re.compile(r"(\b(?:queda|quedó|fue|est|ist|wurde|foi|é|è)\s[^/]{1,40})\s/\s(?=(?:is|was|has|adopted)\b)")
#: joy around a sentence: "passed 🥳"; other pictures may ask, or deny
_JOY = "🎉🎊🥳🙌👏👍🚀💯🍾✨❤♥☺😀😁😂😃😄😆😉😊😍😎🤩🎈🔥⭐\ufe0f\u200d🏻🏼🏽🏾🏿 "
_FOOTNOTE = re.compile(r"(?<=\w) ?\[\d{1,2}\]")  # "FLIP-7 [1] is accepted"
#: 5 "+1 votes", no "-1 vote", 12 "yes"
_QUOTED_UNIT = re.compile(
    r"[\"“”]((?:[+-]?\s?[01]s?|yes|no|abstain(?:ed)?)(?: votes?)?|(?:accept|adopt|approv|reject)ed)[\"“”]",
    re.IGNORECASE,
)
_SHORTENED = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'s": "is"}
_DENIED = {"ca": "cannot", "wo": "will not"}
_NOT = re.compile(r"\b(wo|ca|[a-z]{2,6})n['’]t\b", re.IGNORECASE)


@cache
def load_classes(file: str) -> dict[str, tuple[str, ...]]:
    """The words of each class in a lexicon beside this module."""
    return parse_lexicon(files(__package__).joinpath(file).read_text(encoding="utf-8"))


@cache
def _load() -> dict[tuple[str, ...], frozenset[str]]:
    """The classes of each phrase, as the tuple of its words."""
    found: dict[tuple[str, ...], set[str]] = {}
    for name, phrases in load_classes("lexicon.toml").items():
        for phrase in phrases:
            found.setdefault(tuple(phrase.split()), set()).add(name)
    return {phrase: frozenset(kinds) for phrase, kinds in found.items()}


@cache
def _find_phrases() -> dict[str, list[tuple[str, ...]]]:
    """Phrases of several words by their first one, the longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(_load(), key=len, reverse=True):
        if len(phrase) > 1:
            found.setdefault(phrase[0], []).append(phrase)
    return found


@cache
def _find_wide() -> re.Pattern[str]:
    return compile_wide(map(" ".join, _load()))


def compile_wide(words: Iterable[str]) -> re.Pattern[str]:
    """What splits a text in a script without blanks at these words, the longest first."""
    return re.compile(f"({'|'.join(sorted(filter(_IS_WIDE.match, words), key=len, reverse=True))})")


@cache
def _list_words(*kinds: str) -> list[str]:
    return sorted((phrase for kind in kinds for phrase in load_classes("lexicon.toml")[kind]), key=len)


@cache
def join_words(*kinds: str) -> str:
    """A pattern's alternatives for the words of these classes of `patterns.toml`, the longest first."""
    words = {word for kind in kinds for word in load_classes("patterns.toml")[kind]}
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


@cache
def compile_class(name: str) -> re.Pattern[str]:
    """A pattern for a class of `patterns.toml`: "freez*" with any ending, words of unspaced scripts anywhere."""
    words = [re.escape(word).replace(r"\*", r"\w*") for word in load_classes("patterns.toml")[name]]
    spaced, wide = ([w for w in words if bool(_IS_WIDE.match(w)) is is_wide] for is_wide in (False, True))
    return re.compile("|".join([*wide, *([rf"(?<![^\W_])(?:{'|'.join(spaced)})(?![^\W_])"] if spaced else [])]))


def has_word(text: str, *kinds: str) -> bool:
    """Whether a text, its blanks evened out, can hold a word of these classes; false positives, no false negatives."""
    folded = fold_case(_spell_not(text))
    can_be, phrases = _find_test(*kinds)
    return any(map(can_be, folded.split())) or has_any(phrases, folded)


def has_parts(folded: str, words: Iterable[str], *kinds: str) -> bool:
    """The same for a text with other lines mixed in: the words of a phrase may be separated."""
    can_be, phrases = _find_test(*kinds)
    return any(map(can_be, words)) or any(all(map(folded.__contains__, p.split())) for p in phrases)


@cache
def _find_test(*kinds: str) -> tuple[Callable[[str], bool], tuple[str, ...]]:
    """A test whether a text can hold a word of these classes, and their phrases."""
    signs: list[str] = []  # no sign contains another
    for word in _list_words(*kinds):
        if not has_any(signs, word):
            signs.append(word)
    # people use the same words again and again
    return lru_cache(maxsize=16_384)(partial(has_any, signs)), tuple(sign for sign in signs if " " in sign)


def lands(text: str) -> bool:
    """Whether a word such as "in" or "settled" ends a clause: within one it says nothing."""
    return _find_landings().search(text) is not None


@cache
def _find_landings() -> re.Pattern[str]:
    words = "|".join(_list_words("landed"))
    return re.compile(rf"\b(?:{words})\b(?:\s+(?:now|then|here))?\s*(?:[.,;:!)—-]|$)", re.IGNORECASE)


@lru_cache(maxsize=256)  # each sentence of a mail is read for several purposes
def tokenize(sentence: str) -> tuple[Token, ...]:
    """The tokens of a sentence. A longer quotation is one unknown word: it is somebody else's."""
    texts: list[str] = []
    told = _SAID_TWICE.sub(r"\1 ; ", _FOOTNOTE.sub("", sentence.strip(_JOY))).replace(" w/ ", " with ")
    told = _LONG_QUOTE.sub(f" {QUOTATION} ", _QUOTED_UNIT.sub(r"\1", told))
    for text in _TOKEN.findall(_spell_not(told).replace("’", "'").lower()):
        if text[0] > _LAST_NARROW and _IS_WIDE.match(text):
            texts.extend(filter(None, _find_wide().split(text)))
        elif text != "'":
            texts.append(_SHORTENED.get(text, text))
    return tuple(_classify(texts))


def _spell_not(text: str) -> str:
    """ "don't" as "do not"."""
    is_short = "n't" in text or "n’t" in text
    return _NOT.sub(lambda m: _DENIED.get(m[1].lower(), f"{m[1].lower()} not"), text) if is_short else text


def _classify(texts: list[str]) -> list[Token]:
    phrases = _find_phrases()
    tokens: list[Token] = []
    at = 0
    while at < len(texts):
        fitting = (words for words in phrases.get(texts[at], ()) if (*texts[at : at + len(words)],) == words)
        phrase = next(fitting, (texts[at],))
        tokens.append(_make_token(phrase))
        at += len(phrase)
    return tokens


@lru_cache(maxsize=8192)
def _make_token(phrase: tuple[str, ...]) -> Token:
    return Token(" ".join(phrase), _load().get(phrase, frozenset()) | _find_form(phrase[0]))


def _find_form(text: str) -> set[str]:
    """The classes of tokens that need no list: figures, "+1", keys, marks, words in scripts without blanks."""
    forms = (
        ("thing", _KEY.fullmatch(text)),
        ("number", text[0].isdigit()),
        ("sign", text[0] in "+-" and len(text) > 1),
        ("wide", _IS_WIDE.match(text)),
        ("mark", not (text[0].isalnum() or (text[0] in "+-'" and len(text) > 1))),
    )
    return {kind for kind, fits in forms if fits}


#: What ends a clause besides a joint ("and", "but").
CLAUSE_ENDS = frozenset(".,;:!)(-–—*_\"'。，、！")


def ends_clause(token: Token) -> bool:
    return token.can_be("joint") or token.text in CLAUSE_ENDS


def find_clause(tokens: Sequence[Token], at: int) -> int:
    """Where the clause of a token begins: after a comma, colon, dash or "and"."""
    while at > 0 and not ends_clause(tokens[at - 1]):
        at -= 1
    return at


def find_clause_end(tokens: Sequence[Token], at: int) -> int:
    """The index after the clause of a token."""
    return next((n for n in range(at + 1, len(tokens)) if ends_clause(tokens[n])), len(tokens))


def _is_condition(tokens: Sequence[Token], at: int) -> bool:
    """Whether a condition begins here: "should it fail", but not "it should fail" or "the vote on whether to go on"."""
    text = tokens[at].text
    if not tokens[at].can_be("condition"):
        return False
    if text == "should":
        return at == 0 or tokens[at - 1].can_be("mark", "joint")
    if text == "otherwise":  # not "it passed, otherwise I would have written"
        return at == 0 and not any(token.text in {"passed", "failed"} for token in tokens)
    if text == "whether" and 1 < at < len(tokens) - 1:
        leads = tokens[at - 2].can_be("vote") and tokens[at - 1].text in {"on", "about"}
        return not (leads and tokens[at + 1].text == "to")
    return True


def is_conditional(tokens: Sequence[Token], at: int) -> bool:
    """Whether a condition comes before a word, or after it and belongs to it."""
    if any(_is_condition(tokens, before) for before in range(at)):
        return True
    for behind, token in enumerate(tokens[at + 1 :], at + 1):
        if _is_condition(tokens, behind) or token.text in {"yet", "?"}:
            return True
        if token.can_be("mark", "joint"):
            return token.text == "," and behind + 1 < len(tokens) and _is_condition(tokens, behind + 1)
    return False
