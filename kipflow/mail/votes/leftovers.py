"""Possible votes in a mail without a clear one: nearly a value, a claim to bind, a yes or no. Always questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from kipflow.domain.votes import Choice, Expression, Standing
from kipflow.mail.announcements.counts import read_counts
from kipflow.mail.announcements.names import is_own, is_same_person
from kipflow.mail.quoting import OwnLine
from kipflow.mail.votes.answers import NEARLY, ask_about_near_value, read_answer, read_labelled
from kipflow.mail.votes.claims import find_claim, find_separate_claim, skip_claim
from kipflow.mail.votes.conditions import MARK
from kipflow.mail.votes.doubts import DoubtRule
from kipflow.mail.votes.findings import Finding, find
from kipflow.mail.votes.lexicon import begins, drop, ends, find_words, fold, has
from kipflow.mail.votes.values import OPTIONS, find_values, parse_value

#: Most words of a line that is only a vote and its label.
_FEW = 3
#: Most characters of a mail that only passes on a vote.
SHORT = 500
#: "+1000!", "+1/-0", "1+ (binding)", "++1", "+l (binding)": opens a paragraph, with only a claim to bind after it
_NEAR_VALUE = re.compile(
    r"(?:\A|\n[ \t]*\n|[.!?]\s)[ \t]*(?P<line>"
    r"(?:(?P<sign>[+-])(?: ?[+-]{1,2} ?1| ?(?:\+\s*$|1/[+-]?[0-9]|1(?:[,. ]000)+|1\^\d|[2-9]|[1-9]\d{1,6}|[lI!]))"
    r"|1 ?(?P<behind>[+-])|[=?\ufffd] ?1(?=\W{0,3}(?:non\W?)?binding))"
    r"(?P<tail>(?![\w.:/@-]|,\S).{0,160}))(?=\n|\Z)"
)
#: "0, whatever", as a mail's first words: a zero without a sign may be any number
_ZERO = re.compile(r"\A\s*(?P<line>0\s*(?:[,;–—]|--)\s*[^\W\d].{0,160})")
#: "Half of us want it, hence a 0", "así que 0."
_LAST_ZERO = re.compile(
    r"(?P<lead>[^\W\d])(?: (?:it|that|i)['’][sm])?"
    r"(?: an? 0(?!\w|[.,:/-]\w|\s?%)| 0(?=\s*(?:$|[.!]\s*(?:$|\n)|[,;])))",
    re.IGNORECASE | re.MULTILINE,
)
#: "+1000 :) finally!", "+1000! Long overdue.", not "+5 %"
_CHEERS = re.compile(r"\s*(?:!|,\s+(?:[a-z]|I\b)|[:;][-']?[)D]|[^\x00-\u2fff])")
#: "I am at 0/+1"
_EITHER = re.compile(r"(?<![\w./+-])[+-]?[01] ?/ ?[+-]?[01](?![\w./])")
#: "I reiterate my +1s for the code"
_OWN_SEVERAL = re.compile(r"\b(?:my|among the) (?P<value>[+-] ?1)['’]?s\b", re.IGNORECASE)
#: "With my own vote we are at +2 binding"
_COUNTS_OWN = re.compile(
    r"\b(?:with|including|counting) (?:my own|mine)\b[^.!?\n]{0,40}(?:[+]\s?\d|\b(?:\d|two|three|four|five)\b)", re.I
)
_OWN = re.compile(r"\b(?:me|myself|mine|my own|I|yours truly)\b")
#: "two +1 (Ola, Nils), plus mine"
_ADDED = re.compile(r"\b(?:(?:plus|including|with) (?:mine|myself|my own)|including me)\b", re.IGNORECASE)
#: "Landed. What Ravi wrote for me is right.", "Confirmed: that +1 was me"
_FOR_ME = re.compile(
    r"[^.!?\n]*\b(?:on my behalf|in my (?:name|place)|(?:wrote|said|sent|voted|cast|posted) for me"
    r"|(?:vote|[+-]1|binding)\W[^.!?\n]*\b(?:was me|(?:is|was) mine)|confirm what [A-Z]\w+ (?:wrote|said|sent))\b.*"
)
_CONFIRMS = re.compile(r"\b(?:confirm\w*|right|correct|true|indeed|yes|stands|valid|mine)\b", re.IGNORECASE)
#: "1 (binding)", below a plus that stands alone, or without one
_UNSIGNED = re.compile(r"\W*[01]\W{0,3}(?:non\W?)?binding", re.IGNORECASE)
#: "Favourable opinion, binding.", and the most words of such a sentence
_CLAIM_AT_END, _FEW_WORDS = re.compile(r"[^\W\d]\s?[,;(–—-]\s*(?:non\W?)?binding\W*$", re.IGNORECASE), 8
_MY_BINDING = re.compile(r"\bmy (?P<non>non\W?)?binding\b")
_SPEAKS_OF_VALUES = re.compile(r"\?|(?<!\w)[+-] ?[01]\b")
_SOMEBODYS = re.compile(r"\b[A-Z]\w+['’]s\b")
#: Most characters of a mail that only warns.
_WARNING = 160
#: Words before a warning in which a negation denies it.
_NEAR = 3
_CALMING = ("approval", "praise", "settled")
_OBJECTING = ("contrast", "negation", "demand", "rejection", "restated")
#: "Regard what I wrote this morning as never sent.", "I meant the opposite."
_OWN_WORDS = re.compile(r"\b(?:i|we) (?:\w+ )?(?:wrote|said|sent|posted|meant|mailed)\b")
_SENTENCE = re.compile(r"(?<=[.!?;])\s|\n(?:\s*\n|\s*[+-]\s*\n)")


def ask_about_the_rest(own: Sequence[OwnLine], author: str) -> Expression | None:
    """The question that words without a vote leave open; None: they leave none."""
    text = "\n".join(line.text for line in own)
    near = (_read_near_values(text[:SHORT]), read_labelled(text[:SHORT]))
    asked = (*near, _read_whole(text, author), read_answer(own, author), _read_leaning(text))
    return next((found.expression for found in chain(*asked)), None)


def read_own_entry(own: Sequence[OwnLine], author: str) -> Expression | None:
    """The vote of a result's author, listed in the first person: "+1: Jun, Tess and me", "Mara Lind (me)"."""
    lines = [line.text for line in own]
    listed = read_counts(lines).names
    named = any("myself" in names for names in listed.values())
    entry = next((x for x in lines if (named and _OWN.search(x)) or _ADDED.search(x) or _lists_author(x, author)), None)
    if entry is None:
        return _ask_about_name(listed, lines, author)
    line = entry.strip()
    kinds = [kind for kind, names in listed.items() if any(n == "myself" or is_same_person(n, author) for n in names)]
    claimed = next((claim for kind in kinds if (claim := find_claim("", kind)) is not None), find_claim("", entry))
    said = " ".join(s for s in _SENTENCE.split(line) if find_values(s) or has("first_person", fold(s)))
    choices = {kind.split()[0] for kind in kinds}
    # a value other than +1 must stand on the line: the heading above may be of another list
    if len(choices) == 1 and (choices == {"+1"} or find_values(line)) and not has("negation", fold(said)):
        choice, value = parse_value(kinds[0].split()[0])
        return find("own-entry", Standing.CLEAR, choice=choice, value=value, claimed=claimed, line=line).expression
    why = "lists its author among the voters: is that a vote?"
    return find("own-entry", Standing.HINT, why, claimed=claimed, line=line).expression


