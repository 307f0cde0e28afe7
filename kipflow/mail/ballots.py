"""What the author's own words say about a vote: at most one expression per mail, with the rule that fired.

Order of reading: boxes and lists first (`templates`), then sentence by sentence (`phrases`). A clear
vote outweighs agreement and wishes around it; two different clear votes, or wording that a careful
person would ask about, become unclear and go to review. Nothing is guessed into a count.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kipflow.domain.votes import Choice, Expression, Standing
from kipflow.mail import phrases
from kipflow.mail.quoting import OwnLine, Words
from kipflow.mail.templates import Part, classify_lines
from kipflow.mail.values import find_claim, find_values, has_claim_word, parse_value, plain, skip_bullet, spell_out

MAX_SENTENCE = 600
MAX_LINE_SHOWN = 300
MAX_SENTENCES = 2_000


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One sentence of the own words. `starts_line` says that it begins where a line does."""

    text: str
    line: OwnLine
    following: str
    starts_line: bool


def read_expressions(words: Words, *, author: str = "", is_result: bool = False) -> tuple[Expression, ...]:
    """The vote that these words cast, withdraw or leave unclear: one expression, or none.

    `is_result` says that the mail announces a result: then only words in the first person count.
    A withdrawal that casts a new vote in the same mail is that vote.
    """
    lines = [replace(line, text=spell_out(plain(line.text))) for line in words.own]
    shown = [line.text for line in words.own]
    found = _read_lines(lines, shown, author=author, is_result=is_result)
    if not found and words.doubtful and not any(line.strip() for line in shown):
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
    return _resolve(found)


def _read_lines(lines: list[OwnLine], shown: list[str], *, author: str, is_result: bool) -> list[Expression]:
    texts = [line.text for line in lines]
    parts = classify_lines(texts, author)
    found: list[Expression] = [] if is_result else list(_read_boxes(parts, shown))
    free = [line if index not in parts else OwnLine("") for index, line in enumerate(lines)]
    spelled = {line.text: text for line, text in zip(lines, shown, strict=True)}
    for sentence in _split_sentences(free):
        expression = _read_sentence(sentence, is_result=is_result)
        if expression is not None:
            line = spelled.get(sentence.line.text, sentence.line.text).strip()[:MAX_LINE_SHOWN]
            found.append(replace(expression, line=line))
    if not found and not parts and not is_result:
        found.extend(_read_told(free, shown))
    return found


