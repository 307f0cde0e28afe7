"""Rewrites the lines of an announcement, whatever their layout, to the one form from which counts are read.

Tables, headings over bare choices, "approving votes", "(nb)" and "Abstain: 1" become "+1 (binding): 3" and
"- +1 Mara Lind (binding)". Only the form changes; names and counts are read elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kipflow.mail.announcements.figures import parse_group
from kipflow.mail.announcements.headings import carry_headings
from kipflow.mail.announcements.name_lists import ALL_OF_GROUP, split_people
from kipflow.mail.announcements.prose import part_lists
from kipflow.mail.announcements.tables import flatten_tables
from kipflow.mail.announcements.tokens import join_words, load_classes
from kipflow.mail.relevance import fold_case, has_any
from kipflow.mail.votes.claims import translate_claims

_MAX_LINE, _MOST_SIDES = 2_000, 6
_GROUP = r"(?:non[-\s]{0,2})?binding"
_VOTES = rf"(?=\s+(?:{_GROUP}\s+)?votes?\b)"
#: "…, 1" over "binding -1 (Tess)", "…, 1 non-binding" over "+1 (Jie)"
_ENDS_IN_NUMBER = re.compile(
    rf"(?:,|\b(?:and|with|plus))\s+(?:\d{{1,2}}|no|{join_words('number')})(?:\s+{_GROUP})?\s*$", re.IGNORECASE
)
#: "-1 (Tess) was withdrawn"
_GOES_ON = re.compile(r"\s*[+\-]\s?[01]\s*\([^()]*\)\s*[a-z]")
_COUNTED = re.compile(rf"\s*(?:{_GROUP}\b|[+\-]\s?[01](?![\w.]|\s*[:=]))", re.IGNORECASE)
#: "+1: Jun (binding), Ben (binding)," over "Tess (binding)"
_LISTS = re.compile(rf"\s*(?:[-*•]\s+)?(?:[+\-]\s?[01]\b|{_GROUP}\b).{{0,600}},\s*$", re.IGNORECASE)
_BINDING = re.compile(r"\bbinding\b", re.IGNORECASE)
_SIDE = join_words("in_favour", "opposed", "abstained")
_OUTSIDERS = re.compile(rf"^\s*(?:[-*•]\s+)?(?:{join_words('outsiders')})(?=\s*:)", re.IGNORECASE)
#: Replacements for marks and words, applied in order: "(nb)" becomes "(non-binding)", "approving" becomes "+1". Only
#: a line (in lower case) with one of the signs in front can match its pattern.
_SPELLINGS = tuple(
    (signs, re.compile(pattern, re.IGNORECASE), written)
    for signs, pattern, written in (
        ("%", r"(?<=\d)\s*\(\s*\d{1,3}(?:[.,]\d{1,2})?\s?%\s*\)", ""),  # "YES: 31 (67%)"
        ('"“', rf"(?<=[\w:]\s)[\"“]({_SIDE})[\"”]", r"\1"),  # 12 "yes"
        (("not",), r"\bnot[- ]binding\b", "non-binding"),
        ("(", r"\(\s*n\s?[-./]?\s?b\.?\s*\)", "(non-binding)"),
        ("(", r"\(\s*b\.?\s*\)", "(binding)"),
        ("(", rf"\(\s*[\w.@-]{{1,40}}\s*[,;/]\s*({_GROUP})\s*\)", r"(\1)"),  # "(jokafor, binding)"
        ("(", rf"\(\s*({_GROUP})\s*[,;/]\s*[\w.@ -]{{1,40}}\)", r"(\1)"),  # "(binding, PMC)"
        (("pmc",), r"(?<=[+\-][01])\s*\(?\s*non[-\s]PMC(?: members?)?\s*\)?(?=\s*[:=])", " (non-binding)"),
        (("pmc",), r"(?<=[+\-][01])\s*\(?\s*PMC(?: members?)?\s*\)?(?=\s*[:=])", " (binding)"),
        # "3 +1s, all of them binding"
        ("+", rf"(?<=\+1)s?, all (?:of them )?({_GROUP})(?= \()", r" (\1)"),
        # "(Jun, Mara and Ravi; binding)", "and a non-binding one", "✔ Mara Lind (binding)"
        ("(", rf"(?<=\d [+\-]1 )\(([^()]{{2,200}}); ({_GROUP})\)", r"(\2) (\1)"),
        (("bind",), rf"(?<=\band )an?(?= {_GROUP} (?:one|vote|\+1) \()", "1"),
        ("✔✓✅☑", rf"^\s*[✔✓✅☑]\s*(?=(?:(?-i:[^\W\d_a-z])[\w.'’-]*\s+){{1,4}}\({_GROUP}\)\s*$)", "+1 "),
        ("票", rf"({_GROUP})\s*(\d{{1,3}})\s*票", r"\2 \1"),  # "binding 3 票"
        ("个個票", rf"(?<=\d)\s*[个個票]\s*(?=[+\-]|\(?{_GROUP})", " "),
        (("...", "…"), r"\s*(?:\.{3,}|…)\s*(?=\d{1,3}\s*$)", ": "),
        (("vote",), rf"\b(?:{join_words('disapproving')}){_VOTES}", "-1"),
        (("vote",), rf"\b(?:{join_words('approving')}){_VOTES}", "+1"),
        ("(", r"\(\s*(\d{1,3}) bindings\s*\)", r"(\1 binding)"),
        # "Yes (+1), binding:"
        ("(", rf"^\s*(?:{_SIDE})\s*\(([+\-]\s?[01])\),?\s*\(?({_GROUP})\)?(?=\s*:)", r"\1 (\2)"),
        (("other",), r"(?<=[.;,]\s)Others?:(?=\s*\d{1,2}\s*(?:x\s*)?\+1)", "Non-binding:"),
        # "A, B, C (+3 binding), Jun (+1 non-binding)"
        ("(", rf"(\(\+(?:[2-9]|[1-9]\d) {_GROUP}\)[^()]{{1,80}}\()\+(?=1 {_GROUP}\))", r"\1"),
        # "+3 binding (Jun, Mara, Ravi) and +1 non-binding (Kim)"
        ("+", rf"((?<![\w.])\+(?:[2-9]|[1-9]\d) {_GROUP}\b.{{0,200}}(?<![\w.]))\+(?=1 {_GROUP}\b(?! votes?\b))", r"\1"),
        ("+", rf"(?<![\w.])\+\s?(?=(?:[2-9]|[1-9]\d)\s+\(?{_GROUP})", ""),  # "+3 binding"
    )
)
_BEGINS_SIDE = (
    rf"^\s*(?:[-*•]\s+)?(?:(?P<for>{join_words('in_favour')})|(?P<against>{join_words('opposed')})|"
    rf"(?P<zero>{join_words('abstained')}))"
)
_WORD_COUNT = re.compile(
    rf"{_BEGINS_SIDE}(?:\s+votes?)?(?:\s*\(?(?P<group>{_GROUP})\)?)?\s*[:=]\s*"
    r"(?:(?P<number>\d{1,3})|(?P<names>[^\d:]{3,600}))\s*$",
    re.IGNORECASE,
)
#: "against: 1 binding (Jun)"
_SIDE_FIRST = re.compile(rf"{_BEGINS_SIDE}\s*[:=]\s*(?=\d{{1,3}}\s+\(?{_GROUP})", re.IGNORECASE)
# "3 票赞成", "賛成3票", "찬성: 3표": a side, its number of votes, and the counter word for votes
_FIRST_SIDE = re.compile(rf"(?:^|[.:!]\s+)(?=(?:{_SIDE})(?:\s+votes?)?\s*[:=])", re.IGNORECASE)
_COUNTED_SIDE = re.compile(
    rf"(?P<number>\d{{1,3}})\s*[票표]\s*[的の]?\s*(?P<side>{_SIDE})(?![a-z-]|\s*[:：]?\s*\d)"
    rf"|(?P<before>{_SIDE})\s*票?\s*[:：]?\s*(?P<behind>\d{{1,3}})\s*[票표]",
    re.IGNORECASE,
)
# "+1  9  (6 binding)", "+1 (binding)  3", " 0  0": at least two such lines make a tally
_BARE_PAIR = re.compile(
    rf"^\s*(?P<choice>[+\-]1|[+\-]?0)(?P<group>\s+\(?{_GROUP}\)?)?\s+(?P<number>\d{{1,3}})\s*(?P<rest>\([^()]{{1,60}}\))?\s*$"
)
# "* marks binding votes", "(* = binding)", "binding votes are marked with an asterisk"
_STAR_LEGEND = re.compile(
    r"\*\W{0,3}(?:(?:means?|marks?|denotes?|indicates?|stands for|is|are)\s+)?(?:an?\s+)?binding\b"
    r"|\bbinding\b[^.*\n]{0,40}\b(?:marked|denoted|indicated)\b[^.*\n]{0,20}(?:\*|asterisk|star\b)",
    re.IGNORECASE,
)
_STARRED = re.compile(r"^(\s*(?:[-•]\s+)?(?:[+\-]\s?[01]\W{1,3})?[^\W\d_][^*\n]{1,80}?)\s?\*+\s*$")
_NAMED_VOTE = re.compile(
    r"(?<![\w.])[+\-]\s?[01](?:\s+|:\s*)[^\W\d_][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){0,4}"
    r"(?:\s*\((?:non[-\s]{0,2})?binding\))?"
)
_NEXT_VOTE = re.compile(r"\s*(?:[,;]|\band\b)\s*(?:and\s+)?(?=[+\-]\s?[01](?:\s|:))")
_ALL_OF_GROUP = re.compile(ALL_OF_GROUP, re.IGNORECASE)
_GROUP_NAMES = re.compile(
    r"^\s*(?:[-*•]\s+)?(?P<group>(?:non[-\s]{0,2})?binding)(?:\s+votes?|\s+(?P<choice>[+\-]\s?[01]|0)(?:['’]?s)?)?"
    r"(?:\s+in favou?r)?\s*[:–—]"
    r"(?P<names>[^\d:()]{2,1200})(?:\((?P<number>\d{1,3})\))?\.?$",
    re.IGNORECASE,
)


def even_out(lines: Sequence[str]) -> list[str]:
    """The lines (made plain) in the one form from which counts are read."""
    marked = [_spell_out(line) for line in _write_out_stars(_write_out_outsiders(_join_wrapped(lines)))]
    parted = [part for line in marked for part in (part_lists(line) if len(line) <= _MAX_LINE else [line])]
    found = _write_out_pairs([_write_out(part) for line in flatten_tables(parted) for part in _part_votes(line)])
    return [written for line in carry_headings(found) for written in _write_out_names(line)]


def _join_wrapped(lines: Sequence[str]) -> list[str]:
    """The lines, with a number that ends one joined to the votes in the next that it counts."""
    joined: list[str] = []
    for line in lines:
        above = joined[-1] if joined and len(joined[-1]) + len(line) < _MAX_LINE else ""
        is_counted = _COUNTED.match(line) and _ENDS_IN_NUMBER.search(above) and not _GOES_ON.match(line)
        if is_counted or (_LISTS.match(above) and line[:1].isalpha() and ":" not in line):
            joined[-1] = f"{joined[-1].rstrip()} {line.lstrip()}"
        else:
            joined.append(line)
    return joined


def _write_out_outsiders(lines: Sequence[str]) -> list[str]:
    """ "Community: Kim, Ann" as "Non-binding: Kim, Ann", if others are said to bind."""
    binds = any(_BINDING.search(line) for line in lines if len(line) <= _MAX_LINE)
    return [_OUTSIDERS.sub("Non-binding", line) if binds and len(line) <= _MAX_LINE else line for line in lines]


def _write_out_stars(lines: Sequence[str]) -> list[str]:
    """Write "(binding)" after the names marked by a star, if the announcement explains the star."""
    if not any("*" in line and _STAR_LEGEND.search(line) for line in lines if len(line) <= _MAX_LINE):
        return list(lines)
    return [
        line if _STAR_LEGEND.search(line) else _STARRED.sub(r"\1 (binding)", line) if len(line) <= _MAX_LINE else line
        for line in lines
    ]


def _part_votes(line: str) -> list[str]:
    """ "The vote passed: +1 Mara Lind (binding), +1 Jun Okafor" as one line for the introduction and one per vote.

    Also "Yes: 31, No: 0, Abstain: 15".
    """
    if len(line) > _MAX_LINE:
        return [line]
    begins = _FIRST_SIDE.search(line)
    if begins is not None:
        sides = re.split(r"\s*[,;]\s+", line[begins.end() :].rstrip(" ."), maxsplit=_MOST_SIDES)
        if len(sides) > 1 and all(map(_WORD_COUNT.match, sides)):
            return [line[: begins.end()], *sides]
    first = _NAMED_VOTE.search(line)
    if first is None:
        return [line]
    votes = _NEXT_VOTE.split(line[first.start() :].rstrip(" ."))
    if len(votes) < 2 or not all(map(_NAMED_VOTE.fullmatch, votes)):
        return [line]
    return [line[: first.start()], *votes] if first.start() else votes


def _spell_out(line: str) -> str:
    """Replace the marks and words of a line: "(nb)" as "(non-binding)", "approving votes" as "+1 votes"."""
    if len(line) > _MAX_LINE:
        return line
    line = translate_claims(line)
    folded = fold_case(line)
    for signs, pattern, written in _SPELLINGS:
        if has_any(signs, folded):
            line = pattern.sub(written, line)
    return _COUNTED_SIDE.sub(_write_out_side, line) if has_any("票표", folded) else line


def _name_side(found: re.Match[str]) -> str:
    return "+1" if found["for"] else "-1" if found["against"] else "+0"


def _write_out(line: str) -> str:
    """Put the side of a line that counts in words in front: "Abstain: 1" as "+0: 1"."""
    if len(line) > _MAX_LINE:
        return line
    line = _SIDE_FIRST.sub(lambda m: f"{_name_side(m)}: ", line)
    found = _WORD_COUNT.match(line)
    names = found["names"] if found is not None else None
    if found is None or (names and not (found["group"] or _ALL_OF_GROUP.search(names))):
        return line
    choice = _name_side(found)
    group = f" ({parse_group(found.group('group'))})" if found.group("group") else ""
    return f"{choice}{group}: {found.group('number') or found.group('names')}"


def _write_out_side(found: re.Match[str]) -> str:
    """ "3 票赞成" as "3 x +1"."""
    number, side = found["number"] or found["behind"], (found["side"] or found["before"]).lower()
    classes = load_classes("patterns.toml")
    choice = "+1" if side in classes["in_favour"] else "-1" if side in classes["opposed"] else "+0"
    return f" {number} x {choice} "


def _write_out_pairs(lines: Sequence[str]) -> list[str]:
    pairs = [_BARE_PAIR.match(line) for line in lines]
    if sum(pair is not None for pair in pairs) < 2:
        return list(lines)
    return [
        line
        if pair is None
        else f"{pair['choice']}{pair['group'] or ''}: {pair['number']} {pair['rest'] or ''}".rstrip()
        for line, pair in zip(lines, pairs, strict=True)
    ]


def _write_out_names(line: str) -> list[str]:
    """ "Binding: Mara Lind, Jun Okafor (2)" as a list and a count; any other line as it is."""
    match = _GROUP_NAMES.match(line.rstrip())
    if match is None:
        return [line]
    pieces = re.split(r"\s*[,;、]\s*|\s+and\s+|\s+&\s+", match.group("names").strip())
    if len(list(split_people(match.group("names")))) != len([piece for piece in pieces if piece]):
        return [line]
    head = f"{match['choice'] or '+1'} ({parse_group(match['group'])}):"
    listed = f"{head} {match['names'].strip()}"
    return [listed, f"{head} {match['number']}"] if match["number"] else [listed]