def _ask_about_name(listed: Mapping[str, Sequence[str]], lines: Sequence[str], author: str) -> Expression | None:
    """The question about a result's author who is listed by name only: a vote, or somebody of that name?"""
    for kind, names in listed.items():
        name = next((name for name in names if is_same_person(name, author)), None)
        if name is not None:
            choice, value = parse_value(kind.split()[0])
            line = next((line.strip() for line in lines if name in line), name)
            why = "lists its author by name among the voters: a vote that was not sent?"
            asked = find(
                "own-name", Standing.HINT, why, choice=choice, value=value, claimed=find_claim("", kind), line=line
            )
            return asked.expression
    return None


def _lists_author(line: str, author: str) -> bool:
    name, _, behind = line.partition("(")
    return bool(behind) and is_own(name.strip(" -*•+01"), author) and has("first_person", fold(behind))


def _read_near_values(text: str) -> Iterator[Finding]:
    for near in _NEAR_VALUE.finditer(text):
        behind = fold(skip_claim(near["tail"])).strip(" .!)")
        if not behind or begins("from_me", behind) or _CHEERS.match(near["tail"]):
            choice = {"+": Choice.FOR, "-": Choice.AGAINST}.get(near["sign"] or near["behind"])
            yield ask_about_near_value(NEARLY, near["line"], choice, find_claim("", near["tail"]))
    if (zero := _ZERO.match(text)) is not None:
        yield ask_about_near_value("begins with a zero: is it a vote?", zero["line"], Choice.ABSTAIN)
    for zero in _LAST_ZERO.finditer(text):
        lead = fold(text[: zero.end("lead")])
        if ends("concludes", lead) and not has("measure", lead[-60:]):
            yield ask_about_near_value("comes to a zero: is it a vote?", zero.group(), Choice.ABSTAIN)
    for line in filter(_EITHER.search, text.split("\n")):
        is_vote = has("first_person", fold(line)) or len(line.split()) <= _FEW
        is_other = has("measure", fold(line)) or has("demand", fold(line)) or OPTIONS.search(line)
        if is_vote and not is_other:
            yield ask_about_near_value("is between two values: which is the vote?", line)
    for counted in _COUNTS_OWN.finditer(text):
        yield find("own-entry", Standing.HINT, "counts a vote of its writer: which one?", line=counted.group())
    for own in _OWN_SEVERAL.finditer(text):
        yield ask_about_near_value("speaks of own votes: one on this?", own.group(), parse_value(own["value"])[0])