def _read_boxes(parts: dict[int, tuple[Part, str]], shown: Sequence[str]) -> Iterator[Expression]:
    empty = [index for index, (part, _) in parts.items() if part is Part.EMPTY_BOX]
    for index, (part, value) in parts.items():
        choice, written = parse_value(value)
        line = shown[index].strip()[:MAX_LINE_SHOWN]
        claimed = find_claim("", line)
        if part is Part.CHECKED_BOX:
            yield Expression(choice=choice, value=written, claimed_binding=claimed, line=line, rule="checked-box")
        elif part is Part.STATUS_LINE:
            condition = phrases.CONDITION_AFTER.search(line)
            yield Expression(
                choice=choice,
                value=written,
                claimed_binding=claimed,
                line=line,
                rule="conditional" if condition else "status-line",
                standing=Standing.UNCLEAR if condition else Standing.CLEAR,
                why="a condition stands with the vote" if condition else "",
            )
        elif part is Part.OTHER_NAME:
            yield Expression(
                choice=choice,
                value=written,
                claimed_binding=claimed,
                line=line,
                rule="vote-with-a-name",
                standing=Standing.UNCLEAR,
                why="another person's name stands behind the vote",
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


# a sentence ends at . ! ? before a blank and something that can begin another
_SENTENCE_END = re.compile(r"(?<=[.!?;])[\"')]{0,2}\s+(?=[A-Z0-9\"'(\[+\-@*À-ÿ一-鿿]|i\b|checked|thanks|i['’])")
_CONNECTS = re.compile(
    r"^\s{0,3}(?:if|once|provided|assuming|unless|until|on|to|with|for|pending|but only|modulo|as long as|that|what|"
    r"from)\b(?! again| more| a side)",
    re.IGNORECASE,
)
_ENDS_OPEN = re.compile(
    r"(?:\b(?:on|to|for|if|with|that|the|and|or|of|in|is|my|a|once|until|as|from)|,)\s*$", re.IGNORECASE
)
_NEW_ITEM = re.compile(r"^\s*(?:[-*•·]\s|\d{1,2}[.)]\s|\[)")
_WHOLE_VOTE = re.compile(r"^\s*[-*•]?\s*[+\-±]\s?[01](?:\.\d{1,2})?\W{0,4}(?:\(?[\w\s-]{0,24}\)?)\W{0,4}$")


def _split_sentences(lines: Sequence[OwnLine]) -> Iterator[_Sentence]:
    """Sentences over wrapped lines, each with the line that its first vote stands in."""
    count = 0
    blocks = list(_join_wrapped(lines))
    for position, block in enumerate(blocks):
        text = " ".join(line.text.strip() for line in block)[: 4 * MAX_SENTENCE]
        after_block = blocks[position + 1][0].text.strip() if position + 1 < len(blocks) else ""
        starts = [0, *(m.end() for m in _SENTENCE_END.finditer(text)), len(text)]
        for number, (start, end) in enumerate(itertools.pairwise(starts)):
            count += 1
            if count > MAX_SENTENCES:
                return
            sentence = text[start:end][:MAX_SENTENCE]
            if not sentence.strip():
                continue
            following = text[end : end + 200] or after_block[:200]
            line = _find_line(block, text, start, sentence)
            yield _Sentence(sentence, line, following, starts_line=number == 0)


def _join_wrapped(lines: Sequence[OwnLine]) -> Iterator[list[OwnLine]]:
    block: list[OwnLine] = []
    for line in lines:
        text = line.text
        if not text.strip():
            if block:
                yield block
            block = []
            continue
        if block and not _continues(block[-1].text, text):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _continues(above: str, line: str) -> bool:
    """Whether `line` is the rest of a sentence that `above` began."""
    if _NEW_ITEM.match(line) or _WHOLE_VOTE.match(line):
        return False
    closed = above.rstrip().endswith((".", "!", "?", ":"))
    if _WHOLE_VOTE.match(above) and not _CONNECTS.match(line):
        return False
    starts_with_value = (
        skip_bullet(line) < len(line) and bool(find_values(line)) and find_values(line)[0].start() <= skip_bullet(line)
    )
    if starts_with_value:
        return (
            (len(above) >= 55 or _ENDS_OPEN.search(above) is not None)
            and not closed
            and not above.rstrip().endswith((",", ";", ")"))
        )
    return (
        not closed and (len(above) >= 56 or _CONNECTS.match(line) is not None or _ENDS_OPEN.search(above) is not None)
    ) or (closed and len(above) >= 64)


def _find_line(block: Sequence[OwnLine], text: str, start: int, sentence: str) -> OwnLine:
    values = find_values(sentence)
    offset = start + (values[0].start("value") if values else 0)
    passed = 0
    for line in block:
        passed += len(line.text.strip()) + 1
        if offset < passed:
            return line
    del text
    return block[-1]


def _read_sentence(sentence: _Sentence, *, is_result: bool) -> Expression | None:
    text = sentence.text
    changed = _read_change(text)
    if changed is not None:
        return changed if changed.rule else None
    for match in find_values(text):
        expression = _read_value(sentence, match, is_result=is_result)
        if expression is not None:
            return expression
    return None


_NOTHING = Expression(choice=None, value="", claimed_binding=None, line="", rule="")
_TO_ZERO = re.compile(r"\b(?:to|now)\s+(?:a\s+)?(?P<value>0)(?![\w.])", re.IGNORECASE)
_LAST_TARGET = re.compile(
    r"(?:\bto\b|\binto\b|->|=>|→|\bnow\b|:|\band\b|,|\binstead\b|\bwith\b|\bby\b)\s*(?:a |an |my |vote |voting |is |"
    r"it |i['’]?m |i am |cast(?:ing)? |change (?:it )?to |\(|binding |non-?binding |strong |at |of ){0,4}\s*$",
    re.IGNORECASE,
)


def _read_change(text: str) -> Expression | None:
    """A vote withdrawn or changed in this sentence; an expression without rule means: talk, no vote."""
    withdraws = phrases.WITHDRAW.search(text) is not None and phrases.MINE.search(text) is not None
    changes = (
        phrases.ARROW.search(text) is not None
        or phrases.NOW.search(text) is not None
        or (
            phrases.CHANGE.search(text) is not None
            and (re.search(r"\b(?:my|vote|from|mind)\b", text, re.IGNORECASE) is not None)
        )
    )
    if not (withdraws or changes):
        if phrases.WITHDRAW.search(text) and find_values(text) and phrases.YOURS.search(text):
            return _NOTHING
        return None
    values = find_values(text)
    targets = [v for v in values if _LAST_TARGET.search(text[: v.start("value")])]
    targets = targets or list(_TO_ZERO.finditer(text))
    if changes and not targets and values and phrases.ARROW.search(text) is None and not withdraws:
        targets = (
            values[-1:]
            if phrases.NOW.search(text)
            or re.search(r"\bvote\b[^.]{0,20}$", text[: values[-1].start("value")], re.IGNORECASE)
            else []
        )
    if not withdraws and not targets:
        return None
    if phrases.UNREAL.search(text) or phrases.YOURS.search(text):
        return _NOTHING  # "I'd withdraw my -1 if …": the vote stands as it was
    if targets:
        last = targets[-1]
        choice, value = parse_value(last.group("value"))
        claimed = find_claim(text[: last.start("value")], text[last.end("value") :])
        return Expression(choice=choice, value=value, claimed_binding=claimed, line="", rule="changed")
    value = parse_value(values[0].group("value"))[1] if values else ""
    return Expression(
        choice=None, value=value, claimed_binding=None, line="", rule="withdrawn", standing=Standing.WITHDRAWAL
    )


_LEAD_IN = re.compile(
    r"(?:^|\b(?:my|mine|a|an|another|here['’]?s|here is|here goes|consider (?:this|me)(?: as)?|give|giving|gets?|"
    r"have|has|cast|casting|voting|vote|i['’]?m|i am|we are|we['’]re|still|"
    r"so|also|and|from me|strong|big|huge|definite|definitely|enthusiastic|solid|clear|firm|hearty|resounding|thus|"
    r"therefore|hence|then|yes|ok|okay|cool|nice|"
    r"awesome|lgtm|good|thanks|thank you|binding|as well|to add|add|adding|overall|me|please|hi|all|hello|hey|hence|"
    r"anyway|otherwise|is|as|it|its|this|kip|proposal|release|work|great|me too|initial|own|kudos|congrats|team|"
    r"folks|everyone))"
    r"\s*[:=]?\s*[\"'(]?\s*$|[,;:!.)\]–—-]\s*[\"'(]?\s*$|\.\.\.\s*$",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"(?:^|\b)(?:i|i['’]m|my|me|we|we['’]re|our|here['’]?s|here is)\b", re.IGNORECASE)
_VOTE_WORDS = re.compile(r"\b(?:vot(?:e|es|ing)|binding|lgtm)\b", re.IGNORECASE)
_MY_VOTE_IS = re.compile(
    r"\b(?:my (?:own |current |personal |final )?(?:vote|position|opinion)|i vote|i['’]?m voting|i am voting|"
    r"here(?:['’]?s| is) my(?: vote)?|vote)\s*(?:is|:|=|would be|of|goes? (?:to|for))?\s*(?:a |an )?[\"'(]?$",
    re.IGNORECASE,
)
_PERFORMS = re.compile(
    r"\b(?:i['’]?ll|i will|i['’]d like to|i would like to|let me)\s+(?:also\s+|just\s+|then\s+)?(?:vote|go with|give|"
    r"cast|add|say|be|change|put|express|throw in)\b",
    re.IGNORECASE,
)


def _read_value(sentence: _Sentence, match: re.Match[str], *, is_result: bool) -> Expression | None:
    text = sentence.text
    before, after = text[: match.start("value")], text[match.end("value") :]
    leading = not before[skip_bullet(before) :].strip(" \"'*(<•-") and match.start("value") <= skip_bullet(text) + 3
    if _is_number(before, after, leading=leading) or _is_quoted(before, after, text):
        return None
    if (
        not leading
        and not phrases.FROM_ME.search(after[:60])
        and not phrases.MINE_BEFORE.search(before[-40:])
        and phrases.OTHERS_BEFORE.search(before[-120:])
        and not _MY_VOTE_IS.search(before)
    ):
        return None
    from_whom = None if phrases.FROM_ME.search(after[:60]) else phrases.OTHERS_AFTER.match(after)
    if from_whom is not None and not (leading and from_whom.group(0).strip().lower() == "from"):
        return None
    if from_whom is not None and re.match(
        r"\s*[A-Z][\w.-]+(?:\s+[A-Z][\w.-]+)?\b(?!\s+(?:side|team|community|project))", after[from_whom.end() :]
    ):
        return None
    if is_result and not (_FIRST_PERSON.search(before) or phrases.FROM_ME.search(after[:60])):
        return None
    choice, value = parse_value(match.group("value"))
    claimed = find_claim(before, after)
    if claimed is None:
        claimed = _claim_below(after, sentence.following)
    read = Expression(
        choice=choice, value=value, claimed_binding=claimed, line="", rule="leading" if leading else "in-sentence"
    )
    agreement = None if claimed is not None else _read_agreement(after)
    if agreement is not None and agreement is not Standing.UNCLEAR:
        return None
    if leading and claimed is None and _is_inline_answer(sentence.line):
        why = "answers a quoted remark within a discussion: a vote, or agreement?"
        return replace(read, rule="inline-answer", standing=Standing.UNCLEAR, why=why)
    unclear = _find_doubt(sentence, before, after, leading=leading)
    if unclear is not None:
        return replace(read, rule=unclear[0], standing=Standing.UNCLEAR, why=unclear[1])
    if agreement is Standing.UNCLEAR:
        return replace(
            read, rule="object-unclear", standing=Standing.UNCLEAR, why="a vote, or agreement with something said?"
        )
    if leading or _MY_VOTE_IS.search(before) or phrases.FROM_ME.search(after[:40]) or claimed is not None:
        return read
    if _LEAD_IN.search(before[-60:]):
        return (
            read
            if len(before) < 160 or _FIRST_PERSON.search(before[-60:]) or before.rstrip()[-1:] in ",;:!.-–—"
            else _doubt_place(read)
        )
    if phrases.REAFFIRMED_AFTER.search(after) and phrases.MINE.search(before[-20:]):
        return replace(read, rule="reaffirmed")
    if (len(text) < 50 and not after.strip(" .!")) or (_VOTE_WORDS.search(text) and _FIRST_PERSON.search(before)):
        return _doubt_place(read)
    return None


_VOTE_CALL = re.compile(r"\bvot(?:e|es|ing)\b|\[ ?\]|[+-]1|\brelease\b|\b72 hours\b|\bKIP\b", re.IGNORECASE)


def _is_inline_answer(line: OwnLine) -> bool:
    """Whether a line stands right below a quoted remark that is no call for votes, in the midst of quotes."""
    return bool(line.answers) and line.quote_follows and _VOTE_CALL.search(line.answers) is None


def _doubt_place(read: Expression) -> Expression:
    return replace(read, rule="buried", standing=Standing.UNCLEAR, why="is this a vote, or talk about one?")


def _claim_below(after: str, following: str) -> bool | None:
    """A claim on a line of its own below a bare vote."""
    if after.strip(" .!,") or len(following) > 40 or not has_claim_word(following):
        return None
    return find_claim("", following)


def _is_number(before: str, after: str, *, leading: bool) -> bool:
    if phrases.PHONE_AFTER.match(after) or phrases.PHONE_BEFORE.search(before[-20:]):
        return True
    if phrases.TECHNICAL_AFTER.match(after[:80]):
        return True
    if leading or _MY_VOTE_IS.search(before) or phrases.FROM_ME.match(after.lstrip()):
        return False
    if re.search(
        r"\b(?:i|i['’](?:m|d|ll)|my|me|vote|voting|we)\s+(?:\w+\s+){0,2}$|\b(?:lgtm|good|thanks|it|this)\W*$",
        before[-30:],
        re.IGNORECASE,
    ):
        return (
            re.search(r"\b(?:by|with value|equals?|returns?|set|sets|set to)\s*$", before[-20:], re.IGNORECASE)
            is not None
        )
    return phrases.TECHNICAL_BEFORE.search(before[-50:]) is not None and not re.search(
        r"\bvote\b", before[-30:], re.IGNORECASE
    )


def _is_quoted(before: str, after: str, text: str) -> bool:
    """Whether the value stands in quotation marks within a longer sentence: cited, not cast."""
    opened, closed = before.rstrip()[-1:], after.lstrip()[:1]
    return (
        opened in ('"', "“", "'", "‘", "`", "«")
        and closed in ('"', "”", "'", "’", "`", "»", ",")
        and len(text.strip()) > 24
    )


def _read_agreement(after: str) -> Standing | None:
    """None: no agreement. CLEAR: agreement with a comment, no vote. UNCLEAR: could be either."""
    if phrases.AGREEMENT_DIRECT.match(after):
        return Standing.CLEAR
    match = phrases.AGREEMENT_AFTER.match(after)
    if match is None:
        return None
    word, what = match.group("word").lower(), match.group("object")
    if re.match(r"\s*(?:the |a |this )?(?:side|other)\b|\s*(?:me|my (?:side|part|end))\b", what, re.IGNORECASE):
        return None
    votes = phrases.VOTE_OBJECT.search(what[:60])
    strong = phrases.STRONG_COMMENT_OBJECT.search(what)
    if word == "with" and (phrases.CONDITION_AFTER.match(after) or phrases.NITS.match(what)):
        return None
    if word in {"with", "for"}:
        if strong is not None and (votes is None or strong.start() <= votes.start()):
            return Standing.CLEAR
        return None if votes is not None or word == "with" else Standing.UNCLEAR
    comment = phrases.COMMENT_OBJECT.search(what)
    if comment is not None and (votes is None or comment.start() <= votes.start() + 12):
        return Standing.CLEAR
    return (
        None if votes is not None else (Standing.CLEAR if re.match(r"\s*[A-Z][a-z]+\s*$", what) else Standing.UNCLEAR)
    )


def _find_doubt(sentence: _Sentence, before: str, after: str, *, leading: bool) -> tuple[str, str] | None:
    """Why a person must look at this vote: rule name and question."""
    if re.match(r"^\s*\)?\s*\?", after) or re.match(r"^\s*(?:or|/)\s*[+\-±]?\s?[01]\b", after):
        return "question", "asked rather than cast?"
    if phrases.NOT_SERIOUS.search(sentence.text):
        return "not-serious", "is this meant as a vote?"
    if (
        phrases.CONDITION_AFTER.search(after)
        or (not leading and phrases.CONDITION_BEFORE.search(before))
        or (phrases.CONDITION_NEXT.match(sentence.following))
    ):
        return "conditional", "a condition stands with the vote: is it met?"
    if leading:
        return None
    if phrases.PAST.search(before[-80:]):
        return "told-of-the-past", "tells of an earlier vote: does it count here?"
    if _PERFORMS.search(before[-60:]):
        return ("announced", "announced for later: cast?") if phrases.LATER_AFTER.search(after) else None
    if phrases.HYPOTHETICAL_BEFORE.search(before[-110:]):
        return "hypothetical", "a wish or a leaning: cast as a vote?"
    if re.search(r"\b(?:will|['’]ll)\b[^,.;]{0,30}$", before, re.IGNORECASE):
        return "announced", "announced for later: cast?"
    return None


def _read_told(lines: Sequence[OwnLine], shown: Sequence[str]) -> Iterator[Expression]:
    """Votes told without a number: never counted, put to a person."""
    written = 0
    for line, text in zip(lines, shown, strict=True):
        sentence = line.text.strip()
        if not sentence:
            continue
        written += 1
        if written > 12 or len(sentence) > 400:
            continue
        choice = _find_told(sentence, first=written <= 3)
        if choice is not None:
            claimed = find_claim("", sentence)
            yield Expression(
                choice=choice,
                value="",
                claimed_binding=claimed,
                line=text.strip()[:MAX_LINE_SHOWN],
                rule="told-without-number",
                standing=Standing.UNCLEAR,
                why="reads like a vote without a number",
            )
            return


def _find_told(sentence: str, *, first: bool) -> Choice | None:
    if phrases.TOLD_UNREAL.search(sentence) or phrases.TALK_OF_VOTES.search(sentence):
        return None
    if phrases.TOLD_AGAINST.search(sentence):
        return Choice.AGAINST
    if phrases.TOLD_ABSTAIN.search(sentence):
        return Choice.ABSTAIN
    if phrases.TOLD_FOR.search(sentence) or phrases.TOLD_TESTED.search(sentence):
        return Choice.FOR
    # "Non binding but it works well": only who votes says whether it binds
    return (
        Choice.FOR
        if first and has_claim_word(sentence) and find_claim("", sentence) is not None and len(sentence) < 160
        else None
    )


def _resolve(found: list[Expression]) -> tuple[Expression, ...]:
    """One expression for a whole mail."""
    changed = [e for e in found if e.rule == "changed"]
    if changed:
        return (changed[-1],)
    boxes = [e for e in found if e.rule == "checked-box"]
    clear = boxes or [e for e in found if e.standing is Standing.CLEAR]
    if clear:
        choices = {e.choice for e in clear}
        if len(choices) > 1:
            first = clear[0]
            why = "says " + " and ".join(dict.fromkeys(e.value for e in clear))
            return (replace(first, choice=None, rule="two-votes-in-one-mail", standing=Standing.UNCLEAR, why=why),)
        best = next((e for e in clear if e.claimed_binding is not None), clear[0])
        return (best,)
    withdrawn = [e for e in found if e.standing is Standing.WITHDRAWAL]
    if withdrawn:
        return (withdrawn[-1],)
    unclear = [e for e in found if e.standing is Standing.UNCLEAR]
    return (unclear[0],) if unclear else ()
