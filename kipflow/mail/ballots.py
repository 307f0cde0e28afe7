"""What the author's own words say about a vote: at most one expression per mail, with the rule that fired.

Order of reading: boxes and lists first (`templates`), then sentence by sentence (`phrases`). A clear
vote outweighs agreement and wishes around it; two different clear votes, or wording that a careful
person would ask about, become unclear and go to review. Nothing is guessed into a count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kipflow.domain.votes import Expression, Standing
from kipflow.mail import phrases
from kipflow.mail.changes import read_change
from kipflow.mail.quoting import OwnLine, Words
from kipflow.mail.sentences import Sentence, split_sentences
from kipflow.mail.templates import Part, classify_lines
from kipflow.mail.told import read_told
from kipflow.mail.values import find_claim, find_values, has_claim_word, parse_value, plain, skip_bullet, spell_out

MAX_LINE_SHOWN = 300


# signs of a vote, told or written, that are cheap to look for
_SIGNS = re.compile(
    r"[+\-±−–—＋－﹣‐‑]\s{0,2}[01.０１*_]|(?m:^\s*\*{0,2}0\b)|\[[^\[\]]{0,5}\]|[☐☑☒✓✔✅⬜□■]|\bplus[ -]|\bminus[ -]"
    r"|b[iy]n?d{1,2}i?n?g|bnding|bidn|bindi|\(n?b\)|vot(?:e|ing)|veto|lgtm|looks|ship it|approve|\baye\b|\byes\b|"
    r"works?\b|"
    r"sounds good|thumbs|👍|support|endorse|accept|favou?r|objection|\bno (?:trouble|problem|issue|regress|from)|for "
    r"(?:it|this)|"
    r"withdraw|retract|abstain|neutral|oppose|against|object to|(?:good|ok|fine) with",
    re.IGNORECASE,
)


def may_vote(words: Words) -> bool:
    """Whether a closer look could find a vote in these words; False is certain."""
    return any(_SIGNS.search(line.text) for line in words.own) or any(_SIGNS.search(line) for line in words.doubtful)


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
    for sentence in split_sentences(free):
        expression = _read_sentence(sentence, is_result=is_result)
        if expression is not None:
            line = spelled.get(sentence.line.text, sentence.line.text).strip()[:MAX_LINE_SHOWN]
            found.append(replace(expression, line=line))
    if not found and not parts and not is_result:
        found.extend(read_told(free, shown))
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


_TALKS_OF_BALLOT = re.compile(r"\bvot|\bveto|\bballot|\bobjection", re.IGNORECASE)


def _read_sentence(sentence: Sentence, *, is_result: bool) -> Expression | None:
    text = sentence.text
    if not any(c in text for c in "01") and not _TALKS_OF_BALLOT.search(text):
        return None
    changed = read_change(text)
    if changed is not None:
        return changed if changed.rule else None
    for match in find_values(text):
        expression = _read_value(sentence, match, is_result=is_result)
        if expression is not None:
            return expression
    return None


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


def _read_value(sentence: Sentence, match: re.Match[str], *, is_result: bool) -> Expression | None:
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


def _find_doubt(sentence: Sentence, before: str, after: str, *, leading: bool) -> tuple[str, str] | None:
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