def _read_whole(text: str, author: str) -> Iterator[Finding]:
    folded = fold(text[:SHORT])
    leads_in = text.rstrip().endswith(":")  # introduces a forwarded mail, which is not own words
    if len(text) < SHORT and has("relays", folded) and (leads_in or "vote" in folded):
        yield find("passed-on", Standing.UNCLEAR, "passes on somebody's words: a vote, and whose?", line=text.strip())
    if len(text) < SHORT and (for_me := _FOR_ME.search(text)) is not None and _CONFIRMS.search(text):
        yield find("confirmed", Standing.HINT, "confirms a vote that somebody passed on: which?", line=for_me.group())
    claimed = find_separate_claim(text, author)
    if claimed is None and len(text) < SHORT:
        found = (_find_own_claim(sentence) for sentence in _SENTENCE.split(text))
        claimed = next((claim for claim in found if claim is not None), None)
    if claimed is not None:  # from somebody who has voted it is nothing new
        why = "claims to bind, and gives no value: what is the vote?"
        yield find("claim-without-value", Standing.HINT, why, claimed=claimed)


def _find_own_claim(sentence: str) -> bool | None:
    """The claim to bind of an own vote that is written in unknown words."""
    folded = fold(sentence)
    is_own = has("first_person", folded) or has("from_me", folded)
    is_own = is_own or _UNSIGNED.match(sentence) is not None
    is_short = len(sentence.split()) <= _FEW_WORDS and not (begins("yes", folded) or begins("no", folded))
    is_own = is_own or (is_short and _CLAIM_AT_END.search(sentence) is not None)
    if (
        not is_own
        or "?" in sentence
        or find_values(sentence)
        or _SOMEBODYS.search(sentence)
        or any(has(name, folded) for name in ("need", "other", "hypothetical"))
    ):
        return None
    mine = _MY_BINDING.search(folded)  # "Count my binding vote among the pluses."
    return find_claim("", sentence) if mine is None else mine["non"] is None


def _is_content(folded: str) -> bool:
    """Whether it likes something, or says that something is over, and objects to nothing."""
    objects = any(has(name, folded) for name in (*_OBJECTING, "alarm", "refuses"))
    return not objects and any(has(name, folded) for name in _CALMING)


def _goes_along(folded: str) -> bool:
    """Whether it approves, whatever else it says: "Then let's go for it, I can't win them all"."""
    approves = any(has(name, folded) for name in ("approval", "assent"))
    return approves and not any(has(name, folded) for name in ("restated", "alarm", "refuses"))


def _looks_back(folded: str) -> bool:
    """Whether its writer speaks of own earlier words, and neither repeats them nor objects."""
    return _OWN_WORDS.search(folded) is not None and not (has("restated", folded) or has("contrast", folded))


def _warns(folded: str) -> bool:
    """Whether it has a warning that no negation right before it denies: "it does not break anything"."""
    clauses = (MARK.split(folded[: m.start()])[-1] for m in find_words("alarm", folded))
    before = (" ".join(clause.split()[-_NEAR:]) for clause in clauses)
    return has("refuses", folded) or any(not has("negation", words) for words in before)


#: a short mail, in lower case, that leans to one side: a question after a vote for the other side
LEANINGS = {
    Choice.FOR: DoubtRule(
        "content",
        lambda folded: _is_content(folded) or _goes_along(folded) or _looks_back(folded),
        "voted against, and objects to nothing now: does the vote stand?",
        ("The second table settles it for me.", "Regard what I wrote this morning as never sent."),
    ),
    Choice.AGAINST: DoubtRule(
        "warning",
        lambda folded: len(folded) <= _WARNING and _warns(folded) and not any(has(n, folded) for n in _CALMING),
        "voted for it, and warns now: does the vote stand?",
        ("Stop. The rollback eats data.",),
    ),
}


def _read_leaning(text: str) -> Iterator[Finding]:
    said = text.strip()
    if not 0 < len(said) < SHORT or _SPEAKS_OF_VALUES.search(said):
        return
    folded = drop("not_negation", fold(said))
    for choice, rule in LEANINGS.items():
        if rule.when(folded):
            yield find(rule.name, Standing.LEANING, rule.why, choice=choice, line=said.splitlines()[0].rstrip())
