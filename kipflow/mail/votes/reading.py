"""One mail's own words → at most one expression: structure first, then each sentence by the rules, then a verdict.

own lines → boxes, legends and lists (`templates`) → sentences → values with their words (`mentions`) → the table
(`rules`) and what sentences tell without a value (`told`) → one verdict for the mail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kipflow.domain.votes import Choice, Expression, Standing
from kipflow.mail.quoting import OwnLine, Words
from kipflow.mail.votes.claims import find_claim, find_claim_told_apart
from kipflow.mail.votes.lexicon import fold, has, speaks_of_votes
from kipflow.mail.votes.mentions import Mention, find_mentions, has_condition
from kipflow.mail.votes.rules import RIVALS, Verdict, is_origin, judge
from kipflow.mail.votes.sentences import Sentence, split_sentences
from kipflow.mail.votes.technical import AFTER, is_code
from kipflow.mail.votes.templates import Part, classify_lines
from kipflow.mail.votes.told import STANCE, Telling, find_telling, read_change, read_words, say_in_words
from kipflow.mail.votes.values import find_values, parse_value, plain, spell_out

MAX_LINE_SHOWN = 300
MAX_TEXT = 20_000
_SUMS_UP = re.compile(
    r"\b(?:otherwise|apart from (?:that|this)|other than that|besides that|for the rest|overall|all in all)\W*$", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a line with a value or words about a vote came to what it came to."""

    line: str
    rule: str
    why: str


def read_expressions(words: Words, *, author: str = "", is_result: bool = False) -> tuple[Expression, ...]:
    """The vote that these words cast, withdraw or leave unclear: one expression, or none.

    `is_result` says that the mail announces a result: then only words in the first person count.
    """
    return explain(words, author=author, is_result=is_result)[0]


def explain(
    words: Words, *, author: str = "", is_result: bool = False
) -> tuple[tuple[Expression, ...], tuple[Reason, ...]]:
    """The same, and the named reason for every line that could have been a vote and is none."""
    if not may_vote(words):
        return (), ()
    lines = [OwnLine(spell_out(plain(x.text)), x.answers, x.quote_follows) for x in words.own]
    shown = [line.text for line in words.own]
    reasons: list[Reason] = []
    found = _read_lines(lines, shown, author, is_result, reasons)
    if not found and words.doubtful:
        below = [OwnLine(spell_out(plain(text))) for text in words.doubtful]
        found = [
            replace(
                e,
                standing=Standing.UNCLEAR,
                rule="below-unmarked-quote",
                why="stands below a quote without marks: whose words?",
            )
            for e in _read_lines(below, list(words.doubtful), author, is_result, reasons)
            if e.choice is not None and e.standing not in {Standing.HINT, Standing.DOUBT}
        ]
    verdict = _resolve(found)
    if verdict is None:
        claimed = None if is_result or not shown else find_claim_told_apart("\n".join(shown), author)
        return ((replace(_NO_VALUE, claimed_binding=claimed),) if claimed is not None else ()), tuple(reasons)
    return (_weigh_with_the_rest(verdict, found, shown, author),), tuple(reasons)


def read_subject(subject: str) -> tuple[Expression, ...]:
    """The vote that a subject begins with ("+1 Re: [VOTE] KIP-7"): asked about, for what it is meant on."""
    text = spell_out(plain(subject))
    values = [m for m in find_values(text) if not text[: m.start("value")].strip(" [(")]
    if not values:
        return ()
    choice, value = parse_value(values[0].group("value"))
    return (
        Expression(
            choice=choice,
            value=value,
            claimed_binding=find_claim("", text[values[0].end("value") :][:20]),
            line=subject[:MAX_LINE_SHOWN],
            rule="in-the-subject",
            standing=Standing.UNCLEAR,
            why="stands in the subject alone: is it a vote?",
        ),
    )


_FIGURES = "01+\u2212\uff11\uff10"


def may_vote(words: Words) -> bool:
    """Whether a closer look could find a vote in these words; False is certain."""
    text = "\n".join([*(line.text for line in words.own), *words.doubtful])
    folded = fold(text)
    return any(c in text for c in _FIGURES) or "plus" in folded or "minus" in folded or speaks_of_votes(folded)


