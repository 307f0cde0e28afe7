"""Votes as they are written: "+1", "-0.9", "＋１", "plus one", "my vote is 0"."""

from __future__ import annotations

import re
from functools import lru_cache

from kipflow.domain.votes import Choice
from kipflow.mail.relevance import has_any
from kipflow.mail.votes.claims import translate_claims
from kipflow.mail.votes.lexicon import begins, find_words, fold, has, leaves_only, skip

_ALONE_IN_FRONT = r"(?:(?<![A-Za-z0-9_\u00c0-\u04ff.+\-/:=#$%€@&^~\\])|(?<=[^\W\d_]:))"
#: A written vote. Not part of a word, number, time, range, path or patch; "+1000" and "+1,5" are none.
VALUE = re.compile(
    rf"{_ALONE_IN_FRONT}(?P<value>[+\-±][ ]{{0,2}}(?:[01](?:\.\d{{1,2}})?|\.\d{{1,2}}))"
    r"(?![A-Za-z0-9_\u00c0-\u04ff%°²³]|[.,]\d|\.\.+[-+]?\d|[-/:]\d|-[A-Za-z]|\s?/\s?[+\-±]?\d|['’](?:s|d|ed|ing|er)\b)"
)
_ZERO = re.compile(rf"{_ALONE_IN_FRONT}(?P<value>0)(?![\w%°]|[.,/:-]\d|\.\.+[-+\d]|\s*[=<>*/^+])")
_FACE = re.compile(
    r"(?:(?<=\s)|^)(?:[:;]-?[/\\|](?=\s|$)|[:;]-?\((?=\s*$)|(?:(?:^|(?<=[01!.)] ))<3|=[)(D]|\^_?\^|\\?o/)(?=\s|$))"
)
#: "Plus one more thing:", "plus one nit below", "plus one sentence that says so" add something
_ADDITION = (
    r"(?! (?:more |other |small |minor |last |final )?"
    r"(?:thing|question|nit|typo|comment|point|remark|issue|detail|note)| (?!votes?\b)[a-z]+ (?:that|which)\b)"
)
#: "plus one", "s/-1/+1/", "lgtm+1", "+1thanks", "+1s from me", "+/-0", "\+1" (Markdown), "&#43;1" (HTML)
#: tried only if a line has one of the signs in front
_SPELLINGS = (
    # a face is no division, comparison or label: ":/", "<3", "^^"
    ((":", ";", "<3", "=", "^", "o/"), _FACE, ":)"),
    (("://",), re.compile(r"(?<=://)([\w.-]+)/[\w./?#@!$&'*=%:~-]*[\w/#]", re.ASCII), r"\1/page"),  # "…/pull/263"
    ("\\", re.compile(r"(?:^|(?<=[\s*_(\[]))\\(?=[+-] ?[01](?!\w))"), ""),
    (("&#",), re.compile(r"&#(?:43|x2b);(?= ?[01](?!\w))", re.IGNORECASE), "+"),
    (("us", "US"), re.compile(r"(?<![\w-])pluss?[ -](?:one|1|eins|uno)\b" + _ADDITION, re.IGNORECASE), "+1"),
    (("one", "ONE", "One"), re.compile(r"(?<![\w+-])\+ ?one\b", re.IGNORECASE), "+1"),
    (("us", "US"), re.compile(r"(?<![\w-])minus[ -](?:one|1|eins|uno)\b", re.IGNORECASE), "-1"),
    ("0,", re.compile(r"(?<![\w.+-])([+-] ?0),(?=\d{1,2}(?![\w,]))"), r"\1."),
    ("s/", re.compile(r"(?:^|(?<=\s))s/[+-]?[01]/([+-]?[01])/?g?(?!\w)"), r"I meant \1"),
    ("1", re.compile(r"\b(lgtm|good|thanks)(?=\+1(?![\w.]))", re.IGNORECASE), r"\1 "),
    (".", re.compile(r"(?<=[a-z])\.(?=[+-]1[.!,]?(?:\s|$|\())", re.IGNORECASE), ". "),  # "Great work.+1 (binding)"
    ("1", re.compile(r"(?<![\w+.-])([+-]1)(?=(?:than|thx|gre|nice|good|lgtm|look|from|for)\w*|n?b\b)", re.I), r"\1 "),
    ("1", re.compile(r"(?<![\w+.-])([+-]1)(?=(?:non-?)?binding\b)", re.IGNORECASE), r"\1 "),
    ("1", re.compile(r"^\s*\+0(?=1 \((?:non-?)?binding\))", re.IGNORECASE), "+"),
    (("from", "FROM"), re.compile(r"([+\-]1)['’]?s(?= from (?:me|my|us|our|both)\b)", re.IGNORECASE), r"\1"),
    ("0", re.compile(r"(?<![\w.+\-/])(?:\+\s?/?\s?-|-\s?/\s?\+)(?:\s?0(?![\w.%]|\s?/)|0(?=\.(?:\s|$)))"), "±0"),
)
_BULLET = re.compile(r"^\s*(?:[-*•·–]\s{1,3})?(?=[+\-±]\s?[01.])")
# "+1, 0 or -1": all choices in a row are what may be voted, no vote
_BETWEEN = r"\s*\(?(?:[,;/|]|\bor\b|\band\b)[\s,;/|]*(?:(?:or|and)\s+)?"
_OFFERED = tuple(re.compile(rf"[\[(<]\s{{0,2}}{sign}\s?1\s{{0,2}}[\])>]") for sign in (r"\+", "-"))
OPTIONS = re.compile(
    rf"(?<![\w.])(?:\+\s?1{_BETWEEN}[+\-±]?\s?0{_BETWEEN}-\s?1|-\s?1{_BETWEEN}[+\-±]?\s?0{_BETWEEN}\+\s?1)(?!\w|\.\d)"
)


