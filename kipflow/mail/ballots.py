"""What the author's own words say about a vote: at most one expression per mail, with the rule that fired.

Order of reading: boxes and lists first (`templates`), then sentence by sentence (`phrases`). A clear
vote outweighs agreement and wishes around it; two different clear votes, or wording that a careful
person would ask about, become unclear and go to review. Nothing is guessed into a count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kipflow.domain.votes import Choice, Expression, Standing
from kipflow.mail.quoting import OwnLine, Words
from kipflow.mail.relevance import has_any
from kipflow.mail.words.changes import read_change
from kipflow.mail.words.claims import find_claim, find_claim_told_apart
from kipflow.mail.words.conditions import CONDITION_AFTER, hangs_on_something, refuses_support, says_no_vote
from kipflow.mail.words.mentions import is_contrary, read_value
from kipflow.mail.words.sentences import Sentence, split_sentences
from kipflow.mail.words.takebacks import doubt_taken_back
from kipflow.mail.words.templates import Part, classify_lines
from kipflow.mail.words.told import read_told
from kipflow.mail.words.values import find_values, parse_value, plain, spell_out

MAX_LINE_SHOWN = 300
#: Written values looked at in one sentence: more make no vote, only work.
MAX_VALUES = 12
#: Characters in which other sentences are looked for that speak of the vote.
MAX_TEXT = 20_000
_WRAPPED = re.compile(r"(?<!\n)\n(?!\n)")


#: Signs of a vote, told or written, that are cheap to look for in lower case.
_SIGNS = (
    *("+1", "-1", "+0", "-0", "+ 1", "- 1", "+ 0", "- 0", "+.", "-.", "plus", "minus", "1+", "+/-", ":+1:", "thumb"),
    *(
        "[",
        "( )",
        "(x)",
        "__",
        "\n0",
        "\n 0",
        "\n*",
        "to 0",
        "at 0",
        "m 0",
        "s 0",
        "with 0",
        "a 0",
        "o 0",
        ", 0",
        "(0",
        "[0",
        ": 0",
    ),
    *("bindi", "bidin", "bindn", "bndin", "(b)", "(nb)", "vot", "veto", "withdraw", "retract", "abst", "neutral"),
    *("lgtm", "look", "ship it", "approve", "aye", "yes", "work", "support", "endorse", "accept", "favo"),
    *("objection", "trouble", "problem", "issue", "regression", "no from", "for it", "for this", "oppose", "against"),
    *(
        "same ",
        "ditto",
        "likewise",
        "me too",
        "seconded",
        "me to ",
        "zero",
        "opinion",
        "sounds good",
        "fine by me",
        "yeah",
        "👎",
        "object to",
        "good with",
        "ok with",
        "fine with",
    ),
)
_FOREIGN_SIGNS = re.compile(r"[±−–—＋－﹣﹢➕１０‐‑☐☑☒✓✔✅⬜□■👍👎]")


def may_vote(words: Words) -> bool:
    """Whether a closer look could find a vote in these words; False is certain."""
    text = "\n" + "\n".join([*(line.text for line in words.own), *words.doubtful]).lower()
    return has_any(_SIGNS, text) or (not text.isascii() and _FOREIGN_SIGNS.search(text) is not None)


def read_expressions(words: Words, *, author: str = "", is_result: bool = False) -> tuple[Expression, ...]:
    """The vote that these words cast, withdraw or leave unclear: one expression, or none.

    `is_result` says that the mail announces a result: then only words in the first person count.
    A withdrawal that casts a new vote in the same mail is that vote.
    """
    if not may_vote(words):
        return ()
    lines = [OwnLine(spell_out(plain(x.text)), x.answers, x.quote_follows) for x in words.own]
    shown = [line.text for line in words.own]
    found = _read_lines(lines, shown, author=author, is_result=is_result)
    if not found and words.doubtful:
        below = [OwnLine(spell_out(plain(text))) for text in words.doubtful]
        found = [
            replace(
                e,
                standing=Standing.UNCLEAR,
                rule="below-unmarked-quote",
                why="stands below a quote without marks: whose words?",
            )
            for e in _read_lines(below, list(words.doubtful), author=author, is_result=is_result)
            if e.choice is not None and e.rule != "told-without-number"
        ]
    weighed = (_weigh_with_the_rest(e, shown, author) for e in _resolve(found))
    return tuple(e for e in weighed if e is not None)


#: rules of doubt whose answer a mail gives that says it is no vote
_MAY_BE_TALK = frozenset(
    {
        "inline-answer",
        "object-unclear",
        "answered-remark",
        "told-without-number",
        "announced",
        "hypothetical",
        "question",
        "goes-on",
    }
)


def _weigh_with_the_rest(cast: Expression, shown: Sequence[str], author: str) -> Expression | None:
    """A vote in the light of what the mail says of it elsewhere: that it is conditional, not binding, or none."""
    text = _WRAPPED.sub(" ", "\n".join(shown))[:MAX_TEXT]
    if cast.standing is not Standing.CLEAR:
        return None if cast.rule in _MAY_BE_TALK and says_no_vote(text) else cast
    if hangs_on_something(text):
        why = "another sentence hangs the vote on something: is it met?"
        return replace(cast, rule="conditional", standing=Standing.UNCLEAR, why=why)
    if cast.choice is Choice.FOR and refuses_support(text):
        why = "votes for it, and says elsewhere that it is not supported: which is meant?"
        return replace(cast, rule="contradiction", standing=Standing.UNCLEAR, why=why)
    if cast.claimed_binding is None:
        cast = replace(cast, claimed_binding=find_claim_told_apart(text, author))
    return doubt_taken_back(cast, text)


def _read_lines(lines: list[OwnLine], shown: list[str], *, author: str, is_result: bool) -> list[Expression]:
    texts = [line.text for line in lines]
    parts = classify_lines(texts, author)
    found: list[Expression] = [] if is_result else list(_read_boxes(parts, shown))
    free = [line if index not in parts else OwnLine("") for index, line in enumerate(lines)]
    spelled = {line.text: text for line, text in zip(lines, shown, strict=True)}
    for sentence in split_sentences(free):
        expression = _read_sentence(sentence, author=author, is_result=is_result)
        if expression is not None:
            line = spelled.get(sentence.line.text, sentence.line.text).strip()[:MAX_LINE_SHOWN]
            found.append(replace(expression, line=line))
    if not found and not parts and not is_result:
        found.extend(read_told(free, shown))
    if not found and not is_result:
        found.extend(_read_left_over(free, shown))
    return found


#: A value that opens a line and is followed by what follows a vote: nothing, a claim to bind, a stroke, "from".
_OPENS_LINE = re.compile(
    r"^[\s*_]{0,4}(?:(?:soft|weak|slight|mild|gentle|timid) )?([+-][01])"
    r"(?:(?=[\d.,]{1,14}\s*\(?(?:non-? ?)?binding\b)|(?![\d%]|[.,:]\d)"
    r"(?=\s*(?:/\s*[+-]|\(?(?:non-? ?)?binding\b)|\s+from\b|, (?:I|but|though|because|since)\b))",
    re.IGNORECASE,
)


def _read_left_over(free: Sequence[OwnLine], shown: Sequence[str]) -> Iterator[Expression]:
    """A value that opens a line as votes do and that no rule took for anything: it must not vanish without a word."""
    for line, text in zip(free, shown, strict=True):
        match = None if line.answers else _OPENS_LINE.match(line.text[:MAX_LINE_SHOWN])
        if match is not None:
            choice, written = parse_value(match.group(1))
            yield Expression(
                choice=choice,
                value=written,
                claimed_binding=find_claim("", text),
                line=text.strip()[:MAX_LINE_SHOWN],
                rule="left-over",
                standing=Standing.UNCLEAR,
                why="opens a line as a vote does, in words that no rule knows: is it one?",
            )
            return


_CAST_PARTS = {Part.CHECKED_BOX: "checked-box", Part.STATUS_LINE: "status-line"}
_DOUBTED_PARTS = {
    Part.LISTED_WORD: ("listed-words", "votes on several parts, or a list of voters by their handles?"),
    Part.OTHER_NAME: ("vote-with-a-name", "another person's name stands behind the vote"),
    Part.SEVERAL_BOXES: ("several-boxes", "more than one box is checked: which is the vote?"),
    Part.ON_PARTS: ("two-votes-in-one-mail", "different values for different things: what is the vote?"),
    Part.CITED: ("below-a-name", "stands right below somebody's name: whose words?"),
}


def _read_boxes(parts: dict[int, tuple[Part, str]], shown: Sequence[str]) -> Iterator[Expression]:
    empty = [index for index, (part, _) in parts.items() if part is Part.EMPTY_BOX]
    for index, (part, value) in parts.items():
        choice, written = parse_value(value)
        line = shown[index].strip()[:MAX_LINE_SHOWN]
        claimed = find_claim("", line)
        if part in {Part.CHECKED_BOX, Part.STATUS_LINE}:
            condition = CONDITION_AFTER.search(line)
            yield Expression(
                choice=choice,
                value=written,
                claimed_binding=claimed,
                line=line,
                rule="conditional" if condition else _CAST_PARTS[part],
                standing=Standing.UNCLEAR if condition else Standing.CLEAR,
                why="a condition stands with the vote" if condition else "",
            )
        elif part in _DOUBTED_PARTS:
            rule, why = _DOUBTED_PARTS[part]
            yield Expression(
                choice=choice,
                value=written,
                claimed_binding=claimed,
                line=line,
                rule=rule,
                standing=Standing.UNCLEAR,
                why=why,
            )
        elif part is Part.EMPTY_BOX and len(empty) == 1 and len(parts) == 1:
            yield Expression(
                choice=choice,
                value=written,
                claimed_binding=claimed,
                line=line,
                rule="single-empty-box",
                standing=Standing.UNCLEAR,
                why="one box of the template is left, without a mark",
            )


_TALKS_OF_BALLOT = re.compile(r"\bvot|\bveto|\bballot|\bobjection", re.IGNORECASE)


def _read_sentence(sentence: Sentence, *, author: str, is_result: bool) -> Expression | None:
    text = sentence.text
    if not any(c in text for c in ("0", "1", "+.", "-.")) and not _TALKS_OF_BALLOT.search(text):
        return None
    changed = read_change(text)
    if changed is not None:
        return changed if changed.rule else None
    values = find_values(text)[:MAX_VALUES]
    read = [(match, read_value(sentence, match, author=author, is_result=is_result)) for match in values]
    found = [e for _, e in read if e is not None]
    clear = [e for e in found if e.standing is Standing.CLEAR]
    if not clear:
        return found[0] if found else None
    sums_up = any(e in clear and _SUMS_UP.search(text[: m.start("value")]) is not None for m, e in read)
    if sums_up:
        clear = [e for m, e in read if e in clear and not _ON_A_PART.match(text[m.end("value") :])]
    contrary_at = (m for m in values if is_contrary(text, m))
    others = {m.group("value") for m in contrary_at if not (sums_up and _ON_A_PART.match(text[m.end("value") :]))}
    contrary = [e for v in others if (e := _read_plainly(v)).choice is not clear[0].choice]
    return _disagree([*clear, *contrary]) if contrary or len({e.choice for e in clear}) > 1 else clear[0]


# "-1 to the name; otherwise +1"
_SUMS_UP = re.compile(
    r"\b(?:otherwise|apart from (?:that|this)|other than that|besides that|for the rest|overall|all in all)\W*$",
    re.IGNORECASE,
)
_ON_A_PART = re.compile(
    r"^\s*(?:to|on|for)\s+(?:the|that|this|your)\s+(?!(?:kip|flip|pip|proposal|release|rc|vote|whole)\b)[a-z]",
    re.IGNORECASE,
)


def _read_plainly(written: str) -> Expression:
    choice, value = parse_value(written)
    return Expression(choice=choice, value=value, claimed_binding=None, line="", rule="contrary")


def _disagree(clear: Sequence[Expression]) -> Expression:
    """Different votes in one place ("+1 ... wait, -1"; "KIP-7: +1, KIP-9: -1"): which one counts, a person says."""
    why = "says " + " and ".join(dict.fromkeys(e.value for e in clear))
    return replace(clear[0], choice=None, rule="two-votes-in-one-mail", standing=Standing.UNCLEAR, why=why)


def _resolve(found: list[Expression]) -> tuple[Expression, ...]:
    """One expression for a whole mail."""
    changed = [e for e in found if e.rule == "changed"]
    if changed:
        return (changed[-1],)
    boxes = [e for e in found if e.rule == "checked-box"]
    clear = boxes or [e for e in found if e.standing is Standing.CLEAR]
    if clear:
        choices = {e.choice for e in clear}
        disagreeing = next((e for e in found if e.rule == "two-votes-in-one-mail"), None)
        if disagreeing is not None:
            return (disagreeing,)
        mended = [e for e in found if e.rule == "correction" and e.choice not in choices]
        if mended:
            return (_disagree([*clear, *mended]),)
        if len(choices) > 1:
            return (_disagree(clear),)
        best = next((e for e in clear if e.claimed_binding is not None), clear[0])
        return (best,)
    withdrawn = [e for e in found if e.standing is Standing.WITHDRAWAL]
    if withdrawn:
        return (withdrawn[-1],)
    unclear = [e for e in found if e.standing is Standing.UNCLEAR]
    return (unclear[0],) if unclear else ()