def _read_lines(
    lines: list[OwnLine], shown: list[str], author: str, is_result: bool, reasons: list[Reason]
) -> list[Expression]:
    parts = classify_lines([line.text for line in lines], author)
    found: list[Expression] = [] if is_result else list(_read_boxes(parts, shown, reasons))
    free = [line if index not in parts else OwnLine("") for index, line in enumerate(lines)]
    spelled = {line.text: text for line, text in zip(lines, shown, strict=True)}
    for sentence in split_sentences(free):
        line = spelled.get(sentence.line.text, sentence.line.text).strip()[:MAX_LINE_SHOWN]
        found.extend(replace(e, line=line) for e in _read_sentence(sentence, author, is_result, reasons))
    return found


_TWO = "two-votes"
_BOXED = {
    Part.CHECKED_BOX: ("checked-box", ""),
    Part.STATUS_LINE: ("status-line", ""),
    Part.LISTED_WORD: ("listed-words", "votes on several parts, or a list of voters by their handles?"),
    Part.OTHER_NAME: ("with-a-name", "another person's name stands behind the vote"),
    Part.SEVERAL_BOXES: ("several-boxes", "more than one box is checked: which is the vote?"),
    Part.ON_PARTS: (_TWO, "different values for different things: what is the vote?"),
    Part.CITED: ("below-a-name", "stands right below somebody's name: whose words?"),
    Part.EMPTY_BOX: ("single-empty-box", "one box of the template is left, without a mark"),
}


def _read_boxes(
    parts: dict[int, tuple[Part, str]], shown: Sequence[str], reasons: list[Reason]
) -> Iterator[Expression]:
    for index, (part, value) in parts.items():
        line = shown[index].strip()[:MAX_LINE_SHOWN]
        if part not in _BOXED or (part is Part.EMPTY_BOX and len(parts) > 1):
            reasons.append(Reason(line=line, rule=str(part), why="shows what may be voted, or what others voted"))
            continue
        choice, written = parse_value(value)
        rule, why = _BOXED[part]
        if not why and has_condition(line):
            rule, why = "conditional", "a condition stands with the vote: is it met?"
        standing = Standing.UNCLEAR if why else Standing.CLEAR
        yield Expression(
            choice=None if rule == _TWO else choice,
            value=written,
            claimed_binding=find_claim("", line),
            line=line,
            rule=rule,
            standing=standing,
            why=why,
        )


def _read_sentence(sentence: Sentence, author: str, is_result: bool, reasons: list[Reason]) -> Iterator[Expression]:
    text = sentence.text
    mentions = list(find_mentions(sentence, author=author, is_result=is_result))
    changed = (
        None
        if is_result
        else read_change(text, [m for m in mentions if not (is_code(sentence.line.text) or AFTER.match(m.tail))])
    )
    if changed is not None:
        yield changed
        return
    if not mentions:
        if is_result or not speaks_of_votes(fold(text)):
            return
        told = read_words(text, answers=sentence.line.answers)
        telling = find_telling(text)
        if told is None and telling is None and STANCE.when(text, fold(text)):
            telling = STANCE
        if told is not None and (telling is None or told.standing is Standing.CLEAR):
            yield told
        if telling is not None:
            yield _tell(telling)
        return
    cast: list[tuple[Mention, Expression]] = []
    for m in mentions:
        rule, decided = judge(m)
        if decided is Verdict.IGNORE or (is_result and decided is Verdict.ASK and not m.is_mine):
            reasons.append(Reason(line=text.strip()[:MAX_LINE_SHOWN], rule=rule.name, why=rule.why))
            continue
        standing = Standing.CLEAR if decided is Verdict.CAST else Standing.UNCLEAR
        cast.append(
            (
                m,
                Expression(
                    choice=m.choice,
                    value=m.value,
                    claimed_binding=m.claimed,
                    line="",
                    rule=rule.name,
                    standing=standing,
                    why=rule.why,
                ),
            )
        )
    yield from _settle(cast)
    telling = None if cast or is_result else find_telling(text)
    if telling is not None:
        yield _tell(telling)