@lru_cache(maxsize=1024)  # a line is checked several times while its mail is read
def find_values(text: str) -> tuple[re.Match[str], ...]:
    """The written votes in a plain line, left to right. A zero without a sign counts only where words cast it."""
    if "0" not in text and "1" not in text and "." not in text:
        return ()
    has_plus, has_minus = "+" in text, "-" in text
    if has_plus and has_minus:
        is_list = "(" not in text or text.lstrip().startswith("(")  # not "Jun (+1), Mara (-1)"
        if is_list and all(offered.search(text) for offered in _OFFERED):
            return ()  # "[+1] [0] [-1]"
        text = OPTIONS.sub(lambda m: " " * len(m.group()), text)
    zeros = [m for m in _ZERO.finditer(text) if is_cast_zero(text, m)][:1] if "0" in text else []
    values = VALUE.finditer(text) if has_plus or has_minus or "±" in text else ()
    return tuple(sorted((*zeros, *values), key=re.Match.start)) if zeros else tuple(values)


_CLAIM = re.compile(r"[^\w.;:!?]{0,3}(?:non?t?[\s-]?)?binding\b(?!\W{0,3}(?:votes|[+-]?\d))")
_MARK = re.compile(r"[,;:.!?]|\s[–—-]\s")
_ENDS = re.compile(
    r"[\s\"'”’*_)\]]*(?:$|[.,;:!?/|([–—-]|(?:instead|now|on|here|if|until|unless|for|because|since|and|but|as|so|then"
    r"|nest[ae]|n[ao]|en|sur|auf|zu|für|pour|para|per|su|från|til)\b)"
)
#: "0.", "0 for now", not "0 for now failed"
_ENDS_LINE = re.compile(
    r"[\s*_]*(?:$|[.!]\s*$|\()| for (?:now|the (?:moment|time being))(?=\s*(?:$|[,.;:!–—]|(?:and|until|as)\b))"
)
#: "-1 -> 0", "My vote: -1 → 0"
_FROM_VALUE = re.compile(
    r"\W*(?:(?:(?:my|new|revised|updated) )*vote(?: changed?)?\s*[:=]?\s*)?[+-]\s?1\s*(?:-{1,2}>|={1,2}>|→)\s*"
)
_CASTING = ("own", "casts", "change", "abstention", "zero_word", "correction", "changed_mind")
_AMONG = (*_CASTING, "filler", "from_me", "mine", "my_vote", "first_person", "retraction", "earlier")
#: "from my colleague"
_OF_WHOM = ("from a ", "from an ", "from my ", "from our ")
#: "also on my machine", "also from our users" is no "also from me"
_OF_OTHERS = ("on ", "by ", "here", "for ", "from a", "from our", "from us", "from my", "from this")


def is_from_me(behind: str) -> bool:
    """Whether "from me", or "also from me", begins the text after a value (in lower case)."""
    also = skip("too", behind)
    if also.startswith(_OF_WHOM) and has("other", " ".join(also.split()[:4])):
        return False
    return begins("from_me", behind) or (begins("from_me", also) and not also.startswith(_OF_OTHERS))


def is_cast_zero(text: str, zero: re.Match[str]) -> bool:
    """Whether a zero without a sign is cast: it is a whole clause, or follows words that cast."""
    lead = fold(text[: zero.start()])
    rest = fold(text[zero.end() :])
    behind = rest.lstrip(" ,;:.!-/|([")
    if begins("unit", rest):
        return False
    if _CLAIM.match(rest) or (is_from_me(behind) and not behind.startswith(("on ", "by ", "here"))):
        return True
    if _FROM_VALUE.fullmatch(lead) is not None and re.match(r"\s*(?:$|[.,!(])", rest):
        return True
    if not lead.strip(" -•*_"):
        abstains = begins("abstention", behind) or (
            rest.lstrip()[:1] in tuple(",;–—-") and has("abstention", behind) and not any(map(str.isdigit, behind))
        )
        return _ENDS_LINE.match(rest) is not None or begins("reason", behind) or abstains
    clause = _MARK.split(lead.rstrip(" [(:;*_\"'“–—-"))[-1]
    return _ENDS.match(rest) is not None and _casts(f"{clause}:")


def _casts(clause: str) -> bool:
    """Whether a clause casts what follows it: "I read it and I'm switching to", "my vote:", "moving to"."""
    known = not leaves_only(_AMONG, clause)
    speaks = speaks_of_itself(clause)
    if known and speaks:
        return True
    return (known or speaks) and any(
        (name != "own" or has("first_person", m.group()))
        and (name != "change" or speaks or _ARRIVED.search(clause) is not None)
        and not leaves_only(("filler", "own"), clause[m.end() :])
        for name in _CASTING
        for m in find_words(name, clause)
    )


#: "we have 0" counts, "I have 0" may cast
_PLURAL = re.compile(r"\b(?:we|our)\b")


def speaks_of_itself(folded: str) -> bool:
    """Whether words are only about their writer."""
    return has("first_person", _PLURAL.sub("", folded))


_ARRIVED = re.compile(r"\b(?:to|into)(?: an?)?:?$")


#: a mail that is only pictures: ":+1:", ":-1: :-1: (binding)"
PICTURES = re.compile(
    r"\s*:(?P<value>(?P<sign>[+-])1):(?:\s*:(?P=sign)1:)*(?P<claim>\s*\(?(?:non-?)?binding\)?)?[\s.!]*", re.IGNORECASE
)


def spell_out(text: str) -> str:
    """ "plus one" and "+1s from me" to "+1", "+/-0" to "±0"."""
    for signs, pattern, written in _SPELLINGS:
        if has_any(signs, text):
            text = pattern.sub(written, text)
    return translate_claims(text)


def skip_bullet(text: str) -> int:
    """Where a line's content starts: after blanks, and after a bullet before a vote."""
    match = _BULLET.match(text)
    return match.end() if match is not None else len(text) - len(text.lstrip())


def parse_value(written: str) -> tuple[Choice, str]:
    """A written vote as its choice by sign, and as text without blanks.

    >>> parse_value("- 0.9")
    (<Choice.AGAINST: '-1'>, '-0.9')
    """
    text = "".join(written.split()).replace("±", "")
    number = float(text)
    if number > 0:
        return Choice.FOR, text
    return (Choice.AGAINST, text) if number < 0 else (Choice.ABSTAIN, text)


def is_fraction(value: str) -> bool:
    """Whether a written value is neither a full vote nor a zero: "+0.5", "-0.9"."""
    return value.strip("+-").lstrip("0").startswith(".") and float(value) != 0