def _tell(telling: Telling) -> Expression:
    return say_in_words(None, None, telling.name, Standing.DOUBT, telling.why)


def _settle(cast: list[tuple[Mention, Expression]]) -> Iterator[Expression]:
    """The votes of one sentence: one that sums up outweighs the parts, an origin ("from -1") is none."""
    clear = [(m, e) for m, e in cast if e.standing is Standing.CLEAR]
    summing = [e for m, e in clear if _SUMS_UP.search(m.lead)]
    if summing:
        yield summing[-1]
    elif clear:
        kept = [e for m, e in clear if not is_origin(m)] or [e for _, e in clear]
        yield from kept
    else:
        yield from (e for _, e in cast)


def _resolve(found: Sequence[Expression]) -> Expression | None:
    """One expression for a whole mail: a change, else what is clear and one, else a question."""
    by = {standing: [e for e in found if e.standing is standing] for standing in Standing}
    clear = by[Standing.CLEAR]
    changed = [e for e in clear if e.rule == _CHANGED]
    boxes = [e for e in clear if e.rule == "checked-box"]
    clear = changed[-1:] or boxes or clear
    if clear:
        rivals = [e for e in by[Standing.UNCLEAR] if e.rule in RIVALS and e.claimed_binding is not None]
        if not changed and len({e.choice for e in (*clear, *rivals)}) > 1:
            clear = [*clear, *rivals]
            why = "says " + " and ".join(dict.fromkeys(e.value or str(e.choice) for e in clear))
            return replace(clear[0], choice=None, rule=_TWO, standing=Standing.UNCLEAR, why=why)
        return next((e for e in clear if e.claimed_binding is not None), clear[0])
    if by[Standing.DOUBT] and by[Standing.HINT]:
        return replace(by[Standing.DOUBT][0], choice=by[Standing.HINT][0].choice)
    order = (Standing.WITHDRAWAL, Standing.UNCLEAR, Standing.DOUBT, Standing.HINT)
    unclear = by[Standing.UNCLEAR]
    if len({e.choice for e in unclear} - {None}) > 1:
        return replace(unclear[0], choice=None)  # any of its values may be the vote
    return next((by[s][-1 if s is Standing.WITHDRAWAL else 0] for s in order if by[s]), None)


_CHANGED = "changed"


def _weigh_with_the_rest(
    vote: Expression, found: Sequence[Expression], shown: Sequence[str], author: str
) -> Expression:
    """A vote in the light of what the mail says elsewhere: conditional, for somebody else, taken back."""
    text = fold(" ".join(shown))[:MAX_TEXT]
    if vote.standing is not Standing.CLEAR:
        return vote
    if has("behalf", text):
        return _doubt(vote, "for-another", "cast for somebody else, or not to be counted: whose vote is it?")
    if vote.rule != _CHANGED and any(e.rule in _TAKING for e in found[found.index(vote) + 1 :]):
        return _doubt(vote, "taken-back", "the same mail takes something back: does the vote stand?")
    if vote.choice is Choice.FOR and any(e.rule == _OBJECTION for e in found):
        return _doubt(vote, "contradiction", "votes for it, and objects elsewhere: which is meant?")
    if _depends(text):
        return _doubt(vote, "conditional", "another sentence makes the vote depend on something: is it met?")
    if vote.claimed_binding is None:
        vote = replace(vote, claimed_binding=find_claim_told_apart("\n".join(shown), author))
    return vote


_OBJECTION = "objection"
_NO_VALUE = say_in_words(
    None, None, "claim-without-value", Standing.UNCLEAR, "claims to bind, and gives no value: what is the vote?"
)
_TAKING = frozenset({"taken-back", "astray", "withdrawn"})


def _doubt(vote: Expression, rule: str, why: str) -> Expression:
    return replace(vote, rule=rule, standing=Standing.UNCLEAR, why=why)


def _depends(text: str) -> bool:
    return any(
        has("hangs", s)
        for s in re.split(r"[.!?]\s", text)
        if re.search(r"\bmy (?:vote|\+1|-1|approval)\b|\bthis (?:is|vote)\b", s)
    )
